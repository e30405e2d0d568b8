// The weight side file of a MIL program (weights/weight.bin). It has a header, then blobs. A blob
// has a 64-byte record, which begins with the sentinel 0xDEADBEEF (facts/mil.md), and data. Used by
// the format entry, by the lowering and by the engine's compiler.
//
// Records and data begin at multiples of 64 (facts/mil.md). The offset in a program's BLOBFILE is
// the offset of the record, so it is 64 for the first blob of real programs.
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

// Returns the number of `type` in a record, or nothing if it has none. Source: coremltools,
// MILBlob/Blob/BlobDataType.hpp.
std::optional<uint32_t> BlobTypeNumber(mil::DataType type);
// Returns the type for a number in a record, or kOther for an unknown number.
mil::DataType BlobTypeFromNumber(uint32_t number);

// One record of the file, and its data.
struct Blob {
  uint64_t record_offset = 0;
  uint32_t type = 0;
  uint64_t size = 0;
  uint64_t data_offset = 0;
  uint64_t padding_bits = 0;
  std::array<uint8_t, 32> reserved{};
  // The part of [data_offset, data_offset + size) that is inside the file. Empty if data_offset is
  // before the end of the record. So no two blobs of a parsed file share bytes.
  ByteSpan data;
};

// The fields of a record after its sentinel.
inline constexpr auto kBlobRecord = RecordOf<Blob>(
    "public notes: coremltools, MILBlob/Blob/StorageFormat.hpp", FactEvidence::kPublicNotes,
    Field{"type", &Blob::type, RecordKind::kNumber, FieldRole::kSpelled, FactEvidence::kPublicNotes,
          "public notes: coremltools, MILBlob/Blob/BlobDataType.hpp"},
    Field{"size", &Blob::size},                // the size of the data in bytes
    Field{"data_offset", &Blob::data_offset},  // from the start of the file
    // The number of unused bits in the last data byte, for types narrower than a byte.
    Field{"padding_size_in_bits", &Blob::padding_bits, RecordKind::kNumber, FieldRole::kUnlessZero},
    Field{"reserved", &Blob::reserved, RecordKind::kBase64, FieldRole::kUnlessZero,
          FactEvidence::kOpaque, "reserved by the public notes"});
inline constexpr uint64_t kRecordSize = kSentinelSize + kBlobRecord.kSize;

// Bytes that belong to no record and no data, except zeros that align the next part.
struct Gap {
  uint64_t offset = 0;
  ByteSpan bytes;
};

// The parts of a file. The spans refer to the bytes that were parsed, or to bytes of the caller.
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

// Reads the header, then the records. The next record is at the next multiple of 64 after the
// previous data. Parse stops at the first such offset without a sentinel and does not use `count`.
// Fails only if the file is shorter than a header. The time is linear in the number of records,
// because data is not copied.
Result<WeightFile> Parse(ByteSpan bytes);

// Returns the file with these parts. Write(Parse(bytes)) equals `bytes`. Errors: kInvalid if a blob
// has more data than its record states or if a record overlaps the header, kLimit if there would be
// a hole of more than 64 bytes before a part.
Result<Bytes> Write(const WeightFile& file);

// Returns the data of the blob whose record is at `record_offset`, as in BLOBFILE. The result has
// exactly the size that the record states. Errors: kInvalid, with the offset, if there is no
// record, if its type is not `type`, or if its data is not after the record and inside the file.
// Takes constant time.
Result<ByteSpan> ReadBlob(ByteSpan file, uint64_t record_offset, mil::DataType type);

// Builds a file blob by blob. Not thread-safe.
class WeightFileWriter {
 public:
  WeightFileWriter();

  // Appends a record and its data and returns the offset of the record. `data` has little-endian
  // elements. Elements narrower than a byte are packed, least significant bit first, and the last
  // byte has `padding_bits` (0 to 7) unused bits. Errors: kInvalid if the type has no number or if
  // `data` does not have a whole number of elements.
  Result<uint64_t> Append(mil::DataType type, ByteSpan data, uint64_t padding_bits = 0);

  uint32_t count() const { return count_; }
  uint64_t size() const { return bytes_.size(); }
  // Returns the file with all blobs that were appended, and leaves the writer empty.
  Bytes Take() &&;

 private:
  Bytes bytes_;
  uint32_t count_ = 0;
};

}  // namespace anecheck::milweights
