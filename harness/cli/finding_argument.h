// How a finding is named on the command line: by its id in a results file, or by a finding.json.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/campaign/artifact.h"

namespace CLI {
class App;
}  // namespace CLI

namespace anecheck {

struct FindingArgument {
  std::string what;
  std::string db = "anecheck.sqlite";
  std::string library;  // engine to run on instead of the recorded one
};

void AddFindingArgument(CLI::App& command, FindingArgument& argument);

// The finding's JSON: a file where `what` has a dot or a slash, else a row of the results file.
Result<std::string> ReadFindingText(const FindingArgument& argument);
Result<Artifact> ReadFinding(const FindingArgument& argument);

}  // namespace anecheck
