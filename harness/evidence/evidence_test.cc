// Evidence: both file forms, aliases, strength, and the published tables.
#include "harness/evidence/evidence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/evidence/csv.h"
#include "harness/evidence/evidence_print.h"

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
  EXPECT_EQ(ParseCsv("a,b\n\"1\n2\",2\n1,2,3\n", "t").error().message,
            "t:4: 3 fields, the header has 2");
}

TEST(Csv, EndsWithItsText) {
  // The byte behind the view is a quote, which must not be read.
  const auto rows = ParseCsv(std::string_view("a\n1\n\"x\"\"").substr(0, 7), "t");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].at("a"), "1");
  EXPECT_EQ((*rows)[1].at("a"), "x");
  EXPECT_EQ(ParseCsv("a\n\n1\n", "t")->size(), 1u);
  EXPECT_TRUE(ParseCsv("", "t")->empty());
  EXPECT_TRUE(ParseCsv("a,b\n", "t")->empty());
}

TEST(Statements, ReadTheSameFromCsvAndJson) {
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
                          "a,,correct,reported,s,mil\n", "a,h13,correct,reported,s,x\n"}) {
    const auto parsed = ParseStatements(std::string(head) + row, "f");
    ASSERT_FALSE(parsed.ok()) << row;
    EXPECT_TRUE(parsed.error().message.starts_with("f: statement 1: ")) << parsed.error().message;
  }
  const std::string good =
      R"({"subject": "a", "target": "h13", "stage": "correct", "provenance": "reported",)"
      R"( "source": "s"})";
  const auto error = [&](std::string_view second) {
    return ParseStatements(fmt::format(R"({{"statements": [{}, {}]}})", good, second), "f")
        .error()
        .message;
  };
  EXPECT_EQ(error(R"({"subject": 3})"), "f: statement 2: subject is no text");
  EXPECT_EQ(error("3"), "f: statement 2: not an object");
  EXPECT_EQ(error("{}"), "f: statement 2: stage \"\" is none of no_path ... wrong");
}

TEST(Statements, TheFirstCharacterDecidesTheForm) {
  EXPECT_TRUE(ParseStatements("", "f")->empty());
  EXPECT_TRUE(ParseStatements(" \n\t{\"statements\": []}", "f")->empty());
  const Json written = ParseJson(StatementsJson({}), "f").value();
  EXPECT_EQ(written, (Json{{"version", 1}, {"statements", Json::array()}}));
}

TEST(Statements, JsonHasOnlyTheGivenMembers) {
  Statement statement = Make(Stage::kCorrect, Provenance::kSimulated);
  EXPECT_EQ(StatementJson(statement), (Json{{"subject", "topk"},
                                            {"target", "h13"},
                                            {"provenance", "simulated"},
                                            {"source", "a test"},
                                            {"stage", "correct"}}));
  statement.route = Route::kNetlist;
  EXPECT_EQ(StatementJson(statement)["route"], "netlist");
}

// facts/op_device_matrix.csv: 187 operations, five columns of targets; silicon_sweep_m5.csv: 166.
TEST(PublishedTables, AreComplete) {
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

// A user's file proves nothing about an engine, even if its rows claim a stronger provenance.
TEST(Statements, AUsersFileIsAtMostReported) {
  const auto parsed = ParseStatements(
      "subject,target,route,stage,provenance,basis,source\n"
      "lstm,h13,mil,correct,silicon,,I say so\n"
      "asinh,h13,mil,correct,simulated,silicon,I say so too\n"
      "conv,h13,mil,correct,published,silicon,a paper\n",
      "forged.csv");
  ASSERT_TRUE(parsed.ok());
  const std::vector<Statement>& rows = *parsed;
  EXPECT_EQ(rows[0].provenance, Provenance::kReported);
  EXPECT_EQ(rows[0].note, "calls itself silicon, without a proof");
  EXPECT_EQ(rows[2].provenance, Provenance::kReported);
  EXPECT_EQ(StrengthOf(rows[0]), Strength::kReported);
  EXPECT_EQ(StrengthOf(rows[1]), Strength::kModelled);
  EXPECT_EQ(StrengthOf(rows[2]), Strength::kReported);
  for (const char* written : {"subject,target,stage,provenance,source,note\n"
                              "conv,h13,correct,silicon,s,mine\n"}) {
    EXPECT_EQ(ParseStatements(written, "f")->front().note,
              "mine; calls itself silicon, without a proof");
  }
}

TEST(Statements, NameEveryStageThatASourceCanSee) {
  for (const char* stage : {"no_path", "rejected", "catalogued", "decomposed", "attested",
                            "compiled", "planned", "dispatched", "correct", "wrong"}) {
    const auto parsed = ParseStatements(
        std::string("subject,target,stage,provenance,source\na,h13,") + stage + ",reported,s\n",
        "f");
    ASSERT_TRUE(parsed.ok()) << stage;
    EXPECT_EQ(ToText(parsed->front().stage), stage);
  }
  for (const char* stage : {"unknown", "sources_disagree", "refused", "unconfirmed", "failed"}) {
    EXPECT_FALSE(ParseStatements(std::string("subject,target,stage,provenance,source\na,h13,") +
                                     stage + ",reported,s\n",
                                 "f")
                     .ok())
        << stage;
  }
}

TEST(Strength, OrdersSourcesByProof) {
  const std::pair<Statement, Strength> kOrder[] = {
      {Make(Stage::kCorrect, Provenance::kRoundtrip), Strength::kNoEngine},
      {Make(Stage::kCorrect, Provenance::kReported, "roundtrip"), Strength::kNoEngine},
      {Make(Stage::kCorrect, Provenance::kRoundtrip, "silicon"), Strength::kNoEngine},
      {Make(Stage::kCorrect, Provenance::kSimulated), Strength::kModelled},
      {Make(Stage::kCorrect, Provenance::kEmulated), Strength::kModelled},
      {Make(Stage::kCorrect, Provenance::kSimulated, "silicon"), Strength::kModelled},
      {Make(Stage::kCorrect, Provenance::kReported, "simulated"), Strength::kModelled},
      {Make(Stage::kCorrect, Provenance::kPublished, "emulated"), Strength::kModelled},
      {Make(Stage::kCorrect, Provenance::kPublished), Strength::kStated},
      {Make(Stage::kCorrect, Provenance::kPublished, "compiler tables"), Strength::kStated},
      {Make(Stage::kCorrect, Provenance::kReported), Strength::kReported},
      {Make(Stage::kCorrect, Provenance::kReported, "silicon"), Strength::kReported},
      {Make(Stage::kCorrect, Provenance::kPublished, "silicon"), Strength::kPublishedSilicon},
      {Make(Stage::kCorrect, Provenance::kSilicon), Strength::kProvedSilicon},
      {Make(Stage::kCorrect, Provenance::kSilicon, "simulated"), Strength::kProvedSilicon}};
  for (const auto& [statement, strength] : kOrder) {
    EXPECT_EQ(StrengthOf(statement), strength)
        << ToText(statement.provenance) << " " << statement.basis;
  }
  EXPECT_LT(Strength::kNoEngine, Strength::kModelled);
  EXPECT_LT(Strength::kModelled, Strength::kStated);
  EXPECT_LT(Strength::kStated, Strength::kReported);
  EXPECT_LT(Strength::kReported, Strength::kPublishedSilicon);
  EXPECT_LT(Strength::kPublishedSilicon, Strength::kProvedSilicon);
}

TEST(Strength, HasWords) {
  EXPECT_EQ(StrengthReason(Make(Stage::kCorrect, Provenance::kRoundtrip)),
            "a round trip without an engine");
  EXPECT_EQ(StrengthReason(Make(Stage::kCorrect, Provenance::kSimulated)), "a simulated engine");
  EXPECT_EQ(StrengthReason(Make(Stage::kCorrect, Provenance::kEmulated)), "an emulated engine");
  EXPECT_EQ(StrengthReason(Make(Stage::kCorrect, Provenance::kPublished)),
            "stated or derived from tables");
  EXPECT_EQ(StrengthReason(Make(Stage::kCorrect, Provenance::kReported)),
            "reported without a proof");
  EXPECT_EQ(StrengthReason(Make(Stage::kCorrect, Provenance::kPublished, "silicon")),
            "published, measured on silicon");
  EXPECT_EQ(StrengthReason(Make(Stage::kCorrect, Provenance::kSilicon)),
            "measured on silicon with proof");
}

TEST(Statements, DecideIfTheOperationWasTriedAndNotIfItIsListed) {
  for (const Stage stage : {Stage::kCatalogued, Stage::kDecomposed, Stage::kAttested}) {
    EXPECT_FALSE(Decides(Make(stage, Provenance::kSilicon))) << ToText(stage);
  }
  for (const Stage stage : {Stage::kNoPath, Stage::kRejected, Stage::kCompiled, Stage::kPlanned,
                            Stage::kDispatched, Stage::kCorrect, Stage::kFailed, Stage::kWrong}) {
    EXPECT_TRUE(Decides(Make(stage, Provenance::kSilicon))) << ToText(stage);
  }
  Statement instance = Make(Stage::kRejected, Provenance::kSilicon);
  instance.subject = "conv [kernel_depth=2]";
  EXPECT_FALSE(Decides(instance));
}

// A bridge is a workaround that a table lists. It does not show that the operation ran.
TEST(PublishedTables, ABridgeDoesNotCountAsDispatched) {
  size_t bridges = 0;
  for (const Statement& statement : Published()) {
    if (statement.status != "bridge") continue;
    ++bridges;
    EXPECT_EQ(statement.stage, Stage::kDecomposed) << statement.subject << statement.target;
  }
  EXPECT_EQ(bridges, 32u + 26 + 22 * 3);
}

}  // namespace
}  // namespace anecheck::evidence
