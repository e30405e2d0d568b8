#include "reports/baseline_junit.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "reports/text.h"

namespace anecheck::reports {
namespace {

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, skipped = 0;
};

void AddEntry(const EntryDrift& entry, bool failing, Suite& suite) {
  const BaselineEntry& before = entry.before;
  ++suite.tests;
  suite.cases += fmt::format("    <testcase classname=\"anecheck.baseline.{}\" name=\"{} {} {}\"",
                             EscapeXml(before.target), EscapeXml(before.op),
                             EscapeXml(before.configuration), ToText(before.route));
  const std::string detail = EscapeXml(entry.detail);
  if (failing) {
    ++suite.failures;
    suite.cases += fmt::format(
        ">\n      <failure type=\"{0}\" message=\"{1}\">{1}</failure>\n    "
        "</testcase>\n",
        DriftName(entry.drift), detail);
  } else if (entry.drift == Drift::kNotComparable) {
    ++suite.skipped;
    suite.cases += fmt::format(">\n      <skipped>{}</skipped>\n    </testcase>\n", detail);
  } else if (entry.drift != Drift::kIdentical) {
    suite.cases += fmt::format(">\n      <system-out>{}: {}</system-out>\n    </testcase>\n",
                               DriftName(entry.drift), detail);
  } else {
    suite.cases += "/>\n";
  }
}

}  // namespace

std::string BaselineJUnitXml(const BaselineComparison& comparison, std::span<const Drift> failing) {
  std::map<std::string, Suite> suites;
  for (const EntryDrift& entry : comparison.entries) {
    const bool fails = std::ranges::find(failing, entry.drift) != failing.end();
    AddEntry(entry, fails, suites[entry.before.target]);
  }
  std::string body;
  int tests = 0;
  int failures = 0;
  for (const auto& [target, suite] : suites) {
    body += fmt::format(
        "  <testsuite name=\"anecheck.baseline.{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
        "skipped=\"{}\">\n{}  </testsuite>\n",
        EscapeXml(target), suite.tests, suite.failures, suite.skipped, suite.cases);
    tests += suite.tests;
    failures += suite.failures;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"anecheck baseline\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}</testsuites>\n",
      tests, failures, body);
}

}  // namespace anecheck::reports
