// `anecheck site`: writes a web site from results files of any number of chips and dates.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/report_progress.h"
#include "reports/site/site_pages.h"
#include "reports/site/write_site.h"

namespace anecheck {
namespace {

struct SiteFlags {
  std::vector<std::string> files, db;
  std::string out;
  bool json = false;
};

int RunSite(const SiteFlags& flags) {
  std::vector<std::string> files = flags.files;
  files.insert(files.end(), flags.db.begin(), flags.db.end());
  if (files.empty()) {
    return Fail(
        MakeError(ErrorCode::kInvalid, "site needs results files: name them, or give --db"));
  }
  const auto site = reports::WriteSite(files, flags.out, ReportProgressLine());
  if (!site.ok()) return Fail(site.error());
  if (flags.json) {
    Print(DumpJson(reports::FrontJson(*site), 2));
    return kExitClean;
  }
  std::string text;
  for (const reports::SiteChip& chip : site->chips) {
    const reports::MarkCounts counts = site->Count(chip);
    text += fmt::format("{:>4} % right, {:>3} broken, {:>3} not tried  {} {}\n",
                        counts.Percent().value_or(0), counts.Of(reports::Mark::kBroken),
                        counts.Of(reports::Mark::kUntried), chip.title, chip.provenance);
  }
  for (const MissingShards& missing : site->missing) {
    text += fmt::format("the campaign of seed {} lacks {} of {}\n", missing.seed,
                        missing.indices.size(), Counted(missing.count, "shard"));
  }
  PrintText(fmt::format(
      "{}{}{}, {}: {}/index.html", site->data.AnySimulated() ? "SIMULATED:\n" : "", text,
      Counted(site->data.runs.size(), "run"), Counted(site->chips.size(), "chip"), flags.out));
  return kExitClean;
}

}  // namespace

void AddSiteCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("site", "Write pages by chip, operation, finding and date, for publication");
  auto flags = std::make_shared<SiteFlags>();
  command.AddOption("results", flags->files, "Results files").Check(FileName());
  command.AddOption("--db", flags->db, "Further results files").Check(FileName());
  command.AddOption("--out", flags->out, "Folder to write to").Check(FileName()).Required();
  command.AddFlag("--json", flags->json, "Print the front page as JSON");
  command.Footer("Example: anecheck site may.sqlite june.sqlite --out site");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunSite(*flags); }; });
}

}  // namespace anecheck
