// Values around nested blocks that the blocks use.
#pragma once

#include <functional>
#include <vector>

#include "harness/formats/mil/program.h"

namespace anecheck {

// The names in a statement's blocks that stand for values around them, each once, in order of their
// first use, without those for which `is_constant` holds.
std::vector<mil::BindingView> OuterBindings(
    const mil::Program& program, mil::StatementView statement,
    const std::function<bool(mil::ValueView name)>& is_constant);

}  // namespace anecheck
