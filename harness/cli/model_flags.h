// The options with which `eval`, `judge`, `check` and `lower` select a model.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/command_line.h"
#include "harness/models/model.h"

namespace anecheck {

struct ModelFlags {
  std::string model;
  std::string function;  // empty: "main", or the only one
  WeightOptions weights;
};

void AddModelFlags(CommandLine& command, ModelFlags& flags);

// Reads the function that the flags name. Warns if constants are made up.
Result<ModelGraph> ReadModel(const ModelFlags& flags, const std::vector<ModelShape>& shapes = {});
Result<ModelGraph> ReadModel(const Model& model, const std::string& function,
                             const std::vector<ModelShape>& shapes = {});

}  // namespace anecheck
