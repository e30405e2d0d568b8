// Tests of usage that need a run or a full disk. The tests of refusals are in testdata/usage.test.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#if defined(__APPLE__)
#include <util.h>
#else
#include <pty.h>
#endif

#include "harness/cli/testing/model_commands.h"

namespace anecheck {
namespace {

using testing::Halves;

// A model with two activations in sequence.
constexpr std::string_view kTwo =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4, 8, 8]> x) {\n"
    "tensor<fp16, [1, 4, 8, 8]> y = relu(x = x)[name = string(\"active\")];\n"
    "tensor<fp16, [1, 4, 8, 8]> z = sigmoid(x = y)[name = string(\"scores\")];\n} -> (z);\n}";

// Core ML's analytics of one operation of a model.
constexpr std::string_view kAnalytics =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4, 8, 8]> x) {\n"
    "tensor<fp16, [1, 4, 8, 8]> y = relu(x = x)[BackendSupport = list<string, 2>([\"classic_cpu\", "
    "\"ane\"]), EstimatedRuntime = dict<string, fp64>({{\"ane\", 0x1p-9}, {\"classic_cpu\", "
    "0x1p-8}}), SelectedBackend = string(\"ane\")];\n} -> (y);\n}";

class UsageCliTest : public testing::ModelCommands {
 protected:
  // Returns the tool's text on a terminal of `columns` columns, without the carriage returns.
  std::string AtTerminal(const std::string& arguments, uint16_t columns) {
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 40;
    int terminal = -1;
    const std::string command =
        "exec " + std::string(ANECHECK_TOOL) + " " + arguments + " 2>" + Path("err");
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      setenv("TERM", "dumb", 1);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 1; count > 0;) {
      count = read(terminal, buffer.data(), buffer.size());
      if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
    }
    close(terminal);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << command << text;
    std::erase(text, '\r');
    return text;
  }
};

std::vector<std::string> LinesOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The tool folds no command, so that users can copy it, and no word that is longer than a line.
bool MayBeWide(const std::string& line) {
  const size_t start = line.find_first_not_of(' ');
  return line.compare(start, 9, "anecheck ") == 0 || line.find(' ', start) == std::string::npos;
}

// Returns the commands that the help of the tool lists.
std::vector<std::string> CommandsOf(const std::string& help) {
  std::vector<std::string> names;
  for (const std::string& line : LinesOf(help.substr(help.find("\nSubcommands:")))) {
    if (line.starts_with("  ") && line[2] != ' ') {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

size_t ColumnsOf(const std::string& line) {
  return static_cast<size_t>(
      std::ranges::count_if(line, [](char c) { return (c & '\xc0') != '\x80'; }));
}

TEST_F(UsageCliTest, CasesThatOnlyMilCanExpressTakeTheMilRoute) {
  ASSERT_LE(Tool("run --cases 8 --targets h13 --route both --mode state" + Db("both")).code, 1);
  EXPECT_EQ(Tool("query 'SELECT DISTINCT route FROM cases'" + Db("both")).out, "route\nmil\n");
}

TEST_F(UsageCliTest, LinesEndAtTheLastColumnOfATerminal) {
  ASSERT_LE(Tool("run --cases 30 --seed 7 --targets h13" + Db("a")).code, 1);
  ASSERT_EQ(Tool("baseline record --targets h13 --ops conv --cases 1 --out " + Path("b")).code, 0);
  WriteText("two.mil", kTwo);
  const std::string model = Path("two.mil");
  const std::string commands[] = {"report" + Db("a") + " --out " + Path("r"),
                                  "coverage" + Db("a"),
                                  "site" + Db("a") + " --out " + Path("s"),
                                  "matrix --targets h13,h16 --no-published",
                                  "explain conv --target h13 --attr kernel=16",
                                  "explain D03",
                                  "baseline compare " + Path("b") + " --fault conv-bias-dropped",
                                  "check " + model + " --target h13,h14,h15,h16,h17s,h18",
                                  "run --help",
                                  "help baseline record",
                                  "ops",
                                  "ops conv",
                                  "targets",
                                  "targets show h13",
                                  "enums",
                                  "power --list",
                                  "inspect --rules",
                                  "driver --limits",
                                  "roofline " + model + " --target M1",
                                  "eval " + model + " --bounds"};
  for (size_t i = 0; i < std::size(commands); ++i) {
    constexpr uint16_t kWidths[] = {60, 80, 120};
    const uint16_t columns = kWidths[i % 3];
    const std::string seen = AtTerminal(commands[i], columns);
    EXPECT_FALSE(seen.empty()) << commands[i];
    for (const std::string& line : LinesOf(seen)) {
      EXPECT_TRUE(ColumnsOf(line) <= columns || MayBeWide(line))
          << columns << " " << commands[i] << ": " << line;
    }
  }
}

TEST_F(UsageCliTest, DocumentsForProgramsAreTheSameOnATerminal) {
  for (const char* command : {"matrix --targets h13 --ops conv,add --format csv",
                              "matrix --targets h13 --ops conv,add --format md",
                              "matrix --targets h13 --ops conv,add --json", "explain D03 --json",
                              "targets show h13 --json", "ops conv --json", "help --man"}) {
    EXPECT_EQ(AtTerminal(command, 60), Tool(command).out) << command;
  }
}

// If standard output is on a full disk, no command may report success.
TEST_F(UsageCliTest, AFullDiskIsAnErrorOfEveryCommand) {
  const std::string db = Db("a"), model = Path("two.mil"), low = Path("low"), in = Path("in.npz");
  const std::string container = low + "/model.hwx";
  ASSERT_EQ(
      Tool("run --cases 30 --seed 3 --targets h13 --ops slice_by_size --quirk all=off --fault "
           "slice-off-by-one" +
           db)
          .code,
      1);
  const std::string id =
      JsonOf(Tool("query --json 'SELECT id FROM findings LIMIT 1'" + db))[0]["id"].text();
  WriteText("two.mil", kTwo);
  WriteText("analytics.mil", kAnalytics);
  WriteArrays("in.npz", {Halves("x", {1, 4, 8, 8}, std::vector<double>(256, 0.5))});
  for (const std::string& command :
       {"lower " + model + " --target h13 --out " + low,
        "eval " + model + " --inputs " + in + " --out " + Path("right.npz"),
        "gen --format submission --count 1 --out " + Path("calls"),
        "baseline record --targets h13 --ops add --cases 1 --out " + Path("base")}) {
    ASSERT_EQ(Tool(command).code, 0) << command;
  }
  WriteText("container.json", Tool("inspect --json " + container).out);
  const std::string commands[] = {
      "--help",
      "--version",
      "run --help",
      "run --cases 2 --targets h13" + Db("b"),
      "replay " + id + db,
      "shrink " + id + db + " --out " + Path("small.json"),
      "finding export " + id + db + " --out " + Path("bug"),
      "probe --target h13 --probe integer_exactness",
      "power --list",
      "coverage" + db,
      "help run",
      "help --man",
      "baseline record --targets h13 --ops add --cases 1 --out " + Path("base2"),
      "baseline compare " + Path("base"),
      "baseline blame " + Path("base") + " " + Path("base"),
      "doctor",
      "eval " + model + " --inputs " + in,
      "judge " + model + " --inputs " + in + " --actual " + Path("right.npz"),
      "check " + model + " --target h13",
      "inspect " + container,
      "inspect --rules",
      "exec " + container + " --inputs " + in + " --out " + Path("out.npz"),
      "lift " + container + " --out " + Path("lifted.json"),
      "encode --json " + Path("container.json") + " " + Path("again.hwx"),
      "load " + container + " --at 0x70000000 --out " + Path("placed.hwx"),
      "driver " + Path("calls/submission_000000.submission"),
      "driver --limits",
      "diff " + container + " " + container,
      "gen --format e5 --count 1 --out " + Path("e5"),
      "fuzz --format e5 --count 2 --out " + Path("found") + " -- true @@",
      "fuzz scaffold --format e5 --for afl " + Path("afl"),
      "ops",
      "ops --json",
      "enums",
      "targets",
      "targets show h13",
      "explain conv --target h13",
      "explain D03",
      "lower " + model + " --target h13 --plan",
      "placement " + Path("analytics.mil"),
      "roofline " + model + " --target M1",
      "activation gelu --target h13",
      "report" + db + " --out " + Path("r"),
      "trend" + db,
      "site" + db + " --out " + Path("s"),
      "matrix --targets h13 --ops conv",
      "merge " + Path("a") + " --out " + Path("merged"),
      "query 'SELECT 1'" + db};
  std::set<std::string> tried;
  for (const std::string& command : commands) {
    const std::string full =
        std::string(ANECHECK_TOOL) + " " + command + " >/dev/full 2>" + Path("err");
    const int status = std::system(full.c_str());
    const std::string said = *ReadTextFile(Path("err"));
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 3) << command << ": " << said;
    EXPECT_NE(said.find("standard output cannot be written"), std::string::npos)
        << command << ": " << said;
    tried.insert(command.substr(0, command.find(' ')));
  }
  for (const std::string& name : CommandsOf(Tool("--help").out)) {
    EXPECT_TRUE(tried.contains(name)) << name << " is not tried";
  }
}

}  // namespace
}  // namespace anecheck
