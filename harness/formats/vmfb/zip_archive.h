// The ZIP records of an IREE module, field by field. A 2021 module has a directory of the files
// that are embedded in its data. A later module is an archive whose first entry is the module
// itself. Entries are not compressed. Used by the vmfb format only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/format.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::vmfb {

// Record kinds of the ZIP application note (APPNOTE.TXT 6.3), sections 4.3.7 and 4.3.12 to 4.3.16.
enum class ZipRecordKind : uint8_t { kLocal, kCentral, kEnd64, kLocator64, kEnd };

struct ZipField {
  std::string_view name;
  uint32_t width = 0;  // bytes
};

// Converts the record fields of npz archives (npz/zip.h) to the fields of this format, without the
// signature. The size of the contents is called "uncompressed_size" in the JSON of this format.
template <size_t... kCounts>
constexpr auto ZipFieldsOf(const std::array<RecordField, kCounts>&... records) {
  std::array<ZipField, (kCounts + ...)> fields{};
  size_t count = 0;
  const auto add = [&](const auto& record) {
    for (const RecordField& field : record) {
      fields[count++] = {field.name == "size" ? "uncompressed_size" : field.name, field.width};
    }
  };
  (add(records), ...);
  return fields;
}
inline constexpr auto kLocalFields = ZipFieldsOf(npz::kSharedRecord.Fields());
inline constexpr auto kCentralFields =
    ZipFieldsOf(std::array{RecordField{.name = "version_made_by", .width = 2}},
                npz::kSharedRecord.Fields(), npz::kEntryRecord.Fields());
inline constexpr auto kEndFields = ZipFieldsOf(npz::kEndRecord.Fields());

// Returns the index of a field in ZipRecord::values.
consteval size_t ZipIndex(std::span<const ZipField> fields, std::string_view name) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  throw "the record has no field of that name";
}
inline constexpr size_t kLocalCrc = ZipIndex(kLocalFields, "crc32");
inline constexpr size_t kLocalCompressed = ZipIndex(kLocalFields, "compressed_size");
inline constexpr size_t kLocalUncompressed = ZipIndex(kLocalFields, "uncompressed_size");
inline constexpr size_t kCentralCrc = ZipIndex(kCentralFields, "crc32");
inline constexpr size_t kCentralCompressed = ZipIndex(kCentralFields, "compressed_size");
inline constexpr size_t kCentralUncompressed = ZipIndex(kCentralFields, "uncompressed_size");
inline constexpr size_t kCentralLocalOffset = ZipIndex(kCentralFields, "local_offset");

struct ZipExtra {
  uint16_t id = 0;  // 1 holds the 64-bit sizes
  Bytes data;
};

struct ZipRecord {
  ZipRecordKind kind = ZipRecordKind::kLocal;
  uint32_t at = 0;
  bool overlaps = false;              // shares bytes with a part of the file before it
  std::array<uint64_t, 16> values{};  // the values of the kind's fields, including lengths
  Bytes name;
  std::vector<ZipExtra> extra;
  Bytes extra_rest;  // bytes after the extra records, too few for another one
  Bytes comment;     // also the extensible part of kEnd64
};

struct ZipEntry {
  ZipRecord central;
  ZipRecord local;
  uint64_t data_at = 0;
  uint64_t data_size = 0;

  std::string_view Name() const {
    return {reinterpret_cast<const char*>(central.name.data()), central.name.size()};
  }
};

struct ZipArchive {
  std::vector<ZipEntry> entries;
  std::optional<ZipRecord> end64;
  std::optional<ZipRecord> locator64;
  ZipRecord end;
  uint64_t directory_at = 0;
  uint64_t directory_size = 0;
};

// Returns whether `file` ends with an end record without a comment, as tools write it.
bool EndsWithArchive(ByteSpan file);

// Reads the archive at the end of `file`, whose end record begins at `from` or later. Errors:
// kNotFound if there is no end record, kMalformed or kTruncated if the records refer to bytes
// outside the file.
Result<ZipArchive> ParseZip(ByteSpan file, size_t from = 0);

// Return the bytes of a record, and their number.
Bytes WriteZipRecord(const ZipRecord& record);
size_t ZipRecordSize(const ZipRecord& record);

// Claims the record's fields, name, comment and 64-bit sizes as typed. Does not claim the data of
// other extra records, because writers of modules put zeros into them to align the next part.
void ClaimZipRecord(const ZipRecord& record, ByteKindMap* map);

// Return a size or offset from its 32-bit field, or from the 64-bit extra if that is saturated.
uint64_t ZipSize(const ZipRecord& record, bool compressed);
uint64_t ZipLocalOffset(const ZipRecord& central);

// Return whether the sizes, checksums and offsets in an entry, in the end records, or in all
// records match the positions and contents in `file`. Precondition: the entries' data is inside
// `file`.
bool ZipEntryIsSettled(const ZipEntry& entry, ByteSpan file);
bool ZipEndIsSettled(const ZipArchive& archive);
bool ZipIsSettled(const ZipArchive& archive, ByteSpan file);

// Sets all sizes, checksums and offsets to the matching values.
void SettleZip(ZipArchive* archive, ByteSpan file);

// Returns all records of the archive, in unspecified order.
std::vector<ZipRecord*> ZipRecords(ZipArchive* archive);

Json ZipToJson(const ZipArchive& archive);
Result<ZipArchive> ZipFromJson(const Json& json);

}  // namespace anecheck::vmfb
