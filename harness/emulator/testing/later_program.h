// Programs of later generations, recorded from a compiler. A record has the register words of the
// tasks, but no data. ReadLaterProgram makes each surface as large as the tasks require, and tests
// fill the surfaces.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/program.h"

namespace anecheck::emulator::testing {

struct LaterProgram {
  std::string target;  // "h14"
  Program program;
  std::vector<Task> tasks;
  std::map<uint32_t, size_t> region_of_bar;

  std::vector<uint8_t>& Bytes(uint32_t bar);
  // Writes consecutive fp16 numbers from byte `at` on.
  void Put(uint32_t bar, uint64_t at, const std::vector<double>& values);
  // Returns the elements that a task reads or writes at `pattern`, as numbers in stored order. The
  // order is that without the exchange of width and channels.
  std::vector<double> Read(const Pattern& pattern, const Extents& extents, uint32_t bar);
};

// Error: kUnsupported if a task is refused.
Result<LaterProgram> ReadLaterProgram(const std::string& json_path);

}  // namespace anecheck::emulator::testing
