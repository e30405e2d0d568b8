// The model as `anecheck check` gives it to an engine: without the casts and the integers of its
// edges (boundary_casts.h, host_edges.h), and with inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/lowering/boundary_casts.h"
#include "harness/lowering/host_edges.h"
#include "harness/models/model.h"

namespace anecheck {

struct PreparedModel {
  Case item;  // the graph that is run and its inputs; no target and no route
  HostEdges edges;
  PeeledGraph peeled;
  uint64_t synthesised = 0;  // constants that are made up, since their file is not there
  // States that operations before the model's write the array of their name into, and
  // whose content after the execution is an output.
  std::vector<std::string> states;
};

// The numbers that a model is run at.
struct ModelNumbers {
  std::string inputs;  // .npz, of states too; empty: every input is made up, and states are 0
  uint64_t seed = 1;   // of made-up numbers
  // Extents of inputs with open axes, tried to judge the model by: nothing made up is warned of.
  std::vector<ModelShape> tried = {};
};

// Reads a function of a model (Model::Read). Warns of values that are made up or ignored. Errors:
// those of the files, and kInternal if the model to run is broken.
Result<PreparedModel> PrepareModel(const Model& model, const std::string& function,
                                   const ModelNumbers& numbers);

// The same for a part of a model whose inputs are known, in order of ValuesOfKind(kInput).
Result<PreparedModel> PreparePart(const Graph& part, std::span<const Tensor> inputs);

}  // namespace anecheck
