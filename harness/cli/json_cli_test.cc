// Checks the output of real commands: the JSON that the tool writes for other programs conforms to
// the schemas in reports/schemas. Streams are read line by line, as other programs read them.
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "reports/testing/schema.h"

namespace anecheck {
namespace {

using reports::SchemaProblem;
using reports::SchemaProblemOfLines;
using testing::HasSubstr;

constexpr const char* kSchemas = ANECHECK_SOURCE_DIR "/reports/schemas/";

class JsonCliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!reports::HasSchemaValidator()) GTEST_SKIP() << "python3-jsonschema is missing";
  }
  // Runs the tool in the test's folder and returns its standard output. `code` is the expected exit
  // code.
  std::string Tool(const std::string& arguments, int code = 0) {
    const std::string command =
        "cd '" + folder_->path() + "' && '" ANECHECK_TOOL "' " + arguments + " >out 2>err";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, code) << arguments << "\n"
                                                                  << Read("err");
    return Read("out");
  }
  std::string Read(const std::string& name) const {
    const auto text = ReadTextFile(folder_->File(name));
    return text.ok() ? *text : "";
  }
  Json Parse(const std::string& text) {
    const auto json = ParseJson(text, "output");
    EXPECT_TRUE(json.ok()) << text.substr(0, 300);
    return json.ok() ? *json : Json();
  }
  static std::vector<Json> Lines(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(ParseJson(line).value());
    return lines;
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-json-");
};

constexpr const char* kRun =
    "run --cases 150 --seed 3 --targets h13 --fault slice-off-by-one --jobs 2 ";

TEST_F(JsonCliTest, EventsReportTheWholeRun) {
  Tool(std::string(kRun) + "--db r.sqlite --events events.jsonl", 1);
  const std::string text = Read("events.jsonl");
  EXPECT_EQ(SchemaProblemOfLines(text, "events"), "");
  const std::vector<Json> events = Lines(text);
  ASSERT_GE(events.size(), 4u);
  EXPECT_EQ(events.front()["event"], "started");
  EXPECT_EQ(events.front()["wanted"], 150);
  EXPECT_EQ(events.front()["provenance"], "simulated");
  EXPECT_EQ(events.back()["provenance"], "simulated");
  EXPECT_EQ(events.back()["event"], "finished");
  EXPECT_EQ(events.back()["summary"]["cases"], 150);
  std::map<std::string, uint64_t> counts;
  uint64_t next = 0;
  for (const Json& event : events) {
    ++counts[event["event"].get<std::string>()];
    if (event["event"] == "case") {
      EXPECT_EQ(event["case"], next++);
    }
    if (event["event"] == "finding") {
      EXPECT_EQ(event["provenance"], "simulated");
    }
    if (event["event"] == "progress") {
      EXPECT_EQ(event["done"], next) << "progress follows the cases that it counts";
    }
  }
  EXPECT_EQ(counts["case"], 150u);
  EXPECT_EQ(counts["progress"], 3u) << "one event for each batch of 64 cases";
  EXPECT_EQ(counts["finding"], events.back()["findings"].size());
  EXPECT_GT(counts["finding"], 0u);
}

TEST_F(JsonCliTest, EventsReplaceTheSummaryOnStandardOutput) {
  const std::string out = Tool(std::string(kRun) + "--db r.sqlite --json --events -", 1);
  EXPECT_EQ(SchemaProblemOfLines(out, "events"), "");
  EXPECT_EQ(Lines(out).back()["event"], "finished");
}

TEST_F(JsonCliTest, EventsOfARunThatFailsSayWhy) {
  Tool("run --cases 2 --espresso-lib /nonexistent --db r.sqlite --events e.jsonl", 2);
  const std::string text = Read("e.jsonl");
  EXPECT_EQ(SchemaProblemOfLines(text, "events"), "");
  EXPECT_EQ(Lines(text).back()["event"], "failed");
  Tool("run --cases 2 --db r.sqlite --events /nonexistent/e.jsonl", 2);
  EXPECT_THAT(Read("err"), HasSubstr("--events /nonexistent/e.jsonl: cannot be opened"));
}

TEST_F(JsonCliTest, EventsOfAResumedRunFollowThoseOfItsFirstPart) {
  const std::string options = "--db r.sqlite --events e.jsonl";
  Tool("run --cases 1000000 --targets h13 --quirk all=off --ops add --time 1s --jobs 1 " + options,
       0);
  const std::string first = Read("e.jsonl");
  ASSERT_TRUE(WriteFileAtomic(folder_->File("e.jsonl"), first + "{\"v\": 1, \"ev").ok());
  Tool("run --resume --time 1s " + options, 0);
  const std::string both = Read("e.jsonl");
  EXPECT_EQ(SchemaProblemOfLines(both, "events"), "")
      << "the partial line of a killed writer is removed";
  ASSERT_EQ(both.substr(0, first.size()), first);
  const std::vector<Json> rest = Lines(both.substr(first.size()));
  ASSERT_GE(rest.size(), 2u);
  EXPECT_EQ(rest.front()["event"], "started");
  EXPECT_EQ(rest.front()["resumed"], true);
  EXPECT_EQ(rest.back()["event"], "finished");
}

TEST_F(JsonCliTest, ARunThatCannotStartKeepsTheEventsOfAnEarlierRun) {
  const std::string kept = "of an earlier run\n";
  ASSERT_TRUE(WriteFileAtomic(folder_->File("e.jsonl"), kept).ok());
  Tool("run --targets nope --cases 1 --db r.sqlite --events e.jsonl", 2);
  EXPECT_EQ(Read("e.jsonl"), kept);
  Tool("run --resume --db none.sqlite --events e.jsonl", 2);
  EXPECT_EQ(Read("e.jsonl"), kept);
}

TEST_F(JsonCliTest, RunsFindingsAndReportsFitTheirSchemas) {
  const Json run = Parse(Tool(std::string(kRun) + "--db r.sqlite --json", 1));
  EXPECT_EQ(SchemaProblem(run, "run"), "");
  EXPECT_EQ(run["seed"], 3);
  for (const Json& row :
       Parse(Tool("query --db r.sqlite --json 'SELECT artifact FROM findings'"))) {
    EXPECT_EQ(SchemaProblem(Parse(row["artifact"].get<std::string>()), "finding"), "");
    EXPECT_EQ(Parse(row["artifact"].get<std::string>())["provenance"], "simulated");
  }
  std::string id;
  for (const Json& finding : run["findings"]) {
    if (finding["verdict"] == "wrong") id = finding["id"].get<std::string>();
  }
  const Json replay = Parse(Tool("replay " + id + " --db r.sqlite --json", 1));
  EXPECT_EQ(SchemaProblem(replay, "replay"), "");
  const Json small = Parse(Tool("shrink " + id + " --db r.sqlite --json --out small.json"));
  EXPECT_EQ(SchemaProblem(small, "shrink"), "");
  EXPECT_EQ(SchemaProblem(Parse(Read("small.json")), "finding"), "");
  const Json probe = Parse(Tool("probe --probe rounding_tie --json"));
  for (const Json& document : {run, replay, small, Parse(Read("small.json")), probe[0]}) {
    EXPECT_EQ(document["provenance"], "simulated") << DumpJson(document).substr(0, 200);
    EXPECT_THAT(document["engine"].get<std::string>(), HasSubstr("simulat"));
  }
  Tool("report --db r.sqlite --out report");
  EXPECT_EQ(SchemaProblem(Parse(Read("report/report.json")), "report"), "");
  const Json sarif = Parse(Read("report/sarif.json"));
  EXPECT_EQ(reports::SchemaFileProblem(sarif, std::string(kSchemas) + "sarif-2.1.0.schema.json"),
            "");
  EXPECT_EQ(reports::SchemaFileProblem(sarif, std::string(kSchemas) + "sarif-2.1.0-rtm.5.json"), "")
      << "the public schema";
}

TEST_F(JsonCliTest, GraphsFitTheirSchema) {
  Tool("gen --format graph --count 150 --seed 7 --out graphs");
  Json all = Json::array();
  std::string lines;
  for (const Json& file : Parse(Read("graphs/manifest.json"))["files"]) {
    lines += DumpJson(Parse(Read("graphs/" + file["file"].get<std::string>()))) + "\n";
  }
  EXPECT_GT(lines.size(), 100'000u);
  EXPECT_EQ(SchemaProblemOfLines(lines, "graph"), "");
  EXPECT_NE(SchemaProblem({{"version", 1}, {"ops", Json::array()}}, "graph"), "") << "no outputs";
}

// A proxy between the tool and a runner that records each line and each graph.
constexpr const char* kTap = R"(import json, subprocess, sys
runner = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def keep(name, line):
    with open(name, "a") as file:
        file.write(line)
for line in sys.stdin:
    asks = "hello" in json.loads(line)
    keep("hello-request" if asks else "request", line)
    cases = json.loads(line).get("cases", [])
    for case in cases:
        keep("graph", json.dumps(json.load(open(case["graph"]))) + "\n")
    runner.stdin.write(line)
    runner.stdin.flush()
    for _ in range(1 if asks else len(cases)):
        answer = runner.stdout.readline()
        keep("hello" if asks else "reply", answer)
        print(answer, end="", flush=True)
)";

// The runner is the example in Python.
TEST_F(JsonCliTest, AConversationWithAnExternalRunnerFitsItsSchemas) {
  ASSERT_TRUE(WriteFileAtomic(folder_->File("tap.py"), std::string_view(kTap)).ok());
  Tool(
      "run --cases 30 --seed 3 --jobs 1 --contract float --runner 'exec:python3 tap.py "
      "/usr/bin/python3 " ANECHECK_SOURCE_DIR
      "/scripts/examples/numpy_runner.py' --db exec.sqlite");
  EXPECT_GE(Lines(Read("reply")).size(), 30u);
  EXPECT_LT(Lines(Read("request")).size(), 30u) << "no request has several cases";
  for (const char* message : {"hello-request", "hello", "request", "reply"}) {
    EXPECT_EQ(SchemaProblemOfLines(Read(message), std::string("exec-") + message), "") << message;
  }
  EXPECT_EQ(SchemaProblemOfLines(Read("graph"), "graph"), "");
  const auto is_request = [](const std::string& line) {
    return SchemaProblem(ParseJson(line).value(), "exec-request").empty();
  };
  const std::string members =
      R"("id": 7, "target": "h13", "route": "mil", "graph": "/g", "mil": "/m", "inputs": "/i", )"
      R"("outputs": "/o")";
  EXPECT_TRUE(is_request(R"({"v": 1, )" + members + "}"));
  EXPECT_FALSE(is_request(R"({"v": 2, )" + members + "}"));
  EXPECT_FALSE(is_request(R"({"v": 2, "cases": []})"));
  const auto is_reply = [](const char* line) {
    return SchemaProblem(ParseJson(line).value(), "exec-reply").empty();
  };
  EXPECT_TRUE(is_reply(R"({"v": 1, "id": 7, "status": "compiled", "container": "/tmp/m.hwx"})"));
  EXPECT_TRUE(is_reply(R"({"v": 1, "id": 7, "status": "unsupported", "op": "lstm"})"));
  EXPECT_FALSE(is_reply(R"({"v": 1, "id": 7, "status": "unsupported"})"));
  EXPECT_FALSE(is_reply(R"({"v": 1, "id": 7, "status": "failed", "stage": "validator"})"));
}

TEST_F(JsonCliTest, OperationsHaveContainersByGenerationOrAReason) {
  const Json table = Parse(Tool("ops --containers --json"));
  EXPECT_EQ(table["provenance"], "emulated");
  EXPECT_EQ(table["targets"].size(), 6u);
  std::map<std::string, std::string> states;
  for (const Json& op : table["ops"]) {
    const std::string name = op["name"].get<std::string>();
    for (const auto& [target, entry] : op["targets"].items()) {
      states[name + " " + target] = entry["state"].get<std::string>();
      const bool all = entry["executed"] == table["graphs"] || entry["state"] == "none";
      EXPECT_EQ(entry.contains("reason"), !all) << name << " on " << target;
    }
  }
  EXPECT_EQ(states["conv h13"], "executed");
  EXPECT_EQ(states["linear h18"], "executed");
  EXPECT_EQ(states["lstm h13"], "none");
}

TEST_F(JsonCliTest, MatrixAndProbesFitTheirSchemas) {
  EXPECT_EQ(SchemaProblem(Parse(Tool("matrix --targets h13,h17s --format json")), "matrix"), "");
  EXPECT_EQ(SchemaProblem(Parse(Tool("probe --targets h13 --json")), "probe"), "");
  // The statements that `explain` prints can be imported again.
  const Json explained = Parse(Tool("explain conv --target h13 --json"));
  const Json statements = {{"version", 1}, {"statements", explained["evidence"]}};
  EXPECT_FALSE(statements["statements"].empty());
  EXPECT_EQ(SchemaProblem(statements, "evidence"), "");
}

// A model with two functions, a state, a cliff of arithmetic, an operation of the host, and an
// operation that the engine refuses because of a planted fault.
constexpr const char* kModel =
    "program(1.3)\n{\n func main<ios18>(state<tensor<fp16, [1, 4]>> s, tensor<fp16, [1, 4]> x) {\n"
    "tensor<fp16, [1, 4]> b = read_state(input = s);\n"
    "tensor<fp16, [1, 4]> l = log(x = b, epsilon = fp16(0x0p+0));\n"
    "tensor<fp16, [1, 4]> a = add(x = b, y = x);\n"
    "write_state(input = s, data = a);\n"
    "tensor<fp16, [1, 4]> d = real_div(x = b, y = b);\n"
    "tensor<fp16, [1, 4]> n = sin(x = x);\n"
    "tensor<fp16, [1, 4]> y = softmax(x = n, axis = int32(1));\n"
    "} -> (l, d, y);\n"
    " func other<ios18>(tensor<fp16, [2]> x) {\n tensor<fp16, [2]> y = relu(x = x);\n} -> "
    "(y);\n}";

TEST_F(JsonCliTest, ChecksFitTheirSchema) {
  ASSERT_TRUE(WriteFileAtomic(folder_->File("model.mil"), kModel).ok());
  const std::string check = "check model.mil --target h13,M5 --json ";
  const Json all = Parse(Tool(check + "--steps 3 --fail-on host,cliff,error:0.01", 1));
  EXPECT_EQ(SchemaProblem(all, "check"), "");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[0]["fail_on"].empty());
  EXPECT_FALSE(all[0]["warnings"].empty());
  EXPECT_EQ(all[1]["targets"][0]["steps"], nullptr);
  const Json faulty = Parse(Tool(check + "--function main --fault rejects-softmax", 1));
  EXPECT_EQ(SchemaProblem(faulty, "check"), "");
  EXPECT_FALSE(faulty["findings"].empty());
}

TEST_F(JsonCliTest, PowerFitsItsSchema) {
  const Json power = Parse(Tool(
      "power --fault add-one-ulp-everywhere --cases 256 --clean-cases 64 --no-magnitudes --json"));
  EXPECT_EQ(SchemaProblem(power, "power"), "");
  EXPECT_EQ(power["faults"][0]["id"], "add-one-ulp-everywhere");
}

// The longest name of an operation has 28 letters.
TEST_F(JsonCliTest, ColumnsOfAComparisonStayApart) {
  const std::string record = "baseline record --seed 5 --cases 1 --mode float --targets h13 --ops ";
  Tool(record + "scaled_dot_product_attention,add --out both.json");
  Tool(record + "add --out one.json");
  EXPECT_THAT(
      Tool("baseline compare both.json --against one.json"),
      HasSubstr(
          "not-comparable  scaled_dot_product_attention  float  h13  is not there any more\n"));
}

TEST_F(JsonCliTest, BaselinesAreRecordedComparedAndBlamed) {
  const std::string record = "baseline record --ops add,exp --seed 5 --cases 6 --mode float ";
  EXPECT_THAT(Tool(record + "--out a.json"), HasSubstr("a.json: 2 entries of 6 cases, simulated"));
  EXPECT_EQ(SchemaProblem(Parse(Read("a.json")), "baseline"), "");
  Tool("baseline compare a.json");
  const std::string changed = "--fault ulp-error:add:1:1000 ";
  const Json now = Parse(Tool("baseline compare a.json --json --junit j.xml " + changed, 1));
  EXPECT_EQ(SchemaProblem(now, "baseline-comparison"), "");
  EXPECT_EQ(now["summary"]["out-of-bound"], 1);
  EXPECT_EQ(now["summary"]["bit-identical"], 1);
  EXPECT_THAT(Read("j.xml"), HasSubstr("tests=\"2\" failures=\"1\""));
  Tool("baseline compare a.json --fail-on now-rejected " + changed, 0);
  Tool("baseline compare a.json --ops exp " + changed, 0);
  Tool("baseline compare a.json --ops relu", 2);
  EXPECT_THAT(Read("err"),
              HasSubstr("a.json: has no entry that --ops, --targets and --contract leave"));
  Tool("baseline compare a.json --fail-on nonsense", 2);
  Tool(record + changed + "--out b.json");
  Tool("baseline compare a.json --against b.json", 1);
  const Json repaired = Parse(Tool("baseline compare b.json --against a.json --json", 0));
  EXPECT_EQ(SchemaProblem(repaired, "baseline-comparison"), "");
  EXPECT_EQ(repaired["summary"]["better"], 1);
  EXPECT_THAT(Tool("baseline compare b.json --against a.json"), HasSubstr("\n1 better\n"));
  Tool(
      "baseline compare a.json --against b.json --outside 100000 --share 1000 --mean-ulp 1000 "
      "--bias-ulp 1000 --max-ulp 1000 --mean-relative 1000",
      0);
  const Json blame = Parse(Tool("baseline blame --json a.json a.json b.json b.json", 1));
  EXPECT_EQ(SchemaProblem(blame, "baseline-blame"), "");
  ASSERT_EQ(blame["entries"].size(), 1u);
  EXPECT_EQ(blame["entries"][0]["op"], "add");
  EXPECT_EQ(blame["entries"][0]["first_after"]["file"], "b.json");
  EXPECT_THAT(Tool("baseline blame a.json a.json"), HasSubstr("0 entries changed"));
  Tool("baseline compare out", 2);
  EXPECT_THAT(Read("err"), HasSubstr("out"));
}

TEST_F(JsonCliTest, TrendsAreWrittenFromRunsAndBaselines) {
  Tool("run --cases 64 --seed 1 --targets h13 --db a.sqlite", 0);
  Tool(std::string(kRun) + "--db b.sqlite", 1);
  Tool("baseline record --ops add,tanh --out base.json");
  EXPECT_THAT(Tool("trend --db a.sqlite --db b.sqlite --baseline base.json --out t"),
              HasSubstr("SIMULATED: 3 runs"));
  const Json trend = Parse(Read("t/trend.json"));
  EXPECT_EQ(SchemaProblem(trend, "trend"), "");
  EXPECT_FALSE(trend["maps"].empty());
  EXPECT_THAT(Read("t/trend.html"), HasSubstr("<title>anecheck trend</title>"));
  EXPECT_EQ(Parse(Tool("trend --db a.sqlite --json"))["runs"].size(), 1u);
  Tool("trend", 2);
}

// The validator refuses wrong documents, so the other tests can fail.
TEST_F(JsonCliTest, SchemasRefuseOtherDocuments) {
  for (const char* name :
       {"baseline", "baseline-blame", "baseline-comparison", "check", "events", "finding", "matrix",
        "power", "replay", "report", "run", "shrink", "trend"}) {
    EXPECT_NE(SchemaProblem(Json{{"version", 1}}, name), "") << name;
  }
  EXPECT_NE(SchemaProblem(Json{{"probe", 1}}, "probe"), "");
}

}  // namespace
}  // namespace anecheck
