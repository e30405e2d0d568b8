// The ZIP records of an IREE module, field by field: 2021 modules carry a directory of the files
// embedded in their data, later ones are archives whose first entry is the module. Used by the vmfb
// format only; entries are stored, never compressed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/format.h"

namespace anecheck::vmfb {

// Record kinds of the ZIP application note (APPNOTE.TXT 6.3), sections 4.3.7 and 4.3.12 to 4.3.16.
enum class ZipRecordKind : uint8_t { kLocal, kCentral, kEnd64, kLocator64, kEnd };

// Indices of the fields that the format itself uses; the tables of zip_archive.cc give all.
enum ZipLocalField : size_t { kLocalCrc = 5, kLocalCompressed = 6, kLocalUncompressed = 7 };
enum ZipCentralField : size_t {
  kCentralCrc = 6,
  kCentralCompressed = 7,
  kCentralUncompressed = 8,
  kCentralLocalOffset = 15,
};

struct ZipExtra {
  uint16_t id = 0;  // 1 holds the 64-bit sizes
  Bytes data;
};

struct ZipRecord {
  ZipRecordKind kind = ZipRecordKind::kLocal;
  uint32_t at = 0;
  bool overlaps = false;              // shares bytes with something before it
  std::array<uint64_t, 16> values{};  // of the kind's fields, lengths included
  Bytes name;
  std::vector<ZipExtra> extra;
  Bytes extra_rest;  // bytes too few for another extra record
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

// Whether `file` ends with an end record that has no comment, as archives do that tools write.
bool EndsWithArchive(ByteSpan file);

// Reads the archive at the end of `file`, whose end record begins at `from` or behind it. Errors:
// kNotFound where there is no end record, kMalformed or kTruncated where the records lead outside
// the file.
Result<ZipArchive> ParseZip(ByteSpan file, size_t from = 0);

// The bytes of a record, and their number.
Bytes WriteZipRecord(const ZipRecord& record);
size_t ZipRecordSize(const ZipRecord& record);

// Claims the record's fields, name, comment and 64-bit sizes as typed. The data of other extra
// records, which writers of modules fill with zeros to align the next part, are left unclaimed.
void ClaimZipRecord(const ZipRecord& record, ByteKindMap* map);

// A size or offset with the 64-bit extra record taken into account.
uint64_t ZipSize(const ZipRecord& record, bool compressed);
uint64_t ZipLocalOffset(const ZipRecord& central);

// Whether sizes, checksums and offsets follow from the places of things in `file`: those of
// an entry, of the end records, of all. Precondition: the entries' data lie inside `file`.
bool ZipEntryIsSettled(const ZipEntry& entry, ByteSpan file);
bool ZipEndIsSettled(const ZipArchive& archive);
bool ZipIsSettled(const ZipArchive& archive, ByteSpan file);

// Makes them so.
void SettleZip(ZipArchive* archive, ByteSpan file);

// Every record of the archive, in no particular order.
std::vector<ZipRecord*> ZipRecords(ZipArchive* archive);

Json ZipToJson(const ZipArchive& archive);
Result<ZipArchive> ZipFromJson(const Json& json);

}  // namespace anecheck::vmfb
