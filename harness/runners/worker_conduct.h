// The side effects of an engine that a worker notices: bytes on its standard output and error,
// which belong to nobody, and memory that grows with every case.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/runners/runner.h"
#include "harness/runners/wire.h"

namespace anecheck {

// Watches a descriptor that is open for reading and appending to a file of its own.
class OutputWatch {
 public:
  // `name` is "standard output" or "standard error" and lives as long as this.
  OutputWatch(int descriptor, std::string_view name) : descriptor_(descriptor), name_(name) {}

  // The bytes written since the last call, which are then forgotten; nothing for none, and for a
  // descriptor that is no file.
  std::optional<Misconduct> Take();

 private:
  int descriptor_;
  std::string_view name_;
};

// Tells memory that is kept for good from memory that a larger case needed: the most that the
// process held must rise with each block of cases of a long row.
struct GrowthRow {
  int cases;      // of a block
  int blocks;     // of a row
  uint64_t step;  // bytes that count as a rise
};
// Each case keeps 256 KiB and more; or 64 KiB in the mean, among cases of unlike sizes.
inline constexpr GrowthRow kFastGrowth{1, 64, uint64_t{256} << 10};
inline constexpr GrowthRow kSlowGrowth{16, 16, uint64_t{1} << 20};

class GrowthWatch {
 public:
  explicit GrowthWatch(const GrowthRow& row) : row_(row) {}

  // `resident` in bytes, after a case. Misconduct at the end of each such row.
  std::optional<Misconduct> Note(uint64_t resident);

 private:
  GrowthRow row_;
  uint64_t first_ = 0, most_ = 0;
  uint64_t block_ = 0;  // the most of the block so far
  int cases_ = 0;       // of the block
  int grown_ = 0;
};

// All of it, for a worker's own descriptors.
class WorkerConduct {
 public:
  // After each case: adds to `reply` the engine's misconduct.
  void Note(WireReply& reply);

 private:
  OutputWatch output_{1, "standard output"};
  OutputWatch errors_{2, "standard error"};
  GrowthWatch fast_{kFastGrowth};
  GrowthWatch slow_{kSlowGrowth};
};

}  // namespace anecheck
