// The side effects of an engine that a worker notices: bytes on standard output and error, which
// belong to no reply, and memory that grows with every case.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/runners/runner.h"
#include "harness/runners/wire.h"

namespace anecheck {

// Watches a descriptor of a separate file that is open for reading and appending.
class OutputWatch {
 public:
  // `name` is "standard output" or "standard error" and must outlive this object.
  OutputWatch(int descriptor, std::string_view name) : descriptor_(descriptor), name_(name) {}

  // Reports the bytes written since the last call and discards them. Empty if there are none, and
  // for a descriptor that is no file.
  std::optional<Misconduct> Take();

 private:
  int descriptor_;
  std::string_view name_;
};

// Distinguishes a leak from memory that a larger case needed: the maximum of resident memory must
// rise with each block of cases in a long series of blocks.
struct GrowthRow {
  int cases;      // of a block
  int blocks;     // of a series
  uint64_t step;  // bytes that count as a rise
};
// kFastGrowth detects a leak of at least 256 KiB in each case. kSlowGrowth detects a leak of at
// least 64 KiB per case on average, in cases of different sizes.
inline constexpr GrowthRow kFastGrowth{1, 64, uint64_t{256} << 10};
inline constexpr GrowthRow kSlowGrowth{16, 16, uint64_t{1} << 20};

class GrowthWatch {
 public:
  explicit GrowthWatch(const GrowthRow& row) : row_(row) {}

  // `resident` is in bytes, after a case. Returns misconduct at the end of each row of rises.
  std::optional<Misconduct> Note(uint64_t resident);

 private:
  GrowthRow row_;
  uint64_t first_ = 0, most_ = 0;
  uint64_t block_ = 0;  // the most of the block so far
  int cases_ = 0;       // of the block
  int grown_ = 0;
};

// All of these checks, for a worker's own descriptors.
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
