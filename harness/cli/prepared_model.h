// Prepares a model for an engine, as `anecheck check` runs it. Removes the casts and the integers
// at its edges (boundary_casts.h, host_edges.h) and adds inputs.
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
  // The graph to run, and its inputs. The target and the route are not set. Node::added marks the
  // casts of int32 outputs to fp16, and the writes and reads of `states`.
  Case item;
  HostEdges edges;
  PeeledGraph peeled;
  uint64_t synthesised = 0;  // constants that are made up because their file is missing
  // Names of the states that begin with the content of an array. Extra operations at the start of
  // the graph write the array to the state, and the state's final content is an output.
  std::vector<std::string> states;

  // Returns whether preparation removed casts or integers at the model's edges.
  bool WithoutEdges() const;
};

// The inputs of a run of a model.
struct ModelNumbers {
  std::string inputs;  // .npz, also for states; empty: every input is made up, and states are 0
  uint64_t seed = 1;   // the seed of made-up numbers
  // The shapes at which a model with open axes is judged. If there are any, made-up values cause no
  // warning.
  std::vector<ModelShape> tried = {};
};

// Reads a function of a model (Model::Read). Warns of values that are made up or ignored. Errors:
// those of the files, and kInternal if the prepared graph is invalid.
Result<PreparedModel> PrepareModel(const Model& model, const std::string& function,
                                   const ModelNumbers& numbers);

// Prepares a model without inputs. Errors: kInternal if the prepared graph is invalid.
Result<PreparedModel> SplitModel(const Graph& model);

// Returns the graph without the nodes that the tool added (Node::added). The plan of this graph is
// the plan of the model's own operations, so `check` and `lower` print it.
Graph OwnPart(const PreparedModel& model);

// Prepares a part of a model. `inputs` are in the order of ValuesOfKind(kInput).
Result<PreparedModel> PreparePart(const Graph& part, std::span<const Tensor> inputs);

}  // namespace anecheck
