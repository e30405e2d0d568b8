#include "fuzz/words/words.h"
#include "harness/formats/netweights/weight_file.h"

namespace anecheck::fuzz {

// The first integers of a file that begins with a table. Files without a table contain only data.
WordTables words::netweights() {
  constexpr uint64_t kBlobs = 4;
  constexpr size_t kCount = 8;
  constexpr size_t kRow = 16;
  netweights::WeightFile file = {.has_table = true, .blobs = {}};
  for (uint64_t id = 0; id < kBlobs; ++id) file.blobs.push_back({id, Bytes(kRow, 0)});
  const Bytes bytes = netweights::WriteWeightFile(file);
  const std::string text(bytes.begin(), bytes.end());
  WordTable counts = {"counts"};
  counts.Text(text.substr(0, kCount + 8));  // the count and the first blob's id
  WordTable rows = {"table_rows"};
  for (size_t row = 0; row < kBlobs; ++row) rows.Text(text.substr(kCount + kRow * row, kRow));
  return {counts, rows};
}

}  // namespace anecheck::fuzz
