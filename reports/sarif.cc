#include "reports/sarif.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/json.h"
#include "harness/base/version.h"
#include "harness/campaign/campaign.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

// A verdict of findings and the sentence that explains it.
struct Rule {
  Verdict verdict;
  std::string_view text;
};
// The rule id of probes that differ from the published figure. They have no verdict.
constexpr const char* kProbeRule = "probe-otherwise";

constexpr Rule kRules[] = {
    {Verdict::kWrong, "Output elements lie outside the interval that the oracle allows."},
    {Verdict::kAccepted, "The compiler took a graph that breaks a rule."},
    {Verdict::kRejected, "The compiler refused a graph that the rules admit."},
    {Verdict::kFailed, "The engine gave an error for a graph that the rules admit."},
    {Verdict::kCrashed, "The engine ended its process."},
    {Verdict::kHung, "The engine did not answer in time."},
    {Verdict::kGarbled, "The engine's answer does not have the requested form."},
    {Verdict::kMemoryGrowth, "The engine's process held too much memory, or more with each case."},
    {Verdict::kSlow, "Compiling took longer than a program of its size may take."},
    {Verdict::kStrayOutput, "The engine wrote to the standard output or error of its process."},
    {Verdict::kStrayWrite, "The engine wrote to an input, or behind an output."},
    {Verdict::kSlotLeak, "The engine did not free the slot of a program that was released."},
    {Verdict::kNotRepeatable, "A second execution of one program gave other values."},
    {Verdict::kDiffers, "Two runners gave different bits."},
    {Verdict::kMisplaced, "The program ran on another device than the engine."},
    {Verdict::kFlaky, "A deviation did not repeat in fresh processes."},
    {Verdict::kUnconfirmed, "A deviation rests on an unmeasured term or a single element."},
    {Verdict::kOften, "Many results of one operation are unconfirmed."},
    {Verdict::kBiased, "The errors of an operation lie to one side inside their bounds."},
    {Verdict::kKnownDefect, "A documented defect of the family explains the deviation."},
};

// Returns the sentence for a rule id. A rule id is the text of a verdict or kProbeRule.
std::string_view RuleText(std::string_view id) {
  if (id == kProbeRule) return "The figure that a probe measured differs from the published one.";
  const auto* const found = std::ranges::find(kRules, FindWord<Verdict>(id), &Rule::verdict);
  return found == std::end(kRules) ? "Nothing was found." : found->text;
}

// Returns a run's uuid as SARIF's guid. A uuid has 32 digits without hyphens, and a guid is a UUID
// with hyphens (section 3.5.3). Empty if the text is not a uuid.
std::string Guid(std::string_view uuid) {
  if (uuid.size() != 32) return {};
  std::string guid;
  for (size_t i = 0; i < uuid.size(); ++i) {
    const char c = uuid[i];
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return {};
    if (i == 8 || i == 12 || i == 16 || i == 20) guid += '-';
    guid += c;
  }
  // RFC 4122 fixes the digits of the version and variant, and SARIF's schema requires them.
  guid[14] = '4';
  guid[19] =
      "89ab"[static_cast<size_t>(guid[19] <= '9' ? guid[19] - '0' : guid[19] - 'a' + 10) & 3];
  return guid;
}

std::string_view LevelOf(const FindingInfo& finding) {
  switch (KindOfFinding(finding.verdict)) {
    case FindingKind::kNew:
      return "error";
    case FindingKind::kUnconfirmed:
      return "warning";
    case FindingKind::kKnownDefect:
      return "note";
  }
  return "none";
}

Json ResultJson(const FindingInfo& finding, const RunInfo& run, size_t rule) {
  const std::string path =
      fmt::format("{}/{}/{}", finding.target, finding.route, finding.op.empty() ? "-" : finding.op);
  Json location = {
      {"physicalLocation", {{"artifactLocation", {{"uri", EscapeUri(run.db)}}}}},
      {"logicalLocations",
       Json::array({{{"name", finding.op}, {"fullyQualifiedName", path}, {"kind", "operation"}}})}};
  return {{"ruleId", ToText(finding.verdict)},
          {"ruleIndex", rule},
          {"level", LevelOf(finding)},
          {"message",
           {{"text", fmt::format("{} on {} ({}): {}", finding.op.empty() ? "case" : finding.op,
                                 finding.target, run.provenance, finding.summary)}}},
          {"locations", Json::array({std::move(location)})},
          {"occurrenceCount", std::max<int64_t>(finding.occurrences, 1)},
          {"partialFingerprints", {{"signature/v1", finding.signature}}},
          {"properties",
           {{"id", finding.id},
            {"op", finding.op},
            {"target", finding.target},
            {"route", ToText(finding.route)},
            {"provenance", ToText(run.provenance)},
            {"knownDefect", finding.defects.ToText()},
            {"replay", finding.replay}}}};
}

// Returns the result for a probe that contradicts the published figure. `anecheck probe` also
// reports this by its exit code.
Json ProbeJson(const ProbeInfo& probe, const RunInfo& run, size_t rule) {
  const std::string path = fmt::format("{}/probe/{}", probe.target, probe.probe);
  Json location = {
      {"physicalLocation", {{"artifactLocation", {{"uri", EscapeUri(run.db)}}}}},
      {"logicalLocations",
       Json::array({{{"name", probe.probe}, {"fullyQualifiedName", path}, {"kind", "probe"}}})}};
  return {{"ruleId", kProbeRule},
          {"ruleIndex", rule},
          {"level", "error"},
          {"message",
           {{"text", fmt::format("probe {} on {} ({}): measured {}, published {}", probe.probe,
                                 probe.target, run.provenance, probe.measured, probe.published)}}},
          {"locations", Json::array({std::move(location)})},
          {"occurrenceCount", 1},
          {"partialFingerprints",
           {{"signature/v1", fmt::format("probe|{}|{}", probe.probe, probe.target)}}},
          {"properties",
           {{"probe", probe.probe},
            {"target", probe.target},
            {"provenance", ToText(run.provenance)},
            {"measured", probe.measured},
            {"published", probe.published}}}};
}

Json InvocationJson(const RunInfo& run) {
  Json invocation = {{"commandLine", run.command},
                     {"executionSuccessful", run.state == RunState::kFinished}};
  // Times must have the form of RFC 3339. Other texts are left out.
  const auto is_time = [](std::string_view text) {
    return text.size() == 20 && text[4] == '-' && text[10] == 'T' && text[19] == 'Z';
  };
  if (is_time(run.started)) invocation["startTimeUtc"] = run.started;
  if (run.finished && is_time(*run.finished)) invocation["endTimeUtc"] = *run.finished;
  return invocation;
}

Json SarifRun(const ReportData& data, size_t index) {
  const RunInfo& run = data.runs[index];
  std::vector<std::string> verdicts;
  const auto place = [&](std::string_view verdict) {
    auto rule = std::find(verdicts.begin(), verdicts.end(), verdict);
    if (rule == verdicts.end()) rule = verdicts.emplace(verdicts.end(), verdict);
    return static_cast<size_t>(rule - verdicts.begin());
  };
  Json results = Json::array();
  for (const FindingInfo& finding : data.findings) {
    if (finding.run != index) continue;
    results.push_back(ResultJson(finding, run, place(ToText(finding.verdict))));
  }
  for (const ProbeInfo& probe : data.probes) {
    if (probe.run != index || probe.standing != ProbeStanding::kOtherwise) continue;
    results.push_back(ProbeJson(probe, run, place(kProbeRule)));
  }
  Json rules = Json::array();
  for (const std::string& verdict : verdicts) {
    rules.push_back({{"id", verdict}, {"shortDescription", {{"text", RuleText(verdict)}}}});
  }
  Json json = {{"tool",
                {{"driver",
                  {{"name", "anecheck"}, {"version", kToolVersion}, {"rules", std::move(rules)}}}}},
               {"invocations", Json::array({InvocationJson(run)})},
               {"automationDetails", {{"id", "anecheck/" + run.uuid}}},
               {"properties",
                {{"provenance", ToText(run.provenance)},
                 {"engine", run.engine},
                 {"chip", run.chip},
                 {"compilerVersion", run.compiler_version},
                 {"os", run.os},
                 {"cases", run.cases}}},
               {"results", std::move(results)}};
  if (const std::string guid = Guid(run.uuid); !guid.empty()) {
    json["automationDetails"]["guid"] = guid;
  }
  return json;
}

}  // namespace

Json SarifLog(const ReportData& data) {
  Json json = {{"$schema",
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                "sarif-schema-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array()}};
  for (size_t i = 0; i < data.runs.size(); ++i) json["runs"].push_back(SarifRun(data, i));
  return json;
}

}  // namespace anecheck::reports
