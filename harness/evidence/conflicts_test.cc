// Tests finding and deciding conflicts, cells with several statements, and the shipped table.
#include "harness/evidence/conflicts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace anecheck::evidence {
namespace {

Statement Make(Stage stage, Provenance provenance, std::string basis = "") {
  Statement statement;
  statement.subject = "topk";
  statement.target = "h13";
  statement.stage = stage;
  statement.provenance = provenance;
  statement.basis = std::move(basis);
  statement.source = "a test";
  return statement;
}

Statement Make(std::string subject, std::string target, Stage stage, Provenance provenance,
               std::string basis = "") {
  Statement statement = Make(stage, provenance, std::move(basis));
  statement.subject = std::move(subject);
  statement.target = std::move(target);
  return statement;
}

Settled SettleAll(const std::vector<Statement>& statements) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < statements.size(); ++i) all.push_back(i);
  return Settle(statements, all);
}

TEST(Settle, TheStrongestDecidesThenTheFurthestStage) {
  const auto stage = [](std::vector<Statement> statements) { return SettleAll(statements).stage; };
  constexpr auto kSilicon = Provenance::kSilicon, kSimulated = Provenance::kSimulated,
                 kReported = Provenance::kReported;
  EXPECT_EQ(stage({}), Stage::kCatalogued);
  EXPECT_EQ(stage({Make(Stage::kAttested, kSilicon)}), Stage::kCatalogued);
  EXPECT_EQ(stage({Make(Stage::kCompiled, kSilicon), Make(Stage::kCorrect, kSimulated)}),
            Stage::kCompiled);
  EXPECT_EQ(stage({Make(Stage::kCorrect, kSimulated), Make(Stage::kRejected, kReported)}),
            Stage::kRejected);
  EXPECT_EQ(stage({Make(Stage::kDispatched, kSilicon), Make(Stage::kCompiled, kSilicon)}),
            Stage::kDispatched);
  EXPECT_EQ(stage({Make(Stage::kCompiled, kSilicon), Make(Stage::kPlanned, kSilicon)}),
            Stage::kPlanned);
  EXPECT_EQ(stage({Make(Stage::kNoPath, kReported), Make(Stage::kRejected, kReported)}),
            Stage::kRejected);
  EXPECT_EQ(stage({Make(Stage::kFailed, kReported), Make(Stage::kRejected, kReported)}),
            Stage::kFailed);
}

TEST(Settle, AWeakStatementDecidesIfItIsTheOnlyOne) {
  const Settled settled = SettleAll({Make(Stage::kCorrect, Provenance::kRoundtrip)});
  EXPECT_EQ(settled.stage, Stage::kCorrect);
  EXPECT_EQ(settled.by, std::vector<uint32_t>{0});
}

TEST(Settle, EquallyStrongSourcesThatContradictEachOtherDisagree) {
  const std::vector<Statement> statements = {Make(Stage::kRejected, Provenance::kReported),
                                             Make(Stage::kCorrect, Provenance::kSimulated),
                                             Make(Stage::kCorrect, Provenance::kReported)};
  const Settled settled = SettleAll(statements);
  EXPECT_EQ(settled.stage, Stage::kDisputed);
  EXPECT_EQ(settled.by, (std::vector<uint32_t>{0, 2})) << "both sides, but no weaker statement";
  EXPECT_EQ(settled.conflict, nullptr);
}

TEST(Settle, StatementsUnderOtherConditionsDoNotDisagree) {
  Statement old = Make(Stage::kRejected, Provenance::kReported);
  Statement now = Make(Stage::kCorrect, Provenance::kReported);
  old.os = "14";
  now.os = "15";
  EXPECT_EQ(SettleAll({old, now}).stage, Stage::kCorrect);
}

TEST(Settle, ADeclaredWinnerDecidesBetweenPublishedReadings) {
  constexpr auto kPublished = Provenance::kPublished;
  const Settled settled =
      SettleAll({Make("gather", "h17s", Stage::kDispatched, kPublished, "silicon"),
                 Make("gather", "h17s", Stage::kRejected, kPublished, "silicon")});
  EXPECT_EQ(settled.stage, Stage::kRejected);
  EXPECT_EQ(settled.by, std::vector<uint32_t>{1});
  ASSERT_NE(settled.conflict, nullptr);
  EXPECT_EQ(settled.conflict->id, "m5_gather");
  // The winner may be the weaker kind of source.
  EXPECT_EQ(SettleAll({Make("GlobalArgMinMax", "h13", Stage::kRejected, kPublished, "silicon"),
                       Make("GlobalArgMinMax", "h13", Stage::kDispatched, kPublished, "stated")})
                .stage,
            Stage::kDispatched);
}

TEST(Settle, ADeclaredWinnerDoesNotDecideAgainstLaterFindings) {
  EXPECT_EQ(SettleAll({Make("gather", "h17s", Stage::kRejected, Provenance::kPublished, "silicon"),
                       Make("gather", "h17s", Stage::kCorrect, Provenance::kSilicon)})
                .stage,
            Stage::kCorrect);
}

RC_GTEST_PROP(SettleProperty, TheOrderOfStatementsDoesNotMatter, ()) {
  std::vector<Statement> statements;
  const int count = *rc::gen::inRange(0, 8);
  for (int i = 0; i < count; ++i) {
    statements.push_back(Make(*rc::gen::element("gather", "topk"), "h17s",
                              *rc::gen::element(Stage::kNoPath, Stage::kRejected, Stage::kAttested,
                                                Stage::kCompiled, Stage::kCorrect, Stage::kWrong),
                              *rc::gen::element(Provenance::kSilicon, Provenance::kReported,
                                                Provenance::kPublished, Provenance::kSimulated),
                              *rc::gen::element<std::string>("", "silicon")));
  }
  const std::vector<Statement> reversed(statements.rbegin(), statements.rend());
  RC_ASSERT(SettleAll(statements).stage == SettleAll(reversed).stage);
  RC_ASSERT(SettleAll(statements).by.size() == SettleAll(reversed).by.size());
}

TEST(Conflicts, OpposedStatementsConflictAndTheStrongerWins) {
  const Statement statements[] = {Make(Stage::kRejected, Provenance::kPublished, "compiler tables"),
                                  Make(Stage::kCorrect, Provenance::kSilicon, "silicon")};
  const std::vector<Conflict> found = FindConflicts(statements);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].stronger, 1u);
  EXPECT_TRUE(found[0].decided);
  EXPECT_EQ(found[0].why, "measured on silicon with proof, against stated or derived from tables");
}

TEST(Conflicts, ADeclaredWinnerDecidesBetweenPublishedStatements) {
  constexpr auto kPublished = Provenance::kPublished;
  Statement reached = Make("gather", "h17s", Stage::kDispatched, kPublished, "silicon");
  Statement refused = Make("gather", "h17s", Stage::kRejected, kPublished, "stated");
  for (const bool first : {true, false}) {
    const std::vector<Conflict> found =
        FindConflicts(first ? std::vector{refused, reached} : std::vector{reached, refused});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].stronger, first ? 0u : 1u);
    EXPECT_EQ(found[0].weaker, first ? 1u : 0u);
    EXPECT_TRUE(found[0].decided);
    EXPECT_TRUE(found[0].why.starts_with("a probe of its own on M5")) << found[0].why;
  }
  // A winner does not decide between published statements and later findings.
  refused.provenance = Provenance::kSilicon;
  EXPECT_EQ(FindConflicts(std::vector{reached, refused})[0].why,
            "measured on silicon with proof, against published, measured on silicon");
  // Without a declared winner the stronger statement decides.
  reached.subject = refused.subject = "topk";
  refused.provenance = kPublished;
  const Conflict other = FindConflicts(std::vector{refused, reached})[0];
  EXPECT_EQ(other.stronger, 1u);
  EXPECT_EQ(other.why, "published, measured on silicon, against stated or derived from tables");
}

TEST(Conflicts, OfEquallyStrongStatementsTheFirstIsNamedFirst) {
  const Conflict found = FindConflicts(std::vector{Make(Stage::kCorrect, Provenance::kReported),
                                                   Make(Stage::kRejected, Provenance::kReported)})
                             .at(0);
  EXPECT_EQ(found.stronger, 0u);
  EXPECT_EQ(found.weaker, 1u);
  EXPECT_FALSE(found.decided);
  EXPECT_EQ(found.why, "both: reported without a proof; no source decides between them");
}

TEST(Conflicts, ConditionsAreFiltersAndAttestationIsNoConflict) {
  Statement a = Make(Stage::kRejected, Provenance::kSilicon, "silicon"),
            b = Make(Stage::kCorrect, Provenance::kSilicon);
  EXPECT_EQ(FindConflicts(std::vector{a, b}).size(), 1u);
  EXPECT_FALSE(FindConflicts(std::vector{a, b})[0].decided);
  for (std::string Statement::* field : {&Statement::os, &Statement::compiler_version}) {
    Statement one = a, other = b;
    one.*field = "1";
    EXPECT_EQ(FindConflicts(std::vector{one, other}).size(), 1u);
    other.*field = "2";
    EXPECT_TRUE(FindConflicts(std::vector{one, other}).empty());
  }
  Statement one = a, other = b;
  one.route = Route::kMil;
  EXPECT_EQ(FindConflicts(std::vector{one, other}).size(), 1u);
  other.route = Route::kNetlist;
  EXPECT_TRUE(FindConflicts(std::vector{one, other}).empty());
  b.stage = Stage::kAttested;
  EXPECT_TRUE(FindConflicts(std::vector{a, b}).empty());
  b.stage = Stage::kCorrect;
  b.target = "h14";
  EXPECT_TRUE(FindConflicts(std::vector{a, b}).empty());
}

// The number of conflicts and the stronger side of each do not depend on the order of statements.
RC_GTEST_PROP(ConflictProperty, OrderDoesNotMatter, ()) {
  std::vector<Statement> statements;
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i) {
    const auto provenance = *rc::gen::element(Provenance::kSilicon, Provenance::kSimulated,
                                              Provenance::kReported, Provenance::kPublished);
    const auto stage =
        *rc::gen::element(Stage::kNoPath, Stage::kRejected, Stage::kCatalogued, Stage::kAttested,
                          Stage::kCompiled, Stage::kDispatched, Stage::kCorrect, Stage::kWrong);
    Statement statement = Make(stage, provenance);
    statement.target = *rc::gen::element("h13", "h14");
    statements.push_back(statement);
  }
  const auto sides = [](const std::vector<Statement>& list) {
    std::multiset<std::pair<Strength, Strength>> strengths;
    for (const Conflict& conflict : FindConflicts(list)) {
      strengths.emplace(StrengthOf(list[conflict.stronger]), StrengthOf(list[conflict.weaker]));
    }
    return strengths;
  };
  const std::vector<Statement> reversed(statements.rbegin(), statements.rend());
  RC_ASSERT(sides(statements) == sides(reversed));
  for (const auto& [stronger, weaker] : sides(statements)) RC_ASSERT(stronger >= weaker);
}

const KnownConflict* Known(std::string_view id) {
  for (const KnownConflict& conflict : KnownConflicts()) {
    if (conflict.id == id) return &conflict;
  }
  return nullptr;
}

TEST(KnownConflictTable, KeepsEveryReadingWithItsSource) {
  std::set<std::string> ids;
  size_t of_m5 = 0, of_sources = 0;
  for (const KnownConflict& conflict : KnownConflicts()) {
    EXPECT_TRUE(ids.insert(conflict.id).second) << conflict.id;
    EXPECT_FALSE(conflict.why.empty()) << conflict.id;
    for (const auto& reading : conflict.readings) {
      EXPECT_FALSE(reading.says.empty() || reading.source.empty()) << conflict.id;
    }
    of_m5 += conflict.id.starts_with("m5_") ? 1 : 0;
    of_sources += conflict.id.starts_with("source_") ? 1 : 0;
  }
  EXPECT_EQ(of_m5, 20u);       // facts/m5_matrix_conflicts.csv
  EXPECT_EQ(of_sources, 31u);  // facts/source_conflicts.csv
}

TEST(KnownConflictTable, HasTheMostImportantConflicts) {
  for (const char* id : {"range_normalization_a13", "reduce_argmax", "top_k_a13",
                         "rearrangement_factors", "sdpa_reject_text", "slice_saturation_a14"}) {
    const KnownConflict* conflict = Known(id);
    ASSERT_NE(conflict, nullptr) << id;
    EXPECT_GE(conflict->readings.size(), 2u) << id;
    EXPECT_TRUE(conflict->readings[0].stronger) << id;
  }
}

// FindConflicts also finds, in the published statements alone, those conflicts of the M5 column
// that concern the reach instead of the route.
TEST(KnownConflictTable, AgreesWithTheConflictsFound) {
  std::set<std::string> found;
  for (const Conflict& conflict : FindConflicts(Published())) {
    const Statement& statement = Published()[conflict.stronger];
    if (statement.target == "h17s" && statement.route != Route::kNetlist)
      found.insert(statement.subject);
  }
  for (const char* op : {"cumsum", "reduce_argmax", "gather", "identity", "read_state", "argsort",
                         "constexpr_cast"}) {
    EXPECT_TRUE(found.contains(op)) << op;
    EXPECT_NE(Known(std::string("m5_") + op), nullptr) << op;
  }
  EXPECT_FALSE(found.contains("conv"));
}

TEST(KnownConflictTable, KeepsReadingsThatTheProjectDoesNotUse) {
  for (const char* id :
       {"trigonometric_below_a15_sin", "trigonometric_below_a15_cos", "attention_by_conversion",
        "tile_by_conversion", "weights_at_run_time", "programs_of_a_process", "narrow_inputs"}) {
    const KnownConflict* conflict = Known(id);
    ASSERT_NE(conflict, nullptr) << id;
    EXPECT_GE(conflict->readings.size(), 2u) << id;
  }
}

// Conflicts about one operation and target never have different winners.
TEST(KnownConflictTable, DoesNotContradictItself) {
  for (const KnownConflict& a : KnownConflicts()) {
    size_t winners = 0;
    for (const auto& reading : a.readings) winners += reading.stronger ? 1 : 0;
    EXPECT_LE(winners, 1u) << a.id;
    for (const KnownConflict& b : KnownConflicts()) {
      const bool same = !a.cell.empty() && a.cell == b.cell && a.targets == b.targets;
      if (same && a.Winner() && b.Winner()) EXPECT_EQ(*a.Winner(), *b.Winner()) << a.id << b.id;
    }
  }
}

TEST(KnownConflictTable, AppliesOnlyToItsTargets) {
  const KnownConflict* minmax = Known("range_normalization_a13");
  ASSERT_NE(minmax, nullptr);
  EXPECT_TRUE(minmax->IsAbout("MinMaxNorm", "h13"));
  EXPECT_FALSE(minmax->IsAbout("MinMaxNorm", "h14"));
  EXPECT_FALSE(minmax->IsAbout("TopK", "h13"));
  KnownConflict listed;
  listed.cell = "conv";
  listed.targets = "h13,h14";
  EXPECT_TRUE(listed.IsAbout("conv", "h14"));
  EXPECT_FALSE(listed.IsAbout("conv", "h1"));
  listed.targets = "all";
  EXPECT_TRUE(listed.IsAbout("conv", "h1"));
  listed.cell = "";
  EXPECT_FALSE(listed.IsAbout("", "h1"));
}

// Two sources contradict each other about fourteen operations on M5. The sweep is stronger.
TEST(KnownConflictTable, DecidesTheCellsOfM5) {
  for (const char* op : {"cumsum", "reduce_argmax", "reduce_argmin", "reshape_like", "slice_update",
                         "gather", "gather_along_axis", "gather_nd", "identity", "crop_resize",
                         "cast", "read_state", "argsort", "random_uniform"}) {
    std::vector<uint32_t> of_cell;
    for (uint32_t i = 0; i < Published().size(); ++i) {
      const Statement& statement = Published()[i];
      if (statement.subject == op && statement.target == "h17s") of_cell.push_back(i);
    }
    const Settled settled = Settle(Published(), of_cell);
    EXPECT_EQ(settled.stage, Stage::kRejected) << op;
    ASSERT_EQ(settled.by.size(), 1u) << op;
    EXPECT_TRUE(Published()[settled.by[0]].source.starts_with("ANEForge")) << op;
  }
}

}  // namespace
}  // namespace anecheck::evidence
