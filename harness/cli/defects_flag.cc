#include "harness/cli/defects_flag.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "harness/base/file.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "oracles/catalogue.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

// Returns the text of a catalogue. Throws a ValidationError if it cannot be read.
std::string Read(const std::string& path) {
  const auto fail = [&](const Error& error) {
    throw CLI::ValidationError(fmt::format("--defects {}", path), error.message);
  };
  Result<std::string> text = ReadTextFile(path);
  if (!text.ok()) fail(text.error());
  DepartureCatalogue catalogue;
  if (const Status added = catalogue.AddJson(*text); !added.ok()) fail(added.error());
  return std::move(text).value();
}

}  // namespace

void AddDefectsFlag(CommandLine& command, std::vector<std::string>& catalogues) {
  command.parser().add_option_function<std::vector<std::string>>(
      "--defects",
      [&catalogues](const std::vector<std::string>& paths) {
        catalogues.clear();
        for (const std::string& path : paths) catalogues.push_back(Read(path));
      },
      "JSON file of known defects of your engine, in addition to the documented ones");
}

Status TryDefects(const std::vector<std::string>& catalogues) {
  for (const std::string& text : catalogues) {
    ANECHECK_RETURN_IF_ERROR(AddDeparturesInForce(text));
  }
  return {};
}

Status TryDefects(const CampaignOptions& options) {
  const bool own = std::ranges::find(options.targets, kOwnFamily, &CampaignTarget::family) !=
                   options.targets.end();
  if (own && std::ranges::none_of(options.defects, ChoosesContract)) {
    return MakeError(
        ErrorCode::kInvalid,
        "--contract: the cases are judged by the contract of a file, which was not given; "
        "give that file");
  }
  return TryDefects(options.defects);
}

}  // namespace anecheck
