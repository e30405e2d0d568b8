// The part of the ZIP format that .npz files use. The model keeps every header field and every byte
// between records, so that WriteZip returns a parsed archive byte for byte. Source: PKWARE APPNOTE
// 6.3.10, sections 4.3 and 4.4. Archives of more than one disk, encryption, and a ZIP64 end record
// (4 GiB or 65535 entries and more) are kUnsupported.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck::npz {

inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;

inline constexpr uint32_t kLocalSignature = 0x04034b50;
inline constexpr uint32_t kDirectorySignature = 0x02014b50;
inline constexpr uint32_t kEndSignature = 0x06054b50;

// The fields that a local header and a directory entry have in common. A size of 0xffffffff means
// that the ZIP64 extra field has the size.
struct ZipFields {
  uint16_t version_needed = 20;
  uint16_t flags = 0;
  uint16_t method = kStored;
  uint16_t time = 0;
  uint16_t date = 0x21;  // 1 January 1980, the earliest date of the format
  uint32_t crc32 = 0;
  uint32_t compressed_size = 0;
  uint32_t size = 0;
  // The lengths of the two members below. ParseZip and WriteZip set them.
  uint16_t name_length = 0;
  uint16_t extra_length = 0;

  std::string name;
  std::vector<uint8_t> extra;
};
inline constexpr auto kSharedRecord = RecordOf<ZipFields>(
    "PKWARE APPNOTE 6.3.10, sections 4.3 and 4.4", FactEvidence::kPublicNotes,
    Field{"version_needed", &ZipFields::version_needed}, Field{"flags", &ZipFields::flags},
    Field{"method", &ZipFields::method}, Field{"time", &ZipFields::time},
    Field{"date", &ZipFields::date}, Field{"crc32", &ZipFields::crc32},
    Field{"compressed_size", &ZipFields::compressed_size}, Field{"size", &ZipFields::size},
    Field{"name_length", &ZipFields::name_length, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"extra_length", &ZipFields::extra_length, RecordKind::kNumber, FieldRole::kSpelled});

struct ZipEntry {
  std::vector<uint8_t> gap_before;  // bytes between the previous record and the local header
  ZipFields local;
  std::vector<uint8_t> data;  // as stored, compressed or not

  ZipFields central;
  uint16_t version_made_by = 20;
  uint16_t comment_length = 0;  // set by ParseZip and WriteZip
  uint16_t disk = 0;
  uint16_t internal_attributes = 0;
  uint32_t external_attributes = 0;
  uint32_t local_offset = 0;
  std::string comment;

  uint64_t data_offset = 0;  // offset of `data` in the file that was read; WriteZip ignores it
  uint64_t full_size = 0;    // uncompressed size, from the ZIP64 extra field if necessary
};

// The fields of a directory entry that follow its signature, version_made_by and the shared fields.
inline constexpr auto kEntryRecord = RecordOf<ZipEntry>(
    "PKWARE APPNOTE 6.3.10, sections 4.3 and 4.4", FactEvidence::kPublicNotes,
    Field{"comment_length", &ZipEntry::comment_length, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"disk", &ZipEntry::disk}, Field{"internal_attributes", &ZipEntry::internal_attributes},
    Field{"external_attributes", &ZipEntry::external_attributes},
    Field{"local_offset", &ZipEntry::local_offset});

// The head that precedes the data of each part of the extra bytes.
struct ZipExtraHead {
  uint16_t id = 0;
  uint16_t length = 0;
};
inline constexpr auto kExtraRecord =
    RecordOf<ZipExtraHead>("PKWARE APPNOTE 6.3.10, section 4.5.1", FactEvidence::kPublicNotes,
                           Field{"id", &ZipExtraHead::id}, Field{"length", &ZipExtraHead::length});

// The end record without its signature.
struct ZipEnd {
  uint16_t disk = 0;  // this and the next field: 0 in every archive that ParseZip accepts
  uint16_t directory_disk = 0;
  uint16_t entries_here = 0;  // this, the next and the last field: set by writing
  uint16_t entry_count = 0;
  uint32_t directory_size = 0;
  uint32_t directory_offset = 0;
  uint16_t comment_length = 0;
};
inline constexpr auto kEndRecord = RecordOf<ZipEnd>(
    "PKWARE APPNOTE 6.3.10, sections 4.3 and 4.4", FactEvidence::kPublicNotes,
    Field{"disk", &ZipEnd::disk, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"directory_disk", &ZipEnd::directory_disk, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"entries_here", &ZipEnd::entries_here, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"entries", &ZipEnd::entry_count, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"directory_size", &ZipEnd::directory_size},
    Field{"directory_offset", &ZipEnd::directory_offset},
    Field{"comment_length", &ZipEnd::comment_length, RecordKind::kNumber, FieldRole::kSpelled});

// Sizes of records in bytes. A record begins with its signature. A directory entry has
// version_made_by before the shared fields. A name follows a local header and a directory entry.
inline constexpr uint32_t kSignatureSize = 4;
inline constexpr uint32_t kLocalSize = kSignatureSize + kSharedRecord.kSize;
inline constexpr uint32_t kSharedInEntry = kSignatureSize + sizeof(ZipEntry::version_made_by);
inline constexpr uint32_t kOwnInEntry = kSharedInEntry + kSharedRecord.kSize;
inline constexpr uint32_t kDirectoryEntrySize = kOwnInEntry + kEntryRecord.kSize;

struct ZipArchive : ZipEnd {
  std::vector<ZipEntry> entries;              // in the directory's order
  std::vector<uint8_t> gap_before_directory;  // data descriptors and the like
  std::vector<uint8_t> gap_before_end;
  std::string comment;
};

// Parses an archive. The ranges of all members must be inside the file and must not overlap.
Result<ZipArchive> ParseZip(std::span<const uint8_t> bytes);

// Writes every field unchanged. Local entries are in the order of local_offset.
std::vector<uint8_t> WriteZip(const ZipArchive& archive);

// Appends a member with correct fields in both headers. Call FinishZip after the last member.
Status AddToZip(ZipArchive& archive, std::string name, std::span<const uint8_t> content,
                bool compress);
// Sets the directory's offset and size. Errors: kLimit if the archive would exceed 4 GiB or 65534
// entries.
Status FinishZip(ZipArchive& archive);

// Passes the uncompressed content to `take`, one piece at a time, and verifies its size and
// checksum. Errors: kLimit for more than `limit` bytes. Rejects sizes that deflate cannot reach
// before it unpacks anything. May find other errors only after it has passed all pieces.
Status UnpackZip(const ZipEntry& entry, uint64_t limit,
                 const std::function<void(std::span<const uint8_t>)>& take);

// Returns the whole content. Errors: those of UnpackZip.
Result<std::vector<uint8_t>> ExtractZip(const ZipEntry& entry, uint64_t limit);

}  // namespace anecheck::npz
