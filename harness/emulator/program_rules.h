// The rules that a program's tasks keep with each other and with its memory, for `inspect
// --verify`.
#pragma once

#include <span>
#include <vector>

#include "harness/emulator/program.h"
#include "harness/formats/format.h"

namespace anecheck::emulator {

std::span<const Rule> ProgramRules();

// Returns every broken rule, in the order of tasks. Offsets count from the start of a file whose
// text begins at `text_offset`. Empty if the emulator refuses a task, because its surfaces are then
// unknown.
std::vector<Violation> VerifyProgram(const Program& program, uint64_t text_offset);

}  // namespace anecheck::emulator
