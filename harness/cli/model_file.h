// A model that somebody wrote, a graph as JSON or MIL text, and its tensors: what `eval`, `judge`
// and `check` read and write.
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

struct ModelFile {
  Graph graph;
  // Constants whose side file is not there, filled with made-up numbers.
  uint64_t synthesised = 0;
  std::string weights;  // the side file that was read or looked for; empty where none is named
};

// A graph in its JSON form, where the text begins with '{', or MIL. `weights` names the side file
// of a MIL program; left empty it is looked for where the program says, "@model_path" being the
// folder of `path`. A constant without its file is filled with small numbers that depend on its
// place alone; with `weights` given it is an error.
// Inputs with `?` axes take the extents of `shapes`, or else the program's DefaultShapes.
Result<ModelFile> LoadModel(const std::string& path, const std::string& weights,
                            const std::vector<ModelShape>& shapes = {});

// The shapes of arrays by name, for LoadModel.
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
// Numbers for every input, between -1 and 1, the same for the same graph and seed; integers are 0
// or 1.
std::vector<Tensor> MadeUpInputs(const Graph& graph, uint64_t seed = 1);

// One array an output, by name. As InputsFromArrays, but that any are rounded, and that an array is
// used by nothing, is warned of.
Result<std::vector<Tensor>> OutputsFromArrays(const Graph& graph,
                                              std::span<const npz::NamedArray> arrays,
                                              const std::string& path);

// The array of a tensor; element types that .npy lacks become the next wider one.
npz::NamedArray ToArray(const std::string& name, const TensorType& type,
                        std::span<const double> elements);

}  // namespace anecheck
