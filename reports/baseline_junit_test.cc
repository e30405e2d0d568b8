// Tests the JUnit XML of a comparison of baselines.
#include "reports/baseline_junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"

namespace anecheck::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

EntryDrift Entry(const char* op, const char* target, Drift drift, const char* detail) {
  EntryDrift entry;
  entry.before.op = op;
  entry.before.target = target;
  entry.before.configuration = "float";
  entry.before.route = Route::kMil;
  entry.drift = drift;
  entry.detail = detail;
  return entry;
}

BaselineComparison Sample() {
  BaselineComparison comparison;
  comparison.entries = {Entry("add", "h13", Drift::kIdentical, ""),
                        Entry("conv", "h13", Drift::kOutOfBound, "3 elements <outside> & more"),
                        Entry("exp", "h13", Drift::kDrifted, "1 of 2 cases with other bits"),
                        Entry("gelu", "h17s", Drift::kNotComparable, "the cases are others")};
  return comparison;
}

TEST(BaselineJUnit, FailsTheGivenDrifts) {
  const Drift failing[] = {Drift::kOutOfBound};
  const std::string xml = BaselineJUnitXml(Sample(), failing);
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"1\" errors=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"anecheck.baseline.h13\" tests=\"3\" failures=\"1\" "
                             "errors=\"0\" skipped=\"0\">"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"out-of-bound\" message=\"3 elements &lt;outside&gt; "
                             "&amp; more\">"));
  EXPECT_THAT(xml, HasSubstr("<system-out>drifted: 1 of 2 cases with other bits</system-out>"));
  EXPECT_THAT(xml, HasSubstr("<skipped>the cases are others</skipped>"));
  EXPECT_THAT(xml, HasSubstr("name=\"add float mil\"/>"));
}

TEST(BaselineJUnit, AnyClassCanBeAFailure) {
  const Drift failing[] = {Drift::kDrifted, Drift::kNotComparable};
  const std::string xml = BaselineJUnitXml(Sample(), failing);
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"2\""));
  EXPECT_THAT(xml, Not(HasSubstr("<skipped")));
}

TEST(BaselineJUnit, FitsItsSchemaAndThatOfItsReaders) {
  if (std::system("xmllint --version 2>/dev/null") != 0) GTEST_SKIP() << "xmllint is missing";
  auto folder = TempDirectory::Create("anecheck-junit-");
  ASSERT_TRUE(folder.ok());
  const Drift failing[] = {Drift::kOutOfBound};
  ASSERT_TRUE(
      WriteFileAtomic(folder->File("j.xml"), std::string_view(BaselineJUnitXml(Sample(), failing)))
          .ok());
  for (const char* schema : {"junit.xsd", "jenkins-junit.xsd"}) {
    const std::string command =
        "xmllint --nonet --noout --schema '" ANECHECK_SOURCE_DIR "/reports/schemas/" +
        std::string(schema) + "' '" + folder->File("j.xml") + "' 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << schema;
  }
}

}  // namespace
}  // namespace anecheck::reports
