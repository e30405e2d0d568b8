// Checks a MIL program against the rules of rules.h. Used by the format entry and by tests. A
// program that is passed to the lowering must have no errors.
#pragma once

#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// Returns the violations in the order of the text. The time is O(n log n) in the program's size,
// because the violations are sorted. The memory is linear.
std::vector<Violation> Verify(const Program& program);

}  // namespace anecheck::mil
