// Holds a program in memory: tasks, regions and ports of one container. Executes the program.
//
//   auto program = LoadProgram(bytes);            // of a container, with its constants
//   program->WritePort("input_0", values);
//   auto report = RunProgram(*program);
//   auto output = program->ReadPort("output@output");
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/engines.h"
#include "harness/emulator/memory.h"
#include "harness/emulator/task_words.h"
#include "harness/formats/format.h"

namespace anecheck::emulator {

// A tensor that is bound by name. The axes of shape and byte strides are N, C, H, W. Elements are
// fp16, or uint8 for bools.
struct Port {
  std::string name;
  bool output = false;
  size_t region = 0;
  uint64_t offset = 0;  // bytes from the start of the region
  std::array<uint32_t, 4> shape = {1, 1, 1, 1};
  std::array<uint64_t, 4> strides = {};
  uint32_t element = 2;  // bytes of an element

  uint64_t Count() const;
};

// Not thread-safe.
struct Program {
  Generation generation = Generation::kH13;
  uint32_t version =
      0;  // version of its tasks; tells the family if two families share a generation
  std::vector<TaskWords> tasks;
  Memory memory;
  std::vector<Port> ports;

  const Port* FindPort(std::string_view name) const;
  // Write and read elements in row-major order, as fp16 bits or bytes. Errors: kNotFound for an
  // unknown port; kInvalid if the number of values is not that of the port.
  Status WritePort(std::string_view name, std::span<const uint16_t> values);
  Result<std::vector<uint16_t>> ReadPort(std::string_view name) const;
};

// Loads the program of a hardware container. Errors: kUnsupported if its generation has no table,
// an element type is neither fp16 nor uint8, or the container has several procedures; other codes
// if the container does not parse. `memory_limit` is the maximum size, in bytes, of all windows,
// constants and scratch together.
Result<Program> LoadProgram(ByteSpan container, uint64_t memory_limit = Memory::kDefaultLimit);

struct RunOptions {
  Arithmetic arithmetic;
  // The field table for decoding. If null, the table of the generation is used.
  const FieldTable* table = nullptr;
  // Receives each task's result as fp16 bits, in the order g, d, c, y, x of the task's output.
  std::function<void(const Task& task, std::span<const uint16_t> result)> on_result = {};
};

struct RunReport {
  uint32_t tasks = 0;
  std::vector<std::string> warnings;  // words without a known meaning that affect only scheduling
};

// Decodes the tasks of a program.
Result<std::vector<Task>> DecodeProgram(const Program& program, const RunOptions& options,
                                        std::vector<std::string>& warnings);
// Runs every task in order. Scratch and L2 are zero at first. The message of an error names the
// task.
Result<RunReport> RunProgram(Program& program, const RunOptions& options = {});

}  // namespace anecheck::emulator
