// The matrix has a cell for every operation and target. The strongest evidence decides a cell, and
// among equal evidence the furthest stage. Findings decide which operation is wrong. Evidence other
// than silicon is marked.
#include "reports/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "harness/targets/catalog.h"
#include "reports/attestation.h"
#include "reports/campaign_evidence.h"
#include "reports/testing/sample_results.h"

namespace anecheck::reports {
namespace {

RunInfo RunOf(Provenance provenance) {
  RunInfo run;
  run.uuid = ToText(provenance);
  run.provenance = provenance;
  return run;
}

FindingInfo Finding(const char* op, const char* target, Verdict verdict, bool is_new) {
  FindingInfo finding;
  finding.op = op;
  finding.target = target;
  finding.route = Route::kMil;
  finding.verdict = verdict;
  finding.is_new = is_new;
  return finding;
}

Matrix Built(const ReportData& data) {
  auto matrix = BuildMatrix(data);
  EXPECT_TRUE(matrix.ok());
  return matrix.ok() ? std::move(*matrix) : Matrix();
}

const MatrixCell& Cell(const Matrix& matrix, std::string_view op, std::string_view target) {
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t column = 0; column < matrix.columns.size(); ++column) {
      if (matrix.rows[row].op == op && matrix.columns[column].target == target) {
        return matrix.cells[row][column];
      }
    }
  }
  ADD_FAILURE() << "no cell " << op << " " << target;
  static const MatrixCell none;
  return none;
}

Stage StageOf(const Matrix& matrix, std::string_view op, std::string_view target) {
  return Cell(matrix, op, target).by(Route::kMil).cell.stage;
}

std::string TextOf(const Matrix& matrix, std::string_view op, std::string_view target) {
  return evidence::CellText(Cell(matrix, op, target).by(Route::kMil).cell);
}

TEST(Matrix, HasEveryOperationAndTargetWithoutAnyRun) {
  const Matrix matrix = Built({});
  EXPECT_EQ(matrix.rows.size(), ListedOps());
  EXPECT_EQ(matrix.columns.size(), AllTargets().size());
  for (const auto& row : matrix.cells) {
    EXPECT_EQ(row.size(), matrix.columns.size());
    for (const MatrixCell& cell : row) {
      EXPECT_LE(cell.folded().stage, Stage::kAttested);
      EXPECT_EQ(cell.folded().kind, "rules");
      for (const MatrixCell::ByRoute& side : cell.routes) {
        EXPECT_EQ(side.cell.stage, evidence::StageOfRules(side.rules));
      }
    }
  }
}

TEST(Matrix, TakesTheFurthestStage) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSimulated)};
  using Counts = ReachCounts;
  data.reach[{"conv", "h13", Route::kMil, Provenance::kSimulated}] =
      Counts{.cases = 1, .rejected = 1};
  data.reach[{"relu", "h13", Route::kMil, Provenance::kSimulated}] =
      Counts{.cases = 1, .compiled = 1};
  data.reach[{"tanh", "h13", Route::kMil, Provenance::kSimulated}] =
      Counts{.cases = 2, .compiled = 2, .dispatched = 1};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSimulated}] =
      Counts{.cases = 2, .compiled = 2, .dispatched = 2, .correct = 1, .wrong = 1};
  const Matrix matrix = Built(data);
  EXPECT_EQ(StageOf(matrix, "conv", "h13"), Stage::kRejected);
  EXPECT_EQ(StageOf(matrix, "relu", "h13"), Stage::kCompiled);
  EXPECT_EQ(StageOf(matrix, "tanh", "h13"), Stage::kDispatched);
  // Another operation of that case is wrong. No finding names `add`.
  EXPECT_EQ(StageOf(matrix, "add", "h13"), Stage::kCorrect);
  EXPECT_EQ(TextOf(matrix, "add", "h13"), "correct (simulated)");
}

TEST(Matrix, BlamesOperationsThatFindingsName) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSimulated)};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSimulated}] = {
      .cases = 2, .dispatched = 2, .correct = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSimulated}] = {
      .cases = 2, .dispatched = 2, .correct = 2};
  data.reach[{"tanh", "h13", Route::kMil, Provenance::kSimulated}] = {
      .cases = 2, .dispatched = 2, .correct = 1};
  data.findings = {Finding("add", "h13", Verdict::kWrong, true),
                   Finding("sub", "h13", Verdict::kKnownDefect, false),
                   Finding("tanh", "h13", Verdict::kUnconfirmed, false),
                   Finding("mul", "h13", Verdict::kRejected, true),
                   Finding("", "h13", Verdict::kCrashed, true)};
  const Matrix matrix = Built(data);
  EXPECT_EQ(StageOf(matrix, "add", "h13"), Stage::kWrong);
  EXPECT_EQ(StageOf(matrix, "sub", "h13"), Stage::kKnownDefect);
  EXPECT_EQ(StageOf(matrix, "tanh", "h13"), Stage::kUnconfirmed) << "not correct";
  EXPECT_LE(StageOf(matrix, "mul", "h13"), Stage::kAttested);
  EXPECT_EQ(matrix.rows.size(), ListedOps());  // a finding without an operation makes no row
}

// The rules admit the refused graphs, so the operation is not right, even if many other graphs ran.
TEST(Matrix, AnOperationThatWasWronglyRefusedIsNotRight) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSimulated)};
  const ReachCounts mostly_right = {.cases = 20, .dispatched = 6, .correct = 6, .rejected = 14};
  for (const char* op : {"real_div", "sub", "mul", "add"}) {
    data.reach[{op, "h13", Route::kMil, Provenance::kSimulated}] = mostly_right;
  }
  data.findings = {Finding("real_div", "h13", Verdict::kRejected, true),
                   Finding("sub", "h13", Verdict::kRejected, true),
                   Finding("sub", "h13", Verdict::kKnownDefect, false),
                   Finding("mul", "h13", Verdict::kRejected, true),
                   Finding("mul", "h13", Verdict::kWrong, true)};
  const Matrix matrix = Built(data);
  EXPECT_EQ(StageOf(matrix, "real_div", "h13"), Stage::kRejected);
  EXPECT_EQ(StageOf(matrix, "sub", "h13"), Stage::kRejected);
  EXPECT_EQ(StageOf(matrix, "mul", "h13"), Stage::kWrong);
  EXPECT_EQ(StageOf(matrix, "add", "h13"), Stage::kCorrect) << "its refusals are as the rules say";
}

TEST(Matrix, SimulatedEvidenceNeverPassesForAnother) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSimulated), RunOf(Provenance::kSilicon)};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSimulated}] = {
      .cases = 1, .dispatched = 1, .correct = 1};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSimulated}] = {.cases = 1, .compiled = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  const Matrix matrix = Built(data);
  EXPECT_EQ(TextOf(matrix, "add", "h13"), "compiled (silicon)");
  EXPECT_EQ(TextOf(matrix, "sub", "h13"), "compiled (silicon)");
  ASSERT_EQ(Cell(matrix, "add", "h13").evidence.size(), 2u);
}

// The strongest evidence decides a cell, even if weaker evidence is wrong or reached further.
TEST(Matrix, TheStrongestEvidenceDecidesThenTheStage) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSimulated), RunOf(Provenance::kSilicon)};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSimulated}] = {
      .cases = 1, .dispatched = 1, .wrong = 1};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSilicon}] = {
      .cases = 1, .dispatched = 1, .correct = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSimulated}] = {
      .cases = 1, .dispatched = 1, .correct = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kReported}] = {.cases = 1, .rejected = 1};
  data.reach[{"mul", "h13", Route::kMil, Provenance::kRoundtrip}] = {.cases = 1, .rejected = 1};
  data.reach[{"mul", "h13", Route::kMil, Provenance::kSimulated}] = {.cases = 1, .compiled = 1};
  data.reach[{"relu", "h13", Route::kMil, Provenance::kSilicon}] = {
      .cases = 1, .dispatched = 1, .correct = 1};
  data.reach[{"relu", "h13", Route::kNetlist, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  // Silicon evidence that decided nothing does not hide other evidence.
  data.reach[{"tanh", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .inconclusive = 1};
  data.reach[{"tanh", "h13", Route::kMil, Provenance::kSimulated}] = {.cases = 1, .compiled = 1};
  data.findings = {Finding("add", "h13", Verdict::kWrong, true)};
  const Matrix matrix = Built(data);
  EXPECT_EQ(TextOf(matrix, "add", "h13"), "correct (silicon)");
  EXPECT_EQ(TextOf(matrix, "sub", "h13"), "rejected (reported)");
  EXPECT_EQ(TextOf(matrix, "mul", "h13"), "compiled (simulated)");
  EXPECT_EQ(TextOf(matrix, "relu", "h13"), "correct (silicon)");
  EXPECT_EQ(TextOf(matrix, "tanh", "h13"), "compiled (simulated)");
}

TEST(Matrix, NamesTheBasisOfEachState) {
  ReportData data;
  data.runs = {RunOf(Provenance::kRoundtrip)};
  data.reach[{"add", "h13", Route::kMil, Provenance::kReported}] = {.cases = 1, .compiled = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  data.reach[{"mul", "h13", Route::kMil, Provenance::kRoundtrip}] = {.cases = 1, .wrong = 1};
  data.findings = {Finding("mul", "h13", Verdict::kWrong, true)};
  Matrix matrix = Built(data);
  KeepMetTargets(matrix);
  EXPECT_THAT(MatrixCsv(matrix), testing::HasSubstr("\nadd,compiled (reported),attested,"));
  EXPECT_THAT(MatrixCsv(matrix), testing::HasSubstr("\nsub,compiled (silicon),attested,"));
  EXPECT_THAT(MatrixMarkdown(matrix), testing::HasSubstr("| `mul` | failed \\(roundtrip\\) |"));
}

// A finding proves no stage. A wrong value counts as `wrong` only if the engine is known to have
// executed a case of the operation. Every other failure counts as `failed`.
TEST(Matrix, AFindingReachesNothing) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSilicon)};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .wrong = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .wrong = 1};
  data.reach[{"mul", "h13", Route::kMil, Provenance::kSilicon}] = {
      .cases = 2, .dispatched = 1, .wrong = 2};
  data.reach[{"relu", "h13", Route::kMil, Provenance::kSilicon}] = {
      .cases = 2, .compiled = 1, .wrong = 1};
  data.findings = {
      Finding("add", "h13", Verdict::kCrashed, true), Finding("sub", "h13", Verdict::kWrong, true),
      Finding("mul", "h13", Verdict::kWrong, true), Finding("relu", "h13", Verdict::kHung, true)};
  const Matrix matrix = Built(data);
  EXPECT_EQ(StageOf(matrix, "add", "h13"), Stage::kFailed);
  EXPECT_EQ(StageOf(matrix, "sub", "h13"), Stage::kFailed);
  EXPECT_EQ(StageOf(matrix, "mul", "h13"), Stage::kWrong);
  std::map<std::string, Stage> stages;
  for (const evidence::Statement& statement : StatementsOf(data)) {
    stages[statement.subject] = statement.stage;
  }
  EXPECT_EQ(stages.at("add"), Stage::kFailed);
  EXPECT_EQ(stages.at("sub"), Stage::kFailed);
  EXPECT_EQ(stages.at("mul"), Stage::kWrong);
  EXPECT_EQ(stages.at("relu"), Stage::kFailed);
  EXPECT_FALSE(Cell(matrix, "relu", "h13").by(Route::kMil).cell.reached);
}

// After a merge, each statement names the machine on which it was found.
TEST(Matrix, KeepsMachinesApart) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSilicon), RunOf(Provenance::kSilicon),
               RunOf(Provenance::kSilicon)};
  const std::pair<const char*, const char*> machines[] = {{"M1", "2026-03-01T00:00:00Z"},
                                                          {"M5", "2026-01-01T00:00:00Z"},
                                                          {"M1", "2026-05-01T00:00:00Z"}};
  for (size_t i = 0; i < data.runs.size(); ++i) {
    data.runs[i].chip = machines[i].first;
    data.runs[i].started = machines[i].second;
    data.runs[i].os = "macOS 15";
    data.runs[i].compiler_version = "7";
    data.runs[i].tool_version = std::to_string(i);
  }
  data.runs[0].met = {{"h13", Route::kMil}};
  data.runs[1].met = {{"h17s", Route::kMil}};
  data.runs[2].met = {{"h14", Route::kMil}};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSilicon, "M1", "macOS 15", "7"}] = {
      .cases = 1, .compiled = 1};
  data.reach[{"add", "h17s", Route::kMil, Provenance::kSilicon, "M5", "macOS 15", "7"}] = {
      .cases = 1, .compiled = 1};
  const std::vector<evidence::Statement> statements = StatementsOf(data);
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_EQ(statements[0].target, "h13");
  EXPECT_EQ(statements[0].chip, "M1");
  EXPECT_EQ(statements[0].os, "macOS 15");
  EXPECT_EQ(statements[0].compiler_version, "7");
  EXPECT_EQ(statements[0].date, "2026-03-01") << "the newer run had other targets";
  EXPECT_EQ(statements[0].tool_version, "0");
  EXPECT_EQ(statements[1].chip, "M5");
  EXPECT_EQ(statements[1].date, "2026-01-01");
  // A finding counts only for the machine on which it was found.
  data.findings = {Finding("add", "h13", Verdict::kCrashed, true)};
  const Matrix matrix = Built(data);
  EXPECT_EQ(StageOf(matrix, "add", "h13"), Stage::kFailed);
  EXPECT_EQ(StageOf(matrix, "add", "h17s"), Stage::kCompiled);
}

TEST(Matrix, KeepsNamesThatNoTableHas) {
  ReportData data;
  data.reach[{"no_such_op", "h99", Route::kMil, Provenance::kReported}] = {.cases = 1,
                                                                           .compiled = 1};
  const Matrix matrix = Built(data);
  EXPECT_FALSE(matrix.rows.back().in_table);
  EXPECT_FALSE(matrix.columns.back().in_table);
  EXPECT_EQ(StageOf(matrix, "no_such_op", "h99"), Stage::kCompiled);
  EXPECT_EQ(Cell(matrix, "no_such_op", "h99").by(Route::kMil).rules, legality::Outcome::kUnknown);
}

// For the same results, the report and `matrix --no-published` write the same text.
TEST(Matrix, AgreesWithTheMatrixOfAllEvidence) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSimulated)};
  data.reach[{"sin", "h13", Route::kMil, Provenance::kSimulated}] = {.cases = 1, .rejected = 1};
  data.reach[{"cross_product", "h13", Route::kNetlist, Provenance::kSimulated}] = {
      .cases = 2, .compiled = 2, .dispatched = 2, .correct = 1};
  data.reach[{"add", "h17s", Route::kMil, Provenance::kReported}] = {.cases = 1, .compiled = 1};
  data.findings = {Finding("add", "h13", Verdict::kCrashed, true)};
  const Matrix matrix = Built(data);
  const auto targets = TargetCatalog::Builtin().FindList("all");
  ASSERT_TRUE(targets.ok());
  const auto all = BuildAttestation(*targets, StatementsOf(data));
  ASSERT_TRUE(all.ok());
  std::map<std::string, std::string> lines;
  std::istringstream text(AttestationCsv(*all));
  for (std::string line; std::getline(text, line);) lines[line.substr(0, line.find(','))] = line;
  std::istringstream report(MatrixCsv(matrix));
  size_t compared = 0;
  for (std::string line; std::getline(report, line); ++compared) {
    const auto other = lines.find(line.substr(0, line.find(',')));
    if (other != lines.end()) EXPECT_EQ(line, other->second);
  }
  EXPECT_EQ(compared, matrix.rows.size() + 1);
  EXPECT_EQ(StageOf(matrix, "sin", "h13"), Stage::kRejected);
  EXPECT_EQ(Cell(matrix, "cross_product", "h13").by(Route::kNetlist).cell.stage, Stage::kCorrect);
}

// The rules do not cover a target that only an external engine names.
TEST(MatrixMarkdown, OfAnEngineThatNoTableListsHasOnlyEvidence) {
  ReportData data;
  data.reach[{"add", "float", Route::kMil, Provenance::kReported}] = {.cases = 1, .compiled = 1};
  data.reach[{"mul", "float", Route::kMil, Provenance::kReported}] = {.cases = 1, .compiled = 1};
  Matrix matrix = Built(data);
  KeepMetTargets(matrix);
  const std::string text = MatrixMarkdown(matrix);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_THAT(text, testing::HasSubstr("| `add` | compiled \\(reported\\) |"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("netlist")));
}

TEST(KeepMetTargets, LeavesTargetsWithResults) {
  ReportData data;
  data.reach[{"add", "h15", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  Matrix matrix = Built(data);
  KeepMetTargets(matrix);
  ASSERT_EQ(matrix.columns.size(), 1u);
  EXPECT_EQ(matrix.columns[0].target, "h15");
  EXPECT_EQ(StageOf(matrix, "add", "h15"), Stage::kCompiled);
  EXPECT_EQ(matrix.cells.front().size(), 1u);
}

TEST(MatrixCsv, HasARowForEachOperation) {
  ReportData data;
  data.reach[{"add", "h17s", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  Matrix matrix = Built(data);
  KeepMetTargets(matrix);
  const std::string csv = MatrixCsv(matrix);
  EXPECT_THAT(csv, testing::StartsWith("op,h13 mil,h13 mil rules,h13 netlist,"));
  EXPECT_EQ(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')), ListedOps() + 1);
}

}  // namespace
}  // namespace anecheck::reports
