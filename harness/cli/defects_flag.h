// `--defects FILE`: departures of a user's own engine, which judges then try beside the documented
// ones (oracles/catalogue.h).
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/options.h"
#include "harness/cli/command_line.h"

namespace anecheck {

// `catalogues` receives the texts of the files; it must outlive the command. The flag may be given
// more than once. Files are read while the command line is parsed, so that a broken one is wrong
// usage.
void AddDefectsFlag(CommandLine& command, std::vector<std::string>& catalogues);

// Lets judges try the rows of `catalogues` too. Once a process, before the first judgement.
// Errors: those of AddDeparturesInForce.
Status TryDefects(const std::vector<std::string>& catalogues);
// As above with those of `options`. Errors: also kInvalid where a target is the contract of a file
// and no catalogue chooses that contract.
Status TryDefects(const CampaignOptions& options);

}  // namespace anecheck
