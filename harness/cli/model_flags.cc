#include "harness/cli/model_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/log.h"

namespace anecheck {

void AddModelFlags(CommandLine& command, ModelFlags& flags) {
  command
      .AddOption(
          "model", flags.model,
          ".mlpackage, .mlmodelc, .mlmodel, MIL text, a network description, or a graph as JSON")
      .Required();
  command.AddOption("--function", flags.function,
                    "The function of a model that has several (default: main, or the only one)");
  command
      .AddOption("--weights", flags.weights.files,
                 "Weight file to read instead of the model's file of the same name")
      .OneAtATime();
  command
      .AddOption("--allow-path", flags.weights.allowed,
                 "Further folder that may hold weight files of the model")
      .OneAtATime();
  command.AddFlag("--made-up-weights", flags.weights.made_up,
                  "Make up the constants of missing weight files");
}

Result<ModelGraph> ReadModel(const Model& model, const std::string& function,
                             const std::vector<ModelShape>& shapes) {
  ANECHECK_ASSIGN(ModelGraph read, model.Read(function, shapes));
  if (read.made_up > 0) {
    LogWarning(fmt::format("missing: {}; constants filled with made-up numbers: {}",
                           fmt::join(read.missing, ", "), read.made_up));
  }
  if (read.labels_left_out) {
    LogWarning(
        "classify, which the host does, is left out: the tensor that it labels is the output");
  }
  if (!read.pipeline_left_out.empty()) {
    LogWarning(
        fmt::format("the model is the ML Program of a pipeline; left out, which the host does: {}",
                    read.pipeline_left_out));
  }
  return read;
}

Result<ModelGraph> ReadModel(const ModelFlags& flags, const std::vector<ModelShape>& shapes) {
  ANECHECK_ASSIGN(const Model model, Model::Open(flags.model, flags.weights));
  return ReadModel(model, flags.function, shapes);
}

}  // namespace anecheck
