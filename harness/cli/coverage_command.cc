// `anecheck coverage`: prints which part of the space of possible cases campaigns have covered.
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/campaign/coverage.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
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
  flags.json ? Print(DumpJson(CoverageToJson(*coverage), 2))
             : PrintText(CoverageToText(*coverage, flags.listed));
  return kExitClean;
}

}  // namespace

void AddCoverageCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "coverage", "Show how much of the space of possible cases campaigns have covered");
  auto flags = std::make_shared<CoverageFlags>();
  command.AddOption("--db", flags->db, "Results files").Check(FileName()).ShowDefault();
  command.AddOption("--empty", flags->listed, "Number of empty cells to list for each kind")
      .Check(WholeNumber(0))
      .ShowDefault();
  command.AddFlag("--json", flags->json, "Print JSON with every empty cell");
  command.Footer("Example: anecheck coverage --db results.sqlite");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
