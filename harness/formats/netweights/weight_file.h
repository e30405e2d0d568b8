// The weight files that a network description names. Two layouts are known from real files: a table
// of blobs (model.espresso.weights) and plain values without a header (net.additional.weights and
// others); KernelOffset and BiasOffset count bytes from the start of the file in both.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck::netweights {

inline constexpr std::string_view kTableSource =
    "the real file of this layout, model.espresso.weights";

// An entry of the table in the file.
struct TableEntry {
  uint64_t id = 0;
  uint64_t size = 0;  // the size of the blob in bytes
};
inline constexpr auto kEntryRecord =
    RecordOf<TableEntry>(kTableSource, FactEvidence::kRealFile, Field{"id", &TableEntry::id},
                         Field{"size", &TableEntry::size});
inline constexpr uint64_t kCountBytes = 8;  // bytes of the count in front of the table's entries

// One entry of the table and its bytes.
struct WeightBlob {
  uint64_t id = 0;  // 0, 1, 2, ... in the real file
  Bytes bytes;
};

// The table is a u64 count, then (u64 id, u64 size) for each blob; the blobs follow back to back.
// Source: the only real file of that layout. Its blob 3 begins at 192, which is the KernelOffset in
// its network description.
struct WeightFile {
  bool has_table = false;
  std::vector<WeightBlob> blobs;  // without a table: a single blob without id
};

// True if the first words read as a table whose first id is 0 and whose last blob ends at the end
// of the file. Every other file is plain values. A file that reads as a table might be plain values
// too, because no header distinguishes them.
bool HasBlobTable(ByteSpan bytes);

// Reads any bytes; bytes without a table are plain values.
Result<WeightFile> ParseWeightFile(ByteSpan bytes);
Bytes WriteWeightFile(const WeightFile& file);

// The place at which blob `index` begins in the written file.
uint64_t BlobOffset(const WeightFile& file, size_t index);

}  // namespace anecheck::netweights
