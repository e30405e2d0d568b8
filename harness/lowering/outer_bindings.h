// Outer values that nested blocks use.
#pragma once

#include <functional>
#include <vector>

#include "harness/formats/mil/program.h"

namespace anecheck {

// Returns the outer values that a statement's blocks name, each once, in order of first use. Leaves
// out the values for which `is_constant` returns true.
std::vector<mil::BindingView> OuterBindings(
    const mil::Program& program, mil::StatementView statement,
    const std::function<bool(mil::ValueView name)>& is_constant);

}  // namespace anecheck
