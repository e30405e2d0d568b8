// The format of .npy and .npz files. Deflated members stay deflated in the JSON form, because
// different encoders produce different bytes.
#include "harness/formats/npz/npz_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "harness/base/base64.h"
#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/formats/format_of.h"
#include "harness/formats/message.h"
#include "harness/formats/npz/member_head.h"
#include "harness/formats/npz/npy_header.h"
#include "harness/formats/npz/npz.h"
#include "harness/formats/npz/zip.h"
#include "harness/formats/rules.h"

namespace anecheck {
namespace {

using npz::IsNpy;
using npz::ZipArchive;
using npz::ZipEntry;
using npz::ZipFields;

constexpr uint16_t kDescriptorFlag = 8;  // sizes and checksum follow the data

constexpr WalkRules kRules({
    {"headers-agree", "A member's local header agrees with its directory entry.",
     "PKWARE APPNOTE 6.3.10, section 4.3.12", FactEvidence::kPublicNotes},
    {"content-as-stated", "A member's content has the size and CRC-32 that the directory states.",
     "PKWARE APPNOTE 6.3.10, section 4.4.7", FactEvidence::kPublicNotes},
    {"member-is-array", "Each member is named *.npy and is an array whose data match its header.",
     "NumPy, numpy.savez and numpy.lib.format", FactEvidence::kPublicNotes},
    {"unique-names", "No two members have the same name.", "NumPy, numpy.savez",
     FactEvidence::kPublicNotes},
    {"elements-aligned", "The length of magic, version and header is a multiple of 16.",
     "NumPy, numpy.lib.format, version 1.0", FactEvidence::kPublicNotes},
    {"no-gaps", "Every byte belongs to a record.", "no source", FactEvidence::kAssumed},
});

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
    constexpr FactEvidence kOpaque = FactEvidence::kOpaque;
    constexpr const char* kZip = "PKWARE APPNOTE 6.3.10, sections 4.3 and 4.4";
    constexpr const char* kNumpy = "NumPy, numpy.lib.format";
    constexpr const char* kGap = "bytes that no record claims";
    std::vector<FieldFact> rows = {
        {"container", FactEvidence::kNotation, "npy or zip, by the first bytes"}};
    for (const std::string array : {"array.", "entries[].array."}) {
      for (const char* name :
           {"major", "minor", "descr", "fortran_order", "shape", "padding", "header", "data"}) {
        rows.push_back({array + name, kNotes, kNumpy});
      }
    }
    for (const char* gap : {"entries[].gap_before", "gap_before_directory", "gap_before_end"}) {
      rows.push_back({gap, kOpaque, kGap});
    }
    for (const char* extra : {"entries[].local.extra", "entries[].central.extra"}) {
      rows.push_back({extra, kOpaque, "extra fields; only the 64-bit sizes in them are read"});
    }
    for (const char* path :
         {"entries[].local", "entries[].data", "entries[].central", "entries[].version_made_by",
          "entries[].disk", "entries[].internal_attributes", "entries[].external_attributes",
          "entries[].local_offset", "entries[].comment", "directory_size", "directory_offset",
          "comment"}) {
      rows.push_back({path, kNotes, kZip});
    }
    return rows;
  }();
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  if (IsNpy(bytes)) return 100;
  ByteReader reader(bytes);
  if (reader.U32("signature") != npz::kLocalSignature) return path.ends_with(".npz") ? 10 : 0;
  ZipFields fields;
  npz::kSharedRecord.Read(reader, fields);
  const auto name = reader.Bytes(fields.name_length, "name");
  const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
  return text.ends_with(".npy") || path.ends_with(".npz") ? 100 : 20;
}

// ---- JSON form ----

std::string Packed(std::string_view text) {
  return Base64Encode({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

bool IsPlain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// Names are CP437 or UTF-8. A name with bytes that JSON cannot represent is base64 under
// "name_base64".
Json FieldsToJson(const ZipFields& fields) {
  Json json = Json::object();
  npz::kSharedRecord.ToJson(fields, json);
  if (IsPlain(fields.name)) {
    json["name"] = fields.name;
  } else {
    json["name_base64"] = Packed(fields.name);
  }
  json["extra"] = Base64Encode(fields.extra);
  return json;
}

// An array file. The header keeps its text, because the spacing in it depends on the writer.
struct NpyFile {
  npz::Header header;
  ByteSpan data;
};

Result<NpyFile> ParseNpyFile(ByteSpan bytes) {
  ByteReader reader(bytes);
  NpyFile file;
  ANECHECK_ASSIGN(file.header, npz::ReadHeader(reader));
  file.data = reader.Bytes(reader.remaining(), "data");
  return file;
}

Bytes WriteNpyFile(const npz::Header& header, ByteSpan data) {
  ByteWriter writer;
  npz::WriteHeader(header, writer);
  writer.Bytes(data);
  return std::move(writer).Take();
}

constexpr uint64_t kMaxPadding = UINT16_MAX;

// Returns the number of spaces between the dict and the line feed, if the header's text is the text
// that NumPy writes for its fields. Returns nothing for another text, or if the JSON form cannot
// express the `descr`.
std::optional<uint64_t> Padding(const npz::Header& header) {
  if (!IsPlain(header.descr)) return std::nullopt;
  const std::string dict = npz::HeaderDict(header.descr, header.fortran_order, header.shape);
  if (!header.text.starts_with(dict) || !header.text.ends_with('\n')) return std::nullopt;
  const auto spaces = std::string_view(header.text).substr(dict.size());
  const size_t count = spaces.size() - 1;
  if (spaces.find_first_not_of(' ') != count || count > kMaxPadding) return std::nullopt;
  return count;
}

Json NpyToJson(const NpyFile& file) {
  const npz::Header& header = file.header;
  Json json = Json::object();
  npz::kVersionRecord.ToJson(header, json);
  if (const auto padding = Padding(header)) {
    json["descr"] = header.descr;
    json["fortran_order"] = header.fortran_order;
    json["shape"] = header.shape;
    json["padding"] = *padding;
  } else {
    json["header"] = Packed(header.text);
  }
  json["data"] = Base64Encode(file.data);
  return json;
}

// Returns the array of a stored member, or nothing if the member is compressed or not an array.
std::optional<NpyFile> StoredArray(const ZipEntry& entry) {
  if (entry.central.method != npz::kStored || !IsNpy(entry.data)) return std::nullopt;
  auto file = ParseNpyFile(entry.data);
  return file.ok() ? std::optional(*std::move(file)) : std::nullopt;
}

Json ArchiveToJson(const ZipArchive& archive) {
  Json entries = Json::array();
  for (const ZipEntry& entry : archive.entries) {
    const auto array = StoredArray(entry);
    Json item = {
        {"gap_before", Base64Encode(entry.gap_before)},
        {"local", FieldsToJson(entry.local)},
        {array ? "array" : "data", array ? NpyToJson(*array) : Json(Base64Encode(entry.data))},
        {"central", FieldsToJson(entry.central)},
        {"version_made_by", entry.version_made_by}};
    npz::kEntryRecord.ToJson(entry, item);
    item["comment"] = Packed(entry.comment);
    entries.push_back(std::move(item));
  }
  Json json = {{"format", "npz"},
               {"container", "zip"},
               {"entries", std::move(entries)},
               {"gap_before_directory", Base64Encode(archive.gap_before_directory)},
               {"gap_before_end", Base64Encode(archive.gap_before_end)}};
  npz::kEndRecord.ToJson(archive, json);
  json["comment"] = Packed(archive.comment);
  return json;
}

struct File {
  ByteSpan bytes;
  std::variant<NpyFile, ZipArchive> content;

  const NpyFile* array() const { return std::get_if<NpyFile>(&content); }
  const ZipArchive& archive() const { return std::get<ZipArchive>(content); }
};

Result<File> ParseFile(ByteSpan bytes) {
  if (IsNpy(bytes)) {
    ANECHECK_ASSIGN(NpyFile file, ParseNpyFile(bytes));
    return File{bytes, std::move(file)};
  }
  ANECHECK_ASSIGN(ZipArchive archive, npz::ParseZip(bytes));
  return File{bytes, std::move(archive)};
}

Result<Json> ToJson(const File& file) {
  if (file.array() == nullptr) return ArchiveToJson(file.archive());
  return Json({{"format", "npz"}, {"container", "npy"}, {"array", NpyToJson(*file.array())}});
}

std::string Base64Text(JsonFields& fields, std::string_view key) {
  const Bytes bytes = fields.Base64(key);
  return {bytes.begin(), bytes.end()};
}

ZipFields FieldsFromJson(JsonFields json) {
  ZipFields fields;
  npz::kSharedRecord.FromJson(json, fields);
  fields.name = json.Has("name_base64") ? Base64Text(json, "name_base64") : json.Text("name");
  fields.extra = json.Base64("extra");
  if (fields.name.size() > UINT16_MAX || fields.extra.size() > UINT16_MAX) {
    json.Fail("name", "or extra is longer than 65535 bytes");
  }
  json.RefuseOthers();
  return fields;
}

constexpr size_t kMaxRank = 64;

std::string HeaderTextFromJson(JsonFields& json) {
  if (json.Has("header")) return Base64Text(json, "header");
  const std::vector<uint64_t> extents = json.Uints("shape", UINT64_MAX, 0, kMaxRank);
  const bool fortran_order = json.Bool("fortran_order");
  const std::string descr = json.Text("descr");
  const uint64_t padding = json.Uint("padding", kMaxPadding);
  if (!json.status()->ok()) return {};
  return npz::HeaderDict(descr, fortran_order, extents) + std::string(padding, ' ') + '\n';
}

Bytes NpyFromJson(JsonFields json) {
  npz::Header header;
  npz::kVersionRecord.FromJson(json, header);
  header.text = HeaderTextFromJson(json);
  const Bytes data = json.Base64("data");
  if (header.major == 1 && header.text.size() > UINT16_MAX) {
    json.Fail("header", "is longer than version 1 can say");
  }
  json.RefuseOthers();
  return WriteNpyFile(header, data);
}

ZipArchive ArchiveFromJson(JsonFields& fields) {
  ZipArchive archive;
  fields.ForEach("entries", [&](JsonFields item) {
    ZipEntry& entry = archive.entries.emplace_back();
    entry.gap_before = item.Base64("gap_before");
    entry.local = FieldsFromJson(item.In("local"));
    entry.data = item.Has("array") ? NpyFromJson(item.In("array")) : item.Base64("data");
    entry.central = FieldsFromJson(item.In("central"));
    entry.version_made_by = static_cast<uint16_t>(item.Uint("version_made_by", UINT16_MAX));
    npz::kEntryRecord.FromJson(item, entry);
    entry.comment = Base64Text(item, "comment");
    item.RefuseOthers();
  });
  if (archive.entries.size() >= UINT16_MAX) fields.Fail("entries", "are 65535 or more");
  archive.gap_before_directory = fields.Base64("gap_before_directory");
  archive.gap_before_end = fields.Base64("gap_before_end");
  npz::kEndRecord.FromJson(fields, archive);
  archive.comment = Base64Text(fields, "comment");
  return archive;
}

Result<Bytes> FromJson(const Json& json) {
  Status status;
  JsonFields fields(json, "", &status);
  fields.ReadElsewhere({"format"});
  const std::string container = fields.Text("container");
  Bytes bytes;
  if (container == "npy") {
    bytes = NpyFromJson(fields.In("array"));
  } else if (container == "zip") {
    const ZipArchive archive = ArchiveFromJson(fields);
    if (status.ok()) bytes = npz::WriteZip(archive);
  } else {
    fields.Fail("container", "is neither npy nor zip");
  }
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  return bytes;
}

Result<Bytes> Write(const File& file) {
  if (file.array() == nullptr) return npz::WriteZip(file.archive());
  return WriteNpyFile(file.array()->header, file.array()->data);
}

// ---- rules ----

void VerifyArray(const npz::MemberHead& head, std::string_view name, ViolationList& violations) {
  const auto layout = npz::ReadLayout(head);
  if (!layout.ok()) {
    // Types that this reader does not support are valid NumPy types.
    if (layout.error().code == ErrorCode::kUnsupported) return;
    violations.Add(kRules["member-is-array"],
                   head.compressed ? head.data_offset : layout.error().offset, "{}: {}",
                   Shown(name), layout.error().message);
    return;
  }
  if (layout->data_offset % 16 != 0) {
    violations.Add(kRules["elements-aligned"], head.data_offset,
                   "{}: elements begin at byte {} of the array file", Shown(name),
                   layout->data_offset);
  }
}

void VerifyHeaders(const ZipEntry& entry, ViolationList& violations) {
  const bool deferred = (entry.local.flags & kDescriptorFlag) != 0;
  const bool in_extra = entry.local.size == UINT32_MAX;
  const auto& [local, central] = std::tie(entry.local, entry.central);
  const bool sizes_agree = local.size == central.size &&
                           local.compressed_size == central.compressed_size &&
                           local.crc32 == central.crc32;
  if (local.name != central.name || local.method != central.method ||
      local.flags != central.flags || (!sizes_agree && !deferred && !in_extra)) {
    violations.Add(kRules["headers-agree"], entry.local_offset,
                   "{}: local header at 0x{:x} differs from the directory", Shown(central.name),
                   entry.local_offset);
  }
}

std::vector<Violation> VerifyArchive(const ZipArchive& archive) {
  ViolationList violations;
  std::set<std::string_view> names;
  uint64_t limit = npz::kDefaultUnpackedLimit;
  for (const ZipEntry& entry : archive.entries) {
    const std::string& name = entry.central.name;
    if (!entry.gap_before.empty()) {
      violations.Add(kRules["no-gaps"], entry.local_offset - entry.gap_before.size(),
                     "no record has the {} before {}", Counted(entry.gap_before.size(), "byte"),
                     Shown(name));
    }
    VerifyHeaders(entry, violations);
    if (!names.insert(name).second) {
      violations.Add(kRules["unique-names"], entry.local_offset, "{} comes twice", Shown(name));
    }
    const auto head = npz::ReadMemberHead(entry, limit);
    if (!head.ok()) {
      violations.Add(kRules["content-as-stated"], entry.data_offset, "{}", head.error().message);
      continue;
    }
    limit -= head->size;
    if (!name.ends_with(".npy")) {
      violations.Add(kRules["member-is-array"], entry.local_offset, "{}: not named *.npy",
                     Shown(name));
      continue;
    }
    VerifyArray(*head, name, violations);
  }
  return std::move(violations).Take();
}

std::vector<Violation> Verify(const File& file) {
  if (file.array() == nullptr) return VerifyArchive(file.archive());
  ViolationList violations;
  VerifyArray(npz::WholeFile(file.bytes), "array", violations);
  return std::move(violations).Take();
}

// ---- for people ----

// Bounds the length of the text, because a long header may be compressed to few bytes.
Result<std::string> Describe(const npz::MemberHead& head) {
  ANECHECK_RETURN_IF_ERROR(npz::CheckHeaderIsHeld(head));
  ANECHECK_ASSIGN(const NpyFile file, ParseNpyFile(head.bytes));
  const npz::Header& header = file.header;
  return fmt::format("{} ({}){}, {}", Shown(header.descr),
                     Shown(fmt::format("{}", fmt::join(header.shape, ", "))),
                     header.fortran_order ? " Fortran order" : "",
                     Counted(head.size - (head.bytes.size() - file.data.size()), "byte"));
}

std::string Print(const File& file) {
  if (file.array() != nullptr) {
    const auto line = Describe(npz::WholeFile(file.bytes));
    return fmt::format("npy array {}\n", line.ok() ? *line : line.error().message);
  }
  const ZipArchive& archive = file.archive();
  std::string text = fmt::format("npz archive, {}\n", Counted(archive.entries.size(), "member"));
  for (const ZipEntry& entry : archive.entries) {
    const auto head = npz::ReadMemberHead(entry, npz::kDefaultUnpackedLimit);
    const auto line = head.ok() ? Describe(*head) : Result<std::string>(head.error());
    text += fmt::format("  {} at 0x{:x}: {}\n", entry.central.name, entry.local_offset,
                        line.ok() ? *line : line.error().message);
  }
  return text;
}

// Returns the number of spaces that align the elements after a header.
uint64_t PaddingBytes(const NpyFile& file) { return Padding(file.header).value_or(0); }

uint64_t ZeroBytes(ByteSpan bytes) {
  return static_cast<uint64_t>(std::ranges::count(bytes, uint8_t{0}));
}

// Adds up sizes. The records of an archive do not overlap, so no byte counts twice.
ByteCounts CountArchiveBytes(const ZipArchive& archive, uint64_t total) {
  ByteCounts coverage{.total = total};
  uint64_t opaque = 0;
  const auto add_gap = [&](ByteSpan gap) {
    coverage.fill += ZeroBytes(gap);
    opaque += gap.size() - ZeroBytes(gap);
  };
  for (const ZipEntry& entry : archive.entries) {
    const auto array = StoredArray(entry);
    coverage.payload += array ? array->data.size() : entry.data.size();
    coverage.fill += array ? PaddingBytes(*array) : 0;
    opaque += entry.local.extra.size() + entry.central.extra.size();
    add_gap(entry.gap_before);
  }
  add_gap(archive.gap_before_directory);
  add_gap(archive.gap_before_end);
  coverage.typed = total - coverage.payload - coverage.fill - opaque;
  return coverage;
}

ByteCounts CountBytes(const File& file, ByteSpan bytes) {
  if (file.array() == nullptr) return CountArchiveBytes(file.archive(), bytes.size());
  ByteCounts coverage{.total = bytes.size(),
                      .payload = file.array()->data.size(),
                      .fill = PaddingBytes(*file.array())};
  coverage.typed = coverage.total - coverage.payload - coverage.fill;
  return coverage;
}

constexpr FormatOf<File> kDefinition = {
    .name = "npz",
    .title = "NumPy arrays (.npy, .npz)",
    .rules = kRules.rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = ParseFile,
    .to_json = ToJson,
    .write = Write,
    .verify = Verify,
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace

const Format kFormat_npz = MakeFormat<kDefinition>();

}  // namespace anecheck
