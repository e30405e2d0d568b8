#include "harness/formats/netweights/weight_file.h"

#include <utility>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"

namespace anecheck::netweights {

namespace {

constexpr uint64_t kEntryBytes = kEntryRecord.kSize;

uint64_t HeaderBytes(const WeightFile& file) {
  return file.has_table ? kCountBytes + kEntryBytes * file.blobs.size() : 0;
}

}  // namespace

bool HasBlobTable(ByteSpan bytes) {
  if (bytes.size() < kCountBytes + kEntryBytes) return false;
  ByteReader reader(bytes);
  const uint64_t count = reader.U64("count");
  if (count < 1 || count > (bytes.size() - kCountBytes) / kEntryBytes) return false;
  uint64_t left = bytes.size() - kCountBytes - kEntryBytes * count;
  bool first = true;
  for (uint64_t i = 0; i < count; ++i) {
    TableEntry entry;
    kEntryRecord.Read(reader, entry);
    if ((std::exchange(first, false) && entry.id != 0) || entry.size > left) return false;
    left -= entry.size;
  }
  return left == 0;
}

Result<WeightFile> ParseWeightFile(ByteSpan bytes) {
  WeightFile file;
  if (!HasBlobTable(bytes)) {
    file.blobs.push_back(WeightBlob{0, Bytes(bytes.begin(), bytes.end())});
    return file;
  }
  file.has_table = true;
  ByteReader reader(bytes, 0, "weights");
  const uint64_t count = reader.U64("count");
  if (!reader.CheckCount(count, kEntryBytes, "entries")) return reader.status().error();
  std::vector<TableEntry> table(count);
  for (TableEntry& entry : table) kEntryRecord.Read(reader, entry);
  for (const TableEntry& entry : table) {
    const ByteSpan blob = reader.Bytes(entry.size, "blob");
    file.blobs.push_back({entry.id, Bytes(blob.begin(), blob.end())});
  }
  ANECHECK_RETURN_IF_ERROR(reader.status());
  return file;
}

Bytes WriteWeightFile(const WeightFile& file) {
  ByteWriter writer;
  if (file.has_table) {
    writer.U64(file.blobs.size());
    for (const WeightBlob& blob : file.blobs) {
      kEntryRecord.Write({blob.id, blob.bytes.size()}, writer);
    }
  }
  for (const WeightBlob& blob : file.blobs) writer.Bytes(blob.bytes);
  return std::move(writer).Take();
}

uint64_t BlobOffset(const WeightFile& file, size_t index) {
  uint64_t offset = HeaderBytes(file);
  for (size_t i = 0; i < index && i < file.blobs.size(); ++i) offset += file.blobs[i].bytes.size();
  return offset;
}

}  // namespace anecheck::netweights
