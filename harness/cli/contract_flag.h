// `--contract`: the contract of an engine that is no ANE, by name or as a file of chosen terms and
// defects (oracles/catalogue.h).
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/cli/command_line.h"

namespace anecheck {

// The option of commands that run an engine or judge a recorded case; `given` must outlive the
// command.
void AddContractFlag(CommandLine& command, std::string& given);
void AddRejudgeFlag(CommandLine& command, std::string& given);

// Whether the word names a file.
bool IsContractFile(const std::string& given);
// Whether the text of a catalogue chooses the contract kOwnFamily.
bool ChoosesContract(const std::string& catalogue);

// The contract in place of a target. The text of a file is added to `catalogues`, by which
// TryDefects (defects_flag.h) puts it in force, and which runs and findings keep. Errors name the
// flag.
Result<CampaignTarget> ReadContractFlag(const std::string& given,
                                        std::vector<std::string>& catalogues);

// Lets a recorded case be judged by the contract that is given, if one is, in place of a recorded
// one. Errors: as above, and kInvalid where no external program gave the answers.
Status JudgeByContract(const std::string& given, CampaignOptions& options, Case& item);

}  // namespace anecheck
