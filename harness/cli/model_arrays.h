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

// The states of a graph that have the name of an array.
std::vector<ValueId> StatesAmong(const Graph& graph, std::span<const npz::NamedArray> arrays);

// Renames the arrays of `states` to the inputs or outputs that represent the states
// (state_edges.h). Precondition: each state has an array.
void RenameArrays(const Graph& graph, std::span<const ValueId> states,
                  std::span<const std::string> names, std::span<npz::NamedArray> arrays);

// Returns one array per graph input, by name. Other arrays are ignored, so that a part of a model
// can take its inputs from the arrays of the whole. Rounds float arrays of another width to the
// input's element type, and warns if numbers become infinite. Errors name the input that is missing
// or has another shape or kind, and `path`, the file of the arrays.
Result<std::vector<Tensor>> InputsFromArrays(const Graph& graph,
                                             std::span<const npz::NamedArray> arrays,
                                             const std::string& path);
// Returns one array per output, by name. As InputsFromArrays, but also warns of rounded numbers and
// of unused arrays.
Result<std::vector<Tensor>> OutputsFromArrays(const Graph& graph,
                                              std::span<const npz::NamedArray> arrays,
                                              const std::string& path);

// The array of a tensor; an element type that .npy lacks becomes the next wider type.
npz::NamedArray ToArray(const std::string& name, const TensorType& type,
                        std::span<const double> elements);

}  // namespace anecheck
