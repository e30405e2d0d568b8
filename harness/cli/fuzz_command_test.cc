// Tests of `anecheck fuzz` as a user runs it: its files after a stop, and its messages about
// findings and wrong commands.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "harness/base/shell_word.h"
#include "harness/base/testing/shell.h"
#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

class FuzzCommand : public testing::ToolTest {
 protected:
  testing::ToolOutcome Fuzz(const std::string& arguments) {
    return Tool("fuzz --format td --count 8 " +
                (arguments.starts_with("--out") ? "" : "--out " + Path("found") + " ") + arguments);
  }
};

TEST_F(FuzzCommand, AStopLeavesNoProcessAndNoFolderAndIsReported) {
  const std::string script = fmt::format(
      "mkdir {0}; TMPDIR={0} {1} fuzz --format td --count 5 --out {2} --timeout-ms 300000 -- "
      "/bin/sh -c 'echo $$ >{3}; exec sleep 300' sh @@ >/dev/null 2>{4} & tool=$!\n"
      "while [ ! -s {3} ]; do sleep 0.05; done; kill -TERM $tool; wait $tool",
      Path("tmp"), ANECHECK_TOOL, Path("found"), Path("pid"), Path("said"));
  const int status = std::system(script.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(ReadTextFile(Path("said"))->find("interrupted after 0 of 5 files"), std::string::npos);
  EXPECT_EQ(std::system(("rmdir " + Path("tmp")).c_str()), 0) << "the tool left files in TMPDIR";
  const int pid = std::stoi(*ReadTextFile(Path("pid")));
  // A zombie process, which nobody has waited for yet, has an empty command line.
  const auto words = ReadTextFile(fmt::format("/proc/{}/cmdline", pid));
  EXPECT_TRUE(!words.ok() || words->empty()) << *words;
}

TEST_F(FuzzCommand, AFindingHasAFileAndAReport) {
  const auto json = JsonOf(Fuzz("--json -- /bin/sh -c 'kill -SEGV $$' sh @@"));
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["interrupted"], false);
  const Json& finding = json["findings"][0];
  EXPECT_EQ(ReadFile(finding["file"].get<std::string>())->size(), finding["size"]);
  EXPECT_TRUE(ReadTextFile(finding["report"].get<std::string>())
                  ->starts_with(finding["signature"].get<std::string>() + "\n"));
}

TEST_F(FuzzCommand, ThePlaceholderMayBePartOfAWordAndOfTheOtherCommand) {
  const auto outcome = Fuzz("--against 'cat @@' -- dd if=@@ of=/dev/null");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("8 files, 8 accepted, 0 findings\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;
}

// The quotes around the placeholder and the characters of the path have no effect.
TEST_F(FuzzCommand, ThePathOfTheFileIsOneWordOfTheOtherCommand) {
  ASSERT_EQ(std::system(("mkdir " + ShellWord(Path("a $b'c"))).c_str()), 0);
  for (const char* const other :
       {"cat @@", "cat \"@@\"", "f='@@'; cat \"$f\"", "cat \"$1\"", "echo it\\'s; cat @@"}) {
    const std::string script = fmt::format(
        "TMPDIR={} exec {} fuzz --format td --count 4 --out {} --against {} -- /bin/cat @@",
        ShellWord(Path("a $b'c")), ANECHECK_TOOL, Path("found"), ShellWord(other));
    EXPECT_EQ(testing::ExitCodeOf((script + " >/dev/null 2>&1")), 0) << script;
  }
}

TEST_F(FuzzCommand, OptionsNameFurtherSignsOfACrash) {
  const std::string parser = "-- /bin/sh -c 'echo cannot go on >&2; exit 3' sh @@";
  EXPECT_EQ(Fuzz(parser).code, 0);
  const auto by_code = JsonOf(Fuzz("--json --crash-exit 2,3 " + parser));
  ASSERT_EQ(by_code["findings"].size(), 1u);
  EXPECT_EQ(by_code["findings"][0]["signature"], "crash exit code 3 cannot go on");
  EXPECT_EQ(by_code["findings"][0]["known"], false);
  const auto by_text = Fuzz("--crash-text 'not there' --crash-text 'cannot go' " + parser);
  EXPECT_NE(by_text.out.find("8 files, 0 accepted, 1 finding, 1 of them kept by earlier runs\n"),
            std::string::npos)
      << by_text.out;
  EXPECT_EQ(Fuzz("--crash-exit 0 " + parser).code, 2);
}

// A nightly run that finds only known bugs must not raise an alarm.
TEST_F(FuzzCommand, TheExitCodeIsOneOnlyForNewFindings) {
  const std::string crash = "case $(wc -c < \"$1\") in *[02468]) kill -SEGV $$; esac; ";
  const std::string parser = "-- /bin/sh -c '" + crash + "' sh @@";
  EXPECT_EQ(Fuzz(parser).code, 1);
  const auto known = Fuzz("--seed 2 " + parser);
  EXPECT_EQ(known.code, 0);
  EXPECT_NE(known.out.find("1 finding, 1 of them kept by earlier runs\n"), std::string::npos)
      << known.out;
  EXPECT_EQ(Fuzz("-- /bin/sh -c '" + crash + "kill -ABRT $$' sh @@").code, 1);
}

// Only the first run of the parser fails.
TEST_F(FuzzCommand, AFailureThatDoesNotRepeatIsReportedAsSuch) {
  const auto json =
      JsonOf(Fuzz("--json -- /bin/sh -c 'mkdir " + Path("once") + " && kill -SEGV $$' sh @@"));
  ASSERT_EQ(json["findings"].size(), 1u);
  const Json& finding = json["findings"][0];
  EXPECT_EQ(finding["again"], false);
  EXPECT_EQ(finding["size"], finding["first_size"]);
  EXPECT_NE(ReadTextFile(finding["report"].get<std::string>())
                ->find("\nnot reproduced: a second run did not fail in this way\n"),
            std::string::npos);
}

TEST_F(FuzzCommand, SenselessOptionsAreBadUsage) {
  EXPECT_EQ(Fuzz("-- /bin/cat").code, 2);
  EXPECT_NE(Fuzz("--against cat -- /bin/cat @@").err.find("--against"), std::string::npos);
  EXPECT_EQ(Fuzz("--against cat -- /bin/cat @@").code, 2);
  const auto missing = Fuzz("--against '/no/such/program @@' -- /bin/cat @@");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("/no/such/program"), std::string::npos) << missing.err;
  EXPECT_EQ(Fuzz("--out '' -- /bin/cat @@").code, 2);
  EXPECT_EQ(Fuzz("--time soon -- /bin/cat @@").code, 2);
}

TEST_F(FuzzCommand, FindingsBeforeAnErrorArePrinted) {
  const auto outcome =
      Fuzz("--json --against '/no/such/program @@' -- /bin/sh -c 'kill -SEGV $$' sh @@");
  EXPECT_EQ(outcome.code, 3);
  const auto json = JsonOf(outcome);
  EXPECT_EQ(json["findings"].size(), 1u);
  EXPECT_NE(json["error"].get<std::string>().find("/no/such/program"), std::string::npos);
  EXPECT_NE(outcome.err.find("the findings of 8 of 8 files are kept in " + Path("found")),
            std::string::npos)
      << outcome.err;
}

TEST_F(FuzzCommand, AParserThatAcceptsNothingCausesAWarning) {
  const auto first = Fuzz("-- /bin/false @@");
  EXPECT_EQ(first.code, 0);
  EXPECT_NE(first.err.find("the command accepted none of 8 files"), std::string::npos) << first.err;
  const auto second = Fuzz("--against 'test -d @@' -- /bin/cat @@");
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("--against accepted none of 8 files"), std::string::npos) << second.err;
}

}  // namespace
}  // namespace anecheck
