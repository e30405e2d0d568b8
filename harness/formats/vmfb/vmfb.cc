#include "harness/formats/vmfb/vmfb.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/formats/flatbuffer/document.h"
#include "harness/formats/flatbuffer/document_json.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/format_of.h"
#include "harness/formats/message.h"

namespace anecheck::vmfb {
namespace {

using flatbuffer::ClaimedRange;
using flatbuffer::Document;
using flatbuffer::RawBytes;
using flatbuffer::TableView;
using flatbuffer::VectorView;

// Modules align embedded and external data to 64 bytes.
constexpr uint32_t kShiftUnit = 64;

// The parts of a module: the objects of the FlatBuffer, the records of the archive, and the data of
// the other entries.
struct Parts {
  const Form* form = nullptr;
  bool is_archive = false;
  Document document;
  std::optional<ZipArchive> zip;
  bool settled = true;  // all sizes, checksums and offsets of the archive are correct
  std::vector<RawBytes> payload;
};

// Returns the data of other entries than the module. In 2021 modules it is in the FlatBuffer.
std::vector<ClaimedRange> PayloadRanges(const Module& module) {
  std::vector<ClaimedRange> ranges;
  if (!module.is_archive) return ranges;
  for (const ZipEntry& entry : module.zip->entries) {
    if (entry.data_at == module.origin() || entry.data_size == 0) continue;
    ranges.push_back({static_cast<uint32_t>(entry.data_at),
                      static_cast<uint32_t>(entry.data_at + entry.data_size)});
  }
  return ranges;
}

Result<Parts> TakeApart(Module module) {
  Parts parts;
  parts.form = module.form;
  parts.is_archive = module.is_archive;
  std::vector<ClaimedRange> claimed = PayloadRanges(module);
  parts.zip = std::move(module.zip);
  for (const ClaimedRange& range : claimed) {
    const ByteSpan data = module.file.subspan(range.begin, range.end - range.begin);
    parts.payload.push_back({range.begin, false, Bytes(data.begin(), data.end())});
  }
  const size_t payloads = claimed.size();
  if (parts.zip) {
    for (const ZipRecord* record : ZipRecords(&*parts.zip)) {
      claimed.push_back({record->at, static_cast<uint32_t>(record->at + ZipRecordSize(*record))});
    }
    parts.settled = ZipIsSettled(*parts.zip, module.file);
  }
  ANECHECK_ASSIGN(parts.document,
                  flatbuffer::DecodeSound(module.form->schema, module.file, {.start = module.start},
                                          module.form->schema.root, claimed));
  for (size_t i = 0; i < payloads; ++i) parts.payload[i].overlaps = claimed[i].overlaps;
  if (parts.zip) {
    size_t next = payloads;
    for (ZipRecord* record : ZipRecords(&*parts.zip)) record->overlaps = claimed[next++].overlaps;
  }
  parts.document.append_at = module.buffer_end;
  parts.document.shift_unit = kShiftUnit;
  return parts;
}

// Returns the size of a record up to the first object of the FlatBuffer inside the record. In 2021
// modules the last extra record of a local header overlaps the length word of the data.
size_t OwnSize(const Document& document, const ZipRecord& record) {
  size_t size = ZipRecordSize(record);
  for (const flatbuffer::Object& object : document.objects) {
    if (object.at >= record.at && object.at < record.at + size) size = object.at - record.at;
  }
  return size;
}

// Writes the records at their new positions, with the numbers of the new layout. Fails if an edited
// position puts a record past the end of the file.
Status PatchRecords(const Document& document, const flatbuffer::Relocation& moved, ZipArchive zip,
                    Bytes* file) {
  std::vector<size_t> sizes;
  for (const ZipRecord* record : ZipRecords(&zip)) sizes.push_back(OwnSize(document, *record));
  for (ZipEntry& entry : zip.entries) {
    const auto begin = static_cast<uint32_t>(entry.data_at);
    const uint32_t end = moved.NewPlace(static_cast<uint32_t>(begin + entry.data_size));
    entry.data_at = moved.NewPlace(begin);
    entry.data_size = end - entry.data_at;
  }
  const auto directory_end = static_cast<uint32_t>(zip.directory_at + zip.directory_size);
  zip.directory_at = moved.NewPlace(static_cast<uint32_t>(zip.directory_at));
  zip.directory_size = moved.NewPlace(directory_end) - zip.directory_at;
  for (ZipRecord* record : ZipRecords(&zip)) record->at = moved.NewPlace(record->at);
  SettleZip(&zip, *file);
  size_t index = 0;
  for (const ZipRecord* record : ZipRecords(&zip)) {
    const Bytes bytes = WriteZipRecord(*record);
    const size_t size = std::min(sizes[index++], bytes.size());
    if (record->at > file->size() || size > file->size() - record->at) {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format("zip: the record at {} reaches past the end of the file", record->at));
    }
    std::copy_n(bytes.begin(), size, file->begin() + record->at);
  }
  return {};
}

bool ZipFits(const ZipArchive& zip, const Document& document) {
  const auto inside = [&](uint64_t at, uint64_t size) {
    return at <= document.size && size <= document.size - at;
  };
  for (const ZipEntry& entry : zip.entries) {
    if (!inside(entry.data_at, entry.data_size)) return false;
  }
  return inside(zip.directory_at, zip.directory_size);
}

// If `edited` is true, the parts may differ from those that were read. Unchanged parts do not move,
// so their records need no update.
Result<Bytes> PutTogether(Parts parts, bool edited) {
  Document& document = parts.document;
  for (RawBytes& raw : parts.payload) document.raw.push_back(std::move(raw));
  if (!parts.zip) return flatbuffer::Encode(document);
  // If the records had wrong numbers, they are not updated.
  if (parts.settled && !ZipFits(*parts.zip, document)) {
    return MakeError(ErrorCode::kInvalid, "zip: an entry or the directory lies outside the file");
  }
  ZipArchive& zip = *parts.zip;
  for (const ZipRecord* record : ZipRecords(&zip)) {
    document.raw.push_back({record->at, record->overlaps, WriteZipRecord(*record)});
  }
  flatbuffer::Relocation moved;
  ANECHECK_ASSIGN(Bytes file, flatbuffer::Encode(document, &moved));
  if (parts.settled && !moved.steps.empty() && parts.is_archive) {
    const uint32_t origin = document.start - 4;
    const uint32_t end = moved.NewPlace(document.append_at);
    StoreLittle(&file[origin], end - origin, 4);
  }
  if (parts.settled && (edited || !moved.steps.empty())) {
    ANECHECK_RETURN_IF_ERROR(PatchRecords(document, moved, std::move(zip), &file));
  }
  return file;
}

Result<Parts> PartsFromJson(const Json& json) {
  try {
    Parts parts;
    parts.form = FindForm(json.at("form").get<std::string>());
    if (parts.form == nullptr) {
      return MakeError(ErrorCode::kInvalid,
                       "form: must be one of BMOD, 2019-12, 2022-05, "
                       "2022-09, 2023-06");
    }
    const std::string container = json.value("container", "");
    parts.is_archive = container == "archive";
    if (container != "bare" && container != "archive" && container != "bare with directory") {
      return MakeError(ErrorCode::kInvalid,
                       "container: must be one of bare, archive, bare with directory");
    }
    if ((container == "bare") == json.contains("zip")) {
      return MakeError(ErrorCode::kInvalid,
                       "container: a bare module has no zip, and the others have one");
    }
    ANECHECK_ASSIGN(parts.document,
                    flatbuffer::DocumentFromJson(parts.form->schema, json.at("module"),
                                                 parts.form->schema.root));
    parts.document.shift_unit = kShiftUnit;
    if (json.contains("module_end")) {
      parts.document.append_at = json["module_end"].get<uint32_t>();
    }
    if (parts.is_archive && parts.document.start < 4) {
      return MakeError(ErrorCode::kInvalid, "module.start: an archive's module has a size prefix");
    }
    if (!json.contains("zip")) return parts;
    ANECHECK_ASSIGN(parts.zip, ZipFromJson(json["zip"]));
    parts.settled = json["zip"].value("computed", true);
    if (json.contains("payload")) {
      for (const Json& entry : json["payload"]) {
        ANECHECK_ASSIGN(Bytes bytes, BytesFromHex(entry.at("hex").get<std::string>()));
        parts.payload.push_back(
            {entry.at("@").get<uint32_t>(), entry.contains("overlaps"), std::move(bytes)});
      }
    }
    return parts;
  } catch (const JsonError& error) {
    return MakeError(ErrorCode::kInvalid, Clipped(error.what()));
  }
}

// Adds the fields of the archive's records, which are the same for all forms of the module.
void AddArchiveFacts(std::vector<FieldFact>* facts) {
  constexpr FactEvidence kNotation = FactEvidence::kNotation;
  constexpr const char* kPlaces = "where the pieces stand in the file";
  constexpr const char* kZip = "PKWARE APPNOTE 6.3, section 4.3; real files";
  for (const char* path :
       {"zip.entries[].local", "zip.entries[].central", "zip.end64", "zip.locator64", "zip.end"}) {
    facts->push_back({std::string(path) + ".@", kNotation, kPlaces});
    facts->push_back({std::string(path) + ".overlaps", kNotation, kPlaces});
    facts->push_back({std::string(path) + ".extra_rest", FactEvidence::kOpaque,
                      "too short for another extra record"});
    facts->push_back({path, FactEvidence::kPublicNotes, kZip});
  }
  facts->push_back({"zip.computed", kNotation, "whether the numbers follow from the layout"});
  for (const char* path :
       {"zip.entries[].data", "zip.directory", "module_end", "payload[].@", "payload[].overlaps"}) {
    facts->push_back({path, kNotation, kPlaces});
  }
  facts->push_back(
      {"payload[].hex", FactEvidence::kOpaque, "files of the archive beside the module"});
}

std::vector<FieldFact> FactsOf(const Form& form) {
  std::vector<FieldFact> facts = {
      {"form", FactEvidence::kNotation, "by the identifier and the number of root fields"},
      {"container", FactEvidence::kNotation, "by the records of an archive"}};
  const std::string source(form.evidence);
  const auto module =
      flatbuffer::DocumentFacts(form.schema, form.schema.root, "module",
                                [&](const flatbuffer::TableType&, const flatbuffer::Field&) {
                                  return std::pair(form.fact_evidence, source);
                                });
  facts.insert(facts.end(), module.begin(), module.end());
  AddArchiveFacts(&facts);
  return facts;
}

std::span<const FieldFact> FieldFacts(const Json& json) {
  static const std::vector<std::vector<FieldFact>> facts = [] {
    std::vector<std::vector<FieldFact>> all;
    all.reserve(Forms().size());
    for (const Form& form : Forms()) all.push_back(FactsOf(form));
    return all;
  }();
  const Form* form = FindForm(json.value("form", ""));
  return form == nullptr ? std::span<const FieldFact>()
                         : facts[static_cast<size_t>(form - Forms().data())];
}

int Recognise(ByteSpan bytes, std::string_view path) {
  const Result<Module> module = Open(bytes);
  if (module.ok()) return 100;
  if (module.error().code != ErrorCode::kNotFound && path.ends_with(".vmfb")) return 60;
  return path.ends_with(".vmfb") ? 20 : 0;
}

struct File {
  Module module;
  Parts parts;
};

Result<File> ParseFile(ByteSpan bytes) {
  ANECHECK_ASSIGN(Module module, Open(bytes));
  ANECHECK_ASSIGN(Parts parts, TakeApart(module));
  return File{std::move(module), std::move(parts)};
}

Result<Json> ToJson(const File& file) {
  Parts parts = file.parts;
  Json json;
  json["format"] = "vmfb";
  json["form"] = parts.form->name;
  json["container"] = parts.is_archive ? "archive" : parts.zip ? "bare with directory" : "bare";
  ANECHECK_ASSIGN(json["module"], flatbuffer::DocumentToJson(parts.form->schema, parts.document));
  if (!parts.zip) return json;
  json["module_end"] = parts.document.append_at;
  json["zip"] = ZipToJson(*parts.zip);
  json["zip"]["computed"] = parts.settled;
  for (const RawBytes& raw : parts.payload) {
    Json entry;
    entry["@"] = raw.at;
    if (raw.overlaps) entry["overlaps"] = true;
    entry["hex"] = HexText(raw.bytes);
    json["payload"].push_back(std::move(entry));
  }
  return json;
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(Parts parts, PartsFromJson(json));
  return PutTogether(std::move(parts), true);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(Module module, Open(bytes));
  ANECHECK_ASSIGN(Parts parts, TakeApart(std::move(module)));
  return PutTogether(std::move(parts), false);
}

// Verifies a file without decoding the objects, because the rules do not need them.
Result<std::vector<Violation>> VerifyBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Module module, Open(bytes));
  // Refuses files whose objects overlap too much, because a rewrite refuses them.
  if (module.may_overlap) ANECHECK_RETURN_IF_ERROR(TakeApart(module));
  return CheckRules(module);
}

class Printer {
 public:
  explicit Printer(const Module& module)
      : module_(module), ids_(module.form->ids), root_(module.root()) {}

  std::string Run() {
    Header();
    Names("types", ids_.types, 0);
    Imports();
    Exports();
    Functions();
    Rodata();
    Sizes();
    Debug();
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void Header() {
    Line("IREE module \"{}\", {}, form {} (known from {})", root_.String(ids_.name),
         Counted(module_.file.size(), "byte"), module_.form->name, module_.form->evidence);
    if (module_.form->name != "2019-12") {
      Line("note: specification 002 states form 2019-12; this form has other fields");
    }
    Line("FlatBuffer at 0x{:x} to 0x{:x}", module_.origin(), module_.buffer_end);
    if (!module_.zip) return;
    for (const ZipEntry& entry : module_.zip->entries) {
      Line("archive entry {}: {} at 0x{:x}", entry.Name(), Counted(entry.data_size, "byte"),
           entry.data_at);
    }
  }

  void Names(std::string_view title, int id, int name) {
    const VectorView vector = root_.Vector(id);
    Line("{} ({})", title, vector.size());
    for (uint32_t i = 0; i < vector.size() && Room(); ++i) {
      Line("  {} {}", i, vector.Table(i).String(name));
    }
  }

  // Bounds the length of the text, because a hostile file can refer to one long string many times.
  bool Room() {
    if (out_.size() <= 4 * module_.file.size() + 65536) return true;
    if (!cut_) out_ += "  ... cut: the listing would be much longer than the file\n";
    cut_ = true;
    return false;
  }

  std::string_view ConventionOf(const TableView& signature) const {
    return signature.String(ids_.signature_convention);
  }

  void Imports() {
    const VectorView imports = root_.Vector(ids_.imports);
    Line("imports ({})", imports.size());
    for (uint32_t i = 0; i < imports.size() && Room(); ++i) {
      const TableView import = imports.Table(i);
      Line("  {} {} {}", i, import.String(ids_.import_name),
           ConventionOf(import.Table(ids_.import_signature)));
    }
  }

  void Exports() {
    const VectorView exports = root_.Vector(ids_.exports);
    Line("exports ({})", exports.size());
    for (uint32_t i = 0; i < exports.size() && Room(); ++i) {
      const TableView entry = exports.Table(i);
      const int32_t ordinal = entry.I32(ids_.export_ordinal);
      const TableView signature =
          ids_.signatures >= 0 ? root_.Vector(ids_.signatures).Table(static_cast<uint32_t>(ordinal))
                               : entry.Table(ids_.export_signature);
      Line("  {} is function {} {}", entry.String(ids_.export_name), ordinal,
           ConventionOf(signature));
    }
  }

  std::string_view FunctionName(uint32_t function) const {
    const TableView internal = root_.Vector(ids_.internal_functions).Table(function);
    if (internal.Exists()) return internal.String(ids_.internal_name);
    return root_.Table(ids_.debug).Vector(2).Table(function).String(ids_.map_name);
  }

  void Functions() {
    const VectorView descriptors = root_.Vector(ids_.descriptors);
    Line("functions ({}), {} of bytecode", descriptors.size(),
         Counted(root_.Vector(ids_.bytecode).size(), "byte"));
    const auto width = static_cast<uint32_t>(ids_.descriptor_width);
    for (uint32_t i = 0; i < descriptors.size() && Room(); ++i) {
      const uint8_t* at = module_.file.data() + descriptors.ElementAt(i, width);
      Line("  {} {}: bytecode {} +{}, {} i32 and {} ref registers", i, FunctionName(i),
           static_cast<int32_t>(LoadU32(at)), static_cast<int32_t>(LoadU32(at + 4)),
           static_cast<int16_t>(LoadU16(at + ids_.descriptor_i32)),
           static_cast<int16_t>(LoadU16(at + ids_.descriptor_ref)));
    }
  }

  void Rodata() {
    const VectorView segments = root_.Vector(ids_.rodata);
    Line("read-only data ({})", segments.size());
    for (uint32_t i = 0; i < segments.size() && Room(); ++i) {
      const TableView segment = segments.Table(i);
      const VectorView data = segment.Vector(ids_.rodata_data);
      if (segment.U64(ids_.rodata_length) != 0) {
        Line("  {} external +{}, {}", i, segment.U64(ids_.rodata_offset),
             Counted(segment.U64(ids_.rodata_length), "byte"));
      } else {
        Line("  {} at 0x{:x}, {}", i, data.at() + 4, Counted(data.size(), "byte"));
      }
    }
  }

  void Sizes() {
    const VectorView segments = root_.Vector(ids_.rwdata);
    Line("writable data ({})", segments.size());
    for (uint32_t i = 0; i < segments.size() && Room(); ++i) {
      Line("  {} {}", i, Counted(segments.Table(i).I32(0), "byte"));
    }
    const TableView state = root_.Table(ids_.state);
    Line("state: {}, {}", Counted(state.I32(0), "byte"), Counted(state.I32(1), "reference"));
    if (root_.Has(ids_.bytecode_version)) {
      const auto version = static_cast<uint32_t>(root_.I32(ids_.bytecode_version));
      Line("bytecode version {}.{}", version >> 16, version & 0xffff);
    }
  }

  void Debug() {
    const TableView debug = root_.Table(ids_.debug);
    if (!debug.Exists()) return;
    Line("debug database: {}", Counted(debug.Vector(1).size(), "location"));
    const VectorView maps = debug.Vector(2);
    for (uint32_t i = 0; i < maps.size() && Room(); ++i) {
      Line("  function {}: {} mapped", i,
           Counted(maps.Table(i).Vector(ids_.map_locations).size(), "operation"));
    }
  }

  const Module& module_;
  const FieldIds& ids_;
  TableView root_;
  std::string out_;
  bool cut_ = false;
};

std::string Print(const File& file) { return Printer(file.module).Run(); }

// Claims the elements of a vector of bytes, without its length word.
void ClaimElements(const VectorView& bytes, ByteKindMap* map) {
  map->Claim(ByteKind::kPayload, uint64_t{bytes.at()} + 4, bytes.size());
}

ByteCounts CountBytes(const File& file, ByteSpan bytes) {
  const Module& module = file.module;
  Parts parts = file.parts;
  ByteKindMap map(bytes);
  flatbuffer::ClaimDocument(parts.document, 0, &map);
  // The files of other entries, read-only data and bytecode are payload.
  for (const RawBytes& raw : parts.payload) {
    map.Claim(ByteKind::kPayload, raw.at, raw.bytes.size());
  }
  const FieldIds& ids = module.form->ids;
  const TableView root = module.root();
  ClaimElements(root.Vector(ids.bytecode), &map);
  const VectorView segments = root.Vector(ids.rodata);
  for (uint32_t i = 0; i < segments.size(); ++i) {
    ClaimElements(segments.Table(i).Vector(ids.rodata_data), &map);
  }
  if (parts.zip) {
    for (const ZipRecord* record : ZipRecords(&*parts.zip)) ClaimZipRecord(*record, &map);
  }
  return std::move(map).Count();
}

const FormatOf<File> kDefinition = {
    .name = "vmfb",
    .title = "IREE bytecode module (.vmfb)",
    .rules = Rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = ParseFile,
    .to_json = ToJson,
    .write = [](const File& file) { return PutTogether(file.parts, false); },
    .verify = [](const File& file) { return CheckRules(file.module); },
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace anecheck::vmfb

namespace anecheck {

const Format kFormat_vmfb = [] {
  Format format = MakeFormat<vmfb::kDefinition>();
  format.rewrite = vmfb::Rewrite;
  format.verify = vmfb::VerifyBytes;
  return format;
}();

}  // namespace anecheck
