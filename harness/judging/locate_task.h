// Finds the place at which a hardware container goes wrong. The result is the first operation of a
// graph whose values no task makes, and a task: the one after the last task that makes an operand
// of this operation. No part of the container is run separately: each task's result is compared
// with the oracle's interval for each operation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/graph/graph.h"
#include "harness/runners/emulator_runner.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

struct TaskDeviation {
  std::string op, name;  // the operation, and its place in the graph: the name of its first result
  std::string after;     // the last operation before it that agrees; empty for an input
  uint32_t task = 0;     // from 0
  uint32_t tasks = 0;    // of the container
  std::string work;      // of that task, "convolution 3x3, 64 to 64 channels"

  // "the first deviation is in task 3 of 7 (planar add), where v4 (add) comes behind v3".
  std::string ToString() const;
};

// Nothing if every output agrees, or if the values are inconclusive: not fp16, or not finite.
// Values are compared as sets, since tasks may use any layout; they agree if one of `contracts`
// admits them. Errors: those of the emulator and of the oracle.
Result<std::optional<TaskDeviation>> LocateTask(const Graph& graph, std::span<const Tensor> inputs,
                                                const ContainerAnswer& container,
                                                std::span<const Contract> contracts);

}  // namespace anecheck
