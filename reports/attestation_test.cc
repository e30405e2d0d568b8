// Tests the matrix of attested and reached operations. The tests cover predictions without
// evidence, evidence, conflicts, baselines, and the forms in which the matrix is written.
#include "reports/attestation.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/ops/op.h"
#include "oracles/legality/explain.h"
#include "reports/campaign_evidence.h"
#include "reports/query.h"
#include "reports/testing/sample_results.h"

namespace anecheck::reports {
namespace {

using evidence::Statement;
using ::testing::HasSubstr;

std::vector<const Target*> Targets(std::string_view list) {
  auto targets = TargetCatalog::Builtin().FindList(list);
  EXPECT_TRUE(targets.ok());
  return targets.ok() ? *targets : std::vector<const Target*>();
}

Attestation Build(std::string_view targets, std::vector<Statement> statements,
                  const AttestationOptions& options = {}) {
  auto matrix = BuildAttestation(Targets(targets), std::move(statements), options);
  EXPECT_TRUE(matrix.ok());
  return matrix.ok() ? std::move(*matrix) : Attestation();
}

// Returns the cell of an operation on the matrix's first target.
const AttestationCell& Cell(const Attestation& matrix, std::string_view op, size_t route = 0) {
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    if (matrix.rows[row].name == op) return matrix.at(row, 0, route);
  }
  ADD_FAILURE() << "no row " << op;
  return matrix.cells.front();
}

Statement Say(std::string subject, Stage stage, Provenance provenance,
              std::optional<Route> route = Route::kMil) {
  Statement statement;
  statement.subject = std::move(subject);
  statement.target = "h13";
  statement.route = route;
  statement.stage = stage;
  statement.provenance = provenance;
  statement.source = "a test";
  return statement;
}

TEST(Attestation, HasEveryOperationLayerTargetAndRoute) {
  const Attestation matrix = Build("all", {});
  EXPECT_EQ(matrix.rows.size(), 189u + 55);
  EXPECT_EQ(matrix.targets.size(), 30u);
  EXPECT_EQ(matrix.cells.size(), matrix.rows.size() * 30 * 2);
  EXPECT_LT(matrix.verdicts.size(), 1500u) << "equal chains of layers are stored once";
}

TEST(Attestation, PredictionsAreThoseOfTheRulesWithAndWithoutEvidence) {
  const Attestation bare = Build("all", {});
  const Attestation full = Build("all", evidence::Published());
  ASSERT_EQ(bare.cells.size(), full.cells.size());
  ASSERT_EQ(bare.verdicts.size(), full.verdicts.size());
  for (size_t i = 0; i < bare.cells.size(); ++i) {
    EXPECT_EQ(bare.cells[i].verdict, full.cells[i].verdict);
    EXPECT_EQ(bare.cells[i].admitted, full.cells[i].admitted);
    EXPECT_EQ(bare.cells[i].kind, "rules");
    if (full.cells[i].kind == "rules") EXPECT_EQ(bare.cells[i].stage, full.cells[i].stage);
  }
  for (size_t i = 0; i < bare.verdicts.size(); ++i) {
    EXPECT_EQ(DumpJson(legality::VerdictJson(bare.verdicts[i])),
              DumpJson(legality::VerdictJson(full.verdicts[i])));
  }
}

TEST(Attestation, WithoutEvidenceTheRulesFillTheCells) {
  const Attestation bare = Build("h13", {});
  EXPECT_EQ(Cell(bare, "conv").stage, Stage::kAttested);
  EXPECT_EQ(Cell(bare, "resize").stage, Stage::kDecomposed);
  EXPECT_EQ(Cell(bare, "sin").stage, Stage::kRefused);
  EXPECT_EQ(Cell(bare, "lstm").stage, Stage::kNoPath);
  EXPECT_EQ(Cell(bare, "GlobalArgMinMax", 0).stage, Stage::kRefused);
  EXPECT_EQ(Cell(bare, "GlobalArgMinMax", 1).stage, Stage::kAttested);
}

TEST(Attestation, ShowsTheStrongestEvidenceAndThenTheFurthestStage) {
  const Attestation matrix =
      Build("h13", {Say("conv", Stage::kCompiled, Provenance::kSilicon),
                    Say("conv", Stage::kCorrect, Provenance::kSimulated),
                    Say("add", Stage::kCorrect, Provenance::kSimulated),
                    Say("add", Stage::kCorrect, Provenance::kSilicon),
                    Say("sin", Stage::kDispatched, Provenance::kReported),
                    Say("conv [kernel_depth=2]", Stage::kRejected, Provenance::kSilicon),
                    Say("mul", Stage::kRejected, Provenance::kReported),
                    Say("mul", Stage::kCorrect, Provenance::kSimulated),
                    Say("sub", Stage::kCompiled, Provenance::kSilicon),
                    Say("sub", Stage::kDispatched, Provenance::kSilicon),
                    Say("pow", Stage::kDispatched, Provenance::kSilicon),
                    Say("pow", Stage::kRejected, Provenance::kSilicon)});
  EXPECT_EQ(Cell(matrix, "conv").stage, Stage::kCompiled);
  EXPECT_EQ(Cell(matrix, "conv").kind, "silicon");
  EXPECT_EQ(Cell(matrix, "mul").stage, Stage::kRejected);
  EXPECT_EQ(Cell(matrix, "mul").kind, "reported");
  EXPECT_EQ(Cell(matrix, "sub").stage, Stage::kDispatched);
  EXPECT_EQ(Cell(matrix, "pow").stage, Stage::kDisputed);
  EXPECT_TRUE(Cell(matrix, "pow").conflict);
  EXPECT_EQ(Cell(matrix, "conv").statements.size(), 3u);
  EXPECT_EQ(Cell(matrix, "add").kind, "silicon");
  EXPECT_TRUE(Cell(matrix, "add").silicon);
  EXPECT_TRUE(Cell(matrix, "sin").reached);
  EXPECT_FALSE(Cell(matrix, "sin").admitted);
  EXPECT_EQ(Cell(matrix, "relu").kind, "rules");
}

// Evidence by one route does not hide evidence by the other route.
TEST(AttestationForms, EachRouteShowsItsOwnState) {
  const std::string csv = AttestationCsv(
      Build("h13", {Say("conv", Stage::kCompiled, Provenance::kSilicon, Route::kNetlist),
                    Say("conv", Stage::kCorrect, Provenance::kSimulated, Route::kMil),
                    Say("relu", Stage::kRejected, Provenance::kSimulated, Route::kNetlist)}));
  EXPECT_THAT(csv, HasSubstr("\nconv,correct (simulated),attested,compiled (silicon),attested\n"));
  EXPECT_THAT(csv, HasSubstr("\nrelu,attested,attested,rejected (simulated),attested\n"))
      << "a refusal by one route does not concern the other";
}

TEST(Attestation, AStatementWithoutARouteCountsForTheRouteThatTheRulesAdmit) {
  const Attestation matrix =
      Build("h13", {Say("cross_product", Stage::kDispatched, Provenance::kPublished, std::nullopt),
                    Say("sin", Stage::kRejected, Provenance::kPublished, std::nullopt)});
  EXPECT_TRUE(Cell(matrix, "cross_product", 0).statements.empty());
  EXPECT_EQ(Cell(matrix, "cross_product", 1).stage, Stage::kDispatched);
  EXPECT_EQ(Cell(matrix, "sin", 0).stage, Stage::kRejected);
}

// The native layer reached every stage that its operation reached by direct authoring. A refusal
// concerns only the operation.
TEST(Attestation, ANativeLayerHasTheStatementsOfItsOperationsByDirectAuthoring) {
  const Attestation matrix =
      Build("h13", {Say("cross_product", Stage::kCorrect, Provenance::kSimulated, Route::kNetlist),
                    Say("pixel_shuffle", Stage::kRejected, Provenance::kSimulated, Route::kNetlist),
                    Say("conv", Stage::kCorrect, Provenance::kSimulated, Route::kMil)});
  EXPECT_EQ(Cell(matrix, "cross_product", 1).stage, Stage::kCorrect);
  EXPECT_EQ(Cell(matrix, "CrossProduct", 1).stage, Stage::kCorrect);
  EXPECT_EQ(Cell(matrix, "CrossProduct", 1).statements,
            Cell(matrix, "cross_product", 1).statements);
  EXPECT_TRUE(Cell(matrix, "CrossProduct", 0).statements.empty());
  EXPECT_TRUE(Cell(matrix, "PixelShuffle", 1).statements.empty());
  EXPECT_TRUE(Cell(matrix, "Conv", 1).statements.empty());
}

TEST(Attestation, EachRowNamesTheOperationsThatTestIt) {
  const Attestation matrix = Build("h13", {});
  size_t untested = 0;
  for (const AttestationRow& row : matrix.rows) {
    for (const auto& names : row.tested_by) {
      for (const std::string& name : names) EXPECT_NE(FindOp(name), nullptr) << row.name;
    }
    if (row.native_layer) EXPECT_TRUE(row.tested_by[0].empty()) << row.name;
    untested += row.tested_by[0].empty() && row.tested_by[1].empty() ? 1 : 0;
    if (row.name == "CrossProduct") {
      EXPECT_EQ(row.tested_by[1], std::vector<std::string>{"cross_product"});
    }
    if (row.name == "SDPA") EXPECT_FALSE(row.tested_by[1].empty());
    if (row.name == "sin") {
      EXPECT_EQ(row.tested_by[0], std::vector<std::string>{"sin"});
      EXPECT_TRUE(row.tested_by[1].empty()) << "sine has no direct route";
    }
  }
  EXPECT_LT(untested, 40u);
}

TEST(Attestation, ConflictsAndConditions) {
  Statement old = Say("conv", Stage::kRejected, Provenance::kSilicon);
  old.os = "14";
  Statement now = Say("conv", Stage::kCorrect, Provenance::kSilicon);
  EXPECT_TRUE(Cell(Build("h13", {old, now}), "conv").conflict);
  now.os = "15";
  EXPECT_FALSE(Cell(Build("h13", {old, now}), "conv").conflict);
  AttestationOptions options;
  options.os = "14";
  EXPECT_EQ(Cell(Build("h13", {old, now}, options), "conv").stage, Stage::kRejected);
  options.os = "15";
  EXPECT_EQ(Cell(Build("h13", {old, now}, options), "conv").stage, Stage::kCorrect);
}

// In the public guide's numbering, H17 has family A16. No operation requires a family above A15.
TEST(Attestation, UsesTheRequestedNumberingOfFamilies) {
  AttestationOptions options;
  options.order = FamilyOrder::kPublicGuide;
  EXPECT_EQ(Cell(Build("h17", {}, options), "sin").stage, Stage::kAttested);
  // M11 has no hardware version, so its family is unknown in that numbering.
  EXPECT_EQ(Cell(Build("m11", {}, options), "sin").stage, Stage::kUnknown);
  EXPECT_EQ(Cell(Build("m11", {}), "sin").stage, Stage::kAttested);
}

TEST(Attestation, ABaselineMarksNewCells) {
  const std::string before = DumpJson(AttestationJson(Build("h13", {})));
  Attestation matrix = Build("h13", {Say("conv", Stage::kCorrect, Provenance::kSilicon)});
  ASSERT_TRUE(CompareWithBaseline(before, "old.json", matrix).ok());
  EXPECT_TRUE(Cell(matrix, "conv").fresh);
  EXPECT_FALSE(Cell(matrix, "add").fresh);
  for (const char* other : {"{}", "[1]", R"({"cells": [[9, 9, 9, 1]]})", R"({"cells": 3})"}) {
    const Status status = CompareWithBaseline(other, "old.json", matrix);
    ASSERT_FALSE(status.ok()) << other;
    EXPECT_EQ(status.error().message,
              "old.json: is no matrix; make one with `anecheck matrix --format json`");
  }
}

TEST(Attestation, EveryCellHasTheVerdictOfItsQuestion) {
  const Attestation matrix = Build("h13,h17s", {});
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    legality::Instance instance;
    instance.op = matrix.rows[row].name;
    for (size_t target = 0; target < matrix.targets.size(); ++target) {
      for (size_t route = 0; route < matrix.routes.size(); ++route) {
        const auto asked = legality::Judge(instance, *matrix.targets[target], matrix.routes[route]);
        ASSERT_TRUE(asked.ok());
        const legality::Verdict& shown = matrix.verdicts[matrix.at(row, target, route).verdict];
        EXPECT_EQ(shown.native_layer, asked->native_layer) << instance.op;
        EXPECT_EQ(shown.outcome, asked->outcome) << instance.op;
        for (size_t layer = 0; layer < shown.layers.size(); ++layer) {
          EXPECT_EQ(shown.layers[layer].rule, asked->layers[layer].rule) << instance.op;
          EXPECT_EQ(shown.layers[layer].reason, asked->layers[layer].reason) << instance.op;
        }
      }
    }
  }
}

TEST(Attestation, AStatementIsInTheColumnOfItsTarget) {
  Statement later = Say("conv", Stage::kCorrect, Provenance::kSimulated);
  later.target = "h14";
  Attestation matrix = Build("h13,h14", {later});
  const size_t row = 0;
  ASSERT_EQ(matrix.rows[row].name, "conv");
  EXPECT_EQ(matrix.at(row, 0, 0).stage, Stage::kAttested);
  EXPECT_EQ(matrix.at(row, 1, 0).stage, Stage::kCorrect);
  const std::string before = DumpJson(AttestationJson(Build("h13,h14", {})));
  ASSERT_TRUE(CompareWithBaseline(before, "old.json", matrix).ok());
  size_t fresh = 0;
  for (const AttestationCell& cell : matrix.cells) fresh += cell.fresh ? 1 : 0;
  EXPECT_EQ(fresh, 1u);
  EXPECT_TRUE(matrix.at(row, 1, 0).fresh);
}

TEST(Attestation, AStatementOfAnOperationWithoutALayerFillsOneCell) {
  const Attestation matrix =
      Build("h13", {Say("sin", Stage::kCorrect, Provenance::kSimulated, Route::kNetlist)});
  size_t cells = 0;
  for (const AttestationCell& cell : matrix.cells) cells += cell.statements.empty() ? 0 : 1;
  EXPECT_EQ(cells, 1u);
  EXPECT_EQ(Cell(matrix, "sin", 1).stage, Stage::kCorrect);
}

TEST(AttestationForms, FlagsOfACellAreBits) {
  const Json before = AttestationJson(Build("h13", {}));
  Attestation matrix = Build("h13", {Say("conv", Stage::kCorrect, Provenance::kSilicon),
                                     Say("sin", Stage::kDispatched, Provenance::kReported),
                                     Say("pow", Stage::kDispatched, Provenance::kReported),
                                     Say("pow", Stage::kRejected, Provenance::kReported)});
  const auto flags = [&](const Json& json, std::string_view op) {
    for (const Json& cell : json["cells"]) {
      const bool first = cell[2].get<size_t>() == 0;
      if (first && matrix.rows[cell[0].get<size_t>()].name == op) return cell[6].get<int>();
    }
    return -1;
  };
  EXPECT_EQ(flags(before, "conv"), 1);
  EXPECT_EQ(flags(before, "sin"), 0);
  const Json json = AttestationJson(matrix);
  EXPECT_EQ(flags(json, "conv"), 1 | 2 | 8);
  EXPECT_EQ(flags(json, "sin"), 2);
  EXPECT_EQ(flags(json, "pow"), 1 | 4);
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["statements"].size(), 4u);
  size_t layers = 0;
  for (const Json& op : json["ops"]) layers += op["native"].get<bool>() ? 1 : 0;
  EXPECT_EQ(layers, legality::Rules::Builtin().layers().size());
  EXPECT_EQ(json["conflicts"].size(), 1u);
  ASSERT_TRUE(CompareWithBaseline(DumpJson(before), "old.json", matrix).ok());
  EXPECT_EQ(flags(AttestationJson(matrix), "conv"), 1 | 2 | 8 | 16);
}

TEST(AttestationForms, TextListsTheChangesSinceTheBaseline) {
  const std::string before = DumpJson(AttestationJson(Build("h13", {})));
  Attestation same = Build("h13", {});
  EXPECT_THAT(AttestationText(same), testing::Not(HasSubstr("baseline")));
  ASSERT_TRUE(CompareWithBaseline(before, "old.json", same).ok());
  EXPECT_THAT(AttestationText(same), HasSubstr("\nNo cell changed since the baseline.\n"));
  Attestation matrix = Build("h13", {Say("conv", Stage::kWrong, Provenance::kSimulated)});
  ASSERT_TRUE(CompareWithBaseline(before, "old.json", matrix).ok());
  for (const std::string& text : {AttestationText(matrix), AttestationMarkdown(matrix)}) {
    EXPECT_THAT(text, HasSubstr("\nChanged since the baseline: 1 cell.\n\n"
                                "- conv on h13, mil: wrong (simulated), before: attested\n"));
  }
}

// Without this text, a lab that merges its results would see only published results.
TEST(AttestationForms, TextNamesResultsThatPublishedOnesHide) {
  const Statement own = Say("conv", Stage::kWrong, Provenance::kSimulated);
  Statement published = Say("conv", Stage::kCorrect, Provenance::kPublished);
  published.basis = "silicon";
  const std::string note =
      "\n1 cell has results of runs that stronger published evidence outranks;";
  EXPECT_THAT(AttestationText(Build("h13", {own, published})), HasSubstr(note));
  EXPECT_THAT(AttestationMarkdown(Build("h13", {own, published})), HasSubstr("--no-published"));
  EXPECT_THAT(AttestationText(Build("h13", {own})), testing::Not(HasSubstr("outranks")));
  EXPECT_THAT(AttestationText(Build("h13", {published})), testing::Not(HasSubstr("outranks")));
}

// No cell of a target that is not simulated is based on a run of the simulated engine.
TEST(AttestationForms, TargetsWithoutASimulatedCompilerAreListedAsNotSimulated) {
  const Attestation matrix = Build("h11,h12,m9,t0,h13", {});
  const auto json = AttestationJson(matrix);
  for (const Json& target : json["targets"]) {
    EXPECT_EQ(target["simulated"], target["name"] == "h13") << target["name"];
  }
  EXPECT_THAT(AttestationMarkdown(matrix), HasSubstr("\nNot simulated: h11, h12, m9, t0. "));
  EXPECT_THAT(AttestationMarkdown(Build("h13", {})), testing::Not(HasSubstr("Not simulated")));
}

// Each route has its own state, followed by the answer of the rules alone.
TEST(AttestationForms, TextHasASectionForEachTargetAndTheAnswerOfTheRules) {
  const std::string text = AttestationText(Build("h13,h16", {}));
  EXPECT_THAT(text, testing::StartsWith("h13 (A14, M1)\noperation"));
  EXPECT_THAT(text, HasSubstr("\n\nh16"));
  EXPECT_THAT(text, testing::ContainsRegex("\nconv  +attested  +attested\n"));
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    EXPECT_FALSE(text.substr(at, end - at).ends_with(' ')) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(AttestationForms, CsvAndMarkdownHaveTwoColumnsForEachTargetAndRoute) {
  const Attestation matrix =
      Build("h13,h17s", {Say("conv", Stage::kCorrect, Provenance::kSimulated)});
  const std::string csv = AttestationCsv(matrix);
  EXPECT_TRUE(
      csv.starts_with("op,h13 mil,h13 mil rules,h13 netlist,h13 netlist rules,h17s mil,"
                      "h17s mil rules,h17s netlist,h17s netlist rules\n"
                      "conv,correct (simulated),attested,attested,attested,"))
      << csv.substr(0, 190);
  EXPECT_THAT(csv, HasSubstr("\nsin,refused,refused,refused,refused,attested,attested,"));
  EXPECT_THAT(AttestationMarkdown(matrix),
              HasSubstr("| `conv` | correct \\(simulated\\) | attested | attested |"));
}

// The page contains its cells as columns of numbers.
TEST(AttestationForms, ThePageHoldsTheCellsOfTheJson) {
  const Attestation matrix = Build("h13", {Say("conv", Stage::kCorrect, Provenance::kSilicon),
                                           Say("sin", Stage::kDispatched, Provenance::kReported),
                                           Say("pow", Stage::kRejected, Provenance::kSimulated)});
  const Json cells = AttestationJson(matrix)["cells"];
  const std::string html = AttestationHtml(matrix);
  const size_t begin = html.find("{\"", html.find("id=\"matrix-data\""));
  const Json data = ParseJson(html.substr(begin, html.find("</script>", begin) - begin)).value();
  ASSERT_EQ(data["cells"]["state"].size(), cells.size());
  size_t with_statements = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto name = [&](const char* column, const char* names) {
      return data[names][data["cells"][column][i].get<size_t>()];
    };
    EXPECT_EQ(name("state", "states"), cells[i][3]) << i;
    EXPECT_EQ(name("kind", "kinds"), cells[i][4]) << i;
    const std::string key = std::to_string(i);
    with_statements += cells[i][7].empty() ? 0 : 1;
    EXPECT_EQ(data["statements_of"].contains(key), !cells[i][7].empty()) << i;
    if (!cells[i][7].empty()) EXPECT_EQ(data["statements_of"][key], cells[i][7]) << i;
  }
  EXPECT_GE(with_statements, 3u);
  // Each name is listed only once, although many cells have the same name.
  for (const char* names : {"states", "kinds"}) {
    std::set<std::string> once;
    for (const Json& name : data[names]) once.insert(name.get<std::string>());
    EXPECT_EQ(once.size(), data[names].size()) << names;
  }
}

// The matrix and the answer for one operation agree.
RC_GTEST_PROP(AttestationProperty, ACellIsTheAnswerToItsQuestion, ()) {
  static const Attestation matrix = Build("all", evidence::Published());
  const auto row = *rc::gen::inRange<size_t>(0, matrix.rows.size());
  const auto target = *rc::gen::inRange<size_t>(0, matrix.targets.size());
  const auto route = *rc::gen::inRange<size_t>(0, matrix.routes.size());
  legality::Instance instance;
  instance.op = matrix.rows[row].name;
  const auto answer = evidence::AnswerOf(instance, *matrix.targets[target], matrix.routes[route],
                                         evidence::Published());
  RC_ASSERT(answer.ok());
  const AttestationCell& cell = matrix.at(row, target, route);
  RC_ASSERT(evidence::CellText(answer->cell) == evidence::CellText(cell));
  RC_ASSERT(answer->cell.by == cell.by);
  RC_ASSERT(answer->cell.admitted == cell.admitted);
  RC_ASSERT(answer->cell.reached == cell.reached);
  RC_ASSERT(answer->verdict.outcome == matrix.verdicts[cell.verdict].outcome);
}

TEST(AttestationForms, JsonIsCompleteAndTheSameEachTime) {
  const Attestation matrix = Build("h13", evidence::Published());
  const auto json = AttestationJson(matrix);
  EXPECT_EQ(json["cells"].size(), matrix.cells.size());
  EXPECT_EQ(json["verdicts"][0]["layers"].size(), legality::kLayerCount);
  EXPECT_EQ(json["known_conflicts"].size(), evidence::KnownConflicts().size());
  EXPECT_EQ(json["targets"][0]["limits"]["max_rank"], "5");
  EXPECT_EQ(json["targets"][0]["limits"]["stride_factor_list"], "2, 3, 4, 8");
  EXPECT_EQ(DumpJson(json), DumpJson(AttestationJson(Build("h13", evidence::Published()))));
}

TEST(CampaignStatements, CarryStageProvenanceAndRoute) {
  auto folder = TempDirectory::Create("anecheck-attestation-");
  ASSERT_TRUE(folder.ok());
  const std::string path = folder->File("results.sqlite");
  ASSERT_TRUE(WriteSampleResults(path).ok());
  const auto data = ReadReportData({&path, 1});
  ASSERT_TRUE(data.ok());
  const std::vector<Statement> statements = StatementsOf(*data);
  ASSERT_FALSE(statements.empty());
  bool wrong = false;
  for (const Statement& statement : statements) {
    EXPECT_FALSE(statement.target.empty());
    wrong = wrong || (statement.subject == "conv" && statement.stage == Stage::kWrong);
    if (statement.subject != "relu" || statement.target != "h17s") continue;
    EXPECT_EQ(statement.stage, Stage::kUnconfirmed) << "an unconfirmed deviation is not correct";
    EXPECT_EQ(statement.status, "unconfirmed");
  }
  EXPECT_TRUE(wrong);
}

}  // namespace
}  // namespace anecheck::reports
