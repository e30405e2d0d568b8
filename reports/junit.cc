#include "reports/junit.h"

#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "harness/base/counted.h"
#include "harness/campaign/campaign.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

using SuiteKey = std::tuple<std::string, std::string, std::string>;  // provenance, target, route

SuiteKey KeyOf(Provenance provenance, const std::string& target, Route route) {
  return {std::string(ToText(provenance)), target, std::string(ToText(route))};
}

std::string SuiteName(const SuiteKey& key) {
  return fmt::format("anecheck.{}.{}.{}", std::get<0>(key), std::get<1>(key), std::get<2>(key));
}

// Adds a test case. `body` is empty for a pass without details.
void AddCase(const SuiteKey& key, std::string_view name, std::string_view body, Suite& suite) {
  ++suite.tests;
  suite.cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                             EscapeXml(SuiteName(key)), EscapeXml(name));
  suite.cases += body.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", body);
}

void AddOperation(const ReachKey& key, const ReachCounts& counts, Suite& suite) {
  std::string body;
  if (counts.cases > 0 && counts.inconclusive == counts.cases) {
    ++suite.skipped;
    body = fmt::format("      <skipped>every case was inconclusive ({})</skipped>\n",
                       Counted(counts.cases, "case"));
  }
  AddCase(KeyOf(key.provenance, key.target, key.route), key.op, body, suite);
}

void AddFinding(const SuiteKey& key, const FindingInfo& finding, const std::string& name,
                Suite& suite) {
  const std::string text = EscapeXml(fmt::format("{}\noccurrences: {}\nreplay: {}", finding.summary,
                                                 finding.occurrences, finding.replay));
  std::string body;
  if (KindOfFinding(finding.verdict) == FindingKind::kUnconfirmed) {
    // An unconfirmed finding is skipped, because no measured term decides whether it is a failure.
    ++suite.skipped;
    body = fmt::format("      <skipped>{}: {}</skipped>\n", ToText(finding.verdict), text);
  } else if (!finding.is_new) {
    body = fmt::format("      <system-out>{} {}: {}</system-out>\n", ToText(finding.verdict),
                       EscapeXml(finding.defects.ToText()), text);
  } else {
    const bool values = finding.verdict == Verdict::kWrong;
    ++(values ? suite.failures : suite.errors);
    body = fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n",
                       values ? "failure" : "error", ToText(finding.verdict),
                       EscapeXml(finding.summary), text);
  }
  AddCase(key, name, body, suite);
}

std::string NameOf(const FindingInfo& finding) {
  return fmt::format("{} {}", finding.op.empty() ? "(case)" : finding.op, finding.id);
}

SuiteKey SuiteOf(const ReportData& data, const FindingInfo& finding) {
  return KeyOf(data.runs[finding.run].provenance, finding.target, finding.route);
}

// The text in place of a route in the names of suites of probes.
constexpr const char* kProbeRoute = "probe";

// Adds a probe. As in `anecheck probe`, a figure that differs from the published one is a failure.
void AddProbe(const SuiteKey& key, const ProbeInfo& probe, const std::string& name, Suite& suite) {
  std::string body;
  const std::string figures =
      EscapeXml(fmt::format("measured {}, published {}", probe.measured,
                            probe.published.empty() ? "nothing" : probe.published));
  switch (probe.standing) {
    case ProbeStanding::kOtherwise:
      ++suite.failures;
      body =
          fmt::format("      <failure type=\"otherwise\" message=\"{0}\">{0}</failure>\n", figures);
      break;
    case ProbeStanding::kUnmeasured:
      ++suite.skipped;
      body = fmt::format("      <skipped>unmeasured: {}</skipped>\n", EscapeXml(probe.message));
      break;
    case ProbeStanding::kNothingPublished:
      body = fmt::format("      <system-out>{}</system-out>\n", figures);
      break;
    case ProbeStanding::kAsPublished:
      break;
  }
  AddCase(key, name, body, suite);
}

void AddProbes(const ReportData& data, std::map<SuiteKey, Suite>& suites) {
  const auto key_of = [&](const ProbeInfo& probe) {
    return SuiteKey(ToText(data.runs[probe.run].provenance), probe.target, kProbeRoute);
  };
  std::map<std::pair<SuiteKey, std::string>, int> named;
  for (const ProbeInfo& probe : data.probes) ++named[{key_of(probe), probe.probe}];
  for (const ProbeInfo& probe : data.probes) {
    const SuiteKey key = key_of(probe);
    std::string name = probe.probe;
    if (named[{key, name}] > 1) name += " of run " + data.runs[probe.run].uuid;
    AddProbe(key, probe, name, suites[key]);
  }
}

}  // namespace

std::string JUnitXml(const ReportData& data) {
  std::map<SuiteKey, Suite> suites;
  // The counts of all machines form one test case, because readers of the format identify cases by
  // their names.
  std::map<ReachKey, ReachCounts> reach;
  for (const auto& [key, counts] : data.reach) {
    reach[{key.op, key.target, key.route, key.provenance}] += counts;
  }
  for (const auto& [key, counts] : reach) {
    AddOperation(key, counts, suites[KeyOf(key.provenance, key.target, key.route)]);
  }
  std::map<std::pair<SuiteKey, std::string>, int> named;
  for (const FindingInfo& finding : data.findings) {
    ++named[{SuiteOf(data, finding), NameOf(finding)}];
  }
  for (const FindingInfo& finding : data.findings) {
    const SuiteKey key = SuiteOf(data, finding);
    std::string name = NameOf(finding);
    if (named[{key, name}] > 1) name += " of run " + data.runs[finding.run].uuid;
    AddFinding(key, finding, name, suites[key]);
  }
  AddProbes(data, suites);
  Suite sum;
  std::string body;
  for (const auto& [key, suite] : suites) {
    body += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
        "</testsuite>\n",
        EscapeXml(SuiteName(key)), suite.tests, suite.failures, suite.errors, suite.skipped,
        suite.cases);
    sum.tests += suite.tests;
    sum.failures += suite.failures;
    sum.errors += suite.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"anecheck\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      sum.tests, sum.failures, sum.errors, body);
}

}  // namespace anecheck::reports
