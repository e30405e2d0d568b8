// The rules of a module. They support all forms.
#include <array>
#include <fmt/format.h>

#include "harness/base/little_endian.h"
#include "harness/base/round_up.h"
#include "harness/formats/flatbuffer/sound_view.h"
#include "harness/formats/message.h"
#include "harness/formats/rules.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck::vmfb {
namespace {

using FactEvidence::kRealFile;
using FactEvidence::kSpecification;
using flatbuffer::SoundTable;
using flatbuffer::SoundVector;

constexpr WalkRules kRules({
    {"type-id", "Argument and result types index the type table.",
     "specification 002, FunctionSignatureDef", kSpecification},
    {"type-name", "Every type has a name.", "specification 002, TypeDef", kSpecification},
    {"export-ordinal", "internal_ordinal of an export indexes the function descriptors.",
     "specification 002, ExportFunctionDef", kSpecification},
    {"export-calling-convention", "Every export has a calling convention.",
     "specification 002, FunctionSignatureDef: required for exports", kSpecification},
    {"import-name", "An import's name has the form MODULE.NAME.",
     "specification 002, ImportFunctionDef", kSpecification},
    {"function-descriptors",
     "There is one function descriptor per internal function, or per function signature in later "
     "forms.",
     "specification 002, BytecodeModuleDef; real files", kSpecification},
    {"bytecode-range", "Each function's bytecode lies inside bytecode_data.",
     "specification 002, FunctionDescriptor", kSpecification},
    {"counts", "Register, block, state and data sizes are not negative.",
     "specification 002, FunctionDescriptor, ModuleStateDef, RwdataSegmentDef", kSpecification},
    {"location-index", "Locations that a location or source map names are in the location table.",
     "specification 002, DebugDatabaseDef", kSpecification},
    {"location-cycle", "No location contains itself.", "specification 002: possibly nested",
     kSpecification},
    {"source-map-count", "There is one source map per function descriptor.",
     "specification 002, DebugDatabaseDef", kSpecification},
    {"source-map-offset", "A source map's bytecode offsets lie inside its function.",
     "specification 002, BytecodeLocationDef", kSpecification},
    {"external-data", "Data outside the FlatBuffer lies inside the file.",
     "real files: offsets count from the FlatBuffer's end rounded up to 64", kRealFile},
    {"size-prefix", "The size prefix is the size of the archive's entry.",
     "real files; facts/hwx.md, IREE modules", kRealFile},
    {"zip-records", "Checksums, sizes and offsets of the archive's records agree with the data.",
     "real files", kRealFile},
});

class RuleChecker {
 public:
  explicit RuleChecker(const Module& module)
      : module_(module),
        bytes_(module.file.data()),
        ids_(module.form->ids),
        root_(module.file.data() + module.root().at()),
        types_(root_.Vector(ids_.types).size()),
        descriptors_(root_.Vector(ids_.descriptors)) {}

  std::vector<Violation> Run() {
    CheckArchive();
    CheckTypes();
    CheckImports();
    CheckExports();
    CheckFunctions();
    CheckDescriptors();
    CheckState();
    CheckData();
    CheckDebug(root_.Table(ids_.debug));
    return std::move(found_).Take();
  }

 private:
  template <typename... Args>
  [[gnu::noinline, gnu::cold]] void Add(const Rule& rule, const uint8_t* where,
                                        fmt::format_string<Args...> text, const Args&... args) {
    const uint64_t at = where == nullptr ? 0 : static_cast<uint64_t>(where - bytes_);
    found_.Add(rule, at, [&] {
      return fmt::format("{}: {} at 0x{:x}", rule.id,
                         fmt::format(fmt::runtime(text), ShownText(args)...), at);
    });
  }

  void CheckArchive() {
    if (module_.is_archive) {
      const uint32_t prefix = LoadU32(bytes_ + module_.origin());
      const uint32_t size = module_.buffer_end - module_.origin();
      if (prefix != size) {
        Add(kRules["size-prefix"], bytes_ + module_.origin(),
            "the size prefix is {}, the entry has {} bytes,", prefix, size);
      }
    }
    if (!module_.zip) return;
    for (const ZipEntry& entry : module_.zip->entries) {
      if (!ZipEntryIsSettled(entry, module_.file)) {
        Add(kRules["zip-records"], bytes_ + entry.local.at,
            "records of entry \"{}\" do not agree with its data", entry.Name());
      }
    }
    if (!ZipEndIsSettled(*module_.zip)) {
      Add(kRules["zip-records"], bytes_ + module_.zip->end.at,
          "the end records do not agree with the directory");
    }
  }

  void CheckTypes() {
    const SoundVector types = root_.Vector(ids_.types);
    for (uint32_t i = 0; i < types_; ++i) {
      const SoundTable type = types.Table(i);
      if (type.String(0).empty()) Add(kRules["type-name"], type.at(), "type {} has no name", i);
    }
  }

  [[gnu::always_inline]] void CheckSignature(const SoundTable& signature) {
    const uint32_t types = types_;
    for (const int id : {ids_.signature_arguments, ids_.signature_results}) {
      const SoundVector indices = signature.Vector(id);
      for (uint32_t i = 0; i < indices.size(); ++i) {
        if (static_cast<uint32_t>(indices.I32(i)) >= types) [[unlikely]] {
          Add(kRules["type-id"], indices.Element(i, 4),
              "type {} is not below {}, the number of types,", indices.I32(i), types);
        }
      }
    }
  }

  void CheckImports() {
    const SoundVector imports = root_.Vector(ids_.imports);
    for (uint32_t i = 0; i < imports.size(); ++i) {
      const SoundTable import = imports.Table(i);
      const std::string_view name = import.String(ids_.import_name);
      if (name.find('.', 1) == std::string_view::npos) {
        Add(kRules["import-name"], import.at(), "import {} is named \"{}\"", i, name);
      }
      CheckSignature(import.Table(ids_.import_signature));
    }
  }

  void CheckExports() {
    const SoundVector exports = root_.Vector(ids_.exports);
    const SoundVector signatures = root_.Vector(ids_.signatures);
    // Modules with the identifier BMOD do not have the field.
    const bool has_conventions = module_.form->name != "BMOD";
    for (uint32_t i = 0; i < exports.size(); ++i) {
      const SoundTable entry = exports.Table(i);
      const int32_t ordinal = entry.I32(ids_.export_ordinal);
      if (static_cast<uint32_t>(ordinal) >= descriptors_.size()) {
        Add(kRules["export-ordinal"], entry.at(),
            "export \"{}\" is function {}, but the number of functions is {},",
            entry.String(ids_.export_name), ordinal, descriptors_.size());
      }
      const SoundTable own = entry.Table(ids_.export_signature);
      CheckSignature(own);
      // Later forms have signatures in a separate table, which the ordinal indexes.
      const bool in_table =
          ids_.signatures < 0 || static_cast<uint32_t>(ordinal) < signatures.size();
      if (!in_table || !has_conventions) continue;
      const SoundTable signature =
          ids_.signatures >= 0 ? signatures.Table(static_cast<uint32_t>(ordinal)) : own;
      if (signature.String(ids_.signature_convention).empty()) {
        Add(kRules["export-calling-convention"], entry.at(),
            "export \"{}\" has no calling convention", entry.String(ids_.export_name));
      }
    }
  }

  void CheckFunctions() {
    const SoundVector internal = root_.Vector(ids_.internal_functions);
    for (uint32_t i = 0; i < internal.size(); ++i) {
      CheckSignature(internal.Table(i).Table(ids_.internal_signature));
    }
    const int id = ids_.internal_functions >= 0 ? ids_.internal_functions : ids_.signatures;
    if (id < 0) return;
    const uint32_t functions = root_.Vector(id).size();
    if (functions != descriptors_.size()) {
      Add(kRules["function-descriptors"], descriptors_.Exists() ? descriptors_.at() : root_.at(),
          "there are {} descriptors for {} functions", descriptors_.size(), functions);
    }
  }

  static int16_t I16(const uint8_t* at) { return static_cast<int16_t>(LoadU16(at)); }

  void CheckDescriptors() {
    const uint32_t bytecode = root_.Vector(ids_.bytecode).size();
    const auto width = static_cast<uint32_t>(ids_.descriptor_width);
    for (uint32_t i = 0; i < descriptors_.size(); ++i) {
      const uint8_t* at = descriptors_.Element(i, width);
      const auto offset = static_cast<int32_t>(LoadU32(at));
      const auto length = static_cast<int32_t>(LoadU32(at + 4));
      if (offset < 0 || length < 0 ||
          static_cast<uint64_t>(offset) + static_cast<uint64_t>(length) > bytecode) {
        Add(kRules["bytecode-range"], at,
            "function {}: bytecode [{}, +{}) is outside the {} bytes of bytecode_data,", i, offset,
            length, bytecode);
      }
      bool negative = I16(at + ids_.descriptor_i32) < 0 || I16(at + ids_.descriptor_ref) < 0;
      if (ids_.descriptor_blocks >= 0) negative |= I16(at + ids_.descriptor_blocks) < 0;
      if (negative) Add(kRules["counts"], at, "function {} has a negative count", i);
    }
  }

  void CheckState() {
    const SoundTable state = root_.Table(ids_.state);
    if (state.I32(0) < 0 || state.I32(1) < 0) {
      Add(kRules["counts"], state.at(), "module state has {} bytes and {} references", state.I32(0),
          state.I32(1));
    }
    const SoundVector segments = root_.Vector(ids_.rwdata);
    for (uint32_t i = 0; i < segments.size(); ++i) {
      const SoundTable segment = segments.Table(i);
      if (segment.I32(0) < 0) {
        Add(kRules["counts"], segment.at(), "writable segment {} has {} bytes", i, segment.I32(0));
      }
    }
  }

  void CheckData() {
    if (ids_.rodata_offset < 0) return;
    // Offsets count from the next multiple of 64, because archive entries are at multiples of 64.
    const uint64_t base = RoundUp(uint64_t{module_.buffer_end}, 64);
    const SoundVector segments = root_.Vector(ids_.rodata);
    for (uint32_t i = 0; i < segments.size(); ++i) {
      const SoundTable segment = segments.Table(i);
      const uint64_t length = segment.U64(ids_.rodata_length);
      if (length == 0) continue;
      const uint64_t offset = segment.U64(ids_.rodata_offset);
      if (base > module_.file.size() || length > module_.file.size() - base ||
          offset > module_.file.size() - base - length) {
        Add(kRules["external-data"], segment.at(),
            "segment {} has external data [{}, +{}) outside the file,", i, offset, length);
      }
    }
  }

  void CheckDebug(const SoundTable& debug) {
    if (!debug.Exists()) return;
    const SoundVector codes = debug.Vector(0);
    const SoundVector table = debug.Vector(1);
    CheckLocations(codes, table);
    const SoundVector maps = debug.Vector(2);
    if (maps.size() != descriptors_.size()) {
      Add(kRules["source-map-count"], debug.at(), "there are {} source maps for {} functions",
          maps.size(), descriptors_.size());
    }
    for (uint32_t i = 0; i < maps.size(); ++i) CheckSourceMap(maps.Table(i), i, table.size());
  }

  void CheckSourceMap(const SoundTable& map, uint32_t function, uint32_t locations) {
    const SoundVector entries = map.Vector(ids_.map_locations);
    uint32_t length = UINT32_MAX;
    if (function < descriptors_.size()) {
      const auto width = static_cast<uint32_t>(ids_.descriptor_width);
      length = LoadU32(descriptors_.Element(function, width) + 4);
    }
    // Almost always all entries are in range. A loop without branches checks this first.
    bool bad = false;
    for (uint32_t i = 0; i < entries.size(); ++i) {
      const uint8_t* at = entries.Element(i, 8);
      bad |= LoadU32(at) >= length;
      bad |= LoadU32(at + 4) >= locations;
    }
    if (!bad) return;
    for (uint32_t i = 0; i < entries.size(); ++i) {
      const uint8_t* at = entries.Element(i, 8);
      const uint32_t offset = LoadU32(at);
      const uint32_t location = LoadU32(at + 4);
      if (offset >= length) {
        Add(kRules["source-map-offset"], at, "offset {} is outside function {} of {} bytes,",
            static_cast<int32_t>(offset), function, length);
      }
      if (location >= locations) {
        Add(kRules["location-index"], at, "location {} is not below {}, the number of locations,",
            static_cast<int32_t>(location), locations);
      }
    }
  }

  // The indices of the locations to which a location refers. Call sites and names have them in
  // their table, and fused locations in a vector. Member codes: specification 002, LocationTypeDef.
  struct Children {
    SoundVector list;
    std::array<int32_t, 2> own{};
    uint32_t count = 0;
    int32_t Get(uint32_t i) const { return list.size() != 0 ? list.I32(i) : own[i]; }
  };
  static Children ChildrenOf(uint8_t code, const SoundTable& location) {
    switch (code) {
      case 1:
        return {{}, {location.I32(0), location.I32(1)}, 2};
      case 3: {
        const SoundVector list = location.Vector(1);
        return {list, {}, list.size()};
      }
      case 4:
        return {{}, {location.I32(1)}, 1};
      default:
        return {};
    }
  }

  // Returns whether each location refers only to earlier locations, as in files of real writers. If
  // it does, there is no cycle.
  static bool AllHoldEarlierOnes(const SoundVector& codes, const SoundVector& table) {
    for (uint32_t i = 0; i < table.size(); ++i) {
      const uint8_t code = codes.U8(i);
      if (code != 1 && code != 3 && code != 4) continue;
      const Children children = ChildrenOf(code, table.Table(i));
      for (uint32_t child = 0; child < children.count; ++child) {
        if (static_cast<uint32_t>(children.Get(child)) >= i) return false;
      }
    }
    return true;
  }

  // Finds cycles with a depth-first search on an explicit stack. The state of a location is 0
  // (unseen), 1 (on the path) or 2 (done).
  void CheckLocations(const SoundVector& codes, const SoundVector& table) {
    if (AllHoldEarlierOnes(codes, table)) return;
    const uint32_t count = table.size();
    std::vector<uint8_t> state(count);
    struct Visit {
      uint32_t location;
      uint32_t next;
    };
    std::vector<Visit> path;
    for (uint32_t start = 0; start < count; ++start) {
      if (state[start] != 0) continue;
      path.push_back({start, 0});
      state[start] = 1;
      while (!path.empty()) {
        Visit& visit = path.back();
        const SoundTable location = table.Table(visit.location);
        const Children children = ChildrenOf(codes.U8(visit.location), location);
        if (visit.next == children.count) {
          state[visit.location] = 2;
          path.pop_back();
          continue;
        }
        const auto child = static_cast<uint32_t>(children.Get(visit.next++));
        if (child >= count) {
          Add(kRules["location-index"], location.at(),
              "location {} is not below {}, the number of locations,", static_cast<int32_t>(child),
              count);
        } else if (state[child] == 1) {
          Add(kRules["location-cycle"], location.at(), "location {} contains itself through {}",
              child, visit.location);
        } else if (state[child] == 0) {
          state[child] = 1;
          path.push_back({child, 0});
        }
      }
    }
  }

  const Module& module_;
  const uint8_t* bytes_;
  const FieldIds& ids_;
  SoundTable root_;
  uint32_t types_;
  SoundVector descriptors_;
  ViolationList found_;
};

}  // namespace

std::span<const Rule> Rules() { return kRules.rules(); }

std::vector<Violation> CheckRules(const Module& module) { return RuleChecker(module).Run(); }

}  // namespace anecheck::vmfb
