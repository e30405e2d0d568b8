#include "harness/cli/defects_flag.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "oracles/catalogue.h"

namespace anecheck {
namespace {

void Read(const std::string& path) {
  const auto fail = [&](const Error& error) {
    throw CLI::ValidationError(fmt::format("--defects {}", path), error.message);
  };
  const Result<std::string> text = ReadTextFile(path);
  if (!text.ok()) return fail(text.error());
  if (const Status added = AddDeparturesInForce(*text); !added.ok()) fail(added.error());
}

}  // namespace

void AddDefectsFlag(CLI::App& command) {
  command.add_option_function<std::vector<std::string>>(
      "--defects",
      [](const std::vector<std::string>& paths) {
        for (const std::string& path : paths) Read(path);
      },
      "JSON of known defects of your own engine, tried beside the documented ones");
}

}  // namespace anecheck
