// Chooses the tensor data of a case so that the graph's values are finite and have intervals narrow
// enough to be judged. The oracle's values and intervals show the outputs for which this is not
// true. For the inputs that lead to these outputs, the search tries other data.
#pragma once

#include <span>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "oracles/sensitivity.h"

namespace anecheck {

// Returns the values of the graph that reveal little at the inputs of the search. These are outputs
// that are lost or vague. More than half of the elements of a lost output are NaN or infinite. Less
// than half of the elements of a vague output have intervals narrow enough to be judged. In modes
// that draw magnitudes at the ends of fp16, also returns lost intermediate results. Precondition:
// the search was started with the graph's outputs.
std::vector<ValueId> FindFlawed(const Graph& graph, CaseMode mode, const SensitivitySearch& search);

// Whether a value depends on the input, for each input in the order of ValuesOfKind(kInput).
std::vector<bool> InputsOf(const Graph& graph, std::span<const ValueId> values);

// Returns the inputs with other data for those that are `marked`. In modes that draw magnitudes at
// the ends of fp16 (special, boundary), elements with magnitudes of at least 2 are multiplied by
// 2^-15, an infinity becomes 2, and a NaN becomes a number from 2 to 4. Signs, fractions and small
// elements are kept. In other modes the tensors are drawn again.
std::vector<Tensor> CalmerInputs(ChoiceStream& choices, CaseMode mode,
                                 std::span<const Tensor> inputs, const std::vector<bool>& marked);

}  // namespace anecheck
