// `anecheck merge`: joins the results of many machines in one file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/log.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/interruption.h"
#include "harness/results/merge.h"

namespace anecheck {
namespace {

struct MergeFlags {
  std::vector<std::string> inputs;
  std::string out;
  bool json = false;
};

// Returns a text such as "shards 2, 5 of 8".
std::string MissingText(const MissingShards& missing) {
  std::vector<int64_t> parts;
  parts.reserve(missing.indices.size());
  for (const int64_t index : missing.indices) parts.push_back(index + 1);
  return fmt::format("shard{} {} of {}", parts.size() == 1 ? "" : "s", fmt::join(parts, ", "),
                     missing.count);
}

Json MissingJson(const std::vector<MissingShards>& all) {
  Json list = Json::array();
  for (const MissingShards& missing : all) {
    Json parts = Json::array();
    for (const int64_t index : missing.indices) parts.push_back(index + 1);
    list.push_back({{"seed", std::to_string(missing.seed)},
                    {"shards", missing.count},
                    {"missing", std::move(parts)}});
  }
  return list;
}

int Run(const MergeFlags& flags) {
  const Interruption interruption;
  const auto merged = MergeResults(flags.inputs, flags.out, interruption.flag());
  if (!merged.ok()) return Fail(merged.error());
  if (flags.json) {
    Print(DumpJson(Json{{"out", flags.out},
                        {"runs", merged->runs},
                        {"duplicates", merged->duplicates},
                        {"cases", merged->cases},
                        {"missing_shards", MissingJson(merged->missing)}},
                   2));
  } else {
    PrintText(fmt::format("{}: {} with {}, {}", flags.out, Counted(merged->runs, "run"),
                          Counted(merged->cases, "case"),
                          Counted(merged->duplicates, "duplicate")));
  }
  for (const MissingShards& missing : merged->missing) {
    LogWarning(fmt::format(
        "{}: the campaign of seed {} is incomplete: {} missing; run them with the same options as "
        "the shards of {} and merge again",
        flags.out, missing.seed,
        MissingText(missing) + (missing.indices.size() == 1 ? " is" : " are"), missing.started));
  }
  return merged->missing.empty() ? kExitClean : kExitFindings;
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
  command.Footer(
      "Exit code 1: shards of a campaign are missing.\n"
      "Example: anecheck merge m1.sqlite m5.sqlite --out all.sqlite");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
