#include "harness/cli/contract_flag.h"

#include <fmt/format.h>

#include "harness/base/file.h"
#include "oracles/catalogue.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

Error WrongContract(const std::string& given, std::string_view why) {
  return MakeError(ErrorCode::kInvalid, fmt::format("--contract {}: {}", given, why));
}

}  // namespace

bool IsContractFile(const std::string& given) {
  return given.find_first_of("./") != std::string::npos;
}

bool ChoosesContract(const std::string& catalogue) {
  DepartureCatalogue read;
  return read.AddJson(catalogue).ok() && read.own().has_value();
}

void AddContractFlag(CommandLine& command, std::string& given) {
  command.AddOption("--contract", given,
                    "Judge an engine that is no ANE by this contract, instead of a target's "
                    "contract: float (computes in fp32 or wider), ieee (rounds each operation "
                    "once), or a file of terms and defects");
}

void AddRejudgeFlag(CommandLine& command, std::string& given) {
  command.AddOption("--contract", given,
                    "Judge an external engine by this contract (default: the recorded one): float, "
                    "ieee, or a file of terms and defects");
}

Result<CampaignTarget> ReadContractFlag(const std::string& given,
                                        std::vector<std::string>& catalogues) {
  if (!IsContractFile(given)) {
    const auto contract = ContractFromName(given);
    if (contract.ok() && (contract->family == kIeeeFamily || contract->family == kFloatFamily)) {
      return CampaignTarget{std::string(contract->name), contract->family};
    }
    return WrongContract(given, "must be ieee, float or a file; a chip is named by --targets");
  }
  Result<std::string> text = ReadTextFile(given);
  if (!text.ok()) return WrongContract(given, text.error().message);
  DepartureCatalogue catalogue;
  if (const Status read = catalogue.AddJson(*text); !read.ok()) {
    return WrongContract(given, read.error().message);
  }
  if (!catalogue.own()) return WrongContract(given, "has no member \"contract\"");
  catalogues.push_back(std::move(text).value());
  return CampaignTarget{std::string(ConformingContract(kOwnFamily).name), kOwnFamily};
}

Status JudgeByContract(const std::string& given, CampaignOptions& options, Case& item) {
  if (given.empty()) return {};
  if (!options.runner.starts_with("exec:")) {
    return WrongContract(given,
                         "the finding is not from an external program (--runner exec:COMMAND)");
  }
  std::erase_if(options.defects, ChoosesContract);
  ANECHECK_ASSIGN(item.target, ReadContractFlag(given, options.defects));
  options.targets = {item.target};
  return {};
}

}  // namespace anecheck
