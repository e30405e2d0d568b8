// The weight side file of a MIL program (weights/weight.bin). It has a header, then blobs. A blob
// is a 64-byte record, which begins with the sentinel 0xDEADBEEF (facts/mil.md), and its data. Used
// by the format entry, by the lowering and by the engine's compiler.
//
// Records start at multiples of 64, and so do data (facts/mil.md). The offset in a program's
// BLOBFILE is that of the record, so it is 64 for the first blob of real programs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/mil/data_type.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck::milweights {

inline constexpr uint64_t kAlignment = 64;
inline constexpr uint64_t kSentinelSize = 4;
inline constexpr uint32_t kSentinel = 0xdeadbeef;
inline constexpr uint32_t kVersion = 2;

// The number of `type` in a record, or nothing if it has none. Source: coremltools,
// MILBlob/Blob/BlobDataType.hpp.
std::optional<uint32_t> BlobTypeNumber(mil::DataType type);
// The type of a number in a record; kOther for an unknown number.
mil::DataType BlobTypeFromNumber(uint32_t number);

// One record, as it stands in the file, and its data.
struct Blob {
  uint64_t record_offset = 0;
  uint32_t type = 0;
  uint64_t size = 0;
  uint64_t data_offset = 0;
  uint64_t padding_bits = 0;
  std::array<uint8_t, 32> reserved{};
  // The part of [data_offset, data_offset + size) that lies behind the record and in the file, so
  // that no two blobs share bytes.
  ByteSpan data;
};

// The fields of a record behind its sentinel.
inline constexpr auto kBlobRecord = RecordOf<Blob>(
    "public notes: coremltools, MILBlob/Blob/StorageFormat.hpp", FactEvidence::kPublicNotes,
    Field{"type", &Blob::type, RecordKind::kNumber, FieldRole::kSpelled, FactEvidence::kPublicNotes,
          "public notes: coremltools, MILBlob/Blob/BlobDataType.hpp"},
    Field{"size", &Blob::size},                // the size of the data in bytes
    Field{"data_offset", &Blob::data_offset},  // counts from the start of the file
    // The number of unused bits in the last data byte, for types narrower than a byte.
    Field{"padding_size_in_bits", &Blob::padding_bits, RecordKind::kNumber, FieldRole::kUnlessZero},
    Field{"reserved", &Blob::reserved, RecordKind::kBase64, FieldRole::kUnlessZero,
          FactEvidence::kOpaque, "reserved by the public notes"});
inline constexpr uint64_t kRecordSize = kSentinelSize + kBlobRecord.kSize;

// Bytes that belong to no record and no data, other than the zeros that align the next one.
struct Gap {
  uint64_t offset = 0;
  ByteSpan bytes;
};

// A file's parts. The spans view the bytes that were parsed, or bytes of the caller.
struct WeightFile {
  uint32_t count = 0;
  uint32_t version = kVersion;
  std::array<uint8_t, 56> reserved{};
  std::vector<Blob> blobs;
  std::vector<Gap> gaps;
  uint64_t size = 0;  // the number of bytes that were parsed
};
inline constexpr auto kHeaderRecord = RecordOf<WeightFile>(
    "public notes: coremltools, MILBlob/Blob/StorageFormat.hpp", FactEvidence::kPublicNotes,
    Field{"count", &WeightFile::count}, Field{"version", &WeightFile::version},
    Field{"reserved", &WeightFile::reserved, RecordKind::kBase64, FieldRole::kUnlessZero,
          FactEvidence::kOpaque, "reserved by the public notes"});
inline constexpr uint64_t kHeaderSize = kHeaderRecord.kSize;
static_assert(kHeaderSize == 64 && kRecordSize == 64);

inline bool IsDataInFile(const Blob& blob, uint64_t file_size) {
  return blob.data_offset <= file_size && blob.size <= file_size - blob.data_offset;
}

// Reads the header, then the records. The next record is at the next multiple of 64 behind the
// previous data; reading ends where there is no sentinel, whatever `count` is. Fails only on a file
// shorter than a header. Linear in the number of records; no data are copied.
Result<WeightFile> Parse(ByteSpan bytes);

// The file with these parts. For a `file` from Parse, it equals Parse's input byte for byte.
// Errors: kInvalid if a blob has more data than its record states or if a record lies in the
// header, kLimit if a part's offset would leave a hole of more than 64 bytes.
Result<Bytes> Write(const WeightFile& file);

// The data of the blob whose record stands at `record_offset`, as in BLOBFILE. The result has all
// bytes that the record states, never fewer. Errors: kInvalid, with the offset, if there is no
// record, if its type is not `type`, or if its data are not in the file behind the record. Constant
// time.
Result<ByteSpan> ReadBlob(ByteSpan file, uint64_t record_offset, mil::DataType type);

// Builds a file blob by blob. Not thread-safe.
class WeightFileWriter {
 public:
  WeightFileWriter();

  // Appends a record and its data and returns the offset of the record. `data` are little-endian
  // elements; types below a byte are packed least significant bit first, and their last byte has
  // `padding_bits` (0 to 7) unused bits. Errors: kInvalid if the type has no number or if the size
  // is not a whole number of elements.
  Result<uint64_t> Append(mil::DataType type, ByteSpan data, uint64_t padding_bits = 0);

  uint32_t count() const { return count_; }
  uint64_t size() const { return bytes_.size(); }
  // Returns the file that was written so far and leaves the writer empty.
  Bytes Take() &&;

 private:
  Bytes bytes_;
  uint32_t count_ = 0;
};

}  // namespace anecheck::milweights
