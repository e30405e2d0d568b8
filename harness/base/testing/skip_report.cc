// Reports skipped tests. Every test binary links this file.
//
// With ANECHECK_SKIP_REPORT=FILE each skipped test adds one line "SUITE.TEST: REASON" to FILE. With
// ANECHECK_REQUIRE_DATA=1 a test that skips because real files or vectors are missing fails.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "harness/base/testing/test_data.h"

namespace anecheck::testing {
namespace {

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Returns the reason of a skip without line breaks.
std::string ReasonOf(const ::testing::TestResult& result) {
  for (int i = 0; i < result.total_part_count(); ++i) {
    const ::testing::TestPartResult& part = result.GetTestPartResult(i);
    if (!part.skipped()) continue;
    std::string reason = part.message();
    for (char& c : reason) c = c == '\n' ? ' ' : c;
    return reason;
  }
  return "no reason given";
}

class SkipReport : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Skipped()) return;
    const std::string reason = ReasonOf(*test.result());
    const std::string file(Variable("ANECHECK_SKIP_REPORT"));
    if (!file.empty()) Append(file, test, reason);
    if (Variable("ANECHECK_REQUIRE_DATA") == "1" && reason.contains(kMissingData)) {
      ADD_FAILURE() << "ANECHECK_REQUIRE_DATA=1 allows no skip: " << reason;
    }
  }

  static void Append(const std::string& file, const ::testing::TestInfo& test,
                     const std::string& reason) {
    std::ofstream out(file, std::ios::app);
    out << test.test_suite_name() << '.' << test.name() << ": " << reason << '\n';
    out.close();
    EXPECT_TRUE(out.good()) << "cannot write " << file << ": check ANECHECK_SKIP_REPORT";
  }
};

// Registers the listener before main, because main usually comes from GoogleTest and runs the tests
// at once.
const bool kRegistered = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new SkipReport);
  return true;
}();

}  // namespace
}  // namespace anecheck::testing
