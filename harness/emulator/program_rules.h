// The rules that relate a program's tasks to each other and to its memory, for `inspect --verify`.
#pragma once

#include <span>
#include <vector>

#include "harness/emulator/program.h"
#include "harness/formats/format.h"

namespace anecheck::emulator {

std::span<const Rule> ProgramRules();

// Returns every broken rule, in the order of tasks. Offsets count from the start of a file whose
// text section begins at `text_offset`. Empty if the emulator refuses a task, because the surfaces
// of that task are unknown.
std::vector<Violation> VerifyProgram(const Program& program, uint64_t text_offset);

}  // namespace anecheck::emulator
