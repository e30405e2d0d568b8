// `anecheck merge`: results of many machines in one file.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/results/merge.h"

namespace anecheck {
namespace {

struct MergeFlags {
  std::vector<std::string> inputs;
  std::string out;
  bool json = false;
};

int Run(const MergeFlags& flags) {
  const auto merged = MergeResults(flags.inputs, flags.out);
  if (!merged.ok()) return Fail(merged.error());
  if (flags.json) {
    Print(DumpJson(Json{{"out", flags.out},
                        {"runs", merged->runs},
                        {"duplicates", merged->duplicates},
                        {"cases", merged->cases}},
                   2));
  } else {
    Print(fmt::format("{}: {} runs with {} cases, {} duplicates", flags.out, merged->runs,
                      merged->cases, merged->duplicates));
  }
  return kExitClean;
}

}  // namespace

void AddMergeCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("merge", "Join results files, each run once");
  auto flags = std::make_shared<MergeFlags>();
  command.AddOption("inputs", flags->inputs, "Results files").Required();
  command.AddOption("--out", flags->out, "The joined file, which must not exist")
      .Check(FileName())
      .Required();
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer("Example: anecheck merge m1.sqlite m5.sqlite --out all.sqlite");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
