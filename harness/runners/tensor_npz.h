// Tensors as .npz files, the form in which external programs receive and return them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npy.h"
#include "harness/graph/graph.h"

namespace anecheck {

// The tensor as an array of its own element type. Errors: kUnsupported if NumPy lacks the type.
Result<npz::Array> TensorToArray(const Tensor& tensor);

// Writes one array for each of the graph's inputs, under its name. Errors: kUnsupported for element
// types that NumPy lacks.
Status WriteInputsNpz(const std::string& path, const Graph& graph, std::span<const Tensor> inputs);

// The arrays of `path` that the graph's inputs name, in their order. Errors name the input, or the
// file.
Result<std::vector<Tensor>> ReadInputsNpz(const std::string& path, const Graph& graph);

// The arrays of `path` that the graph's outputs name, in their order. Each array must have the
// output's element type and shape. Arrays of other names are ignored. The file must be a regular
// file of at most the size that the graph's outputs and some further data need. Errors name the
// output, or the file.
Result<std::vector<Tensor>> ReadOutputsNpz(const std::string& path, const Graph& graph);

}  // namespace anecheck
