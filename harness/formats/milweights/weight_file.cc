#include "harness/formats/milweights/weight_file.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/planted_bug.h"
#include "harness/base/round_up.h"

namespace anecheck::milweights {
namespace {

using mil::DataType;

// The types, indexed by their number in the record.
constexpr std::array kBlobTypes = {
    DataType::kOther,  DataType::kFp16,      DataType::kFp32,    DataType::kUint8, DataType::kInt8,
    DataType::kBf16,   DataType::kInt16,     DataType::kUint16,  DataType::kInt4,  DataType::kUint1,
    DataType::kUint2,  DataType::kUint4,     DataType::kUint3,   DataType::kUint6, DataType::kInt32,
    DataType::kUint32, DataType::kFp8E4M3Fn, DataType::kFp8E5M2,
};

// Reads the record at `at`. Precondition: there is a sentinel at `at`.
Blob ReadRecord(ByteSpan bytes, uint64_t at) {
  ByteReader reader(bytes.subspan(at, kRecordSize), at, "blob");
  Blob blob;
  blob.record_offset = at;
  reader.Skip(kSentinelSize, "sentinel");
  kBlobRecord.Read(reader, blob);
  if (blob.data_offset >= at + kRecordSize && blob.data_offset <= bytes.size()) {
    const uint64_t rest =
        IsPlanted(PlantedBug::kMilweightsBlobEnd) ? blob.size : bytes.size() - blob.data_offset;
    blob.data = bytes.subspan(blob.data_offset, std::min<uint64_t>(blob.size, rest));
  }
  return blob;
}

uint32_t WordAt(ByteSpan bytes, uint64_t at) {
  ByteReader reader(bytes.subspan(at), at);
  return reader.U32("word");
}

bool IsRecord(ByteSpan bytes, uint64_t at) {
  return at <= bytes.size() && bytes.size() - at >= kRecordSize && WordAt(bytes, at) == kSentinel;
}

// Returns the gaps between the parts of the file.
std::vector<Gap> FindGaps(ByteSpan bytes, const std::vector<Blob>& blobs) {
  std::vector<std::pair<uint64_t, uint64_t>> parts;  // begin, end
  parts.reserve(2 * blobs.size());
  for (const Blob& blob : blobs) {
    parts.emplace_back(blob.record_offset, blob.record_offset + kRecordSize);
    // Uses the size of the data in the file, because the stated size may exceed the file, and the
    // stated end may exceed 64 bits.
    if (!blob.data.empty())
      parts.emplace_back(blob.data_offset, blob.data_offset + blob.data.size());
  }
  std::sort(parts.begin(), parts.end());
  std::vector<Gap> gaps;
  uint64_t at = kHeaderSize;
  const auto close = [&](uint64_t until, bool last) {
    if (until <= at) return;
    const ByteSpan gap = bytes.subspan(at, until - at);
    const bool zero = std::all_of(gap.begin(), gap.end(), [](uint8_t b) { return b == 0; });
    // Leaves out zeros that align the next part, because its offset implies them. Keeps zeros at
    // the end, because nothing implies them.
    if (last || !zero || gap.size() >= kAlignment) gaps.push_back({at, gap});
  };
  for (const auto& [begin, end] : parts) {
    close(begin, false);
    at = std::max(at, end);
  }
  close(bytes.size(), true);
  return gaps;
}

void AppendRecord(ByteWriter& out, const Blob& blob) {
  out.U32(kSentinel);
  kBlobRecord.Write(blob, out);
}

struct Part {
  uint64_t offset;
  ByteSpan bytes;
};

// Copies the parts in order into one buffer. Later parts overwrite earlier parts. The records and
// the header come last, so no other part overwrites them.
Result<Bytes> Assemble(const std::vector<Part>& parts) {
  std::vector<Part> sorted = parts;
  std::sort(sorted.begin(), sorted.end(),
            [](const Part& a, const Part& b) { return a.offset < b.offset; });
  uint64_t end = 0;
  for (const Part& part : sorted) {
    if (part.offset > end && part.offset - end > kAlignment) {
      return MakeError(ErrorCode::kLimit,
                       fmt::format("a hole of {} bytes at 0x{:x}; give its bytes as a gap",
                                   part.offset - end, end),
                       end);
    }
    end = std::max(end, part.offset + part.bytes.size());
  }
  Bytes out(end, 0);
  for (const Part& part : parts) {
    std::copy(part.bytes.begin(), part.bytes.end(),
              out.begin() + static_cast<int64_t>(part.offset));
  }
  return out;
}

Error NoBlob(uint64_t offset, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("weight blob at 0x{:x}: {}", offset, what),
                   offset);
}

}  // namespace

std::optional<uint32_t> BlobTypeNumber(DataType type) {
  const auto found = std::find(kBlobTypes.begin() + 1, kBlobTypes.end(), type);
  if (found == kBlobTypes.end()) return std::nullopt;
  return static_cast<uint32_t>(found - kBlobTypes.begin());
}

DataType BlobTypeFromNumber(uint32_t number) {
  return number < kBlobTypes.size() ? kBlobTypes[number] : DataType::kOther;
}

Result<WeightFile> Parse(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "header");
  WeightFile file;
  kHeaderRecord.Read(reader, file);
  if (!reader.ok()) return reader.status().error();
  file.size = bytes.size();
  for (uint64_t at = kHeaderSize; IsRecord(bytes, at);) {
    const Blob blob = ReadRecord(bytes, at);
    file.blobs.push_back(blob);
    at += kRecordSize;
    if (!blob.data.empty()) at = RoundUp(blob.data_offset + blob.data.size(), kAlignment);
  }
  file.gaps = FindGaps(bytes, file.blobs);
  return file;
}

Result<Bytes> Write(const WeightFile& file) {
  std::vector<Part> parts;
  parts.reserve(2 * file.blobs.size() + file.gaps.size() + 1);
  ByteWriter head;
  kHeaderRecord.Write(file, head);
  ByteWriter records;
  for (const Blob& blob : file.blobs) AppendRecord(records, blob);
  for (const Gap& gap : file.gaps) parts.push_back({gap.offset, gap.bytes});
  for (const Blob& blob : file.blobs) {
    if (blob.data.empty()) continue;
    if (blob.data.size() > blob.size) {
      return NoBlob(blob.record_offset,
                    fmt::format("the record says {} bytes of data, and {} are given", blob.size,
                                blob.data.size()));
    }
    parts.push_back({blob.data_offset, blob.data});
  }
  for (size_t i = 0; i < file.blobs.size(); ++i) {
    if (file.blobs[i].record_offset < kHeaderSize) {
      return NoBlob(file.blobs[i].record_offset, "a record cannot lie in the header");
    }
    parts.push_back(
        {file.blobs[i].record_offset, records.bytes().subspan(i * kRecordSize, kRecordSize)});
  }
  parts.push_back({0, head.bytes()});
  for (const Part& part : parts) {
    if (part.offset > uint64_t{1} << 62) return NoBlob(part.offset, "an offset past any file");
  }
  return Assemble(parts);
}

Result<ByteSpan> ReadBlob(ByteSpan file, uint64_t record_offset, DataType type) {
  if (record_offset < kHeaderSize || record_offset % kAlignment != 0) {
    return NoBlob(record_offset, "a record starts at a multiple of 64 behind the header");
  }
  if (!IsRecord(file, record_offset)) {
    return NoBlob(record_offset, "no record (0xdeadbeef) stands there");
  }
  const Blob blob = ReadRecord(file, record_offset);
  const DataType actual = BlobTypeFromNumber(blob.type);
  if (actual != type || actual == DataType::kOther) {
    return NoBlob(record_offset, fmt::format("type {} ({}), but {} is required", blob.type,
                                             mil::DataTypeName(actual), mil::DataTypeName(type)));
  }
  if (!IsDataInFile(blob, file.size())) {
    return NoBlob(record_offset, fmt::format("{} bytes of data at 0x{:x} do not lie in the file",
                                             blob.size, blob.data_offset));
  }
  // A range that begins before the end of the record is not data of the blob (see Blob::data).
  if (blob.data.size() != blob.size) {
    return NoBlob(record_offset, fmt::format("{} bytes of data at 0x{:x} do not lie behind it",
                                             blob.size, blob.data_offset));
  }
  return blob.data;
}

WeightFileWriter::WeightFileWriter() : bytes_(kHeaderSize, 0) { bytes_[4] = kVersion; }

Result<uint64_t> WeightFileWriter::Append(DataType type, ByteSpan data, uint64_t padding_bits) {
  const auto number = BlobTypeNumber(type);
  if (!number) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("weight blob: {} has no number in a weight file", mil::DataTypeName(type)));
  }
  const int bits = mil::DataTypeBits(type);
  const bool whole = bits >= 8 ? data.size() % static_cast<size_t>(bits / 8) == 0 : true;
  if (!whole || padding_bits > 7 || (bits >= 8 && padding_bits != 0)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("weight blob: {} bytes less {} bits are not whole elements of {}",
                                 data.size(), padding_bits, mil::DataTypeName(type)));
  }
  const uint64_t offset = RoundUp(bytes_.size(), kAlignment);
  bytes_.resize(offset, 0);
  Blob blob;
  blob.type = *number;
  blob.size = data.size();
  blob.data_offset = offset + kRecordSize;
  blob.padding_bits = padding_bits;
  ByteWriter record;
  AppendRecord(record, blob);
  bytes_.insert(bytes_.end(), record.bytes().begin(), record.bytes().end());
  bytes_.insert(bytes_.end(), data.begin(), data.end());
  ++count_;
  return offset;
}

Bytes WeightFileWriter::Take() && {
  for (size_t i = 0; i < 4; ++i) bytes_[i] = static_cast<uint8_t>(count_ >> (8 * i));
  count_ = 0;
  return std::move(bytes_);
}

}  // namespace anecheck::milweights
