// The weight files that a network description names. Real files have two layouts: a table of blobs
// (model.espresso.weights), and plain values without a header (net.additional.weights and others).
// In both, KernelOffset and BiasOffset count bytes from the start of the file.
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
inline constexpr uint64_t kCountBytes = 8;  // bytes of the count before the table's entries

// One entry of the table and its bytes.
struct WeightBlob {
  uint64_t id = 0;  // 0, 1, 2, ... in the real file
  Bytes bytes;
};

// The table has a u64 count, then (u64 id, u64 size) for each blob. The blobs follow without gaps.
// Source: the only real file of that layout. Its blob 3 begins at 192, which is the KernelOffset in
// its network description.
struct WeightFile {
  bool has_table = false;
  std::vector<WeightBlob> blobs;  // without a table: a single blob without id
};

// Returns true if the first words can be a table whose first id is 0 and whose last blob ends at
// the end of the file. Otherwise the file has plain values. The result may be wrong for plain
// values that happen to look like a table, because no header distinguishes the layouts.
bool HasBlobTable(ByteSpan bytes);

// Reads any bytes. Bytes without a table become plain values.
Result<WeightFile> ParseWeightFile(ByteSpan bytes);
Bytes WriteWeightFile(const WeightFile& file);

// Returns the offset of blob `index` in the written file.
uint64_t BlobOffset(const WeightFile& file, size_t index);

}  // namespace anecheck::netweights
