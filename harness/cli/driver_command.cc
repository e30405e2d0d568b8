// `anecheck driver`: answers the calls of a capture with the simulated driver.
#include <fmt/format.h>
#include <memory>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/whole_number.h"
#include "harness/cli/with_file.h"
#include "harness/device/driver/driver.h"
#include "harness/formats/firmware/firmware.h"
#include "harness/formats/submission/submission.h"

namespace anecheck {
namespace {

struct DriverFlags {
  std::string in;
  uint64_t depth = 127;
  bool no_chaining = false;
  bool limits = false;
  bool json = false;
};

std::string MethodsOf(const submission::Call& call) {
  if (call.client >= submission::kClientCount) return "no method";
  const auto rows =
      submission::FindMethods(static_cast<submission::Client>(call.client), call.selector,
                              static_cast<uint32_t>(call.struct_in.size()));
  if (!rows.ok()) return "no method";
  return fmt::format("{}", fmt::join(submission::MethodNames(*rows), " or "));
}

Json AnswerJson(size_t index, const submission::Call& call, const driver::Answer& answer) {
  return {{"call", index},
          {"method", MethodsOf(call)},
          {"recorded", submission::ReturnCodeText(call.result)},
          {"simulated", submission::ReturnCodeText(answer.result)},
          {"same", call.result == answer.result},
          {"law", answer.law->id},
          {"words", answer.law->words},
          {"evidence", FactEvidenceName(answer.law->evidence)},
          {"source", answer.law->source}};
}

// Completes the oldest requests until at most `depth` are in flight.
void Complete(driver::Driver& driver, uint64_t depth, Json& completions) {
  while (driver.in_flight() > depth) {
    const std::optional<driver::Completion> message = driver.NextCompletion();
    completions.push_back({{"program_token", fmt::format("0x{:x}", message->program_token)},
                           {"sequence", message->sequence}});
  }
}

Result<Json> AnswerCapture(const DriverFlags& flags) {
  ANECHECK_ASSIGN(const Bytes bytes, ReadFile(flags.in));
  const auto capture = submission::Parse(bytes);
  if (!capture.ok()) return WithFile(flags.in, capture.error());
  driver::Driver driver({.data_chaining = !flags.no_chaining});
  Json calls = Json::array();
  Json completions = Json::array();
  size_t differ = 0;
  for (size_t i = 0; i < capture->calls.size(); ++i) {
    const submission::Call& call = capture->calls[i];
    const driver::Answer answer = driver.Take(call);
    calls.push_back(AnswerJson(i, call, answer));
    differ += call.result != answer.result ? 1 : 0;
    // If `depth` exceeds the driver's limit, the driver refuses calls.
    Complete(driver, flags.depth, completions);
  }
  Complete(driver, 0, completions);
  return Json{{"capture", flags.in},
              {"provenance", "simulated"},
              {"calls", std::move(calls)},
              {"differ", differ},
              {"wake_port", std::move(completions)},
              {"chaining_entries", driver.chaining_entries()}};
}

std::string ToText(const Json& json) {
  std::string text = fmt::format("{}: {}, answered by the simulated driver\n",
                                 json["capture"].text(), Counted(json["calls"].size(), "call"));
  for (const Json& call : json["calls"]) {
    text += fmt::format("  [{}] {}: {}", call["call"].get<size_t>(), call["method"].text(),
                        call["simulated"].text());
    if (!call["same"].get<bool>()) {
      text += fmt::format("; the capture has {}\n      {} [{}: {}]", call["recorded"].text(),
                          call["words"].text(), call["evidence"].text(), call["source"].text());
    }
    text += "\n";
  }
  return text + fmt::format(
                    "{} on the wake port, {} in the chaining cache\n"
                    "calls that differ from the capture: {} of {}\n",
                    Counted(json["wake_port"].size(), "message"),
                    Counted(json["chaining_entries"].get<size_t>(), "entry", "entries"),
                    json["differ"].get<size_t>(), json["calls"].size());
}

// Returns the rules that the simulated driver enforces, and the documented limits of the firmware,
// each with the place that enforces it.
Json LimitsJson() {
  Json laws = Json::array();
  for (const driver::Law& law : driver::Laws()) {
    laws.push_back({{"id", law.id},
                    {"words", law.words},
                    {"evidence", FactEvidenceName(law.evidence)},
                    {"source", law.source}});
  }
  Json limits = Json::array();
  for (const firmware::Limit& limit : firmware::Limits()) {
    limits.push_back({{"name", limit.name},
                      {"value", limit.value},
                      {"source", limit.source},
                      {"held_by", limit.held_by.empty() ? Json() : Json(limit.held_by)}});
  }
  return {{"laws", std::move(laws)}, {"firmware_limits", std::move(limits)}};
}

std::string LimitsText(const Json& json) {
  std::string text = "Laws of the simulated driver\n";
  for (const Json& law : json["laws"]) {
    text += fmt::format("  {}: {} [{}: {}]\n", law["id"].text(), law["words"].text(),
                        law["evidence"].text(), law["source"].text());
  }
  text += "Limits of the firmware\n";
  for (const Json& limit : json["firmware_limits"]) {
    const Json& held = limit["held_by"];
    text +=
        fmt::format("  {}: {} [{}]; {}\n", limit["name"].text(), limit["value"].get<uint64_t>(),
                    limit["source"].text(),
                    held.is_null() ? "not enforced: no source states which field of a call or a "
                                     "command contains it"
                                   : "enforced by " + std::string(held.text()));
  }
  return text;
}

int RunDriver(const DriverFlags& flags) {
  if (flags.limits) {
    const Json json = LimitsJson();
    flags.json ? Print(json.dump(2)) : PrintText(LimitsText(json));
    return kExitClean;
  }
  if (flags.in.empty()) {
    return Fail(MakeError(ErrorCode::kInvalid, "name a capture of driver calls, or give --limits"));
  }
  const auto json = AnswerCapture(flags);
  if (!json.ok()) return Fail(json.error());
  flags.json ? Print(json->dump(2)) : PrintText(ToText(*json));
  return (*json)["differ"].get<size_t>() == 0 ? kExitClean : kExitFindings;
}

}  // namespace

void AddDriverCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "driver",
      "Answer the driver calls of a capture with the simulated driver; exit code 1 if they differ");
  auto flags = std::make_shared<DriverFlags>();
  command.AddOption("capture", flags->in, "A capture of driver calls (format submission)");
  command
      .AddOption("--depth", flags->depth,
                 "Requests in flight before the oldest one ends (default: 127; with more, the "
                 "driver refuses calls)")
      .Check(WholeNumber(0, 100000));
  command.AddFlag("--no-data-chaining", flags->no_chaining,
                  "Simulate a caller without the entitlement for data chaining");
  command.AddFlag("--limits", flags->limits,
                  "Print the rules that the simulated driver enforces and the limits of the "
                  "firmware, with sources, and exit");
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "Example: anecheck driver calls.submission --json\nExample: anecheck driver --limits");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunDriver(*flags); }; });
}

}  // namespace anecheck
