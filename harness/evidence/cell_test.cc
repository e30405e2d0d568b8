// A cell: the rules if no evidence decides, else the evidence, in the words
// that every command writes.
#include "harness/evidence/cell.h"

#include <gtest/gtest.h>

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

TEST(CellOf, TheRulesSpeakWhereNoEvidenceDecides) {
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

TEST(CellOf, EvidenceSpeaksWithItsKind) {
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
  EXPECT_EQ(disputed.by.size(), 2u);
}

TEST(CellOf, ReachedIsWhatTheEvidenceThatCountsSays) {
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

// Nothing but a proof that was checked: no table, no basis, no engine of this project's own.
TEST(CellOf, SiliconNeedsAProof) {
  EXPECT_TRUE(Of(Outcome::kNative, {Say(Stage::kCorrect, Provenance::kSilicon)}).silicon);
  for (const Provenance provenance :
       {Provenance::kEmulated, Provenance::kPublished, Provenance::kReported,
        Provenance::kRoundtrip, Provenance::kSimulated}) {
    EXPECT_FALSE(Of(Outcome::kNative, {Say(Stage::kCorrect, provenance, "silicon")}).silicon)
        << ToText(provenance);
  }
}

TEST(RouteOf, AStatementWithoutARouteGoesWhereTheRulesAdmitIt) {
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
  statement.route = Route::kNetlist;
  EXPECT_EQ(RouteOf(statement, routes, both, false), 1u);
  EXPECT_EQ(RouteOf(statement, std::span(routes).first(1), both, false), 1u) << "none of them";
}

}  // namespace
}  // namespace anecheck::evidence
