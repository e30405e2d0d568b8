// Pairs the hardware containers of `anecheck check --container` with their models, and prints one
// table of all pairs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck {

// A container and the model that it should compute. In a folder of models, containers belong to
// models by name: `container` is empty for a model without a container, and `model` is empty for a
// container without a model.
struct ContainerPair {
  std::string model, container;
};

// Pairs each container with `model`. `containers` are files, and folders of files. If `model` is a
// folder of models, pairs a container with the model whose name differs only in the extension.
// Errors: kNotFound if a folder has no containers, or if there is no pair.
Result<std::vector<ContainerPair>> PairsOf(const std::string& model,
                                           const std::vector<std::string>& containers);

// The report of a pair that was not run.
Json UnpairedReport(const ContainerPair& pair, const std::string& error);
// Returns whether UnpairedReport made the report.
bool IsUnpaired(const Json& report);

// Returns a line for each report, with the container, model, target, verdict and reason. The last
// line has the number of reports with each verdict.
std::string PairTable(std::span<const Json* const> reports);

// Returns the target whose containers have the generation of the container `path`. Logs the
// warnings about a model of the Linux driver. Errors: those of reading and loading the file, with
// its path.
Result<std::string> TargetOfContainer(const std::string& path);

}  // namespace anecheck
