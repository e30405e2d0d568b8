// Turns a task into the words of a descriptor, by the table of field positions
// (harness/emulator/field_table.h). The encoder shares nothing else with the emulator.
#pragma once

#include <cstdint>

#include "harness/encoder/machine.h"
#include "harness/encoder/task.h"
#include "harness/formats/td/td.h"

namespace anecheck::encoder {

// The position of a task in its network.
struct TaskPlace {
  uint32_t index = 0, count = 1;  // number of the task, and number of tasks
  uint32_t kernel_bar = 0;        // the base address of weights and tables
};

// Returns the words of `task`. Words that affect only scheduling have the values that real files
// have for a task of that kind. Precondition: every number fits its field.
td::Task ToWords(const Task& task, const Machine& machine, const TaskPlace& place);

}  // namespace anecheck::encoder
