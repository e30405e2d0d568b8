// Programs of later generations as a compiler recorded them: the words of the text, without data.
// Surfaces are as large as the tasks require and contain a test's data.
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
  // The elements that a task reads or writes, as numbers: source 1, source 2 or the result without
  // its exchange of width and channels.
  std::vector<double> Read(const Pattern& pattern, const Extents& extents, uint32_t bar);
};

// kUnsupported if a task is refused.
Result<LaterProgram> ReadLaterProgram(const std::string& json_path);

}  // namespace anecheck::emulator::testing
