#include "harness/formats/e5/e5_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "generated/flatbuffer_schemas/e5_schema/e5_generated.h"
#include "harness/base/little_endian.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/message.h"
#include "harness/formats/rules.h"

namespace anecheck::e5 {
namespace {

using FactEvidence::kAssumed;
using FactEvidence::kPublicNotes;
using FactEvidence::kSpecification;

constexpr WalkRules kRules({
    {"root-vtable",
     "The root's vtable is 12 bytes and begins 0c00 1400 0400 0800; the last two fields stand at "
     "12 and 16, in either order.",
     "specification 000, tables 23.1 and 23.2", kSpecification},
    {"format-version", "format_version is 4.", "specification 000, table 23.2", kSpecification},
    {"section-name", "Every section has a name.", "facts/e5_schema.md, table Section",
     kPublicNotes},
    {"two-sections-per-operation",
     "There are two sections for each operation that the symbols name.",
     "specification 000, Dispatch descriptor: each operation has two sections; that the file has "
     "no other is assumed",
     kAssumed},
    {"operation-symbol-order",
     "The operation symbols Op0_, Op1_, ... stand in order without a gap.",
     "specification 000, Dispatch descriptor: Op0_Cast then Op1_AneInference then Op2_Cast",
     kSpecification},
    {"operation-symbol-kind", "The kind that an operation symbol names is one of the twelve.",
     "specification 000, listing 23.1", kSpecification},
    {"casts-bracket-inference", "A chain with an AneInference begins and ends with a Cast.",
     "specification 000, Dispatch descriptor: bracketed by input and output format casts",
     kSpecification},
    {"operations-match-symbols",
     "The operations of the functions are those that the symbols name, in order.",
     "specification 000, Dispatch descriptor; the place of functions is assumed", kAssumed},
    {"operation-type", "op_type is below 12.", "facts/e5_schema.md; the numbers are inferred",
     kAssumed},
    {"operation-sections", "arg_frame and attrs_section name sections of the descriptor.",
     "facts/e5_schema.md, table Operation; the place of operations is assumed", kAssumed},
    {"operand-symbols", "inputs and outputs index symbol_names.",
     "assumed: e5.fbs, table Operation", kAssumed},
    {"attrs-member", "The attribute section holds the member of its operation's kind.",
     "specification 000, table 23.3; the place of the union is assumed", kAssumed},
    {"inference-procedure", "An AneInference names its procedure.",
     "facts/e5_schema.md, table AneInferenceAttrs; its place is assumed", kAssumed},
    {"operand-rank", "dim and stride of an operand have four entries.",
     "specification 000, listing 23.2; the place of operands is assumed", kAssumed},
    {"operand-dtype", "storage_type is below 11.",
     "facts/e5_schema.md, TensorDataType; the numbers are inferred", kAssumed},
    {"port-names", "Ports of one direction have different names.",
     "assumed: the runtime retains a port by name (facts/e5rt_abi.md)", kAssumed},
    {"port-alignment", "aperture_va is a multiple of 16 KiB.",
     "specification 000: 16-kibibyte page granule; the place of ports is assumed", kAssumed},
    {"port-overlap", "The apertures of two ports of one direction do not overlap.",
     "assumed: each port is a window of its own", kAssumed},
    {"port-casts", "There is one input Cast per input port and one output Cast per output port.",
     "specification 000: one input and five states give six casts; the place of ports is assumed",
     kAssumed},
    {"alias-symbol", "symbol_index of an alias symbol indexes symbol_names.",
     "specification 000, table 23.3; the place of alias symbols is assumed", kAssumed},
    {"state-strides", "States lie at different multiples of 16 KiB.",
     "specification 000: state buffers at 16-kilobyte strides; their place is assumed", kAssumed},
});

std::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : text->string_view();
}

template <typename Vector, typename Visitor>
void ForEach(const Vector* vector, Visitor visit) {
  if (vector == nullptr) return;
  for (uint32_t i = 0; i < vector->size(); ++i) visit(i, vector->Get(i));
}

// The parts of a symbol, for example 12 and "Cast" for "Op12_Cast".
struct OperationSymbol {
  uint32_t number = 0;
  std::string_view kind;
};

std::optional<OperationSymbol> AsOperationSymbol(std::string_view name) {
  if (name.size() < 4 || name[0] != 'O' || name[1] != 'p') return std::nullopt;
  size_t at = 2;
  uint32_t number = 0;
  while (at < name.size() && at < 11 && name[at] >= '0' && name[at] <= '9') {
    number = number * 10 + static_cast<uint32_t>(name[at++] - '0');
  }
  if (at == 2 || at >= name.size() || name[at] != '_') return std::nullopt;
  const std::string_view kind = name.substr(at + 1);
  // The name of an operation with a suffix is the name of a section or tensor.
  if (kind.find("__") != std::string_view::npos) return std::nullopt;
  return OperationSymbol{number, kind};
}

bool IsKind(std::string_view kind) {
  for (int i = 0; i < kOpTypeCount; ++i) {
    if (OpTypeName(static_cast<OpType>(i)) == kind) return true;
  }
  return false;
}

class RuleChecker {
 public:
  explicit RuleChecker(ByteSpan bytes) : bytes_(bytes), root_(*wire::GetE5Program(bytes.data())) {}

  std::vector<Violation> Run() {
    CheckRoot();
    CheckSymbols();
    CheckSections();
    ForEach(root_.sections(), [&](uint32_t, const wire::Section* section) {
      if (section->program() != nullptr) CheckPart(*section->program());
      CheckOperands(*section);
    });
    return std::move(found_).Take();
  }

 private:
  uint64_t At(const void* object) const {
    return static_cast<uint64_t>(static_cast<const uint8_t*>(object) - bytes_.data());
  }

  template <typename... Args>
  [[gnu::noinline, gnu::cold]] void Add(const Rule& rule, const void* where,
                                        fmt::format_string<Args...> text, const Args&... args) {
    const uint64_t at = At(where);
    found_.Add(rule, at, [&] {
      return fmt::format("{}: {} at 0x{:x}", rule.id,
                         fmt::format(fmt::runtime(text), ShownText(args)...), at);
    });
  }

  void CheckRoot() {
    const uint32_t table = LoadU32(bytes_.data());
    const uint8_t* vtable = &bytes_[static_cast<size_t>(
        static_cast<int64_t>(table) - static_cast<int32_t>(LoadU32(&bytes_[table])))];
    const bool head = LoadU16(vtable) == 12 && LoadU16(vtable + 2) == 20 &&
                      LoadU16(vtable + 4) == 4 && LoadU16(vtable + 6) == 8;
    const bool tail = head && ((LoadU16(vtable + 8) == 12 && LoadU16(vtable + 10) == 16) ||
                               (LoadU16(vtable + 8) == 16 && LoadU16(vtable + 10) == 12));
    if (!tail) {
      Add(kRules["root-vtable"], vtable,
          "the vtable of {} bytes, for a table of {} bytes, is not that of a descriptor,",
          LoadU16(vtable), LoadU16(vtable + 2));
    }
    if (root_.format_version() != kFormatVersion) {
      const void* where = &bytes_[table];
      Add(kRules["format-version"], where, "format_version is {}, not 4,", root_.format_version());
    }
  }

  void CheckSymbols() {
    uint32_t inferences = 0;
    if (root_.symbol_names() != nullptr) operations_.reserve(root_.symbol_names()->size());
    ForEach(root_.symbol_names(), [&](uint32_t, const flatbuffers::String* name) {
      const auto symbol = AsOperationSymbol(name->string_view());
      if (!symbol) return;
      if (symbol->number != operations_.size()) {
        Add(kRules["operation-symbol-order"], name, "symbol \"{}\" where Op{} is expected",
            name->string_view(), operations_.size());
      }
      if (!IsKind(symbol->kind)) {
        Add(kRules["operation-symbol-kind"], name, "\"{}\" is none of the twelve kinds",
            symbol->kind);
      }
      inferences += symbol->kind == "AneInference" ? 1 : 0;
      operations_.push_back({name, symbol->kind == "Cast"});
    });
    if (inferences == 0) return;
    for (const NamedOperation& end : {operations_.front(), operations_.back()}) {
      if (!end.is_cast) {
        Add(kRules["casts-bracket-inference"], end.name, "the chain's end is \"{}\", not a Cast",
            View(end.name));
        return;
      }
    }
  }

  void CheckSections() {
    ForEach(root_.sections(), [&](uint32_t i, const wire::Section* section) {
      if (View(section->name()).empty())
        Add(kRules["section-name"], section, "section {} has no name", i);
    });
    const uint32_t count = root_.sections() == nullptr ? 0 : root_.sections()->size();
    if (!operations_.empty() && count != 2 * operations_.size()) {
      const void* where = root_.sections() == nullptr ? static_cast<const void*>(&root_)
                                                      : static_cast<const void*>(root_.sections());
      Add(kRules["two-sections-per-operation"], where, "there are {} sections for {} operations,",
          count, operations_.size());
    }
  }

  void CheckPart(const wire::ProgramPart& part) {
    size_t number = 0;
    const void* surplus = nullptr;
    ForEach(part.functions(), [&](uint32_t, const wire::Function* function) {
      ForEach(function->blocks(), [&](uint32_t, const wire::Block* block) {
        ForEach(block->operations(), [&](uint32_t, const wire::Operation* operation) {
          const bool same = number < operations_.size() &&
                            View(operation->name()) == View(operations_[number].name);
          if (!same && surplus == nullptr) surplus = operation;
          ++number;
          CheckOperation(*operation);
        });
      });
    });
    if (surplus != nullptr || number != operations_.size()) {
      Add(kRules["operations-match-symbols"], surplus == nullptr ? &part : surplus,
          "{} operations do not match the {} that the symbols name", number, operations_.size());
    }
    CheckPorts(part.input_ports(), "input");
    CheckPorts(part.output_ports(), "output");
    CheckPortCasts(part);
    CheckAliases(part);
  }

  void CheckOperation(const wire::Operation& operation) {
    const auto type = static_cast<uint32_t>(operation.op_type());
    if (type >= static_cast<uint32_t>(kOpTypeCount)) {
      Add(kRules["operation-type"], &operation, "op_type of \"{}\" is {}, not below 12,",
          View(operation.name()), type);
    }
    const uint32_t symbols = root_.symbol_names() == nullptr ? 0 : root_.symbol_names()->size();
    for (const auto* indices : {operation.inputs(), operation.outputs()}) {
      ForEach(indices, [&](uint32_t, uint32_t index) {
        if (index >= symbols) {
          Add(kRules["operand-symbols"], indices,
              "\"{}\" names symbol {}, but the number of symbols is {},", View(operation.name()),
              index, symbols);
        }
      });
    }
    const wire::Section* frame = Find(operation.arg_frame());
    const wire::Section* attrs = Find(operation.attrs_section());
    if (frame == nullptr || attrs == nullptr) {
      Add(kRules["operation-sections"], &operation,
          "\"{}\" names section \"{}\", which does not exist,", View(operation.name()),
          View(frame == nullptr ? operation.arg_frame() : operation.attrs_section()));
    }
    if (attrs != nullptr) CheckAttrs(operation, *attrs);
  }

  // Finds a section by name. Writers put the sections in the order of the operations, so this
  // function first tries the section after the last found section. If that fails, it makes an index
  // of names. If several sections have the same name, the index has the first.
  const wire::Section* Find(const flatbuffers::String* name) {
    const auto* sections = root_.sections();
    if (sections == nullptr) return nullptr;
    const std::string_view text = View(name);
    uint32_t at = next_section_;
    if (at >= sections->size() || View(sections->Get(at)->name()) != text) {
      if (sections_.empty()) {
        ForEach(sections, [&](uint32_t i, const wire::Section* section) {
          if (section->name() != nullptr) sections_.try_emplace(View(section->name()), i);
        });
      }
      const auto found = sections_.find(text);
      if (found == sections_.end()) return nullptr;
      at = found->second;
    }
    next_section_ = at + 1;
    return sections->Get(at);
  }

  void CheckAttrs(const wire::Operation& operation, const wire::Section& section) {
    if (section.attrs() == nullptr) return;
    const auto* blob = flatbuffers::GetRoot<wire::OpAttrsBlob>(section.attrs()->data());
    const auto type = static_cast<uint32_t>(operation.op_type());
    const auto member = static_cast<uint32_t>(blob->attrs_type());
    if (type < static_cast<uint32_t>(kOpTypeCount) && member != type + 1) {
      Add(kRules["attrs-member"], blob, "\"{}\" of kind {} has attributes of member {}",
          View(operation.name()), type, member);
    }
    if (const auto* ane = blob->attrs_as_AneInferenceAttrs()) {
      if (View(ane->procedure_name()).empty()) {
        Add(kRules["inference-procedure"], ane, "\"{}\" names no procedure",
            View(operation.name()));
      }
    }
  }

  void CheckOperands(const wire::Section& section) {
    ForEach(section.operands(), [&](uint32_t i, const wire::Operand* operand) {
      const wire::TensorDescriptor* tensor = operand->descriptor();
      if (tensor == nullptr) return;
      const auto* dim = tensor->dim();
      const auto* stride = tensor->stride();
      const bool ranked =
          dim != nullptr && stride != nullptr && dim->size() == 4 && stride->size() == 4;
      for (const auto* four : {dim, stride}) {
        if (ranked) break;
        if (four == nullptr || four->size() != 4) {
          Add(kRules["operand-rank"], tensor,
              "operand {} of \"{}\" has {} dimensions or strides, not 4,", i, View(section.name()),
              four == nullptr ? 0 : four->size());
        }
      }
      const auto dtype = static_cast<uint32_t>(tensor->storage_type());
      if (dtype > static_cast<uint32_t>(TensorDataType::kE5M2)) {
        Add(kRules["operand-dtype"], tensor,
            "storage_type of operand {} of \"{}\" is {}, not below 11,", i, View(section.name()),
            dtype);
      }
    });
  }

  using Ports = flatbuffers::Vector<flatbuffers::Offset<wire::IOPort>>;

  void CheckPorts(const Ports* ports, std::string_view direction) {
    if (ports == nullptr) return;
    std::vector<const wire::IOPort*> by_name;
    by_name.reserve(ports->size());
    ForEach(ports, [&](uint32_t, const wire::IOPort* port) {
      if (port->aperture_va() % kStateStride != 0) {
        Add(kRules["port-alignment"], port, "aperture 0x{:x} of \"{}\" is no multiple of 0x4000",
            port->aperture_va(), View(port->name()));
      }
      by_name.push_back(port);
    });
    std::vector<const wire::IOPort*> by_place = by_name;
    std::ranges::sort(by_name, {},
                      [](const wire::IOPort* port) { return std::pair(View(port->name()), port); });
    for (size_t i = 1; i < by_name.size(); ++i) {
      if (View(by_name[i - 1]->name()) != View(by_name[i]->name())) continue;
      Add(kRules["port-names"], by_name[i], "two {} ports are named \"{}\"", direction,
          View(by_name[i]->name()));
    }
    std::ranges::sort(by_place, {}, [](const wire::IOPort* port) { return port->aperture_va(); });
    for (size_t i = 1; i < by_place.size(); ++i) {
      const wire::IOPort& low = *by_place[i - 1];
      if (by_place[i]->aperture_va() - low.aperture_va() < low.byte_size()) {
        Add(kRules["port-overlap"], by_place[i], "{} port \"{}\" lies inside \"{}\"", direction,
            View(by_place[i]->name()), View(low.name()));
      }
    }
  }

  // Casts before the first inference belong to inputs, and casts after the last inference to
  // outputs.
  void CheckPortCasts(const wire::ProgramPart& part) {
    if (operations_.empty() || !IsCast(0) || !IsCast(operations_.size() - 1)) return;
    size_t before = 0;
    while (before < operations_.size() && IsCast(before)) ++before;
    if (before == operations_.size()) return;  // no inference to tell inputs from outputs
    size_t after = 0;
    while (after < operations_.size() && IsCast(operations_.size() - 1 - after)) ++after;
    const uint32_t inputs = part.input_ports() == nullptr ? 0 : part.input_ports()->size();
    const uint32_t outputs = part.output_ports() == nullptr ? 0 : part.output_ports()->size();
    if (before != inputs || after != outputs) {
      Add(kRules["port-casts"], &part,
          "there are {} input casts for {} input ports, {} output casts for {} output ports,",
          before, inputs, after, outputs);
    }
  }

  bool IsCast(size_t operation) const { return operations_[operation].is_cast; }

  void CheckAliases(const wire::ProgramPart& part) {
    const uint32_t symbols = root_.symbol_names() == nullptr ? 0 : root_.symbol_names()->size();
    std::unordered_set<uint32_t> places;
    ForEach(part.alias_symbols(), [&](uint32_t, const wire::AliasSymbol* alias) {
      if (alias->symbol_index() >= symbols) {
        Add(kRules["alias-symbol"], alias,
            "\"{}\" names symbol {}, but the number of symbols is {},", View(alias->name()),
            alias->symbol_index(), symbols);
      }
      if (alias->addr_offset() % kStateStride != 0 || !places.insert(alias->addr_offset()).second) {
        Add(kRules["state-strides"], alias,
            "state \"{}\" lies at 0x{:x}, which is no free multiple of 16 KiB,",
            View(alias->name()), alias->addr_offset());
      }
    });
  }

  ByteSpan bytes_;
  const wire::E5Program& root_;
  // An operation with the number and the kind in its symbol.
  struct NamedOperation {
    const flatbuffers::String* name = nullptr;
    bool is_cast = false;
  };
  std::vector<NamedOperation> operations_;
  std::unordered_map<std::string_view, uint32_t> sections_;
  uint32_t next_section_ = 0;
  ViolationList found_;
};

}  // namespace

std::span<const Rule> Rules() { return kRules.rules(); }

std::vector<Violation> CheckRules(ByteSpan bytes) { return RuleChecker(bytes).Run(); }

}  // namespace anecheck::e5
