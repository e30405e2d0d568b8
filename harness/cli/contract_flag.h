// The option `--contract` selects the contract of an engine that is no ANE. Its value is a name, or
// a file of terms and defects (oracles/catalogue.h).
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/cli/command_line.h"

namespace anecheck {

// AddContractFlag adds the option to a command that runs an engine. AddRejudgeFlag adds it to a
// command that judges a recorded case. `given` must outlive the command.
void AddContractFlag(CommandLine& command, std::string& given);
void AddRejudgeFlag(CommandLine& command, std::string& given);

// Returns whether the value of --contract names a file.
bool IsContractFile(const std::string& given);
// Returns whether the text of a catalogue has a member "contract". kOwnFamily is the family of that
// contract.
bool ChoosesContract(const std::string& catalogue);

// Returns the contract in the form of a target. If `given` is a file, adds its text to
// `catalogues`. TryDefects (defects_flag.h) makes judging use these texts, and runs and findings
// record them. Errors name the flag.
Result<CampaignTarget> ReadContractFlag(const std::string& given,
                                        std::vector<std::string>& catalogues);

// Replaces the contract of a recorded case by the one that `given` names. Does nothing if `given`
// is empty. Errors: those of ReadContractFlag, and kInvalid if the engine of the case is not an
// external program.
Status JudgeByContract(const std::string& given, CampaignOptions& options, Case& item);

}  // namespace anecheck
