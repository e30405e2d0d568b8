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

TEST_F(UsageCliTest, AMisspeltWordComesWithTheOneThatIsMeant) {
  ExpectRefused("rnu --cases 1", "rnu: no such subcommand; did you mean run?; `anecheck --help`");
  ExpectRefused("finding exprot f0", "exprot: no such subcommand; did you mean export?");
  ExpectRefused("run --case 1", "did you mean --cases");
  ExpectRefused("report --db=x --outt y", "did you mean --out?; `anecheck report --help`");
  ExpectRefused("run --cases 1 --ops covn" + Db("x"),
                "--ops covn: no such operation; did you mean conv");
  ExpectRefused("matrix --ops covn",
                "--ops covn: no row has this name; did you mean Conv or conv?");
  ExpectRefused("explain D99", "D99: no such documented defect");
  ExpectRefused("explain conv", "--target: name the target of the operation");
}

TEST_F(UsageCliTest, AnNpyFileIsToldFromAnNpzFile) {
  ASSERT_TRUE(WriteFileAtomic(Path("x.npy"), std::string_view("\x93NUMPY\x01\0v\0", 10)).ok());
  ASSERT_TRUE(WriteFileAtomic(Path("m.mil"), std::string_view("program(1.3) {}")).ok());
  ExpectRefused("eval " + Path("m.mil") + " --inputs " + Path("x.npy"),
                "a .npy file holds one array without a name; write it with numpy.savez");
}

TEST_F(UsageCliTest, ALabelIsOneShortLine) {
  ExpectRefused("run --cases 1 --label \"$(printf 'a\\nb')\"" + Db("x"),
                "--label: must be one line");
  ExpectRefused("run --cases 1 --label " + std::string(121, 'x') + Db("x"),
                "--label: must be one line");
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
