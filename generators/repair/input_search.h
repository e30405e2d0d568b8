// Chooses the tensor data of a case so that the graph's values stay useful: finite, and known
// closely enough to be judged. The oracle's values and intervals show the outputs whose values are
// not useful. For the inputs that lead to these outputs, the search tries other data.
#pragma once

#include <span>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "oracles/sensitivity.h"

namespace anecheck {

// The values of the graph that reveal little at the inputs of the search: outputs that are lost
// (more than half of the elements NaN or infinite) or vague (less than half of the elements have
// intervals narrow enough to be judged). In modes that draw magnitudes at the ends of fp16, lost
// intermediate results count too. Precondition: the search was started with the graph's outputs.
std::vector<ValueId> FindFlawed(const Graph& graph, CaseMode mode, const SensitivitySearch& search);

// The inputs from which any of these values is computed, in the order of ValuesOfKind(kInput).
std::vector<bool> InputsOf(const Graph& graph, std::span<const ValueId> values);

// Other data for the inputs that are `marked`; the others stay as they are. In modes that draw
// magnitudes at the ends of fp16 (special, boundary), elements with magnitudes of at least 2 are
// scaled by 2^-15, an infinity becomes 2, and a NaN becomes a number from 2 to 4. Signs, fractions
// and small elements are kept. In other modes the tensors are drawn again.
std::vector<Tensor> CalmerInputs(ChoiceStream& choices, CaseMode mode,
                                 std::span<const Tensor> inputs, const std::vector<bool>& marked);

}  // namespace anecheck
