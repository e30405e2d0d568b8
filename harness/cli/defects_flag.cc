#include "harness/cli/defects_flag.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "harness/base/file.h"
#include "harness/cli/command_line.h"
#include "oracles/catalogue.h"

namespace anecheck {
namespace {

// The text of a catalogue that can be read.
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

}  // namespace anecheck
