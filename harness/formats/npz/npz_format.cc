// .npy and .npz files as a Format: JSON form, rules, listing. Deflated members stay deflated in the
// JSON form, because no two encoders give the same bytes.
#include "harness/formats/npz/npz_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "harness/base/base64.h"
#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/json.h"
#include "harness/formats/message.h"
#include "harness/formats/npz/member_head.h"
#include "harness/formats/npz/npz.h"
#include "harness/formats/npz/zip.h"
#include "harness/formats/violation_list.h"

namespace anecheck {
namespace {

using npz::IsNpy;
using npz::ZipArchive;
using npz::ZipEntry;
using npz::ZipFields;

constexpr uint16_t kDescriptorFlag = 8;  // sizes and checksum follow the data

enum RuleIndex : uint8_t {
  kHeadersAgree,
  kContentAsStated,
  kMemberIsArray,
  kUniqueNames,
  kAligned,
  kNoGaps,
};

constexpr Rule kRules[] = {
    {"headers-agree", "A member's local header and directory entry say the same.",
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
};

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
    constexpr FactEvidence kOpaque = FactEvidence::kOpaque;
    constexpr const char* kZip = "PKWARE APPNOTE 6.3.10, sections 4.3 and 4.4";
    constexpr const char* kNumpy = "NumPy, numpy.lib.format";
    constexpr const char* kGap = "bytes that no record claims";
    std::vector<FieldFact> rows = {
        {"container", FactEvidence::kNotation, "npy or zip, told by the first bytes"}};
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
      rows.push_back({extra, kOpaque, "extra fields: of them only the 64-bit sizes are read"});
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
  if (reader.U32("signature") != 0x04034b50) return path.ends_with(".npz") ? 10 : 0;
  reader.Skip(22, "fields");
  const uint16_t length = reader.U16("name_length");
  reader.Skip(2, "extra_length");
  const auto name = reader.Bytes(length, "name");
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

// Names are CP437 or UTF-8; bytes that JSON cannot carry go as base64 under "name_base64".
Json FieldsToJson(const ZipFields& fields) {
  Json json = {{"version_needed", fields.version_needed},
               {"flags", fields.flags},
               {"method", fields.method},
               {"time", fields.time},
               {"date", fields.date},
               {"crc32", fields.crc32},
               {"compressed_size", fields.compressed_size},
               {"size", fields.size}};
  if (IsPlain(fields.name)) {
    json["name"] = fields.name;
  } else {
    json["name_base64"] = Packed(fields.name);
  }
  json["extra"] = Base64Encode(fields.extra);
  return json;
}

// An array file; its header keeps its text, since spacing is the writer's choice.
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
  writer.Text(npz::kMagic);
  writer.U8(header.major);
  writer.U8(header.minor);
  if (header.major == 1) {
    writer.U16(static_cast<uint16_t>(header.text.size()));
  } else {
    writer.U32(static_cast<uint32_t>(header.text.size()));
  }
  writer.Text(header.text);
  writer.Bytes(data);
  return std::move(writer).Take();
}

constexpr uint64_t kMaxPadding = UINT16_MAX;

// The spaces between the dict and the line feed where the header's text is what NumPy would write
// for its fields; nothing where the text is another, or the JSON form could not say it.
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
  Json json = {{"major", header.major}, {"minor", header.minor}};
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

// A stored member's array, or nothing where it is packed or no array.
std::optional<NpyFile> StoredArray(const ZipEntry& entry) {
  if (entry.central.method != npz::kStored || !IsNpy(entry.data)) return std::nullopt;
  auto file = ParseNpyFile(entry.data);
  return file.ok() ? std::optional(*std::move(file)) : std::nullopt;
}

Json ArchiveToJson(const ZipArchive& archive) {
  Json entries = Json::array();
  for (const ZipEntry& entry : archive.entries) {
    const auto array = StoredArray(entry);
    entries.push_back(
        {{"gap_before", Base64Encode(entry.gap_before)},
         {"local", FieldsToJson(entry.local)},
         {array ? "array" : "data", array ? NpyToJson(*array) : Json(Base64Encode(entry.data))},
         {"central", FieldsToJson(entry.central)},
         {"version_made_by", entry.version_made_by},
         {"disk", entry.disk},
         {"internal_attributes", entry.internal_attributes},
         {"external_attributes", entry.external_attributes},
         {"local_offset", entry.local_offset},
         {"comment", Packed(entry.comment)}});
  }
  return {{"format", "npz"},
          {"container", "zip"},
          {"entries", std::move(entries)},
          {"gap_before_directory", Base64Encode(archive.gap_before_directory)},
          {"gap_before_end", Base64Encode(archive.gap_before_end)},
          {"directory_size", archive.directory_size},
          {"directory_offset", archive.directory_offset},
          {"comment", Packed(archive.comment)}};
}

Result<Json> ToJson(ByteSpan bytes) {
  if (IsNpy(bytes)) {
    ANECHECK_ASSIGN(const NpyFile file, ParseNpyFile(bytes));
    return Json({{"format", "npz"}, {"container", "npy"}, {"array", NpyToJson(file)}});
  }
  ANECHECK_ASSIGN(const ZipArchive archive, npz::ParseZip(bytes));
  return ArchiveToJson(archive);
}

std::optional<uint64_t> Unsigned(const Json& json) {
  if (json.is_number_unsigned()) return json.get<uint64_t>();
  if (json.is_number_integer() && json.get<int64_t>() >= 0) return json.get<uint64_t>();
  return std::nullopt;
}

// Reads members of JSON objects; the first thing that is wrong is kept.
class JsonFields {
 public:
  template <typename T>
  T Number(const Json& json, const char* key) {
    const Json* value = Find(json, key);
    if (value == nullptr) return 0;
    const auto number = Unsigned(*value);
    if (!number || *number > std::numeric_limits<T>::max()) {
      Fail(key, "is not a number of the field's width");
      return 0;
    }
    return static_cast<T>(*number);
  }
  std::string Text(const Json& json, const char* key) {
    const Json* value = Find(json, key);
    if (value == nullptr) return {};
    if (!value->is_string()) {
      Fail(key, "is not a string");
      return {};
    }
    return value->get<std::string>();
  }
  Bytes Base64(const Json& json, const char* key) {
    auto bytes = Base64Decode(Text(json, key));
    if (bytes.ok()) return *std::move(bytes);
    Fail(key, bytes.error().message);
    return {};
  }
  std::string Base64Text(const Json& json, const char* key) {
    const Bytes bytes = Base64(json, key);
    return {bytes.begin(), bytes.end()};
  }
  const Status& status() const { return status_; }
  void Fail(const char* key, std::string_view what) {
    if (status_.ok()) {
      status_ = MakeError(ErrorCode::kMalformed, fmt::format("npz json: '{}' {}", key, what));
    }
  }

 private:
  const Json* Find(const Json& json, const char* key) {
    if (json.is_object()) {
      const auto found = json.find(key);
      if (found != json.end()) return &*found;
    }
    Fail(key, "is missing");
    return nullptr;
  }
  Status status_;
};

ZipFields FieldsFromJson(const Json& json, JsonFields& read) {
  ZipFields fields;
  fields.version_needed = read.Number<uint16_t>(json, "version_needed");
  fields.flags = read.Number<uint16_t>(json, "flags");
  fields.method = read.Number<uint16_t>(json, "method");
  fields.time = read.Number<uint16_t>(json, "time");
  fields.date = read.Number<uint16_t>(json, "date");
  fields.crc32 = read.Number<uint32_t>(json, "crc32");
  fields.compressed_size = read.Number<uint32_t>(json, "compressed_size");
  fields.size = read.Number<uint32_t>(json, "size");
  fields.name = json.is_object() && json.contains("name_base64")
                    ? read.Base64Text(json, "name_base64")
                    : read.Text(json, "name");
  fields.extra = read.Base64(json, "extra");
  if (fields.name.size() > UINT16_MAX || fields.extra.size() > UINT16_MAX) {
    read.Fail("name", "or 'extra' is longer than 65535 bytes");
  }
  return fields;
}

const Json& Member(const Json& json, const char* key) {
  static const Json kNull;
  return json.is_object() && json.contains(key) ? json.at(key) : kNull;
}

constexpr size_t kMaxRank = 64;

std::string HeaderTextFromJson(const Json& json, JsonFields& read) {
  if (json.is_object() && json.contains("header")) return read.Base64Text(json, "header");
  const Json& shape = Member(json, "shape");
  const Json& order = Member(json, "fortran_order");
  std::vector<uint64_t> extents;
  if (!shape.is_array() || shape.size() > kMaxRank) read.Fail("shape", "is no array of numbers");
  for (const Json& extent : shape) {
    const auto number = Unsigned(extent);
    if (!number) read.Fail("shape", "is no array of numbers");
    extents.push_back(number.value_or(0));
  }
  if (!order.is_boolean()) read.Fail("fortran_order", "is neither true nor false");
  const std::string descr = read.Text(json, "descr");
  const auto padding = read.Number<uint64_t>(json, "padding");
  if (padding > kMaxPadding) read.Fail("padding", "is more than 65535 spaces");
  if (!read.status().ok()) return {};
  return npz::HeaderDict(descr, order == true, extents) + std::string(padding, ' ') + '\n';
}

Bytes NpyFromJson(const Json& json, JsonFields& read) {
  npz::Header header;
  header.major = read.Number<uint8_t>(json, "major");
  header.minor = read.Number<uint8_t>(json, "minor");
  header.text = HeaderTextFromJson(json, read);
  const Bytes data = read.Base64(json, "data");
  if (header.major == 1 && header.text.size() > UINT16_MAX) {
    read.Fail("header", "is longer than version 1 can say");
  }
  return WriteNpyFile(header, data);
}

Result<Bytes> ArchiveFromJson(const Json& json) {
  JsonFields read;
  ZipArchive archive;
  const Json& entries = Member(json, "entries");
  if (!entries.is_array() || entries.size() >= UINT16_MAX) {
    read.Fail("entries", "is no array of less than 65535 members");
    return read.status().error();
  }
  for (const Json& item : entries) {
    ZipEntry entry;
    entry.gap_before = read.Base64(item, "gap_before");
    entry.local = FieldsFromJson(Member(item, "local"), read);
    entry.data = item.is_object() && item.contains("array") ? NpyFromJson(item.at("array"), read)
                                                            : read.Base64(item, "data");
    entry.central = FieldsFromJson(Member(item, "central"), read);
    entry.version_made_by = read.Number<uint16_t>(item, "version_made_by");
    entry.disk = read.Number<uint16_t>(item, "disk");
    entry.internal_attributes = read.Number<uint16_t>(item, "internal_attributes");
    entry.external_attributes = read.Number<uint32_t>(item, "external_attributes");
    entry.local_offset = read.Number<uint32_t>(item, "local_offset");
    entry.comment = read.Base64Text(item, "comment");
    archive.entries.push_back(std::move(entry));
  }
  archive.gap_before_directory = read.Base64(json, "gap_before_directory");
  archive.gap_before_end = read.Base64(json, "gap_before_end");
  archive.directory_size = read.Number<uint32_t>(json, "directory_size");
  archive.directory_offset = read.Number<uint32_t>(json, "directory_offset");
  archive.comment = read.Base64Text(json, "comment");
  if (!read.status().ok()) return read.status().error();
  return npz::WriteZip(archive);
}

Result<Bytes> FromJson(const Json& json) {
  const Json& container = Member(json, "container");
  if (container == "npy") {
    JsonFields read;
    Bytes bytes = NpyFromJson(Member(json, "array"), read);
    if (!read.status().ok()) return read.status().error();
    return bytes;
  }
  if (container == "zip") return ArchiveFromJson(json);
  return MakeError(ErrorCode::kMalformed, "npz json: 'container' is neither npy nor zip");
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  if (IsNpy(bytes)) {
    ANECHECK_ASSIGN(const NpyFile file, ParseNpyFile(bytes));
    return WriteNpyFile(file.header, file.data);
  }
  ANECHECK_ASSIGN(const ZipArchive archive, npz::ParseZip(bytes));
  return npz::WriteZip(archive);
}

// ---- rules ----

void VerifyArray(const npz::MemberHead& head, std::string_view name, ViolationList& violations) {
  const auto layout = npz::ReadLayout(head);
  if (!layout.ok()) {
    // Types that this reader does not hold are NumPy's all the same.
    if (layout.error().code == ErrorCode::kUnsupported) return;
    violations.Add(kRules[kMemberIsArray],
                   head.compressed ? head.data_offset : layout.error().offset, "{}: {}",
                   Shown(name), layout.error().message);
    return;
  }
  if (layout->data_offset % 16 != 0) {
    violations.Add(kRules[kAligned], head.data_offset,
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
    violations.Add(kRules[kHeadersAgree], entry.local_offset,
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
      violations.Add(kRules[kNoGaps], entry.local_offset - entry.gap_before.size(),
                     "{} bytes before {}", entry.gap_before.size(), Shown(name));
    }
    VerifyHeaders(entry, violations);
    if (!names.insert(name).second) {
      violations.Add(kRules[kUniqueNames], entry.local_offset, "{} comes twice", Shown(name));
    }
    const auto head = npz::ReadMemberHead(entry, limit);
    if (!head.ok()) {
      violations.Add(kRules[kContentAsStated], entry.data_offset, "{}", head.error().message);
      continue;
    }
    limit -= head->size;
    if (!name.ends_with(".npy")) {
      violations.Add(kRules[kMemberIsArray], entry.local_offset, "{}: not named *.npy",
                     Shown(name));
      continue;
    }
    VerifyArray(*head, name, violations);
  }
  return std::move(violations).Take();
}

Result<std::vector<Violation>> Verify(ByteSpan bytes) {
  if (IsNpy(bytes)) {
    ANECHECK_RETURN_IF_ERROR(ParseNpyFile(bytes));
    ViolationList violations;
    VerifyArray(npz::WholeFile(bytes), "array", violations);
    return std::move(violations).Take();
  }
  ANECHECK_ASSIGN(const ZipArchive archive, npz::ParseZip(bytes));
  return VerifyArchive(archive);
}

// ---- for people ----

// Of bounded length: a header of many bytes may be compressed to few.
Result<std::string> Describe(const npz::MemberHead& head) {
  ANECHECK_RETURN_IF_ERROR(npz::CheckHeaderIsHeld(head));
  ANECHECK_ASSIGN(const NpyFile file, ParseNpyFile(head.bytes));
  const npz::Header& header = file.header;
  return fmt::format("{} ({}){}, {} bytes", Shown(header.descr),
                     Shown(fmt::format("{}", fmt::join(header.shape, ", "))),
                     header.fortran_order ? " Fortran order" : "",
                     head.size - (head.bytes.size() - file.data.size()));
}

Result<std::string> Print(ByteSpan bytes) {
  if (IsNpy(bytes)) {
    ANECHECK_ASSIGN(const std::string line, Describe(npz::WholeFile(bytes)));
    return fmt::format("npy array {}\n", line);
  }
  ANECHECK_ASSIGN(const ZipArchive archive, npz::ParseZip(bytes));
  std::string text = fmt::format("npz archive, {} members\n", archive.entries.size());
  for (const ZipEntry& entry : archive.entries) {
    const auto head = npz::ReadMemberHead(entry, npz::kDefaultUnpackedLimit);
    const auto line = head.ok() ? Describe(*head) : Result<std::string>(head.error());
    text += fmt::format("  {} at 0x{:x}: {}\n", entry.central.name, entry.local_offset,
                        line.ok() ? *line : line.error().message);
  }
  return text;
}

// The spaces that align the elements behind a header.
uint64_t PaddingBytes(const NpyFile& file) { return Padding(file.header).value_or(0); }

uint64_t ZeroBytes(ByteSpan bytes) {
  return static_cast<uint64_t>(std::ranges::count(bytes, uint8_t{0}));
}

// The records of an archive do not overlap.
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

Result<ByteCounts> CountBytes(ByteSpan bytes) {
  if (!IsNpy(bytes)) {
    ANECHECK_ASSIGN(const ZipArchive archive, npz::ParseZip(bytes));
    return CountArchiveBytes(archive, bytes.size());
  }
  ANECHECK_ASSIGN(const NpyFile file, ParseNpyFile(bytes));
  ByteCounts coverage{
      .total = bytes.size(), .payload = file.data.size(), .fill = PaddingBytes(file)};
  coverage.typed = coverage.total - coverage.payload - coverage.fill;
  return coverage;
}

}  // namespace

const Format kFormat_npz{
    .name = "npz",
    .title = "NumPy arrays (.npy, .npz)",
    .rules = kRules,
    .fields = FieldFacts,
    .recognise = Recognise,
    .to_json = ToJson,
    .from_json = FromJson,
    .rewrite = Rewrite,
    .verify = Verify,
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace anecheck
