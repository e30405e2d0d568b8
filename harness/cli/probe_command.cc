// `anecheck probe`: measures the limits at which an engine's results leave plain fp16 arithmetic.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/interruption.h"
#include "harness/cli/typed_command.h"
#include "harness/probe/probe.h"

namespace anecheck {
namespace {

struct ProbeFlags {
  CampaignFlags campaign;
  std::vector<std::string> names;
  bool runtime = false;
  bool json = false;
};

std::string Cell(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "NO";
  return value.is_string() ? value.get<std::string>() : CliffText(value.get<double>());
}

std::string Table(std::span<const ProbeDatum> data) {
  const auto rows = ProbesToJson(data);
  std::string text;
  if (!data.empty() && data[0].provenance == Provenance::kSimulated) {
    text = fmt::format("{}{}\n", EvidenceMark(data[0].provenance), data[0].engine);
  }
  size_t width = 0;
  for (const ProbeDatum& datum : data) width = std::max(width, datum.probe.size() + 2);
  text += fmt::format("{:<{}}{:<8}{:>24}{:>24}  {}\n", "probe", width, "target", "measured",
                      "published", "agrees");
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}{:<8}{:>24}{:>24}  {}", row["probe"].get<std::string>(), width,
                        row["target"].get<std::string>(), Cell(row["measured"]),
                        Cell(row["published"]), Cell(row["agrees"]));
    const std::string message = row["message"].get<std::string>();
    if (!message.empty()) text += "  (" + message + ")";
    const std::string source = row["source"].get<std::string>();
    text += source.empty() ? "\n" : "  [" + source + "]\n";
  }
  return text;
}

int Run(const ProbeFlags& flags, const std::string& command) {
  Result<CampaignOptions> options = ToOptions(flags.campaign);
  if (!options.ok()) return Fail(options.error());
  options->command = command;
  const Interruption interruption;
  const auto data = RunProbes(*options, flags.names, flags.runtime, interruption.flag());
  if (!data.ok()) return Fail(data.error());
  flags.json ? Print(ProbesToJson(*data).dump(2)) : PrintText(Table(*data));
  if (interruption.asked()) {
    LogWarning(fmt::format("interrupted; the figures up to now are {}",
                           options->db.empty() || data->empty() ? "printed and not recorded"
                                                                : "recorded in " + options->db));
    return kExitHarness;
  }
  const bool disagrees = std::any_of(data->begin(), data->end(),
                                     [](const ProbeDatum& datum) { return datum.agrees == false; });
  return disagrees ? kExitFindings : kExitClean;
}

}  // namespace

void AddProbeCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "probe", "Find numeric cliffs by bisection and compare them with published figures");
  auto flags = std::make_shared<ProbeFlags>();
  CampaignFlags& campaign = flags->campaign;
  campaign.db.clear();
  command.AddOption("--targets,--target", campaign.targets, "Compiler targets: h13,h17s or all")
      .ShowDefault();
  command.AddOption("--probe", flags->names, "Only these probes").Delimiter(',');
  command.AddFlag("--runtime", flags->runtime,
                  "Probe calls, events, limits and refusals, not values");
  AddRunnerFlags(command, campaign);
  command.AddOption("--db", campaign.db, "Results file (default: none)").Check(FileName());
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "Example: anecheck probe --target h13\nExit code 1: a figure differs from the published "
      "one.");
  command.WhenChosen([command, flags, &selected] {
    selected = [command, flags] { return Run(*flags, TypedCommand(command)); };
  });
}

}  // namespace anecheck
