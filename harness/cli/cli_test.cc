// Tests of the tool as a user or a script runs it: exit codes, JSON, error lines, replay.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/shell_word.h"
#include "harness/base/testing/shell.h"
#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using Outcome = testing::ToolOutcome;
using CliTest = testing::ToolTest;

TEST_F(CliTest, TheSameSeedPrintsTheSameBytesForAnyNumberOfJobs) {
  const std::string run = "run --cases 2000 --seed 1 --targets h13 --json" + Db("same.sqlite");
  const Outcome first = Tool(run + " --jobs 1");
  const Outcome parallel = Tool(run + " --jobs 2");
  // If a run takes more than ten seconds, as on a slow machine, the tool writes lines of progress
  // to a pipe.
  std::istringstream lines(first.err);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_NE(line.find(" cases, "), std::string::npos) << line;
  }
  EXPECT_EQ(first.out, parallel.out);
  EXPECT_EQ(parallel.out, Tool(run + " --jobs 2").out);
  const auto json = ParseJson(first.out);
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ((*json)["summary"]["cases"], 2000);
  EXPECT_LE((*json)["summary"]["judged"].get<int>() + (*json)["summary"]["inconclusive"].get<int>(),
            2000);
  // Graphs with an operation that the simulated engine lacks are refused and not judged.
  EXPECT_GE((*json)["summary"]["judged"].get<int>(), 1700);
}

TEST_F(CliTest, ACleanEngineIsClean) {
  const Outcome run =
      Tool("run --cases 400 --seed 2 --targets h13,h17s --quirk all=off" + Db("clean.sqlite"));
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("400 cases"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" 0 new findings, 0 known defects"), std::string::npos) << run.out;
}

// The default quirks of a family are documented defects, so no deviation that one or several of
// them cause is a new finding.
TEST_F(CliTest, DocumentedDefectsAreNoNewFindings) {
  for (const std::string modes : {"", " --mode boundary,special"}) {
    const Outcome run =
        Tool("run --cases 300 --seed 2 --targets h13,h17s --json" + modes + Db("quirks.sqlite"));
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    const auto json = ParseJson(run.out);
    ASSERT_TRUE(json.ok()) << json.error().message;
    EXPECT_EQ((*json)["summary"]["findings"], 0);
    EXPECT_GE((*json)["summary"]["known_defects"].get<int>(), 5);
  }
}

struct PlantedFault {
  std::string id;
  std::set<std::string> ops;  // the operations that the fault can make wrong
};
const PlantedFault kFaults[] = {
    {"conv-bias-dropped", {"conv"}},
    {"conv-pad-wrong-side", {"conv"}},
    {"mac-fp16-accumulation",
     {"conv", "conv_transpose", "einsum", "linear", "matmul", "scaled_dot_product_attention"}},
    {"linear-weight-transposed", {"linear"}},
    {"slice-off-by-one", {"slice_by_size"}}};

TEST_F(CliTest, PlantedFaultsAreFoundAmongDocumentedDefects) {
  for (const auto& [fault, ops] : kFaults) {
    for (const std::string modes : {"", " --mode boundary"}) {
      const Outcome run = Tool("run --cases 200 --seed 3 --targets h13 --json --fault " + fault +
                               modes + Db("beside.sqlite"));
      EXPECT_EQ(run.code, 1) << fault << modes << run.out << run.err;
    }
  }
}

TEST_F(CliTest, PlantedFaultsAreFoundAndReplay) {
  for (const auto& [fault, ops] : kFaults) {
    const std::string db = Db(fault + ".sqlite");
    const Outcome run =
        Tool("run --cases 500 --seed 3 --targets h13 --quirk all=off --json --fault " + fault + db);
    EXPECT_EQ(run.code, 1) << fault << run.out << run.err;
    const auto json = ParseJson(run.out);
    ASSERT_TRUE(json.ok()) << fault;
    ASSERT_GE((*json)["summary"]["findings"].get<int>(), 1) << fault;
    int wrong = 0;
    for (const auto& finding : (*json)["findings"]) {
      if (finding["verdict"] != "wrong") continue;
      EXPECT_TRUE(ops.contains(finding["op"].get<std::string>())) << fault << ": " << finding;
      if (wrong++ > 0) continue;
      const std::string id = finding["id"].get<std::string>();
      EXPECT_EQ(finding["replay"], "anecheck replay " + id + db);
      const Outcome replay = Tool("replay " + id + db + " --json");
      EXPECT_EQ(replay.code, 1) << fault << replay.err;
      EXPECT_EQ((*ParseJson(replay.out))["verdict"], "wrong") << fault;
      EXPECT_EQ((*ParseJson(replay.out))["op"], finding["op"]) << fault;
    }
    EXPECT_GE(wrong, 1) << fault << ": no finding has wrong values";
  }
}

// The command of --if accepts the finding once, and then waits until the signal ends it.
TEST_F(CliTest, AnInterruptedShrinkWritesItsSmallestCase) {
  Tool("run --cases 300 --seed 3 --targets h13 --quirk all=off --fault slice-off-by-one" +
       Db("stopped.sqlite"));
  const Outcome query = Tool("query \"SELECT id FROM findings LIMIT 1\"" + Db("stopped.sqlite"));
  const std::string id = query.out.substr(query.out.find("\nf") + 1, 12);
  WriteText("if.sh", "[ ! -e " + Path("seen") + " ] || { echo $$ >" + Path("pid") +
                         "; exec sleep 300; }; touch " + Path("seen") + "\n");
  const std::string script = std::string(ANECHECK_TOOL) + " shrink " + id + Db("stopped.sqlite") +
                             " --if 'sh " + Path("if.sh") + "' --out " + Path("small.json") +
                             " >/dev/null 2>" + Path("said") + " & tool=$!; while [ ! -s " +
                             Path("pid") + " ]; do sleep 0.05; done; kill -INT $tool; wait $tool";
  // A shell starts background commands with SIGINT ignored; the tool handles it nevertheless.
  const int status = std::system(script.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(ReadTextFile(Path("said"))->find("interrupted; "), std::string::npos);
  EXPECT_EQ(Tool("replay " + Path("small.json")).code, 1);
}

TEST_F(CliTest, AFindingShrinksToASmallOneThatReplays) {
  Tool("run --cases 300 --seed 3 --targets h13 --quirk all=off --fault slice-off-by-one" +
       Db("shrink.sqlite"));
  const Outcome query = Tool("query \"SELECT id FROM findings LIMIT 1\"" + Db("shrink.sqlite"));
  const std::string id = query.out.substr(query.out.find("\nf") + 1, 12);
  const std::string small = Path("small.json");
  const Outcome shrink = Tool("shrink " + id + " --json --out " + small + Db("shrink.sqlite"));
  ASSERT_EQ(shrink.code, 0) << shrink.err;
  const auto json = ParseJson(shrink.out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["op"], "slice_by_size");
  EXPECT_EQ((*json)["after"]["nodes"], 1);
  EXPECT_LE((*json)["after"]["elements"].get<int>(), 8);
  EXPECT_EQ(Tool("replay " + small).code, 1);
}

// The command of --if receives a path that the shell reads as one word.
TEST_F(CliTest, AShrinkQuotesThePathForItsCommand) {
  Tool("run --cases 64 --targets h15 --ops sub --fault sub-swapped" + Db("blank.sqlite"));
  const Outcome query = Tool("query \"SELECT id FROM findings LIMIT 1\"" + Db("blank.sqlite"));
  const std::string id = query.out.substr(query.out.find("\nf") + 1, 12);
  const std::string temporary = Path("a $b'c");
  ASSERT_TRUE(MakeDirectories(temporary).ok());
  const char* const before = std::getenv("TMPDIR");
  const std::string restored = before == nullptr ? "" : before;
  setenv("TMPDIR", temporary.c_str(), 1);
  const Outcome shrink = Tool("shrink " + id + " --if 'test -s' --max-tries 3 --out " +
                              Path("blank.json") + Db("blank.sqlite"));
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", restored.c_str(), 1);
  EXPECT_EQ(shrink.code, 0) << shrink.err;
}

// The fault joins parts in the wrong order. A relation that cuts an operation into parts shows it.
TEST_F(CliTest, AFindingOfARelationStaysOneAndIsExportedWithBothPrograms) {
  Tool("run --cases 900 --seed 1 --targets h13 --mode metamorphic --quirk all=off" +
       std::string(" --fault concat-swaps-last") + Db("relation.sqlite"));
  const Outcome query =
      Tool("query \"SELECT id FROM findings WHERE summary LIKE 'with %' LIMIT 1\"" +
           Db("relation.sqlite"));
  const std::string id = query.out.substr(query.out.find("\nf") + 1, 12);
  const std::string small = Path("small_relation.json");
  ASSERT_EQ(Tool("shrink " + id + " --out " + small + Db("relation.sqlite")).code, 0);
  const auto json = ParseJson(*ReadTextFile(small));
  ASSERT_TRUE(json.ok());
  const auto name = (*json)["relation"]["name"].get<std::string>();
  EXPECT_NE((*json)["message"].get<std::string>().find("with " + name), std::string::npos);
  EXPECT_LE((*json)["graph"]["ops"].size(), 3u);
  EXPECT_GT((*json)["relation"]["graph"]["ops"].size(), (*json)["graph"]["ops"].size());
  const Outcome again = Tool("replay " + small);
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.out.find("with " + name), std::string::npos) << again.out;
  const std::string folder = Path("exported_relation");
  ASSERT_EQ(Tool("finding export " + small + " --out " + folder).code, 0);
  const auto rewritten = ReadTextFile(folder + "/rewritten.mil");
  ASSERT_TRUE(rewritten.ok());
  EXPECT_EQ(*rewritten, (*json)["relation"]["mil"].get<std::string>());
}

// Debian's packages belong to /usr/bin/python3, which need not be the first in the path.
std::string PythonWithNumPy() {
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) == 0) return python;
  }
  return "";
}

// With only Python, NumPy and the folder, the script judges the recorded answer wrong and the exact
// answer right.
TEST_F(CliTest, AnExportedFindingIsJudgedByItsOwnScript) {
  const std::string python = PythonWithNumPy();
  if (python.empty()) {
    GTEST_SKIP() << "python3 with numpy is not installed (Debian: python3-numpy)";
  }
  Tool("run --cases 300 --seed 3 --targets h13 --quirk all=off --fault slice-off-by-one" +
       Db("export.sqlite"));
  const Outcome query = Tool("query \"SELECT id FROM findings LIMIT 1\"" + Db("export.sqlite"));
  const std::string id = query.out.substr(query.out.find("\nf") + 1, 12);
  const std::string place = Path("an export");
  const std::string folder = ShellWord(place);
  const Outcome exported = Tool("finding export " + id + " --out " + folder + Db("export.sqlite"));
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_NE(exported.out.find("python3 " + ShellWord(place + "/check_output.py") +
                              " judges the engine's outputs"),
            std::string::npos)
      << exported.out;
  for (const char* name : {"README.md", "graph.json", "model.mil", "inputs.npz", "expected.npz",
                           "actual.npz", "check_output.py", "finding.json"}) {
    EXPECT_TRUE(ReadFile(place + "/" + name).ok()) << name;
  }
  EXPECT_NE(ReadTextFile(place + "/README.md")->find("evidence: simulated"), std::string::npos);
  const auto check = [&](const std::string& arguments) {
    return testing::ExitCodeOf(
        (python + " " + folder + "/check_output.py " + arguments + " >" + Path("check")));
  };
  EXPECT_EQ(check(""), 1);
  // The script and the README name the same worst element.
  const std::string judged = *ReadTextFile(Path("check"));
  const std::string readme = *ReadTextFile(place + "/README.md");
  const size_t worst = readme.find("worst at ");
  ASSERT_NE(worst, std::string::npos) << readme;
  EXPECT_NE(judged.find(" elements are outside; " +
                        readme.substr(worst, readme.find(':', worst) - worst) + ", ["),
            std::string::npos)
      << judged << readme;
  ASSERT_EQ(Tool("eval " + folder + "/model.mil --inputs " + folder + "/inputs.npz --out " +
                 Path("right.npz"))
                .code,
            0);
  EXPECT_EQ(check(Path("right.npz")), 0) << *ReadTextFile(Path("check"));
  EXPECT_EQ(check(folder + "/inputs.npz 2>/dev/null"), 2);
  // For a file that is damaged anywhere the script prints one line, no traceback, and returns 2.
  const auto whole = ReadFile(place + "/actual.npz");
  ASSERT_TRUE(whole.ok());
  std::vector<uint8_t> scribbled = *whole;
  std::fill(scribbled.begin(), scribbled.begin() + 20, uint8_t{0});
  for (const std::vector<uint8_t>& damaged :
       {std::vector<uint8_t>(), std::vector<uint8_t>(whole->begin(), whole->begin() + 40),
        std::vector<uint8_t>(whole->begin(), whole->end() - 30), scribbled}) {
    ASSERT_TRUE(WriteFileAtomic(Path("damaged.npz"), damaged).ok());
    EXPECT_EQ(check(Path("damaged.npz") + " 2>" + Path("complaint")), 2);
    const std::string complaint = *ReadTextFile(Path("complaint"));
    EXPECT_EQ(complaint.find(Path("damaged.npz") + ": cannot be read as an .npz file: "), 0u)
        << complaint;
    EXPECT_EQ(std::count(complaint.begin(), complaint.end(), '\n'), 1) << complaint;
  }
  // -S -E hides Debian's packages, and with them NumPy.
  if (std::system((python + " -S -E -c 'import numpy' 2>/dev/null").c_str()) != 0) {
    EXPECT_EQ(testing::ExitCodeOf(
                  (python + " -S -E " + folder + "/check_output.py 2>" + Path("complaint"))),
              2);
    EXPECT_EQ(ReadTextFile(Path("complaint"))->find("check_output.py: NumPy is missing"), 0u);
  }
  EXPECT_EQ(Tool("replay " + folder + "/finding.json").code, 1);
}

TEST_F(CliTest, AnExportWithoutOutputsHasNoScript) {
  Tool("run --cases 10 --seed 3 --targets h13 --quirk all=off --fault compile-crash" +
       Db("crash.sqlite"));
  const Outcome query = Tool("query \"SELECT id FROM findings WHERE verdict = 'crashed' LIMIT 1\"" +
                             Db("crash.sqlite"));
  const std::string id = query.out.substr(query.out.find("\nf") + 1, 12);
  const Outcome exported =
      Tool("finding export " + id + " --out " + Path("crash") + Db("crash.sqlite"));
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_EQ(exported.out.find("check_output.py"), std::string::npos) << exported.out;
  EXPECT_NE(exported.out.find("gave no outputs: anecheck replay " + Path("crash/finding.json")),
            std::string::npos)
      << exported.out;
  const std::string python = PythonWithNumPy();
  if (python.empty()) GTEST_SKIP() << "python3 with numpy is not installed";
  EXPECT_EQ(testing::ExitCodeOf(
                (python + " " + Path("crash/check_output.py") + " 2>" + Path("complaint"))),
            2);
  EXPECT_EQ(*ReadTextFile(Path("complaint")),
            "no actual.npz: the engine gave no outputs; name a file of your own outputs\n");
}

TEST_F(CliTest, AFindingFileReplaysOnItsOwn) {
  const Outcome run =
      Tool("run --cases 200 --seed 3 --targets h13 --quirk all=off --fault conv-bias-dropped" +
           Db("one.sqlite"));
  ASSERT_EQ(run.code, 1) << run.err;
  const Outcome rows =
      Tool("query --json \"SELECT artifact FROM findings WHERE verdict = 'wrong' LIMIT 1\"" +
           Db("one.sqlite"));
  ASSERT_EQ(rows.code, 0) << rows.err;
  const std::string artifact = (*ParseJson(rows.out))[0]["artifact"].get<std::string>();
  ASSERT_TRUE(WriteFileAtomic(Path("finding.json"), artifact).ok());
  EXPECT_EQ(Tool("replay " + Path("finding.json")).code, 1);
  ASSERT_TRUE(WriteFileAtomic(Path("broken.json"), artifact.substr(0, artifact.size() / 2)).ok());
  const Outcome broken = Tool("replay " + Path("broken.json"));
  EXPECT_EQ(broken.code, 2);
  EXPECT_NE(broken.err.find("broken.json"), std::string::npos) << broken.err;
}

// The families before A13 take no MIL text, so a case in MIL text tests nothing on them.
TEST_F(CliTest, AllTargetsAreThoseThatTakeTheRoute) {
  const Outcome all = Tool("run --targets all --cases 400 --quirk all=off" + Db("all.sqlite"));
  EXPECT_EQ(all.code, 0) << all.out << all.err;
  EXPECT_EQ(Tool("run --targets h11 --route netlist --cases 10" + Db("h11.sqlite")).code, 0);
  EXPECT_EQ(Tool("run --targets h11 --runner roundtrip --cases 10" + Db("trip.sqlite")).code, 0);
}

// Without a message, exit code 0 would suggest a clean engine.
TEST_F(CliTest, ARunWithoutAnyResultSaysSo) {
  const Outcome nothing =
      Tool("run --targets h11 --route netlist --cases 10" + Db("nothing.sqlite"));
  EXPECT_EQ(nothing.code, 0);
  EXPECT_NE(nothing.err.find("no result: every case is inconclusive"), std::string::npos)
      << nothing.err;
  const Outcome something =
      Tool("run --targets h13 --cases 64 --quirk all=off" + Db("some.sqlite"));
  EXPECT_EQ(something.err.find("no result"), std::string::npos) << something.err;
}

TEST_F(CliTest, ARunOfMostlyInconclusiveCasesSaysSoAndWhy) {
  const Outcome run =
      Tool("run --runner emulator:exact --cases 64 --targets h13" + Db("mostly.sqlite"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find(" inconclusive: no fact describes its tasks on the engine\n"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("; most cases are inconclusive: "), std::string::npos) << run.out;
}

TEST_F(CliTest, AFinishedRunResumedPrintsItsSummaryAgain) {
  const std::string db = Db("resume.sqlite");
  const Outcome run = Tool("run --cases 128 --targets h13 --quirk all=off --json" + db);
  const Outcome resumed = Tool("run --resume --json" + db);
  EXPECT_EQ(resumed.code, run.code);
  EXPECT_EQ(resumed.out, run.out);
}

TEST_F(CliTest, RecordedOptionsCannotBeChangedByResume) {
  const Outcome outcome = Tool("run --resume --seed 4" + Db("resume.sqlite"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "anecheck: error: --seed cannot be given with --resume, which takes it from the "
            "results file\n");
}

TEST_F(CliTest, ShardsAreCountedFromOne) {
  EXPECT_EQ(Tool("run --cases 64 --shard 2/2 --targets h13 --quirk all=off" + Db("s")).code, 0);
  for (const char* wrong : {"0/2", "3/2", "1", "1/0", "a/b", "1/2x"}) {
    const Outcome outcome = Tool(std::string("run --cases 64 --shard ") + wrong + Db("s"));
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_NE(outcome.err.find(std::string("--shard ") + wrong), std::string::npos) << outcome.err;
  }
}

TEST_F(CliTest, BadUsageIsExitCodeTwoAndOneLine) {
  const std::pair<const char*, const char*> kMistakes[] = {
      {"run --targets h99 --cases 1", "h99"},
      {"run --targets h11 --cases 1", "--route netlist"},
      {"run --mode lazy --cases 1", "--mode lazy"},
      {"run --ops nothing --cases 1", "--ops nothing"},
      {"run --quirk D01 --cases 1", "--quirk D01"},
      {"run --time soon", "--time soon"},
      {"run --runner telepathy --cases 1", "--runner telepathy"},
      {"run --runner exec:/nonexistent --cases 1", "--runner exec:/nonexistent"},
      {"probe --probe gravity", "--probe gravity"},
      {"run --fault no-such-fault --cases 1", "no-such-fault"},
      {"run --espresso-lib /nonexistent.so --cases 1", "/nonexistent.so"},
      {"replay f0", "anecheck.sqlite: cannot be opened: No such file or directory; name the "},
      {"run --cases 1 --targets h13 --db /nonexistent/x", "/nonexistent/x: cannot be opened"},
      {"run --cases 1 --targets h13 --db /tmp", "/tmp: is a folder"},
      {"power --max-seconds -1", "--max-seconds: -1 must be a number, 0 or more"},
      {"baseline compare --share -1 /nonexistent", "--share: -1 must be a number, 0 or more"},
      {"inspect /nonexistent", "/nonexistent"},
      {"targets diff h13 h99", "h99"},
      {"encode /nonexistent /tmp/x", "/nonexistent"},
      {"no-such-command", "no-such-command: no such subcommand; `anecheck --help`"},
      {"--no-such-option", "--no-such-option: no such option"},
      {"finding print f0", "print: no such subcommand; `anecheck finding --help`"},
      {"run --no-such-option", "--no-such-option; `anecheck run --help`"},
      {"run --cases 0", "--cases: 0 must be a whole number from 1"},
      {"run --cases -1", "--cases: -1"},
      {"run --cases 99999999999999999999999", "--cases: 99999999999999999999999"},
      {"run --jobs 1000000", "--jobs: 1000000 must be a whole number from 1 to 1024"},
      {"run --seed -1", "--seed: -1 must be a whole number, 0 or more"},
      {"run --case-timeout -1", "--case-timeout: -1"},
      {"run --targets '' --cases 1", "--targets: no target"},
      {"run --ops '' --cases 1", "--ops: no operation"},
      {"fuzz --format mil --count 0 -- true", "--count: 0"},
      {"fuzz --format mil --jobs 0 -- true", "--jobs: 0"},
      {"power --cases 0", "--cases: 0"},
      {"baseline compare --fail-on worst /nonexistent", "--fail-on worst: must be one of"},
      {"baseline record --mode state --out /nonexistent/b", "--mode state: a baseline"},
      {"inspect /tmp", "/tmp: is a folder without Manifest.json and model.mil"},
  };
  for (const auto& [arguments, word] : kMistakes) {
    const Outcome outcome = Tool(std::string("") + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(word), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_EQ(outcome.err.find("anecheck: error: "), 0u) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
  EXPECT_EQ(Tool("").code, 2);
  EXPECT_EQ(Tool("--help").code, 0);
  EXPECT_EQ(Tool("--version").code, 0);
}

// `power --list` lists the values that --fault and --quirk take.
TEST_F(CliTest, PowerListsTheFaultsAndQuirksThatItTakes) {
  const auto list = ParseJson(Tool("power --list --json").out);
  ASSERT_TRUE(list.ok()) << list.error().message;
  std::map<std::string, std::string> groups;
  for (const auto& row : *list) groups[row["id"].text()] = row["group"].text();
  EXPECT_EQ(groups["conv-bias-dropped"], "planted");
  EXPECT_EQ(groups["D01"], "known-defect");
  const std::string text = Tool("power --list").out;
  for (const auto& [id, group] : groups) {
    EXPECT_NE(text.find(fmt::format("{:<34} {:<13}", id, group)), std::string::npos) << id;
  }
}

TEST_F(CliTest, ProbesOfTheSimulatedEngineGiveThePublishedFigures) {
  const Outcome probe = Tool("probe --targets h13,h14,h17s --json" + Db("probes.sqlite"));
  EXPECT_EQ(probe.code, 0) << probe.out << probe.err;
  const auto json = ParseJson(probe.out);
  ASSERT_TRUE(json.ok()) << json.error().message;
  std::map<std::string, std::string> h13;
  for (const auto& datum : *json) {
    EXPECT_NE(datum["agrees"], false) << datum.dump();
    if (datum["target"] == "h13") h13[datum["probe"].get<std::string>()] = datum["measured"].dump();
  }
  EXPECT_EQ(h13["accumulator_port"], "32768.0");
  EXPECT_EQ(h13["elementwise_port"], "\"no cliff\"");
  EXPECT_EQ(h13["survivors_4096"], "4.0");
  EXPECT_EQ(h13["rounding_tie"], "2048.0");
  EXPECT_EQ(h13["relu_nan"], "\"Infinity\"");
  const Outcome rows =
      Tool("query --json \"SELECT count(*) AS n FROM probes WHERE agrees = 'yes'\"" +
           Db("probes.sqlite"));
  EXPECT_GE((*ParseJson(rows.out))[0]["n"].get<int>(), 15) << rows.out;
  EXPECT_EQ(Tool("probe --probe accumulator_port --quirk all=off").code, 1)
      << "a conforming engine is not the published one";
}

TEST_F(CliTest, TheDoctorNamesTheEngineAndTheRunners) {
  const Outcome well = Tool("doctor --json");
  EXPECT_EQ(well.code, 0) << well.out << well.err;
  const auto json = ParseJson(well.out);
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ((*json)["engine"]["found"], true);
  EXPECT_EQ((*json)["runners"]["roundtrip"], true);
  EXPECT_FALSE((*json)["build"]["libraries"]["sqlite"].get<std::string>().empty());
  EXPECT_FALSE((*json)["next"].empty());
  const Outcome text = Tool("doctor");
  EXPECT_NE(text.out.find("anecheck run --cases 2000"), std::string::npos) << text.out;
  const std::string engine = (*json)["engine"]["path"].text();
  const Outcome named = Tool("doctor --json --espresso-lib " + engine);
  const auto steps = ParseJson(named.out);
  ASSERT_TRUE(steps.ok()) << named.out;
  EXPECT_EQ((*steps)["next"][0].get<std::string>().find(
                "anecheck run --cases 2000 --espresso-lib " + engine),
            0u)
      << named.out;
  EXPECT_EQ((*steps)["next"][1], "anecheck probe --espresso-lib " + engine);
  const Outcome none = Tool("doctor --espresso-lib /nonexistent.so");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.out.find("engine    none: /nonexistent.so: cannot be loaded"), std::string::npos)
      << none.out;
}

TEST_F(CliTest, TheRoundTripLosesNothing) {
  const Outcome run =
      Tool("run --runner roundtrip --cases 500 --targets h13,h17s --json" + Db("roundtrip.sqlite"));
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ((*ParseJson(run.out))["summary"]["judged"], 500);
  const Outcome rows = Tool(
      "query --json \"SELECT provenance, (SELECT sum(compiled) FROM reach) AS compiled FROM "
      "runs\"" +
      Db("roundtrip.sqlite"));
  EXPECT_EQ((*ParseJson(rows.out))[0]["provenance"], "roundtrip");
  EXPECT_EQ((*ParseJson(rows.out))[0]["compiled"], 0) << "a round trip compiles nothing";
}

TEST_F(CliTest, TablesAreJson) {
  const auto ops = ParseJson(Tool("ops --json").out);
  ASSERT_TRUE(ops.ok());
  EXPECT_GE((*ops)["ops"].size(), 26u);
  for (const char* key : {"name", "class", "route", "reference", "reason"}) {
    EXPECT_TRUE((*ops)["ops"][0].contains(key)) << key;
  }
  size_t shares = 0;
  for (const Json& op : (*ops)["ops"]) {
    if (op.contains("reached_share") && op["reached_share"].is_number()) ++shares;
  }
  EXPECT_GE(shares, 90u) << "the shares of the bounds are recorded with the tool";
  const auto targets = ParseJson(Tool("targets --json").out);
  ASSERT_TRUE(targets.ok());
  EXPECT_EQ(targets->size(), 30u);
  EXPECT_NE(Tool("targets diff h13 h17s").out.find("max_tensor_width"), std::string::npos);
}

TEST_F(CliTest, MergeJoinsResultsOnce) {
  ASSERT_EQ(Tool("run --cases 20 --seed 1 --targets h13" + Db("a.sqlite")).err, "");
  ASSERT_EQ(Tool("run --cases 30 --seed 2 --targets h13" + Db("b.sqlite")).err, "");
  const std::string inputs = Path("a.sqlite") + " " + Path("b.sqlite") + " " + Path("a.sqlite");
  const auto json = ParseJson(Tool("merge " + inputs + " --json --out " + Path("all.sqlite")).out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["cases"], 50);
  EXPECT_EQ((*json)["duplicates"], 1);
  EXPECT_EQ(Tool("merge " + inputs + " --out " + Path("all.sqlite")).code, 2);
}

TEST_F(CliTest, MergeNamesMissingShards) {
  std::string inputs;
  for (const char* shard : {"1", "3"}) {
    const std::string name = std::string("s") + shard + ".sqlite";
    Tool("run --cases 30 --seed 7 --targets h13 --shard " + std::string(shard) + "/3" +
         Db(name.c_str()));
    inputs += " " + Path(name.c_str());
  }
  const Outcome merged = Tool("merge" + inputs + " --json --out " + Path("all.sqlite"));
  EXPECT_EQ(merged.code, 1);
  EXPECT_NE(merged.err.find("the campaign of seed 7 is incomplete: shard 2 of 3 is missing"),
            std::string::npos)
      << merged.err;
  EXPECT_EQ((*ParseJson(merged.out))["missing_shards"][0]["missing"][0], 2);
}

// A shard on a changed engine does not complete a campaign on the old engine.
TEST_F(CliTest, MergeJoinsNoShardsOfDifferentCampaigns) {
  const std::string run = "run --cases 30 --seed 7 --targets h13 ";
  Tool(run + "--shard 1/2 --label 26.1" + Db("a.sqlite"));
  Tool(run + "--shard 2/2 --label 26.2 --fault conv-bias-dropped" + Db("b.sqlite"));
  const Outcome merged = Tool("merge " + Path("a.sqlite") + " " + Path("b.sqlite") +
                              " --json --out " + Path("ab.sqlite"));
  EXPECT_EQ(merged.code, 1);
  EXPECT_EQ((*ParseJson(merged.out))["missing_shards"].size(), 2u) << merged.out;
  EXPECT_NE(merged.err.find("run them with the same options"), std::string::npos) << merged.err;
}

TEST_F(CliTest, ADatabaseOfAnotherProgramIsRefused) {
  ASSERT_TRUE(
      WriteFileAtomic(Path("text.sqlite"), std::string_view("not a database, just some text here"))
          .ok());
  const Outcome run = Tool("run --cases 1" + Db("text.sqlite"));
  EXPECT_EQ(run.code, 2) << run.err;
  EXPECT_NE(run.err.find("is no results file"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace anecheck
