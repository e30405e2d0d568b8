// Pairs the hardware containers of `anecheck check --container` with their models, and prints one
// table of all pairs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck {

// A container and the model that it should compute. In a folder of models, `container` is empty for
// a model without a container of its name, and `model` is empty for a container without a model of
// its name.
struct ContainerPair {
  std::string model, container;
};

// Pairs each container, given as a file or inside a folder, with `model`. If `model` is a folder of
// models, a container is paired with the model whose name differs only in the extension. Errors:
// kNotFound if a folder has no containers, or if there is no pair.
Result<std::vector<ContainerPair>> PairsOf(const std::string& model,
                                           const std::vector<std::string>& containers);

// The report of a pair that was not run.
Json UnpairedReport(const ContainerPair& pair, const std::string& error);
// Returns whether a report was made by UnpairedReport.
bool IsUnpaired(const Json& report);

// One line per report: container, model, target, verdict, and reason; then the number of reports
// with each verdict.
std::string PairTable(std::span<const Json* const> reports);

// Returns the target whose containers have the generation of the container `path`. Logs the
// warnings about a model of the Linux driver. Errors: those of reading and loading the file, which
// they name.
Result<std::string> TargetOfContainer(const std::string& path);

}  // namespace anecheck
