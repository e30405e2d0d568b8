// `--contract`: the contract of an engine that is no ANE, by name or as a file of chosen terms and
// defects (oracles/catalogue.h).
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/cli/command_line.h"

namespace anecheck {

// AddContractFlag adds the option to a command that runs an engine, and AddRejudgeFlag to one that
// judges a recorded case. `given` must outlive the command.
void AddContractFlag(CommandLine& command, std::string& given);
void AddRejudgeFlag(CommandLine& command, std::string& given);

// Returns whether the value of --contract names a file.
bool IsContractFile(const std::string& given);
// Returns whether the text of a catalogue has a member "contract", which kOwnFamily then stands
// for.
bool ChoosesContract(const std::string& catalogue);

// Returns the contract in the form of a target. Adds the text of a file to `catalogues`: TryDefects
// (defects_flag.h) makes judging use these texts, and runs and findings keep them. Errors name the
// flag.
Result<CampaignTarget> ReadContractFlag(const std::string& given,
                                        std::vector<std::string>& catalogues);

// Replaces the contract of a recorded case by the one that `given` names. Does nothing if `given`
// is empty. Errors: those of ReadContractFlag, and kInvalid if the answers are not from an external
// program.
Status JudgeByContract(const std::string& given, CampaignOptions& options, Case& item);

}  // namespace anecheck
