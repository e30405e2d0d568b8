// Converts between the tensors of a model and the arrays of the .npz files that `eval`, `judge` and
// `check` read and write.
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

// Returns the names and shapes of arrays, for Model::Read.
std::vector<ModelShape> ShapesOfArrays(std::span<const npz::NamedArray> arrays);

// Warns of arrays whose name is not the name of an input of the model.
void WarnOfUnusedInputs(const Graph& graph, std::span<const npz::NamedArray> arrays);

// Returns the states of a graph for which there is an array of the same name.
std::vector<ValueId> StatesAmong(const Graph& graph, std::span<const npz::NamedArray> arrays);

// Renames the arrays of `states` to `names`, which are the inputs or outputs that represent the
// states (state_edges.h). Precondition: each state has an array.
void RenameArrays(const Graph& graph, std::span<const ValueId> states,
                  std::span<const std::string> names, std::span<npz::NamedArray> arrays);

// Returns the tensor of each input of the graph, from the array of its name. Ignores other arrays,
// so that a part of a model can take its inputs from the arrays of the whole model. Rounds float
// arrays of another width to the input's element type, and warns if numbers become infinite. Errors
// name `path`, the file, and the input whose array is missing or has another shape or kind.
Result<std::vector<Tensor>> InputsFromArrays(const Graph& graph,
                                             std::span<const npz::NamedArray> arrays,
                                             const std::string& path);
// Does the same as InputsFromArrays for the outputs. Also warns of rounded numbers and of unused
// arrays.
Result<std::vector<Tensor>> OutputsFromArrays(const Graph& graph,
                                              std::span<const npz::NamedArray> arrays,
                                              const std::string& path);

// Returns the array of a tensor. An element type that .npy lacks becomes the next wider type.
npz::NamedArray ToArray(const std::string& name, const TensorType& type,
                        std::span<const double> elements);

}  // namespace anecheck
