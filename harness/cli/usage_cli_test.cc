// What is typed and cannot be meant: each is refused with one line that says what, where and what
// to do, and exit code 2.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using Outcome = testing::ToolOutcome;

class UsageCliTest : public testing::ToolTest {
 protected:
  void ExpectRefused(const std::string& arguments, const std::string& words) {
    const Outcome outcome = Tool(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
};

// As a script gives it whose variable was never set.
TEST_F(UsageCliTest, AnEmptyFileNameIsRefused) {
  for (const std::string command :
       {"run --cases 1 --db ''", "run --resume --db ''", "probe --db ''", "report --db '' --out x",
        "query --db '' 'SELECT 1'", "coverage --db ''", "trend --db ''", "replay f0 --db ''",
        "shrink f0 --db ''", "finding export f0 --db ''", "explain relu --target h13 --db ''",
        "matrix --db ''", "check x.mil --db ''"}) {
    ExpectRefused(command, "--db: the name is empty; name a file or a folder; `anecheck ");
  }
  ExpectRefused("run --cases 1 --events ''" + Db("x"), "--events: the name is empty");
  for (const std::string command :
       {"gen --format hwx --out ''", "report --db x --out ''", "merge x y --out ''",
        "baseline record --out ''", "lower x.mil --target h13 --out ''"}) {
    ExpectRefused(command, "--out: the name is empty");
  }
}

// They would be taken and do nothing.
TEST_F(UsageCliTest, SettingsOfAnEngineWantTheRunnerThatLoadsOne) {
  for (const std::string option :
       {"--fault sub-swapped", "--quirk all=off", "--files", "--espresso-lib engine.so"}) {
    const std::string name = option.substr(0, option.find(' '));
    ExpectRefused("run --cases 1 --runner roundtrip " + option + Db("x"),
                  name + " --runner roundtrip: only the runner e5rt loads an engine");
  }
  ExpectRefused("check model.mil --runner exec:true --fault sub-swapped",
                "--fault --runner exec:true: only the runner e5rt");
}

TEST_F(UsageCliTest, CasesThatOnlyMilSaysAreNoneOfNetworkDescriptions) {
  for (const std::string mode : {"state", "compressed", "must-reject", "metamorphic"}) {
    ExpectRefused("run --cases 1 --route netlist --mode " + mode + Db("x"),
                  "--mode " + mode +
                      " --route netlist: such cases exist in MIL text only; give "
                      "--route mil");
  }
  ASSERT_LE(Tool("run --cases 8 --targets h13 --route both --mode state" + Db("both")).code, 1);
  EXPECT_EQ(Tool("query 'SELECT DISTINCT route FROM cases'" + Db("both")).out, "route\nmil\n");
}

TEST_F(UsageCliTest, ExplainRefusesWhatNoOperationCanHave) {
  const std::string explain = "explain conv --target h13 ";
  ExpectRefused(explain + "--attr kernel=x", "kernel=x: must be a whole number, 1 or more");
  ExpectRefused(explain + "--attr groups=-1", "groups=-1: must be");
  ExpectRefused(explain + "--attr pad_type=zzz", "must be one of valid, same");
  ExpectRefused(explain + "--attr strides=2,2,2,2,2", "1 to 3 spatial axes");
  ExpectRefused(explain + "--shape x=1,2", "conv needs batch, channels and");
  ExpectRefused("explain Concat --route netlist --target h13 --attr axis=last",
                "--attr: the rule concat_axis_sign cannot read what is given (expression: ");
  ExpectRefused("explain nosuch --target h13", "\"nosuch\"; `anecheck ops` lists them");
  EXPECT_EQ(Tool(explain + "--attr kernel=3 --attr strides=2,2 --shape x=1,8,9,9").code, 0);
}

TEST_F(UsageCliTest, ANameThatIsNoneComesWithNearOnesAndWhatListsThem) {
  ExpectRefused("run --cases 1 --targets h99" + Db("x"),
                "--targets h99: unknown target \"h99\"; near names: h1");
  ExpectRefused("explain relu --target h99", "`anecheck targets` lists all");
  ExpectRefused("run --cases 1 --ops non_zero" + Db("x"),
                "--ops non_zero: the generator cannot draw it: ");
}

}  // namespace
}  // namespace anecheck
