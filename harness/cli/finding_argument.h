// Reads the finding that a command line names, as an id in a results file or as a finding.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/command_line.h"
#include "harness/findings/artifact.h"
#include "harness/verdict/provenance.h"

namespace anecheck {

struct FindingArgument {
  std::string what;
  std::string db = "anecheck.sqlite";
  std::string run;      // uuid of its run, or a prefix of it, if several runs have the id
  std::string library;  // the engine to run on instead of the recorded one
  // The catalogues of known defects (defects_flag.h) to judge by, instead of the recorded ones.
  // Only commands that judge set them.
  std::vector<std::string> defects;
};

void AddFindingArgument(CommandLine& command, FindingArgument& argument);

struct FindingText {
  std::string json;
  std::string file;  // the file from which it was read
  // The provenance of the finding's run; empty for a file, whose JSON contains it.
  std::optional<Provenance> provenance;
  std::string engine;
};
// Returns the finding's JSON. `what` is a file if it contains a dot or a slash, else the id of
// exactly one finding of the results file.
Result<FindingText> ReadFindingText(const FindingArgument& argument);
Result<Artifact> ReadFinding(const FindingArgument& argument);

}  // namespace anecheck
