// The hardware containers of `anecheck check --container`, their models, and one table of all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck {

// A container and the model that it is to compute. One of them is empty where a folder of models
// and the containers have no name in common.
struct ContainerPair {
  std::string model, container;
};

// The containers among `containers` and in the folders among them, each with `model`. For a folder
// that is no model itself: with the model in it that is called like the container but for the
// extension. Errors: kNotFound for a folder without containers, and where no pair is found.
Result<std::vector<ContainerPair>> PairsOf(const std::string& model,
                                           const std::vector<std::string>& containers);

// The report of a pair that was not run.
Json UnpairedReport(const ContainerPair& pair, const std::string& error);
// Whether a report is one of those.
bool IsUnpaired(const Json& report);

// One line per report: container, model, target, verdict, and why; then how many of each verdict.
std::string PairTable(std::span<const Json* const> reports);

// The target whose containers have the generation of `path`. Errors name the file: those of reading
// and loading it.
Result<std::string> TargetOfContainer(const std::string& path);

}  // namespace anecheck
