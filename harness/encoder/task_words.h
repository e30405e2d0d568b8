// From a task to the words of an H13 descriptor, by the table of field positions
// (harness/emulator/field_table.h), which is all that the encoder shares with the emulator.
#pragma once

#include <cstdint>

#include "harness/encoder/machine.h"
#include "harness/encoder/task.h"
#include "harness/formats/td/td.h"

namespace anecheck::encoder {

// The words of `task`, which is number `index` of `count`. Words that only schedule hold what real
// files hold for a task of that kind. Precondition: every number fits its field.
td::Task ToWords(const Task& task, const Machine& machine, uint32_t index, uint32_t count);

}  // namespace anecheck::encoder
