// Turns a lowering plan into the outline of the two files that a compiler writes. `anecheck lower`,
// the round trip and the judgement of an engine's own files use the outline.
#pragma once

#include <string>
#include <string_view>

#include "harness/lowering/compiled_program.h"
#include "oracles/plan/plan.h"

namespace anecheck {

// The outline has one task for each layer that the engine runs, with the extents of the layer's
// first non-constant operand and of its first result. Each further sub-layer of split weights adds
// one task. The dense fp16 kernel of a layer belongs to the layer's first task. Errors:
// kUnsupported for a plan that does not compile and for layers whose extents do not fit a task.
Result<CompiledProgram> OutlineOf(const plan::Plan& plan, const Target& target);

// Compares the files that an engine's compiler made from `graph` with the plan of the conversion
// route for the target called `target`, and describes the first difference. Returns an empty text
// if there is no difference, or if there is no plan for the files. There is none for a graph with
// states, because no source names the ports of states. Tasks and kernels are not compared if the
// plan rewrites operations, which an engine may run unchanged. In addition, dispatches are not
// compared if the plan splits weights, authors a layer directly (which an engine may convert), or
// cuts after rewritten operations.
std::string CompareEngineFiles(const Graph& graph, std::string_view target,
                               const CompiledFiles& files);

}  // namespace anecheck
