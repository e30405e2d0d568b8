// `anecheck coverage`: how much of the space of cases campaigns have met.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/json_text.h"
#include "harness/campaign/coverage.h"
#include "harness/cli/command.h"
#include "harness/cli/file_name.h"
#include "harness/cli/whole_number.h"

namespace anecheck {
namespace {

struct CoverageFlags {
  std::vector<std::string> db = {"anecheck.sqlite"};
  size_t listed = 10;
  bool json = false;
};

int Run(const CoverageFlags& flags) {
  const auto coverage = ReadCoverage(flags.db);
  if (!coverage.ok()) return Fail(coverage.error());
  Print(flags.json ? DumpJson(CoverageToJson(*coverage), 2)
                   : CoverageToText(*coverage, flags.listed));
  return kExitClean;
}

}  // namespace

void AddCoverageCommand(CLI::App& app, Selected& selected) {
  CLI::App* command =
      app.add_subcommand("coverage", "Show how much of the space of cases campaigns have met");
  auto flags = std::make_shared<CoverageFlags>();
  command->add_option("--db", flags->db, "Results files")->check(FileName())->capture_default_str();
  command->add_option("--empty", flags->listed, "Empty cells to list of each kind")
      ->check(WholeNumber(0))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print JSON, with every empty cell");
  command->footer("Example: anecheck coverage --db results.sqlite");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
