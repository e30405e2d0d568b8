// Checks a MIL program against the rules of rules.h. Used by the format entry and by tests; the
// lowering must get a program without errors.
#pragma once

#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// Every broken rule, in the order of the text. Time and memory are linear in the program's size,
// up to the logarithm that sorting takes.
std::vector<Violation> Verify(const Program& program);

}  // namespace anecheck::mil
