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
// process held after a case must rise with each case of a long row.
class GrowthWatch {
 public:
  static constexpr int kCases = 64;
  static constexpr uint64_t kStep = uint64_t{256} << 10;  // bytes that count as a rise

  // `resident` in bytes, after a case. Misconduct at the end of each such row.
  std::optional<Misconduct> Note(uint64_t resident);

 private:
  uint64_t first_ = 0, most_ = 0;
  int grown_ = 0;
};

// All of it, for a worker's own descriptors.
class WorkerConduct {
 public:
  // After each case: adds to `reply` what the engine did besides.
  void Note(WireReply& reply);

 private:
  OutputWatch output_{1, "standard output"};
  OutputWatch errors_{2, "standard error"};
  GrowthWatch growth_;
};

}  // namespace anecheck
