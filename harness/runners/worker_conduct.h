// Detects two side effects of an engine in a worker: bytes on standard output or standard error,
// which are part of no reply, and memory that grows with every case.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/runners/runner.h"
#include "harness/runners/wire.h"

namespace anecheck {

// Watches the descriptor of a worker's own file, which is open for reading and appending.
class OutputWatch {
 public:
  // `name` is "standard output" or "standard error" and must outlive this object.
  OutputWatch(int descriptor, std::string_view name) : descriptor_(descriptor), name_(name) {}

  // Reports and discards the bytes written since the last call. Empty if there are none or the
  // descriptor is no regular file.
  std::optional<Misconduct> Take();

 private:
  int descriptor_;
  std::string_view name_;
};

// Distinguishes a leak from memory that a larger case needed. With a leak, the maximum of resident
// memory rises by at least `step` with each block of cases in a series of blocks.
struct GrowthRow {
  int cases;      // in a block
  int blocks;     // in a series
  uint64_t step;  // the smallest rise in bytes
};
// kFastGrowth detects a leak of at least 256 KiB in each case. kSlowGrowth detects a leak of at
// least 64 KiB per case on average, in cases of different sizes.
inline constexpr GrowthRow kFastGrowth{1, 64, uint64_t{256} << 10};
inline constexpr GrowthRow kSlowGrowth{16, 16, uint64_t{1} << 20};

class GrowthWatch {
 public:
  explicit GrowthWatch(const GrowthRow& row) : row_(row) {}

  // `resident` is in bytes, after a case. Returns misconduct after each full series of rises.
  std::optional<Misconduct> Note(uint64_t resident);

 private:
  GrowthRow row_;
  uint64_t first_ = 0, most_ = 0;
  uint64_t block_ = 0;  // the maximum in the current block
  int cases_ = 0;       // of the block
  int grown_ = 0;
};

// All checks of this file, for a worker's own descriptors and memory.
class WorkerConduct {
 public:
  // Adds the engine's misconduct to `reply`. The worker calls it after each case.
  void Note(WireReply& reply);

 private:
  OutputWatch output_{1, "standard output"};
  OutputWatch errors_{2, "standard error"};
  GrowthWatch fast_{kFastGrowth};
  GrowthWatch slow_{kSlowGrowth};
};

}  // namespace anecheck
