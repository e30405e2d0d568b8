// Usage that needs a run or a full disk; refusals stand in testdata/usage.test.
#include <gtest/gtest.h>
#include <string>

#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

class UsageCliTest : public testing::ToolTest {};

TEST_F(UsageCliTest, CasesThatOnlyMilSaysTakeItsRouteOfBoth) {
  ASSERT_LE(Tool("run --cases 8 --targets h13 --route both --mode state" + Db("both")).code, 1);
  EXPECT_EQ(Tool("query 'SELECT DISTINCT route FROM cases'" + Db("both")).out, "route\nmil\n");
}

// A full disk behind standard output must not look like success, whatever the command.
TEST_F(UsageCliTest, AnOutputThatTakesNothingIsAnErrorOfEveryCommand) {
  ASSERT_EQ(Tool("run --cases 20 --targets h13" + Db("a")).code, 0);
  const std::string db = Db("a");
  for (const std::string& command : {std::string("--help"),
                                     std::string("--version"),
                                     std::string("run --help"),
                                     std::string("help run"),
                                     std::string("help --man"),
                                     std::string("ops"),
                                     std::string("ops --json"),
                                     std::string("enums"),
                                     std::string("targets"),
                                     std::string("targets show h13"),
                                     std::string("explain conv --target h13"),
                                     std::string("explain D03"),
                                     std::string("matrix --targets h13 --ops conv"),
                                     std::string("doctor"),
                                     "run --cases 2 --targets h13" + Db("b"),
                                     "coverage" + db,
                                     "report" + db + " --out " + Path("r"),
                                     "trend" + db,
                                     "site" + db + " --out " + Path("s"),
                                     "query 'SELECT 1'" + db,
                                     std::string("power --list"),
                                     std::string("activation gelu --target h13")}) {
    const std::string full =
        std::string(ANECHECK_TOOL) + " " + command + " >/dev/full 2>" + Path("err");
    const int status = std::system(full.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 3) << command;
    EXPECT_NE(ReadTextFile(Path("err"))->find("standard output cannot be written"),
              std::string::npos)
        << command;
  }
}

}  // namespace
}  // namespace anecheck
