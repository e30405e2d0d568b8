// A lowering plan as the outline of its two output files. Used by `anecheck lower` and the round
// trip.
#pragma once

#include "harness/lowering/compiled_program.h"
#include "oracles/plan/plan.h"

namespace anecheck {

// One task for each layer that the engine runs, with the extents of its first operand that is no
// constant and of its first result, and one more for each further sub-layer of split weights; the
// dense fp16 kernel of a layer goes to its first task. kUnsupported for a plan that does not
// compile and for layers whose extents do not fit a task.
Result<CompiledProgram> OutlineOf(const plan::Plan& plan, const Target& target);

}  // namespace anecheck
