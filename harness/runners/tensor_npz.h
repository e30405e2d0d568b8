// Reads and writes tensors as .npz files, the format of external programs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npy.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Converts a tensor to an array of its element type. Errors: kUnsupported if NumPy lacks it.
Result<npz::Array> TensorToArray(const Tensor& tensor);

// Writes one array for each of the graph's inputs, under the name of the input. Errors:
// kUnsupported for element types that NumPy lacks.
Status WriteInputsNpz(const std::string& path, const Graph& graph, std::span<const Tensor> inputs);

// Reads the arrays of `path` that have the names of the graph's inputs, in the order of the inputs.
// Errors name the input, or the file.
Result<std::vector<Tensor>> ReadInputsNpz(const std::string& path, const Graph& graph);

// Reads the arrays of `path` that have the names of the graph's outputs, in the order of the
// outputs. Each array must have the output's element type and shape. Arrays of other names are
// ignored. The file must be a regular file, and at most 1 MiB larger than the outputs of the graph.
// Errors name the output, or the file.
Result<std::vector<Tensor>> ReadOutputsNpz(const std::string& path, const Graph& graph);

}  // namespace anecheck
