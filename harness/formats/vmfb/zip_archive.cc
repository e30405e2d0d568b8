#include "harness/formats/vmfb/zip_archive.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <type_traits>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/checksum.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/base/planted_bug.h"
#include "harness/formats/message.h"

namespace anecheck::vmfb {
namespace {

constexpr ZipField kEnd64Fields[] = {
    {"record_size", 8}, {"version_made_by", 2}, {"version_needed", 2},
    {"disk", 4},        {"directory_disk", 4},  {"entries_here", 8},
    {"entries", 8},     {"directory_size", 8},  {"directory_offset", 8}};
constexpr ZipField kLocatorFields[] = {{"disk", 4}, {"end64_offset", 8}, {"disks", 4}};

struct RecordSpec {
  uint32_t signature = 0;
  std::string_view name;
  std::span<const ZipField> fields;
};

constexpr RecordSpec kRecords[] = {
    {npz::kLocalSignature, "local", kLocalFields},
    {npz::kDirectorySignature, "central", kCentralFields},
    {0x06064b50, "end64", kEnd64Fields},
    {0x07064b50, "locator64", kLocatorFields},
    {npz::kEndSignature, "end", kEndFields},
};

const RecordSpec& SpecOf(ZipRecordKind kind) { return kRecords[static_cast<size_t>(kind)]; }

constexpr uint64_t kSaturated = 0xffffffff;
constexpr size_t kEndSize = 4 + npz::kEndRecord.kSize;

Bytes ToBytes(ByteSpan bytes) { return Bytes(bytes.begin(), bytes.end()); }

void ParseExtra(ByteSpan bytes, ZipRecord* record) {
  while (bytes.size() >= 4) {
    const uint16_t size = LoadU16(&bytes[2]);
    if (size + 4u > bytes.size() && !IsPlanted(PlantedBug::kVmfbExtraRecord)) break;
    record->extra.push_back({LoadU16(bytes.data()), ToBytes(bytes.subspan(4, size))});
    bytes = bytes.subspan(4 + size);
  }
  record->extra_rest = ToBytes(bytes);
}

// Reads the fields in order. If the record is truncated, the error names the first missing field.
void ReadFields(std::span<const ZipField> fields, ByteReader* reader, ZipRecord* record) {
  for (size_t i = 0; i < fields.size() && reader->ok(); ++i) {
    switch (fields[i].width) {
      case 2:
        record->values[i] = reader->U16(fields[i].name);
        break;
      case 4:
        record->values[i] = reader->U32(fields[i].name);
        break;
      default:
        record->values[i] = reader->U64(fields[i].name);
    }
  }
}

// Reads into `*to` to avoid a copy of a large record. The copy would take a large part of the time
// to verify a small file.
Status ParseRecord(ByteSpan file, uint64_t at, ZipRecordKind kind, ZipRecord* to) {
  const RecordSpec& spec = SpecOf(kind);
  ByteReader reader(file, 0, spec.name);
  reader.Seek(at, "record");
  ZipRecord& record = *to;
  record.kind = kind;
  record.at = static_cast<uint32_t>(at);
  if (reader.U32("signature") != spec.signature) {
    reader.Fail(ErrorCode::kMalformed, "signature", "is another record's");
  }
  ReadFields(spec.fields, &reader, &record);
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const std::string_view name = spec.fields[i].name;
    const uint64_t size = record.values[i];
    if (name == "name_length") record.name = ToBytes(reader.Bytes(size, "name"));
    if (name == "extra_length") ParseExtra(reader.Bytes(size, "extra"), &record);
    if (name == "comment_length") record.comment = ToBytes(reader.Bytes(size, "comment"));
    if (name != "record_size") continue;
    constexpr uint64_t kOtherFields = 44;
    if (size < kOtherFields) reader.Fail(ErrorCode::kMalformed, name, "is below 44");
    record.comment = ToBytes(reader.Bytes(size - kOtherFields, "extensible data"));
  }
  return reader.status();
}

// Returns whether there is an end record at `at` whose comment is the rest of the file.
bool IsEnd(ByteSpan file, size_t at) {
  return LoadU32(&file[at]) == SpecOf(ZipRecordKind::kEnd).signature &&
         LoadU16(&file[at + 4 + npz::kEndRecord.OffsetOf("comment_length")]) ==
             file.size() - kEndSize - at;
}

// Finds the end record. It is the last record, and its comment has at most 65535 bytes.
std::optional<uint64_t> FindEnd(ByteSpan file, size_t from) {
  if (EndsWithArchive(file)) return file.size() - kEndSize;
  if (file.size() < kEndSize) return std::nullopt;
  // Uses the last record that IsEnd accepts. memchr finds candidates.
  std::optional<uint64_t> last;
  const size_t end = file.size() - kEndSize + 1;
  size_t at = std::max(from, end - std::min<size_t>(end, 0x10000));
  while (at < end) {
    const void* found = std::memchr(&file[at], 'P', end - at);
    if (found == nullptr) break;
    at = static_cast<size_t>(static_cast<const uint8_t*>(found) - file.data());
    if (IsEnd(file, at)) last = at;
    ++at;
  }
  return last;
}

// Returns the index of the 64-bit extra record that has the value of a saturated 32-bit field. That
// record has only the values of saturated fields, in the order uncompressed, compressed, offset
// (APPNOTE.TXT, 4.5.3). `before` is the number of values before the wanted value.
std::optional<size_t> Wide(const ZipRecord& record, size_t before) {
  for (size_t i = 0; i < record.extra.size(); ++i) {
    if (record.extra[i].id == 1 && record.extra[i].data.size() >= 8 * (before + 1)) return i;
  }
  return std::nullopt;
}

bool Saturated(const ZipRecord& record, size_t field) { return record.values[field] == kSaturated; }

struct WidePlace {
  size_t field = 0;   // index of the 32-bit field
  size_t before = 0;  // saturated fields before it
};

WidePlace PlaceOf(const ZipRecord& record, int which) {  // 0 uncompressed, 1 compressed, 2 offset
  const bool central = record.kind == ZipRecordKind::kCentral;
  const size_t fields[3] = {central ? kCentralUncompressed : kLocalUncompressed,
                            central ? kCentralCompressed : kLocalCompressed, kCentralLocalOffset};
  size_t before = 0;
  for (int i = 0; i < which; ++i) before += Saturated(record, fields[i]) ? 1 : 0;
  return {fields[which], before};
}

uint64_t GetWide(const ZipRecord& record, int which) {
  const WidePlace place = PlaceOf(record, which);
  if (!Saturated(record, place.field)) return record.values[place.field];
  const auto extra = Wide(record, place.before);
  if (!extra) return kSaturated;
  return LoadLittle(&record.extra[*extra].data[8 * place.before], 8);
}

// Each of the following functions compares numbers with their expected values and returns whether
// they are equal. If the record is not const, the function sets its fields to the expected values.

template <typename Record>
bool Settle(Record& record, size_t field, uint64_t value, uint64_t saturated) {
  const bool same = record.values[field] == value || record.values[field] == saturated;
  if constexpr (!std::is_const_v<Record>) {
    if (!same) record.values[field] = value;
  }
  return same;
}

// Applies Settle to a size or offset in the 32-bit field or in the 64-bit extra record that has it.
template <typename Record>
bool SettleWide(Record& record, int which, uint64_t value) {
  const bool same = GetWide(record, which) == value;
  if constexpr (!std::is_const_v<Record>) {
    if (same) return true;
    const WidePlace place = PlaceOf(record, which);
    const auto extra = Saturated(record, place.field) ? Wide(record, place.before) : std::nullopt;
    if (extra) {
      StoreLittle(&record.extra[*extra].data[8 * place.before], value, 8);
    } else {
      record.values[place.field] = value;
    }
  }
  return same;
}

template <typename Entry>
bool SettleEntry(Entry& entry, ByteSpan file) {
  const uint32_t crc = Crc32(file.subspan(entry.data_at, entry.data_size));
  bool settled = true;
  for (auto* record : {&entry.central, &entry.local}) {
    const bool central = record->kind == ZipRecordKind::kCentral;
    settled &= Settle(*record, central ? kCentralCrc : kLocalCrc, crc, crc);
    settled &= SettleWide(*record, 0, entry.data_size);
    settled &= SettleWide(*record, 1, entry.data_size);
  }
  settled &= SettleWide(entry.central, 2, entry.local.at);
  return settled;
}

template <typename Archive>
bool SettleEnd(Archive& archive) {
  const uint64_t at = archive.directory_at;
  const uint64_t size = archive.directory_size;
  bool settled = true;
  if (archive.end64) {
    settled &= Settle(*archive.end64, 7, size, size);
    settled &= Settle(*archive.end64, 8, at, at);
    settled &= Settle(*archive.locator64, 1, archive.end64->at, archive.end64->at);
  }
  settled &= Settle(archive.end, 4, size, archive.end64 ? kSaturated : size);
  settled &= Settle(archive.end, 5, at, archive.end64 ? kSaturated : at);
  return settled;
}

template <typename Archive>
bool SettleAll(Archive& archive, ByteSpan file) {
  bool settled = true;
  for (auto& entry : archive.entries) settled &= SettleEntry(entry, file);
  return SettleEnd(archive) && settled;
}

size_t ExtraSize(const ZipRecord& record) {
  size_t size = record.extra_rest.size();
  for (const ZipExtra& extra : record.extra) size += 4 + extra.data.size();
  return size;
}

// Returns the value that a length field must have, or nothing for other fields.
std::optional<uint64_t> LengthOf(const ZipRecord& record, const ZipField& field) {
  if (field.name == "name_length") return record.name.size();
  if (field.name == "extra_length") return ExtraSize(record);
  if (field.name == "comment_length") return record.comment.size();
  return std::nullopt;
}

Json RecordToJson(const ZipRecord& record) {
  const RecordSpec& spec = SpecOf(record.kind);
  Json json;
  json["@"] = record.at;
  if (record.overlaps) json["overlaps"] = true;
  if (record.kind == ZipRecordKind::kLocal || record.kind == ZipRecordKind::kCentral) {
    json["name"] = std::string(record.name.begin(), record.name.end());
    const bool plain = std::ranges::all_of(record.name, [](uint8_t c) { return c < 0x80; });
    if (!plain) json["name"] = Json{{"hex", HexText(record.name)}};
  }
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    if (!LengthOf(record, spec.fields[i])) {
      json[std::string(spec.fields[i].name)] = record.values[i];
    }
  }
  Json extras = Json::array();
  for (const ZipExtra& extra : record.extra) {
    Json entry;
    entry["id"] = extra.id;
    if (extra.id == 1 && extra.data.size() % 8 == 0) {
      Json values = Json::array();
      for (size_t i = 0; i < extra.data.size(); i += 8) {
        values.push_back(LoadLittle(&extra.data[i], 8));
      }
      entry["values"] = std::move(values);
    } else {
      entry["hex"] = HexText(extra.data);
    }
    extras.push_back(std::move(entry));
  }
  if (!extras.empty()) json["extra"] = std::move(extras);
  if (!record.extra_rest.empty()) json["extra_rest"] = HexText(record.extra_rest);
  if (!record.comment.empty()) json["comment"] = HexText(record.comment);
  return json;
}

Result<Bytes> HexOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return Bytes();
  return BytesFromHex(found->get<std::string>());
}

Result<ZipExtra> ExtraFromJson(const Json& json) {
  ZipExtra extra{.id = json.at("id").get<uint16_t>()};
  if (!json.contains("values")) {
    ANECHECK_ASSIGN(extra.data, HexOf(json, "hex"));
    return extra;
  }
  for (const Json& value : json["values"]) {
    extra.data.resize(extra.data.size() + 8);
    StoreLittle(&extra.data[extra.data.size() - 8], value.get<uint64_t>(), 8);
  }
  return extra;
}

Result<ZipRecord> RecordFromJson(const Json& json, ZipRecordKind kind) {
  const RecordSpec& spec = SpecOf(kind);
  ZipRecord record{.kind = kind, .at = json.at("@").get<uint32_t>()};
  record.overlaps = json.contains("overlaps");
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    if (LengthOf(record, spec.fields[i])) continue;
    record.values[i] = json.at(std::string(spec.fields[i].name)).get<uint64_t>();
  }
  if (json.contains("name")) {
    if (json["name"].is_string()) {
      const std::string name = json["name"].get<std::string>();
      record.name.assign(name.begin(), name.end());
    } else {
      ANECHECK_ASSIGN(record.name, HexOf(json["name"], "hex"));
    }
  }
  if (json.contains("extra")) {
    for (const Json& entry : json["extra"]) {
      ANECHECK_ASSIGN(ZipExtra extra, ExtraFromJson(entry));
      record.extra.push_back(std::move(extra));
    }
  }
  ANECHECK_ASSIGN(record.extra_rest, HexOf(json, "extra_rest"));
  ANECHECK_ASSIGN(record.comment, HexOf(json, "comment"));
  return record;
}

Status ParseDirectory(ByteSpan file, uint64_t count, ZipArchive* archive) {
  uint64_t at = archive->directory_at;
  uint64_t local_bytes = 0;  // headers and data of valid archives do not overlap
  constexpr uint64_t kFewEntries = 8;
  archive->entries.reserve(std::min(count, kFewEntries));
  for (uint64_t i = 0; i < count; ++i) {
    ZipEntry& entry = archive->entries.emplace_back();
    ANECHECK_RETURN_IF_ERROR(ParseRecord(file, at, ZipRecordKind::kCentral, &entry.central));
    at += ZipRecordSize(entry.central);
    ANECHECK_RETURN_IF_ERROR(
        ParseRecord(file, ZipLocalOffset(entry.central), ZipRecordKind::kLocal, &entry.local));
    entry.data_at = entry.local.at + ZipRecordSize(entry.local);
    entry.data_size = ZipSize(entry.central, true);
    if (entry.data_size > file.size() - entry.data_at) {
      return MakeError(ErrorCode::kTruncated,
                       fmt::format("entry {}: {} bytes of data at 0x{:x} leave the file", i,
                                   entry.data_size, entry.data_at),
                       entry.data_at);
    }
    local_bytes += ZipRecordSize(entry.local) + entry.data_size;
    if (local_bytes > file.size()) {
      return MakeError(ErrorCode::kMalformed, fmt::format("entry {} overlaps another", i),
                       entry.local.at);
    }
  }
  archive->directory_size = at - archive->directory_at;
  return {};
}

}  // namespace

size_t ZipRecordSize(const ZipRecord& record) {
  size_t size = 4 + record.name.size() + ExtraSize(record) + record.comment.size();
  for (const ZipField& field : SpecOf(record.kind).fields) size += field.width;
  return size;
}

void ClaimZipRecord(const ZipRecord& record, ByteKindMap* map) {
  uint64_t at = record.at;
  const auto typed = [&](uint64_t size) {
    map->Claim(ByteKind::kTyped, at, size);
    at += size;
  };
  typed(4);
  for (const ZipField& field : SpecOf(record.kind).fields) typed(field.width);
  typed(record.name.size());
  for (const ZipExtra& extra : record.extra) {
    typed(4);
    if (extra.id == 1) {
      typed(extra.data.size());
    } else {
      at += extra.data.size();
    }
  }
  at += record.extra_rest.size();
  typed(record.comment.size());
}

Bytes WriteZipRecord(const ZipRecord& record) {
  const RecordSpec& spec = SpecOf(record.kind);
  ByteWriter writer;
  writer.Reserve(ZipRecordSize(record));
  writer.U32(spec.signature);
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const uint64_t value = LengthOf(record, spec.fields[i]).value_or(record.values[i]);
    if (spec.fields[i].width == 2) {
      writer.U16(static_cast<uint16_t>(value));
    } else if (spec.fields[i].width == 4) {
      writer.U32(static_cast<uint32_t>(value));
    } else {
      writer.U64(value);
    }
  }
  writer.Bytes(record.name);
  for (const ZipExtra& extra : record.extra) {
    writer.U16(extra.id);
    writer.U16(static_cast<uint16_t>(extra.data.size()));
    writer.Bytes(extra.data);
  }
  writer.Bytes(record.extra_rest);
  writer.Bytes(record.comment);
  return std::move(writer).Take();
}

uint64_t ZipSize(const ZipRecord& record, bool compressed) {
  return GetWide(record, compressed ? 1 : 0);
}

uint64_t ZipLocalOffset(const ZipRecord& central) { return GetWide(central, 2); }

bool EndsWithArchive(ByteSpan file) {
  return file.size() >= kEndSize && IsEnd(file, file.size() - kEndSize);
}

Result<ZipArchive> ParseZip(ByteSpan file, size_t from) {
  const auto end_at = FindEnd(file, from);
  if (!end_at) {
    return MakeError(ErrorCode::kNotFound, "no end-of-central-directory record in the file");
  }
  ZipArchive archive;
  ANECHECK_RETURN_IF_ERROR(ParseRecord(file, *end_at, ZipRecordKind::kEnd, &archive.end));
  uint64_t count = archive.end.values[3];
  archive.directory_at = archive.end.values[5];
  if (archive.directory_at == kSaturated || count == 0xffff) {
    if (*end_at < 20) return MakeError(ErrorCode::kTruncated, "locator64 is missing", *end_at);
    ANECHECK_RETURN_IF_ERROR(
        ParseRecord(file, *end_at - 20, ZipRecordKind::kLocator64, &archive.locator64.emplace()));
    ANECHECK_RETURN_IF_ERROR(ParseRecord(file, archive.locator64->values[1], ZipRecordKind::kEnd64,
                                         &archive.end64.emplace()));
    count = archive.end64->values[6];
    archive.directory_at = archive.end64->values[8];
  }
  // Each entry takes at least 46 bytes, so a larger count is wrong.
  if (count > file.size() / 46) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("{} entries do not fit in {} bytes", count, file.size()),
                     archive.end.at);
  }
  ANECHECK_RETURN_IF_ERROR(ParseDirectory(file, count, &archive));
  return archive;
}

bool ZipEntryIsSettled(const ZipEntry& entry, ByteSpan file) { return SettleEntry(entry, file); }

bool ZipEndIsSettled(const ZipArchive& archive) { return SettleEnd(archive); }

bool ZipIsSettled(const ZipArchive& archive, ByteSpan file) {
  // The end record of an archive without entries may have any directory offset.
  const bool inside = archive.directory_at <= file.size() &&
                      archive.directory_size <= file.size() - archive.directory_at;
  return inside && SettleAll(archive, file);
}

void SettleZip(ZipArchive* archive, ByteSpan file) { SettleAll(*archive, file); }

std::vector<ZipRecord*> ZipRecords(ZipArchive* archive) {
  std::vector<ZipRecord*> records;
  for (ZipEntry& entry : archive->entries) {
    records.push_back(&entry.local);
    records.push_back(&entry.central);
  }
  if (archive->end64) records.push_back(&*archive->end64);
  if (archive->locator64) records.push_back(&*archive->locator64);
  records.push_back(&archive->end);
  return records;
}

Json ZipToJson(const ZipArchive& archive) {
  Json json;
  Json entries = Json::array();
  for (const ZipEntry& entry : archive.entries) {
    Json made;
    made["local"] = RecordToJson(entry.local);
    made["central"] = RecordToJson(entry.central);
    made["data"] = {{"@", entry.data_at}, {"size", entry.data_size}};
    entries.push_back(std::move(made));
  }
  json["entries"] = std::move(entries);
  if (archive.end64) json["end64"] = RecordToJson(*archive.end64);
  if (archive.locator64) json["locator64"] = RecordToJson(*archive.locator64);
  json["end"] = RecordToJson(archive.end);
  json["directory"] = {{"@", archive.directory_at}, {"size", archive.directory_size}};
  return json;
}

Result<ZipArchive> ZipFromJson(const Json& json) {
  try {
    ZipArchive archive;
    for (const Json& made : json.at("entries")) {
      ZipEntry entry;
      ANECHECK_ASSIGN(entry.local, RecordFromJson(made.at("local"), ZipRecordKind::kLocal));
      ANECHECK_ASSIGN(entry.central, RecordFromJson(made.at("central"), ZipRecordKind::kCentral));
      entry.data_at = made.at("data").at("@").get<uint64_t>();
      entry.data_size = made.at("data").at("size").get<uint64_t>();
      archive.entries.push_back(std::move(entry));
    }
    if (json.contains("end64")) {
      ANECHECK_ASSIGN(archive.end64, RecordFromJson(json["end64"], ZipRecordKind::kEnd64));
      ANECHECK_ASSIGN(archive.locator64,
                      RecordFromJson(json.at("locator64"), ZipRecordKind::kLocator64));
    }
    ANECHECK_ASSIGN(archive.end, RecordFromJson(json.at("end"), ZipRecordKind::kEnd));
    archive.directory_at = json.at("directory").at("@").get<uint64_t>();
    archive.directory_size = json.at("directory").at("size").get<uint64_t>();
    return archive;
  } catch (const JsonError& error) {
    return MakeError(ErrorCode::kInvalid, Clipped(fmt::format("zip: {}", error.what())));
  }
}

}  // namespace anecheck::vmfb
