// A cell shows the evidence or, if no evidence decides, the rules' answer. Every command writes a
// cell as the same text.
#include "harness/evidence/cell.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "harness/targets/catalog.h"

namespace anecheck::evidence {
namespace {

using legality::Outcome;

Statement Say(Stage stage, Provenance provenance, std::string basis = "") {
  Statement statement;
  statement.subject = "conv";
  statement.target = "h13";
  statement.route = Route::kMil;
  statement.stage = stage;
  statement.provenance = provenance;
  statement.basis = std::move(basis);
  statement.source = "a test";
  return statement;
}

Cell Of(Outcome outcome, const std::vector<Statement>& statements) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < statements.size(); ++i) all.push_back(i);
  return CellOf(outcome, statements, all);
}

TEST(CellOf, TheRulesDecideWithoutEvidence) {
  const std::pair<Outcome, std::string> kWords[] = {{Outcome::kNative, "attested"},
                                                    {Outcome::kDecomposed, "decomposed"},
                                                    {Outcome::kRejected, "refused"},
                                                    {Outcome::kNoPath, "no path"},
                                                    {Outcome::kUnknown, "unknown"}};
  for (const auto& [outcome, words] : kWords) {
    const Cell cell = Of(outcome, {Say(Stage::kAttested, Provenance::kPublished, "silicon")});
    EXPECT_EQ(CellText(cell), words);
    EXPECT_EQ(cell.kind, "rules");
    EXPECT_EQ(cell.strength, std::nullopt);
    EXPECT_TRUE(cell.by.empty());
    EXPECT_FALSE(cell.reached);
    EXPECT_EQ(cell.admitted, outcome == Outcome::kNative || outcome == Outcome::kDecomposed);
  }
}

TEST(CellOf, EvidenceIsShownWithItsKind) {
  EXPECT_EQ(CellText(Of(Outcome::kRejected, {Say(Stage::kCorrect, Provenance::kSimulated)})),
            "correct (simulated)");
  EXPECT_EQ(CellText(Of(Outcome::kNative, {Say(Stage::kNoPath, Provenance::kPublished)})),
            "no path (published tables)");
  EXPECT_EQ(
      CellText(Of(Outcome::kNative, {Say(Stage::kDispatched, Provenance::kPublished, "silicon")})),
      "dispatched (published)");
  const Cell disputed = Of(Outcome::kNative, {Say(Stage::kRejected, Provenance::kReported),
                                              Say(Stage::kCorrect, Provenance::kReported)});
  EXPECT_EQ(CellText(disputed), "sources disagree (reported)");
  EXPECT_FALSE(disputed.reached);
  EXPECT_EQ(disputed.by, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(disputed.conflict, nullptr);
  EXPECT_EQ(disputed.strength, Strength::kReported);
}

TEST(CellOf, ADeclaredWinnerIsNamed) {
  std::vector<Statement> statements = {Say(Stage::kDispatched, Provenance::kPublished, "silicon"),
                                       Say(Stage::kRejected, Provenance::kPublished, "silicon")};
  for (Statement& statement : statements) {
    statement.subject = "gather";
    statement.target = "h17s";
  }
  const Cell cell = Of(Outcome::kNative, statements);
  EXPECT_EQ(CellText(cell), "rejected (published)");
  ASSERT_NE(cell.conflict, nullptr);
  EXPECT_EQ(cell.conflict->id, "m5_gather");
  EXPECT_EQ(cell.strength, Strength::kPublishedSilicon);
  EXPECT_EQ(cell.by, std::vector<uint32_t>{1});
  EXPECT_FALSE(cell.reached);
}

TEST(CellOf, ReachedFollowsTheEvidenceThatCounts) {
  EXPECT_TRUE(Of(Outcome::kRejected, {Say(Stage::kCompiled, Provenance::kReported)}).reached);
  EXPECT_FALSE(Of(Outcome::kNative, {Say(Stage::kFailed, Provenance::kSilicon)}).reached);
  EXPECT_FALSE(Of(Outcome::kNative, {Say(Stage::kRejected, Provenance::kReported),
                                     Say(Stage::kCorrect, Provenance::kSimulated)})
                   .reached);
  Statement instance = Say(Stage::kDispatched, Provenance::kReported);
  instance.subject = "conv [kernel=3]";
  const Cell cell = Of(Outcome::kNative, {instance});
  EXPECT_TRUE(cell.reached) << "one instance that ran shows that the operation runs";
  EXPECT_EQ(cell.kind, "rules");
}

// Only a checked proof counts as silicon. Tables, a declared basis and this project's engines do
// not.
TEST(CellOf, SiliconNeedsAProof) {
  EXPECT_TRUE(Of(Outcome::kNative, {Say(Stage::kCorrect, Provenance::kSilicon)}).silicon);
  for (const Provenance provenance :
       {Provenance::kEmulated, Provenance::kPublished, Provenance::kReported,
        Provenance::kRoundtrip, Provenance::kSimulated}) {
    EXPECT_FALSE(Of(Outcome::kNative, {Say(Stage::kCorrect, provenance, "silicon")}).silicon)
        << ToText(provenance);
    EXPECT_TRUE(Of(Outcome::kNative,
                   {Say(Stage::kRejected, Provenance::kSilicon), Say(Stage::kCorrect, provenance)})
                    .silicon)
        << ToText(provenance);
  }
}

TEST(StageText, HasSpacesBetweenWords) {
  EXPECT_EQ(StageText(Stage::kNoPath), "no path");
  EXPECT_EQ(StageText(Stage::kDisputed), "sources disagree");
}

TEST(SpeaksOf, MatchesTheSubjectItsInstancesAndTheLayerThatItReached) {
  Statement statement = Say(Stage::kCorrect, Provenance::kSimulated);
  EXPECT_TRUE(SpeaksOf(statement, "conv"));
  EXPECT_FALSE(SpeaksOf(statement, "con"));
  EXPECT_FALSE(SpeaksOf(statement, "Conv"))
      << "a statement by conversion says nothing of the layer";
  statement.route = Route::kNetlist;
  EXPECT_TRUE(SpeaksOf(statement, "Conv"));
  EXPECT_FALSE(SpeaksOf(statement, "Relu"));
  statement.subject = "conv [kernel=3]";
  EXPECT_TRUE(SpeaksOf(statement, "conv"));
  EXPECT_TRUE(SpeaksOf(statement, "Conv"));
  statement.stage = Stage::kRejected;
  EXPECT_TRUE(SpeaksOf(statement, "conv"));
  EXPECT_FALSE(SpeaksOf(statement, "Conv")) << "a refusal says nothing of the layer's other uses";
  statement = Say(Stage::kCorrect, Provenance::kSimulated);
  statement.route = Route::kNetlist;
  for (const char* without : {"sin", "no operation"}) {
    statement.subject = without;
    EXPECT_FALSE(SpeaksOf(statement, "")) << without;
    EXPECT_FALSE(SpeaksOf(statement, "Conv")) << without;
  }
}

TEST(LayerOf, IsTheOneThatTheNetworkDescriptionNames) {
  EXPECT_EQ(LayerOf(*FindOp("cross_product")), "CrossProduct");
  EXPECT_EQ(LayerOf(*FindOp("sin")), "") << "sine has no direct route";
}

Answer Asked(std::string_view op, Route route, const std::vector<Statement>& statements,
             std::string_view target = "h13") {
  legality::Instance bare;
  bare.op = op;
  auto answer = AnswerOf(bare, **FindTarget(target), route, statements);
  EXPECT_TRUE(answer.ok());
  return answer.ok() ? std::move(*answer) : Answer();
}

TEST(AnswerOf, TakesTheStatementsOfItsOperationTargetAndRoute) {
  std::vector<Statement> statements = {
      Say(Stage::kCompiled, Provenance::kReported), Say(Stage::kCorrect, Provenance::kReported),
      Say(Stage::kWrong, Provenance::kReported), Say(Stage::kDispatched, Provenance::kReported)};
  statements[1].target = "h14";
  statements[2].subject = "relu";
  statements[3].route = Route::kNetlist;
  EXPECT_EQ(Asked("conv", Route::kMil, statements).statements, std::vector<uint32_t>{0});
  EXPECT_EQ(CellText(Asked("conv", Route::kMil, statements).cell), "compiled (reported)");
  EXPECT_EQ(CellText(Asked("conv", Route::kNetlist, statements).cell), "dispatched (reported)");
  EXPECT_EQ(CellText(Asked("conv", Route::kMil, statements, "h14").cell), "correct (reported)");
  EXPECT_EQ(CellText(Asked("Conv", Route::kNetlist, statements).cell), "dispatched (reported)");
  EXPECT_EQ(CellText(Asked("add", Route::kMil, statements).cell), "attested");
}

TEST(AnswerOf, AStatementWithoutARouteAppliesToTheOneThatTheRulesAdmit) {
  std::vector<Statement> statements = {Say(Stage::kCorrect, Provenance::kReported)};
  statements[0].route = std::nullopt;
  for (const auto& [op, route] :
       {std::pair("conv", Route::kMil), std::pair("cross_product", Route::kNetlist),
        std::pair("GlobalArgMinMax", Route::kNetlist)}) {
    const Route other = route == Route::kMil ? Route::kNetlist : Route::kMil;
    statements[0].subject = op;
    EXPECT_EQ(Asked(op, route, statements).statements.size(), 1u) << op;
    EXPECT_TRUE(Asked(op, other, statements).statements.empty()) << op;
  }
}

// A kernel of 17 is refused on A13, although other convolutions ran.
TEST(AnswerOf, EvidenceDoesNotOverruleTheRefusalOfAnInstance) {
  legality::Instance wide;
  wide.op = "conv";
  wide.attributes["kernel"] = legality::Value::Number(17);
  const std::vector<Statement> statements = {Say(Stage::kCorrect, Provenance::kReported)};
  const auto answer = AnswerOf(wide, **FindTarget("h13"), Route::kMil, statements);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(CellText(answer->cell), "refused");
  EXPECT_EQ(answer->statements, std::vector<uint32_t>{0});
}

TEST(RouteOf, AStatementWithoutARouteCountsForTheRouteThatTheRulesAdmit) {
  const Route routes[] = {Route::kMil, Route::kNetlist};
  const Outcome direct[] = {Outcome::kRejected, Outcome::kNative};
  const Outcome none[] = {Outcome::kRejected, Outcome::kNoPath};
  const Outcome both[] = {Outcome::kDecomposed, Outcome::kNative};
  Statement statement = Say(Stage::kCorrect, Provenance::kReported);
  statement.route = std::nullopt;
  EXPECT_EQ(RouteOf(statement, routes, direct, false), 1u);
  EXPECT_EQ(RouteOf(statement, routes, both, false), 0u);
  EXPECT_EQ(RouteOf(statement, routes, none, false), 0u);
  EXPECT_EQ(RouteOf(statement, routes, none, true), 1u);
  const Outcome more[] = {Outcome::kRejected, Outcome::kNoPath, Outcome::kNative};
  EXPECT_EQ(RouteOf(statement, routes, std::span(more).first(2), false), 0u);
  statement.route = Route::kNetlist;
  EXPECT_EQ(RouteOf(statement, routes, both, false), 1u);
  EXPECT_EQ(RouteOf(statement, std::span(routes).first(1), both, false), 1u)
      << "the index after the last one: its route is not among them";
}

}  // namespace
}  // namespace anecheck::evidence
