// The tensors of a model as arrays of an .npz file, which `eval`, `judge` and `check` read and
// write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npz.h"
#include "harness/graph/graph.h"
#include "harness/lowering/mil_to_graph.h"

namespace anecheck {

// The shapes of arrays by name, for Model::Read.
std::vector<ModelShape> ShapesOfArrays(std::span<const npz::NamedArray> arrays);

// Warns of arrays that have the name of no input of a model.
void WarnOfUnusedInputs(const Graph& graph, std::span<const npz::NamedArray> arrays);

// The states of a graph that an array is named after.
std::vector<ValueId> StatesAmong(const Graph& graph, std::span<const npz::NamedArray> arrays);

// Gives the arrays of `states` the names of the inputs or outputs that stand for them
// (state_edges.h). Precondition: each state has an array.
void RenameArrays(const Graph& graph, std::span<const ValueId> states,
                  std::span<const std::string> names, std::span<npz::NamedArray> arrays);

// One array a graph input, by name; others are of no account, so that the parts of a model may take
// theirs from the arrays of the whole. Float arrays of another width are rounded to the input's
// element type; that some become infinite is warned of. Errors name the input that is missing or
// has another shape or kind, and `path`, the file of the arrays.
Result<std::vector<Tensor>> InputsFromArrays(const Graph& graph,
                                             std::span<const npz::NamedArray> arrays,
                                             const std::string& path);
// One array an output, by name. As InputsFromArrays, but that any are rounded, and that an array is
// used by nothing, is warned of.
Result<std::vector<Tensor>> OutputsFromArrays(const Graph& graph,
                                              std::span<const npz::NamedArray> arrays,
                                              const std::string& path);

// The array of a tensor; element types that .npy lacks become the next wider one.
npz::NamedArray ToArray(const std::string& name, const TensorType& type,
                        std::span<const double> elements);

}  // namespace anecheck
