// The flags that select evidence: results of campaigns, sweeps from other sources, and the
// published tables. Used by `anecheck matrix` and `anecheck explain`.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/command_line.h"
#include "harness/evidence/evidence.h"

namespace anecheck {

struct EvidenceFlags {
  std::vector<std::string> db;     // results files of campaigns
  std::vector<std::string> files;  // files of statements by others
  bool without_published = false;
};

void AddEvidenceFlags(CommandLine& command, EvidenceFlags& flags);

// Returns all statements: the published ones, then those of the files, then those of the campaigns.
Result<std::vector<evidence::Statement>> GatherEvidence(const EvidenceFlags& flags);

}  // namespace anecheck
