// A program in memory: tasks, regions and ports of one container, and its execution.
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

// A tensor that is bound by name. Shape and byte strides are N, C, H, W; elements are fp16, or
// uint8 for bools.
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

// A plain value; not thread-safe.
struct Program {
  Generation generation = Generation::kH13;
  uint32_t version = 0;  // the version of its tasks; names the family if two share a generation
  std::vector<TaskWords> tasks;
  Memory memory;
  std::vector<Port> ports;

  const Port* FindPort(std::string_view name) const;
  // Elements in row-major order, as fp16 bits or bytes. kNotFound for an unknown port; kInvalid if
  // the number of values is not the port's.
  Status WritePort(std::string_view name, std::span<const uint16_t> values);
  Result<std::vector<uint16_t>> ReadPort(std::string_view name) const;
};

// Loads the program of a hardware container. Errors: kUnsupported if its generation has no table,
// an element type is neither fp16 nor uint8, or the container has several procedures; other codes
// if the container does not parse. `memory_limit` bounds all its windows, constants and scratch
// together, in bytes.
Result<Program> LoadProgram(ByteSpan container, uint64_t memory_limit = Memory::kDefaultLimit);

struct RunOptions {
  Arithmetic arithmetic;
  // The field table for decoding; null for the table of the generation.
  const FieldTable* table = nullptr;
  // Receives each task's result, fp16 bits in the order g, d, c, y, x of its output.
  std::function<void(const Task& task, std::span<const uint16_t> result)> on_result = {};
};

struct RunReport {
  uint32_t tasks = 0;
  std::vector<std::string> warnings;  // words without known meaning that only schedule
};

// The tasks of a program, decoded.
Result<std::vector<Task>> DecodeProgram(const Program& program, const RunOptions& options,
                                        std::vector<std::string>& warnings);
// Runs every task in order. Scratch and L2 begin with zeros. The error names the task.
Result<RunReport> RunProgram(Program& program, const RunOptions& options = {});

}  // namespace anecheck::emulator
