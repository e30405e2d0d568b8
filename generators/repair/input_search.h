// Chooses the tensor data of a case so that the graph's values stay useful: finite, and known
// closely enough to be judged. The oracle's values and intervals say which outputs do not, and
// other data for the inputs that feed these is tried in their place.
#pragma once

#include <span>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "oracles/sensitivity.h"

namespace anecheck {

// The values of the graph of which a case learns little at the inputs of the search: outputs that
// are lost (more than half of the elements NaN or infinite) or vague (less than half of them
// judged, their intervals being so wide) and, of modes that draw magnitudes at the ends of fp16,
// results on the way that are lost. The search was started with the graph's outputs.
std::vector<ValueId> FindFlawed(const Graph& graph, CaseMode mode, const SensitivitySearch& search);

// The inputs from which any of these values is computed, in the order of ValuesOfKind(kInput).
std::vector<bool> InputsOf(const Graph& graph, std::span<const ValueId> values);

// Other data for the inputs that are `marked`; the others stay as they are. In modes that draw
// magnitudes at the ends of fp16 (special, boundary), elements of 2 and more are scaled by 2^-15,
// infinities become 2 and NaN numbers from 2 to 4: signs, fractions and small elements are kept. In
// other modes the tensors are drawn again.
std::vector<Tensor> CalmerInputs(ChoiceStream& choices, CaseMode mode,
                                 std::span<const Tensor> inputs, const std::vector<bool>& marked);

}  // namespace anecheck
