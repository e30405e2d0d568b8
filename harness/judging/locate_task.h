// Finds the place at which a hardware container goes wrong. Compares the result of each task with
// the oracle's intervals for each operation, and runs no part of the container separately. The
// place is the first operation whose values no task makes, and the task after the last task that
// makes an operand of this operation.
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
  std::string op, name;  // the operation, and the name of its first result
  std::string after;     // the last operation before it that agrees; empty if there is none
  uint32_t task = 0;     // from 0
  uint32_t tasks = 0;    // of the container
  std::string work;      // of that task, such as "convolution 3x3, 64 to 64 channels"

  // "the first deviation is in task 3 of 7 (planar add), where v4 (add) comes behind v3".
  std::string ToString() const;
};

// Returns nothing if every output agrees, or if the values decide nothing because they are not fp16
// or not finite. Compares values as sets, because tasks may use any layout. Values agree if one of
// `contracts` admits them. Errors: those of the emulator and of the oracle.
Result<std::optional<TaskDeviation>> LocateTask(const Graph& graph, std::span<const Tensor> inputs,
                                                const ContainerAnswer& container,
                                                std::span<const Contract> contracts);

}  // namespace anecheck
