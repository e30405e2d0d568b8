// Tests names, flags and outputs that several commands share and that scripts rely on: the folder
// of an export, files of graphs, --json, --explain, recorded checks.
#include <set>
#include <string>

#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using NamesCliTest = testing::ToolTest;
using Outcome = testing::ToolOutcome;

TEST_F(NamesCliTest, TheFolderOfAnExportIsAnArgumentOrAnOption) {
  const std::string db = Db("r.sqlite");
  const Json run =
      JsonOf(Tool("run --cases 100 --seed 3 --targets h13 --ops slice_by_size "
                  "--quirk all=off --fault slice-off-by-one --json" +
                  db));
  const std::string id = run["findings"][0]["id"].text();
  const std::string finding = "finding export " + id;
  const Json first = JsonOf(Tool(finding + " " + Path("first") + db + " --json"));
  EXPECT_EQ(first["id"], id);
  EXPECT_EQ(first["out"], Path("first"));
  EXPECT_EQ(first["provenance"], "simulated");
  EXPECT_EQ(Tool(finding + db + " --out " + Path("second")).code, 0);
  EXPECT_EQ(*ReadTextFile(Path("first/finding.json")), *ReadTextFile(Path("second/finding.json")));
  EXPECT_EQ(Tool(finding + " " + Path("first") + " --out " + Path("second") + db).code, 2);
}

TEST_F(NamesCliTest, AFindingOfTheCompilersFilesIsExportedWithThem) {
  const std::string db = Db("files.sqlite");
  const std::string run = "run --files --cases 20 --targets h13 --quirk all=off --fault ";
  ASSERT_EQ(Tool(run + "file-dispatch-twice" + db).code, 1);
  const Json ids = JsonOf(Tool("query --json 'SELECT id FROM findings LIMIT 1'" + db));
  const std::string id = ids[0]["id"].text();
  const Outcome exported = Tool("finding export " + id + " " + Path("of_files") + db);
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_NE(exported.out.find("the values are right, but the files "), std::string::npos)
      << exported.out;
  EXPECT_EQ(Tool("inspect " + Path("of_files/program.e5")).code, 0);
  EXPECT_EQ(Tool("inspect " + Path("of_files/model.hwx")).code, 0);
  EXPECT_EQ(Tool("replay " + Path("of_files/finding.json")).code, 1);
}

// The finding is wrong only at another shape. At the graph's own shape every output is right.
TEST_F(NamesCliTest, AFindingAtAnotherShapeIsExportedWithThatShape) {
  const Json run =
      JsonOf(Tool("run --cases 60 --targets h13 --mode shape-ranges --quirk all=off "
                  "--fault range-runs-at-start --json" +
                  Db("r.sqlite")));
  ASSERT_FALSE(run["findings"].empty());
  const Json& finding = run["findings"][0];
  EXPECT_NE(finding["summary"].get<std::string>().find("along axis"), std::string::npos) << finding;
  const Outcome exported = Tool("finding export " + finding["id"].get<std::string>() + " --out " +
                                Path("folder") + Db("r.sqlite"));
  ASSERT_EQ(exported.code, 0) << exported.err;
  for (const char* file : {"inputs_at_shape.npz", "expected_at_shape.npz", "actual_at_shape.npz"}) {
    EXPECT_TRUE(ReadTextFile(Path("folder/" + std::string(file))).ok()) << file;
  }
  EXPECT_NE(ReadTextFile(Path("folder/ranged.mil"))->find("?"), std::string::npos);
  const Json kept = *ParseJson(*ReadTextFile(Path("folder/finding.json")));
  EXPECT_NE(kept["at_shape"]["actual"][0]["data"], kept["actual"][0]["data"]);
  EXPECT_EQ(kept["at_shape"]["mil"], *ReadTextFile(Path("folder/ranged.mil")));
}

TEST_F(NamesCliTest, AnOperationThatSomeTargetsLackIsDrawnOnTheOthers) {
  const Outcome run = Tool("run --cases 20 --ops sin --targets h13,h15" + Db("r.sqlite"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("sin is not drawn on h13 (engines have it from A15 on, and this is A13); "
                         "without cases on h13"),
            std::string::npos)
      << run.err;
  const Json cases = JsonOf(Tool(
      "query --json 'SELECT target, COUNT(*) AS n FROM cases GROUP BY target'" + Db("r.sqlite")));
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0]["target"], "h15");
  EXPECT_EQ(cases[0]["n"], 20);
}

// A list of operations that was written for another program may name operations that no engine has.
TEST_F(NamesCliTest, AnOperationThatNoTargetDrawsIsReportedAndOthersRun) {
  const Outcome run = Tool("run --cases 20 --ops relu,gru --targets h13" + Db("r.sqlite"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("--ops: gru is not drawn (no family's engine has it"), std::string::npos)
      << run.err;
  const Json reached = JsonOf(Tool("query --json 'SELECT op FROM reach'" + Db("r.sqlite")));
  ASSERT_EQ(reached.size(), 1u);
  EXPECT_EQ(reached[0]["op"], "relu");
}

TEST_F(NamesCliTest, GenWritesTheGraphsOfARunWithTheSameSeed) {
  const std::string gen = "gen --format graph --target h15 --count 6 --seed 5 ";
  const Json made = JsonOf(Tool(gen + "--json --out " + Path("a")));
  EXPECT_EQ(made["mode"], "valid");
  ASSERT_EQ(made["files"].size(), 6u);
  ASSERT_EQ(Tool(gen + "--valid --out " + Path("b")).code, 0);
  ASSERT_EQ(Tool("run --cases 6 --seed 5 --targets h15 --runner roundtrip" + Db("r.sqlite")).code,
            0);
  const Json cases = JsonOf(
      Tool("query --json 'SELECT seed, mode FROM cases ORDER BY case_index'" + Db("r.sqlite")));
  ASSERT_EQ(cases.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    const Json& entry = made["files"][i];
    const std::string name = entry["file"].text();
    const std::string text = *ReadTextFile(Path("a/" + name));
    EXPECT_EQ(text.size(), entry["size"]);
    EXPECT_EQ(text, *ReadTextFile(Path("b/" + name)));
    // SQLite stores the seed as a signed integer.
    EXPECT_EQ(static_cast<int64_t>(entry["seed"].get<uint64_t>()), cases[i]["seed"]);
    EXPECT_EQ(entry["mode"], cases[i]["mode"]);
    const Json lowered = JsonOf(Tool("lower " + Path("a/" + name) + " --target h15 --json"));
    EXPECT_EQ(lowered["plan"]["compiles"], true) << name;
  }
}

TEST_F(NamesCliTest, MustRejectGraphsDoNotCompileAndCanBeReplayed) {
  const Json made =
      JsonOf(Tool("gen --format graph --must-reject --count 5 --seed 5 --json --out " + Path("a")));
  EXPECT_EQ(made["mode"], "must-reject");
  for (const Json& entry : made["files"]) {
    EXPECT_NE(entry["rule"], "");
    const std::string name = entry["file"].text();
    const Json lowered = JsonOf(Tool("lower " + Path("a/" + name) + " --target h13 --json"));
    EXPECT_EQ(lowered["plan"]["compiles"], false) << name << entry["rule"];
  }
  ASSERT_EQ(Tool("gen --replay " + Path("a/manifest.json") + " --out " + Path("b")).code, 0);
  EXPECT_EQ(*ReadTextFile(Path("a/graph_000004.json")), *ReadTextFile(Path("b/graph_000004.json")));
  EXPECT_EQ(*ReadTextFile(Path("a/manifest.json")), *ReadTextFile(Path("b/manifest.json")));
  const std::string out = " --out " + Path("c");
  EXPECT_EQ(Tool("gen --format graph --mutated" + out).code, 2);
  EXPECT_EQ(Tool("gen --format graph --target h13,h14" + out).code, 2);
  EXPECT_EQ(Tool("gen --format hwx --target h13" + out).code, 2);
}

TEST_F(NamesCliTest, JsonIsOneDocument) {
  const std::string matrix = "matrix --targets h13 --no-published ";
  const Outcome json = Tool(matrix + "--json");
  EXPECT_EQ(JsonOf(json)["targets"].size(), 1u);
  EXPECT_EQ(json.out, Tool(matrix + "--format json").out);
  EXPECT_EQ(Tool(matrix + "--json --format csv").code, 2);

  ASSERT_EQ(Tool("gen --format e5 --count 1 --out " + Path("gen")).code, 0);
  const std::string file = Path("gen/e5_000000.e5");
  WriteText("file.json", Tool("inspect --json " + file).out);
  const Json encoded = JsonOf(Tool("encode --json " + Path("file.json") + " " + Path("again.e5")));
  EXPECT_EQ(encoded["format"], "e5");
  EXPECT_EQ(encoded["out"], Path("again.e5"));
  EXPECT_EQ(encoded["bytes"], ReadFile(file)->size());
  EXPECT_EQ(*ReadFile(Path("again.e5")), *ReadFile(file));
}

TEST_F(NamesCliTest, ExplainGivesTheRulesWithEvidenceAndSource) {
  ASSERT_EQ(Tool("gen --format hwx --count 1 --out " + Path("gen")).code, 0);
  const std::string inspect = "inspect " + Path("gen/hwx_000000.hwx");
  const std::string plain = Tool(inspect).out;
  const std::string text = Tool(inspect + " --explain").out;
  EXPECT_EQ(text.find(plain), 0u) << "--explain only adds text";
  const Json json = JsonOf(Tool(inspect + " --explain --json"));
  ASSERT_GT(json["rules"].size(), 10u);
  std::set<std::string> evidence;
  for (const Json& rule : json["rules"]) {
    const std::string words = rule["evidence"].text(), source = rule["source"].text();
    EXPECT_NE(source, "");
    evidence.insert(words);
    EXPECT_NE(text.find("[" + words + "; " + source + "]"), std::string::npos) << rule;
  }
  for (const std::string& words : evidence) {
    EXPECT_NE(text.find("\n  " + words + ": "), std::string::npos) << "no legend of " << words;
  }
  EXPECT_FALSE(JsonOf(Tool(inspect + " --json")).contains("rules"));
  WriteText("explained.json", Tool(inspect + " --explain --json").out);
  EXPECT_EQ(Tool("encode " + Path("explained.json") + " " + Path("again.hwx")).code, 0);
  EXPECT_EQ(*ReadFile(Path("again.hwx")), *ReadFile(Path("gen/hwx_000000.hwx")));
}

constexpr std::string_view kSum =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4, 1, 8]> x) {\n"
    "tensor<fp16, [1, 4, 1, 8]> y = add(x = x, y = x);\n} -> (y);\n}";

// A check records its findings as `run` does, with an id, a replay command and a count. The results
// file lists the check as a run.
TEST_F(NamesCliTest, FindingsOfACheckAreRecordedAndReplay) {
  WriteText("model.mil", kSum);
  const std::string check =
      "check " + Path("model.mil") +
      " --target h13,h17s --quirk all=off --fault ulp-error:add:1:1000 --json";
  const Outcome unrecorded = Tool(check);
  EXPECT_EQ(unrecorded.code, 1) << unrecorded.err;
  const Json first = JsonOf(unrecorded)["findings"][0];
  const std::string again = first["replay"].text();
  EXPECT_EQ(again.find("anecheck check "), 0u) << again;
  EXPECT_EQ(JsonOf(Tool(again.substr(9)))["findings"][0]["id"], first["id"]);

  const std::string db = Path("r.sqlite");
  const Json checked = JsonOf(Tool(check + " --jobs 2 --db " + db));
  EXPECT_EQ(checked["summary"]["cases"], 2);
  EXPECT_EQ(checked["summary"]["judged"], 2);
  EXPECT_EQ(checked["summary"]["findings"], 2);
  ASSERT_EQ(checked["findings"].size(), 2u);
  for (const Json& finding : checked["findings"]) {
    EXPECT_EQ(finding["verdict"], "wrong");
    EXPECT_EQ(finding["op"], "add");
    const std::string id = finding["id"].text();
    EXPECT_EQ(finding["replay"], "anecheck replay " + id + " --db " + db);
    const Outcome replay = Tool("replay --json " + id + " --db " + db);
    EXPECT_EQ(replay.code, 1) << replay.err;
    EXPECT_EQ(JsonOf(replay)["verdict"], "wrong");
    EXPECT_EQ(JsonOf(replay)["target"], finding["target"]);
  }
  EXPECT_EQ(checked["findings"][0]["id"], first["id"]);
  const Json report = JsonOf(Tool("report --json --db " + db + " --out " + Path("report")));
  EXPECT_EQ(report["cases"], 2);
  EXPECT_EQ(report["findings"], 2);
}

TEST_F(NamesCliTest, ACheckTakesTheRouteAndTheSeedOfItsNumbers) {
  WriteText("model.mil", kSum);
  const std::string check = "check " + Path("model.mil") + " --target h13 --json ";
  const Outcome both = Tool(check + "--route both");
  EXPECT_EQ(both.code, 0) << both.err;
  const Json targets = JsonOf(both)["targets"];
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0]["route"], "mil");
  EXPECT_EQ(targets[1]["route"], "netlist");
  EXPECT_EQ(targets[1]["verdict"], "pass");
  const auto input = [&](const std::string& seed) {
    const Json made = JsonOf(Tool(check + "--quirk all=off --fault ulp-error:add:1:1000 --seed " +
                                  seed + Db("seeds.sqlite")));
    const std::string id = made["findings"][0]["id"].text();
    const Json rows =
        JsonOf(Tool("query --json \"SELECT artifact FROM findings ORDER BY run DESC "
                    "LIMIT 1\"" +
                    Db("seeds.sqlite")));
    const auto artifact = ParseJson(rows[0]["artifact"].get<std::string>());
    EXPECT_TRUE(artifact.ok());
    return (*artifact)["inputs"][0]["data"].get<std::string>();
  };
  EXPECT_EQ(input("1"), input("1"));
  EXPECT_NE(input("1"), input("2"));
}

TEST_F(NamesCliTest, ExplainDescribesADefectWithItsSourceAndWorkaround) {
  const Outcome text = Tool("explain D01");
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* word :
       {"D01: ", "32768", "chips: ", "M1", "public guide", "way around it: scale"}) {
    EXPECT_NE(text.out.find(word), std::string::npos) << word << ": " << text.out;
  }
  EXPECT_NE(Tool("explain d03").out.find("way around it: no source names one"), std::string::npos);
  const Json json = JsonOf(Tool("explain D09 --json"));
  EXPECT_EQ(json["id"], "D09");
  EXPECT_EQ(json["workaround_source"].is_string(), true);
  EXPECT_GT(json["effects"].size(), 1u);
}

TEST_F(NamesCliTest, AMatrixOfNamedOperationsHasOnlyTheirRows) {
  const Json all = JsonOf(Tool("matrix --targets h13,h16 --json"));
  const Json some = JsonOf(Tool("matrix --targets h13,h16 --ops SDPA,conv --json"));
  ASSERT_EQ(some["ops"].size(), 2u);
  EXPECT_EQ(some["ops"][0]["name"], "conv");
  EXPECT_EQ(some["ops"][1]["name"], "SDPA");
  EXPECT_EQ(some["cells"].size(), 2u * 2 * 2);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(some["cells"][i][3], all["cells"][i][3]) << i;
}

TEST_F(NamesCliTest, ALabelNamesTheRunAndChangesNoCase) {
  ASSERT_EQ(Tool("run --cases 10 --targets h13 --label 'night of May'" + Db("a")).code, 0);
  ASSERT_EQ(Tool("run --cases 10 --targets h13" + Db("b")).code, 0);
  const std::string cases = "query 'SELECT seed, fingerprint, verdict FROM cases'";
  EXPECT_EQ(Tool(cases + Db("a")).out, Tool(cases + Db("b")).out);
  ASSERT_EQ(Tool("report --out " + Path("r") + Db("a") + Db("b")).code, 0);
  const auto report = ParseJson(*ReadTextFile(Path("r/report.json")));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ((*report)["runs"][0]["name"].get<std::string>() == "night of May" ||
                (*report)["runs"][1]["name"].get<std::string>() == "night of May",
            true);
  EXPECT_EQ(Tool("run --resume --label x" + Db("a")).code, 2);
}

// Scripts read the last line, and people read the names of the defects.
TEST_F(NamesCliTest, TheLastLineOfARunIsItsVerdict) {
  const auto last = [](const std::string& text) {
    const size_t end = text.find_last_not_of('\n');
    const size_t begin = text.rfind('\n', end) + 1;
    return text.substr(begin, end + 1 - begin);
  };
  const Outcome clean = Tool("run --cases 60 --seed 13 --targets h13" + Db("a"));
  EXPECT_EQ(clean.code, 0);
  EXPECT_EQ(last(clean.out).find("PASSED: 0 new findings, "), 0u) << clean.out;
  EXPECT_EQ(clean.out.find('\x1b'), std::string::npos);
  EXPECT_NE(clean.out.find(": D0"), std::string::npos) << clean.out;
  const Outcome faulty = Tool("run --cases 60 --targets h13 --fault slice-off-by-one" + Db("b"));
  EXPECT_EQ(faulty.code, 1);
  EXPECT_EQ(last(faulty.out).find("FAILED: "), 0u) << faulty.out;
}

}  // namespace
}  // namespace anecheck
