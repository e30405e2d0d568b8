// Tests what the tool records about its work: the origin of evidence, the command and the seed.
// Also tests the choice of a finding.
#include <algorithm>
#include <set>
#include <string>

#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using Outcome = testing::ToolOutcome;
using RecordCliTest = testing::ToolTest;

// Every text begins with the mark of simulated results, so that nobody mistakes the simulated
// engine for a chip.
TEST_F(RecordCliTest, SimulatedResultsAreMarkedInEveryText) {
  const std::string db = Db("marked.sqlite");
  const Outcome run = Tool(
      "run --cases 100 --seed 3 --targets h13 --quirk all=off --fault "
      "slice-off-by-one" +
      db);
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out.find("SIMULATED: 100 cases, "), 0u) << run.out;
  const Outcome query = Tool("query \"SELECT id FROM findings LIMIT 1\"" + db);
  const std::string id = query.out.substr(query.out.find("\nf") + 1, 12);
  EXPECT_EQ(Tool("replay " + id + db).out.find("SIMULATED: " + id), 0u);
  EXPECT_EQ(Tool("shrink " + id + db + " --out " + Path("s.json")).out.find("SIMULATED: " + id),
            0u);
  EXPECT_EQ(Tool("finding export " + id + db + " --out " + Path("marked")).out.find("SIMULATED: "),
            0u);
  EXPECT_EQ((*ParseJson(*ReadTextFile(Path("marked/finding.json"))))["provenance"], "simulated");
  EXPECT_EQ(Tool("check " + Path("marked/model.mil")).out.find("SIMULATED: "), 0u);
  EXPECT_EQ(Tool("probe --probe rounding_tie").out.find("SIMULATED: "), 0u);
  const Outcome roundtrip = Tool("run --runner roundtrip --cases 2 --targets h13" + Db("u.sqlite"));
  EXPECT_EQ(roundtrip.out.find("2 cases, "), 0u) << roundtrip.out;
}

// A finding stores only its first case. The tool draws the others again from the run's options.
TEST_F(RecordCliTest, EveryCaseOfAFindingIsRunAgain) {
  const std::string db = Db("cases.sqlite");
  Tool("run --cases 600 --seed 3 --targets h13 --quirk all=off --steer --fault slice-off-by-one" +
       db);
  const Outcome query = Tool(
      "query --json \"SELECT finding_cases.case_index, op FROM finding_cases JOIN findings USING "
      "(run, "
      "signature) "
      "WHERE verdict = 'wrong' ORDER BY 1\"" +
      db);
  const auto rows = ParseJson(query.out);
  ASSERT_TRUE(rows.ok() && rows->is_array() && rows->size() > 1) << query.out << query.err;
  for (size_t i = 0; i < std::min<size_t>(rows->size(), 4); ++i) {
    const std::string index = (*rows)[i]["case_index"].dump();
    const Outcome replay = Tool("replay case:" + index + db + " --json");
    EXPECT_EQ(replay.code, 1) << replay.out << replay.err;
    const Json json = JsonOf(replay);
    EXPECT_EQ(json["verdict"], json["recorded_verdict"]) << index;
    EXPECT_EQ(json["op"], (*rows)[i]["op"]) << index;
  }
  EXPECT_EQ(
      Tool("shrink case:" + (*rows)[1]["case_index"].dump() + db + " --out " + Path("small.json"))
          .code,
      0);
  EXPECT_EQ(Tool("replay " + Path("small.json")).code, 1);
  EXPECT_NE(Tool("replay case:600" + db).err.find("holds no case 600"), std::string::npos);
  EXPECT_NE(Tool("replay case:x" + db).err.find("\"x\" is no index of a case"), std::string::npos);
}

// A recorded command can be typed again and makes the same cases.
TEST_F(RecordCliTest, TheRecordedCommandCanBeTypedAgain) {
  const std::string db = " --db '" + Path("two words.sqlite") + "'";
  const std::string given = "run --cases 64 --targets h13,h14 --quirk D01=off --quirk D03=off";
  ASSERT_EQ(Tool(given + db).code, 0);
  const std::string sql =
      "query --json \"SELECT command, seed FROM runs ORDER BY id DESC LIMIT 1\"";
  const std::string command = (*ParseJson(Tool(sql + db).out))[0]["command"].get<std::string>();
  EXPECT_EQ(command.find("anecheck run --"), 0u) << command;
  for (const std::string& part :
       {std::string("--cases 64"), std::string("--targets h13,h14"),
        std::string("--quirk D01=off --quirk D03=off"), db.substr(1), std::string("--seed 1")}) {
    EXPECT_NE((command + " ").find(" " + part + " "), std::string::npos) << command;
  }
  EXPECT_EQ(command.find('\n'), std::string::npos);
  ASSERT_EQ(Tool(command.substr(9)).code, 0);
  EXPECT_EQ((*ParseJson(Tool(sql + db).out))[0]["command"], command);
  const auto cases = ParseJson(
      Tool("query --json \"SELECT count(DISTINCT seed || fingerprint) AS n FROM cases\"" + db).out);
  EXPECT_EQ((*cases)[0]["n"], 64) << "both runs made the same cases";
  ASSERT_EQ(Tool("probe --probe rounding_tie --target h13" + db).code, 0);
  EXPECT_EQ((*ParseJson(Tool(sql + db).out))[0]["command"],
            "anecheck probe --targets h13 --probe rounding_tie" + db);
}

TEST_F(RecordCliTest, GeneratorsReportTheirSeedAndCommand) {
  const std::string out = " --out " + Path("gen");
  const auto gen = ParseJson(Tool("gen --format e5 --count 2 --json" + out).out);
  EXPECT_EQ((*gen)["seed"], 1);
  EXPECT_EQ((*gen)["command"], "anecheck gen --format e5 --count 2 --seed 1" + out + " --json");
  EXPECT_EQ((*ParseJson(*ReadTextFile(Path("gen/manifest.json"))))["seed"], 1);
  const Outcome text = Tool("gen --format e5 --count 2 --seed 7" + out);
  EXPECT_NE(text.out.find("; seed 7\n  anecheck gen --format e5 --count 2 --seed 7 --out "),
            std::string::npos)
      << text.out;
  const std::string fuzz = "fuzz --format e5 --count 2 --out " + Path("fuzzed");
  const auto json = ParseJson(Tool(fuzz + " --json -- /bin/true --check @@").out);
  ASSERT_TRUE(json.ok());
  EXPECT_TRUE((*json)["seed"].is_number_unsigned());
  EXPECT_EQ((*json)["command"], "anecheck fuzz --format e5 --count 2 --seed " +
                                    (*json)["seed"].dump() + " --out " + Path("fuzzed") +
                                    " --json -- /bin/true --check @@");
  EXPECT_NE(Tool(fuzz + " --seed 4 -- /bin/true @@").out.find("seed 4\n  anecheck fuzz"),
            std::string::npos);
}

TEST_F(RecordCliTest, EveryCommandSpellsKnownDefectTheSameWay) {
  const Outcome run = Tool("run --cases 300 --seed 2 --targets h13 --json" + Db("word.sqlite"));
  const auto json = ParseJson(run.out);
  ASSERT_TRUE(json.ok());
  for (const auto& finding : (*json)["findings"]) {
    if (finding["verdict"] != "known-defect") continue;
    const std::string folder = Path("known");
    if (Tool("finding export " + finding["id"].get<std::string>() + Db("word.sqlite") + " --out " +
             folder)
            .code != 0) {
      continue;
    }
    const std::string of = folder + "/graph.json --inputs " + folder + "/inputs.npz";
    const auto judged =
        ParseJson(Tool("judge " + of + " --actual " + folder + "/actual.npz --json").out);
    ASSERT_TRUE(judged.ok());
    EXPECT_EQ(judged->dump().find("\"verdict\":\"known_defect\""), std::string::npos);
    // The command `judge` runs no program, so it cannot recognise a deviation that only several
    // operations together explain.
    if (judged->dump().find("\"verdict\":\"known-defect\"") == std::string::npos) continue;
    const auto checked = ParseJson(Tool("check " + of + " --json").out);
    ASSERT_TRUE(checked.ok());
    EXPECT_EQ((*checked)["summary"]["findings"], 0) << "documented defects are no new findings";
    EXPECT_EQ((*checked)["summary"]["known_defects"], 1);
    return;
  }
  ADD_FAILURE() << "no known defect was met";
}

// The catalogue of an engine whose relu is sometimes a thousand ulp off.
constexpr const char* kOwnDefect =
    R"({"departures": [{"id": "U1", "effect": "absolute_error", "op": "relu", "a": 1e9, "b": 0,
        "families": ["h13"], "what": "relu is anything", "source": "mine"}]})";

std::set<std::string> VerdictsOf(const Json& run) {
  std::set<std::string> verdicts;
  for (const Json& finding : run["findings"])
    verdicts.insert(finding["verdict"].get<std::string>());
  return verdicts;
}

TEST_F(RecordCliTest, ARunKeepsTheDefectsThatItWasJudgedBy) {
  WriteText("mine.json", kOwnDefect);
  WriteText("none.json", R"({"departures": []})");
  const std::string run =
      "run --cases 64 --seed 3 --targets h13 --ops relu --quirk all=off --json "
      "--fault ulp-error:relu:1:1000";
  EXPECT_EQ(Tool(run + Db("plain.sqlite")).code, 1);
  const std::string db = Db("mine.sqlite");
  // The run ends before its first case.
  const Outcome begun = Tool(run + " --defects " + Path("mine.json") + " --time 0.001" + db);
  EXPECT_EQ(JsonOf(begun)["summary"]["cases"], 0);
  EXPECT_NE(begun.err.find("stopped by --time; "), std::string::npos) << begun.err;
  const Outcome refused = Tool("run --resume --defects " + Path("none.json") + db);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--defects cannot be given with --resume, which takes it from the"),
            std::string::npos)
      << refused.err;
  const Outcome resumed = Tool("run --resume --json" + db);
  EXPECT_EQ(resumed.code, 0) << resumed.out;
  const Json summary = JsonOf(resumed);
  EXPECT_EQ(summary["summary"]["cases"], 64);
  EXPECT_EQ(VerdictsOf(summary), std::set<std::string>{"known-defect"});
  EXPECT_EQ(summary["findings"][0]["known_defect"], "U1");

  const std::string id = summary["findings"][0]["id"].text();
  EXPECT_EQ(JsonOf(Tool("replay --json " + id + db))["verdict"], "known-defect");
  const Outcome otherwise = Tool("replay --json " + id + db + " --defects " + Path("none.json"));
  EXPECT_EQ(otherwise.code, 1);
  EXPECT_EQ(JsonOf(otherwise)["verdict"], "wrong");
  const std::string small = Path("small.json");
  EXPECT_EQ(JsonOf(Tool("shrink --json " + id + db + " --out " + small))["verdict"],
            "known-defect");
  EXPECT_EQ(JsonOf(Tool("replay --json " + small))["verdict"], "known-defect")
      << "the file contains the defects too";
  EXPECT_EQ(JsonOf(Tool("shrink --json " + id + db + " --out " + small + " --defects " +
                        Path("none.json")))["verdict"],
            "wrong");
}

TEST_F(RecordCliTest, ABaselineThatIsNoMatrixIsRefused) {
  ASSERT_TRUE(WriteFileAtomic(Path("other.json"), std::string_view("{\"a\": 1}")).ok());
  const Outcome outcome = Tool("matrix --targets h13 --baseline " + Path("other.json"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "anecheck: error: " + Path("other.json") +
                             ": is no matrix; make one with `anecheck matrix --format json`\n");
}

TEST_F(RecordCliTest, AMatrixShowsTheChangesSinceItsBaseline) {
  const std::string matrix = "matrix --targets h13 --ops conv --no-published ";
  ASSERT_TRUE(
      WriteFileAtomic(Path("old.json"), std::string_view(Tool(matrix + "--json").out)).ok());
  const std::string compare = matrix + "--baseline " + Path("old.json");
  EXPECT_NE(Tool(compare).out.find("No cell changed since the baseline."), std::string::npos);
  const Outcome csv = Tool(compare + " --format csv");
  EXPECT_EQ(csv.code, 2);
  EXPECT_EQ(csv.err,
            "anecheck: error: --baseline: csv has no column for changes; use --format text, md, "
            "json or html\n");
}

// Findings of two engines with the same seed share ids, and the tool asks for the run.
TEST_F(RecordCliTest, AFindingOfSeveralRunsIsChosenByItsRun) {
  const std::string run =
      "run --cases 64 --seed 3 --targets h13 --quirk all=off --ops slice_by_size --fault "
      "slice-off-by-one";
  ASSERT_EQ(Tool(run + Db("a.sqlite")).code, 1);
  ASSERT_EQ(Tool(run + ",conv-bias-dropped" + Db("b.sqlite")).code, 1);
  const std::string all = Path("both.sqlite");
  ASSERT_EQ(Tool("merge " + Path("a.sqlite") + " " + Path("b.sqlite") + " --out " + all).code, 0);
  const auto rows = ParseJson(
      Tool("query --json \"SELECT f.id, uuid, replay FROM findings f JOIN runs r ON r.id = f.run "
           "WHERE verdict = 'wrong' ORDER BY f.id, uuid\" --db " +
           all)
          .out);
  ASSERT_TRUE(rows.ok());
  ASSERT_GE(rows->size(), 2u);
  const std::string id = (*rows)[0]["id"].get<std::string>();
  ASSERT_EQ((*rows)[1]["id"], id);
  const Outcome unclear = Tool("replay " + id + " --db " + all);
  EXPECT_EQ(unclear.code, 2);
  for (size_t i = 0; i < 2; ++i) {
    const std::string uuid = (*rows)[i]["uuid"].get<std::string>();
    EXPECT_NE(unclear.err.find(uuid + " (simulated"), std::string::npos) << unclear.err;
    const std::string replay = (*rows)[i]["replay"].get<std::string>();
    EXPECT_EQ(replay, "anecheck replay " + id + " --db " + all + " --run " + uuid);
    EXPECT_EQ(Tool(replay.substr(replay.find("replay"))).code, 1);
    EXPECT_EQ(Tool("replay " + id + " --db " + all + " --run " + uuid.substr(0, 12)).code, 1);
  }
  EXPECT_EQ(Tool("replay " + id + " --db " + all + " --run nonesuch").code, 2);
  // Two runs of the same campaign have the same finding, so the tool need not ask for the run.
  ASSERT_EQ(Tool(run + Db("a.sqlite")).code, 1);
  EXPECT_EQ(Tool("replay " + id + Db("a.sqlite")).code, 1);
  // A run of another engine requires a choice. The command that it prints names the run, and the
  // recorded commands of the earlier runs still work.
  const Json other = JsonOf(Tool(run + ",conv-bias-dropped --json" + Db("a.sqlite")));
  const auto of_id = [&](const Json& finding) { return finding["id"] == id; };
  const auto found = std::ranges::find_if(other["findings"], of_id);
  ASSERT_NE(found, other["findings"].end());
  const std::string printed = (*found)["replay"].text();
  EXPECT_EQ(Tool(printed.substr(printed.find("replay"))).code, 1) << printed;
  const Json recorded = JsonOf(Tool("query --json \"SELECT replay FROM findings WHERE id = '" + id +
                                    "'\"" + Db("a.sqlite")));
  ASSERT_EQ(recorded.size(), 3u);
  for (const Json& row : recorded) {
    const std::string replay = row["replay"].text();
    EXPECT_EQ(Tool(replay.substr(replay.find("replay"))).code, 1) << replay;
  }
}

// Each case is counted in exactly one of the numbers.
TEST_F(RecordCliTest, RefusedCasesAreCountedInWords) {
  const Outcome refused =
      Tool("run --mode must-reject --cases 20 --seed 1 --targets h13" + Db("refused.sqlite"));
  EXPECT_NE(refused.out.find("20 cases, 0 judged by values, 20 only by refusal, acceptance or "
                             "failure, 0 inconclusive"),
            std::string::npos)
      << refused.out;
}

// A user's condition may keep a case that passes.
TEST_F(RecordCliTest, AShrunkCaseThatPassesIsReportedAsPassing) {
  const std::string db = Db("passes.sqlite");
  const std::string run =
      "run --cases 200 --seed 3 --targets h13 --quirk all=off --fault sub-swapped";
  ASSERT_EQ(Tool(run + db).code, 1);
  const auto rows = ParseJson(Tool("query --json 'SELECT id FROM findings LIMIT 1'" + db).out);
  const Outcome shrunk = Tool("shrink " + (*rows)[0]["id"].get<std::string>() +
                              " --if true --out " + Path("passes.json") + db);
  EXPECT_EQ(shrunk.code, 0) << shrunk.err;
  EXPECT_NE(shrunk.out.find("tries\n  shows: pass\n  anecheck replay "), std::string::npos)
      << shrunk.out;
}

TEST_F(RecordCliTest, AQueryIsOneStatementAndItsNumbersAreNumbers) {
  ASSERT_EQ(Tool("run --runner roundtrip --cases 2 --seed 1 --targets h13" + Db("q.sqlite")).code,
            0);
  const Outcome two = Tool("query 'SELECT 1; SELECT 2'" + Db("q.sqlite"));
  EXPECT_EQ(two.code, 2);
  EXPECT_EQ(two.err, "anecheck: error: the query has more than one statement; give one\n");
  EXPECT_EQ(Tool("query \"ATTACH '" + Path("new") + "' AS z\"" + Db("q.sqlite")).code, 2);
  EXPECT_EQ(Tool("merge " + Path("q.sqlite") + " --out /nonexistent/z.sqlite").code, 2);
  const Outcome json =
      Tool("query --json \"SELECT 2 AS i, 0.5 AS r, '2' AS t, NULL AS n, -1e999 AS x\"" +
           Db("q.sqlite"));
  EXPECT_EQ(ParseJson(json.out)->dump(), R"([{"i":2,"r":0.5,"t":"2","n":null,"x":"-Inf"}])");
  EXPECT_EQ(Tool("query 'SELECT 2, NULL'" + Db("q.sqlite")).out, "2,NULL\n2,\n");
  // All columns of equal names are printed, and a zero byte does not end a value.
  EXPECT_EQ(
      ParseJson(
          Tool("query --json \"SELECT 1 AS a, 2 AS a, 3 AS a, X'00ff' AS b\"" + Db("q.sqlite")).out)
          ->dump(),
      R"([{"a":1,"a:1":2,"a:2":3,"b":"X'00FF'"}])");
  EXPECT_EQ(Tool("query \"SELECT 1 AS a, 2 AS a, X'00ff' AS b\"" + Db("q.sqlite")).out,
            "a,a,b\n1,2,X'00FF'\n");
}

}  // namespace
}  // namespace anecheck
