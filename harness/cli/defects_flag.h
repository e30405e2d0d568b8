// The option `--defects FILE` names departures of a user's own engine. Judging tries them in
// addition to the documented ones (oracles/catalogue.h).
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/options.h"
#include "harness/cli/command_line.h"

namespace anecheck {

// Adds the flag, which may be given more than once. `catalogues` receives the texts of the files
// and must outlive the command. The parser reads the files, so a broken file counts as bad usage.
void AddDefectsFlag(CommandLine& command, std::vector<std::string>& catalogues);

// Lets judging also try the departures that `catalogues` list. Call it at most once per process,
// before the first judgement. Errors: those of AddDeparturesInForce.
Status TryDefects(const std::vector<std::string>& catalogues);
// Does the same with the catalogues of `options`. Errors: also kInvalid if a target is the contract
// of a file and no catalogue has that contract.
Status TryDefects(const CampaignOptions& options);

}  // namespace anecheck
