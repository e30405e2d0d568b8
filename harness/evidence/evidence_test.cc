// Evidence: both file forms, aliases, strength, and the conflicts that are found and those that are
// shipped.
#include "harness/evidence/evidence.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "harness/evidence/csv.h"

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

TEST(Csv, ReadsQuotesLineBreaksAndEmptyFields) {
  const auto rows = ParseCsv("a,b\r\n\"1, \"\"x\"\"\ny\",\n\n2,3\n", "t");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].at("a"), "1, \"x\"\ny");
  EXPECT_EQ((*rows)[0].at("b"), "");
  EXPECT_EQ((*rows)[1].at("b"), "3");
}

TEST(Csv, NamesTheLineOfAnError) {
  EXPECT_EQ(ParseCsv("a,b\n1,2\n1\n", "t").error().message, "t:3: 1 fields, the header has 2");
  EXPECT_EQ(ParseCsv("a\n\"open\n", "t").error().message, "t:2: a quote is open");
}

TEST(Statements, BothFormsSayTheSame) {
  const auto csv = ParseStatements(
      "subject,target,stage,provenance,source,route,chip\n"
      "gelu_exact,H13,correct,reported,\"a sweep, of mine\",mil,M1\n",
      "mine.csv");
  ASSERT_TRUE(csv.ok()) << csv.error().message;
  EXPECT_EQ((*csv)[0].subject, "gelu");
  EXPECT_EQ((*csv)[0].target, "h13");
  EXPECT_EQ((*csv)[0].source, "a sweep, of mine");
  const auto json = ParseStatements(StatementsJson(*csv), "mine.json");
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ(*csv, *json);
}

TEST(Statements, WrongRowsAreErrorsWithTheirNumber) {
  const char* head = "subject,target,stage,provenance,source,route\n";
  for (const char* row : {"a,h13,arrived,reported,s,mil\n", "a,h13,correct,guessed,s,mil\n",
                          "a,h13,correct,reported,,mil\n", ",h13,correct,reported,s,\n",
                          "a,h13,correct,reported,s,x\n"}) {
    const auto parsed = ParseStatements(std::string(head) + row, "f");
    ASSERT_FALSE(parsed.ok()) << row;
    EXPECT_TRUE(parsed.error().message.starts_with("f: statement 1: ")) << parsed.error().message;
  }
  EXPECT_FALSE(ParseStatements(R"({"statements": [{"subject": 3}]})", "f").ok());
  EXPECT_FALSE(ParseStatements(R"({"statements": [3]})", "f").ok());
}

// facts/op_device_matrix.csv: 187 operations, five columns of targets; silicon_sweep_m5.csv: 166.
TEST(PublishedTables, AreAllThere) {
  size_t matrix = 0, sweep = 0;
  for (const Statement& statement : Published()) {
    matrix += statement.source.find("op_device_matrix") != std::string::npos ? 1 : 0;
    sweep += statement.source.find("silicon_sweep_m5") != std::string::npos ? 1 : 0;
    EXPECT_EQ(statement.provenance, Provenance::kPublished);
  }
  EXPECT_EQ(matrix, 187u * 5);
  EXPECT_EQ(sweep, 166u);
}

TEST(Aliases, LeadToOneName) {
  EXPECT_EQ(Canonical("LocalResponseNormalization"), "LRN");
  EXPECT_EQ(Canonical("swish [beta=2]"), "silu [beta=2]");
  EXPECT_EQ(Canonical("conv"), "conv");
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

// The order of statements changes neither how many conflicts there are nor which side is stronger.
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
    std::multiset<std::pair<int, int>> strengths;
    for (const Conflict& conflict : FindConflicts(list)) {
      strengths.emplace(Strength(list[conflict.stronger]), Strength(list[conflict.weaker]));
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

TEST(KnownConflictTable, HasTheOnesThatMatterMost) {
  for (const char* id : {"range_normalization_a13", "reduce_argmax", "top_k_a13",
                         "rearrangement_factors", "sdpa_reject_text", "slice_saturation_a14"}) {
    const KnownConflict* conflict = Known(id);
    ASSERT_NE(conflict, nullptr) << id;
    EXPECT_GE(conflict->readings.size(), 2u) << id;
    EXPECT_TRUE(conflict->readings[0].stronger) << id;
  }
}

// Every conflict of the M5 column is also found from the published statements themselves, where it
// is one of reach and not of the way.
TEST(KnownConflictTable, AgreesWithWhatIsFound) {
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

}  // namespace
}  // namespace anecheck::evidence
