// The laws of the matrix: every operation and target has a cell, the strongest evidence wins and of
// that the furthest stage, blame rests on findings, and what is not silicon says so.
#include "reports/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/targets/catalog.h"
#include "reports/attestation.h"
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

TEST(Matrix, HasEveryOperationAndTargetWithoutAnyRun) {
  const Matrix matrix = BuildMatrix({});
  EXPECT_EQ(matrix.rows.size(), ListedOps());
  EXPECT_EQ(matrix.columns.size(), AllTargets().size());
  for (const auto& row : matrix.cells) {
    EXPECT_EQ(row.size(), matrix.columns.size());
    for (const MatrixCell& cell : row) {
      EXPECT_LE(cell.stage, Stage::kAttested);
      EXPECT_EQ(cell.stage == Stage::kAttested, cell.attested == Attested::kYes);
      EXPECT_EQ(cell.provenance, std::nullopt);
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
  const Matrix matrix = BuildMatrix(data);
  EXPECT_EQ(Cell(matrix, "conv", "h13").stage, Stage::kRejected);
  EXPECT_EQ(Cell(matrix, "relu", "h13").stage, Stage::kCompiled);
  EXPECT_EQ(Cell(matrix, "tanh", "h13").stage, Stage::kDispatched);
  // Another operation of that case went wrong: no finding names this one.
  EXPECT_EQ(Cell(matrix, "add", "h13").stage, Stage::kCorrect);
  EXPECT_EQ(CellText(Cell(matrix, "add", "h13")), "correct (simulated)");
}

TEST(Matrix, BlamesWhatFindingsName) {
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
  const Matrix matrix = BuildMatrix(data);
  EXPECT_EQ(Cell(matrix, "add", "h13").stage, Stage::kWrong);
  EXPECT_EQ(Cell(matrix, "sub", "h13").stage, Stage::kKnownDefect);
  EXPECT_EQ(Cell(matrix, "tanh", "h13").stage, Stage::kUnconfirmed) << "not correct";
  EXPECT_LE(Cell(matrix, "mul", "h13").stage, Stage::kAttested);
  EXPECT_EQ(matrix.rows.size(), ListedOps());  // a finding without an operation makes no row
}

TEST(Matrix, SimulatedEvidenceNeverPassesForAnother) {
  ReportData data;
  data.runs = {RunOf(Provenance::kSimulated), RunOf(Provenance::kSilicon)};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSimulated}] = {
      .cases = 1, .dispatched = 1, .correct = 1};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSimulated}] = {.cases = 1, .compiled = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  const Matrix matrix = BuildMatrix(data);
  EXPECT_EQ(CellText(Cell(matrix, "add", "h13")), "compiled");
  EXPECT_FALSE(Cell(matrix, "add", "h13").simulated());
  EXPECT_EQ(CellText(Cell(matrix, "sub", "h13")), "compiled");
  ASSERT_EQ(Cell(matrix, "add", "h13").evidence.size(), 2u);
}

// What an engine that is none got wrong does not hide what silicon got right, nor the other way.
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
  // Silicon that decided nothing leaves the word to others.
  data.reach[{"tanh", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .inconclusive = 1};
  data.reach[{"tanh", "h13", Route::kMil, Provenance::kSimulated}] = {.cases = 1, .compiled = 1};
  data.findings = {Finding("add", "h13", Verdict::kWrong, true)};
  const Matrix matrix = BuildMatrix(data);
  EXPECT_EQ(CellText(Cell(matrix, "add", "h13")), "correct");
  EXPECT_EQ(CellText(Cell(matrix, "sub", "h13")), "rejected (reported)");
  EXPECT_EQ(CellText(Cell(matrix, "mul", "h13")), "compiled (simulated)");
  EXPECT_EQ(CellText(Cell(matrix, "relu", "h13")), "correct");
  EXPECT_EQ(CellText(Cell(matrix, "tanh", "h13")), "compiled (simulated)");
}

TEST(Matrix, NamesAllEvidenceButSilicon) {
  ReportData data;
  data.runs = {RunOf(Provenance::kRoundtrip)};
  data.reach[{"add", "h13", Route::kMil, Provenance::kReported}] = {.cases = 1, .compiled = 1};
  data.reach[{"sub", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  data.reach[{"mul", "h13", Route::kMil, Provenance::kRoundtrip}] = {.cases = 1, .wrong = 1};
  data.findings = {Finding("mul", "h13", Verdict::kWrong, true)};
  Matrix matrix = BuildMatrix(data);
  KeepMetTargets(matrix);
  EXPECT_THAT(MatrixCsv(matrix), testing::HasSubstr("\nadd,compiled (reported)\n"));
  EXPECT_THAT(MatrixCsv(matrix), testing::HasSubstr("\nsub,compiled\n"));
  EXPECT_THAT(MatrixMarkdown(matrix), testing::HasSubstr("| `mul` | failed (roundtrip) |"));
}

// Wrong values are those that an engine gave; whatever else went wrong reached nothing.
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
  const Matrix matrix = BuildMatrix(data);
  EXPECT_EQ(Cell(matrix, "add", "h13").stage, Stage::kFailed);
  EXPECT_EQ(Cell(matrix, "sub", "h13").stage, Stage::kFailed);
  EXPECT_EQ(Cell(matrix, "mul", "h13").stage, Stage::kWrong);
  std::map<std::string, Stage> stages;
  for (const evidence::Statement& statement : StatementsOf(data)) {
    stages[statement.subject] = statement.stage;
  }
  EXPECT_EQ(stages.at("add"), Stage::kCatalogued);
  EXPECT_EQ(stages.at("sub"), Stage::kCatalogued);
  EXPECT_EQ(stages.at("mul"), Stage::kWrong);
  EXPECT_EQ(stages.at("relu"), Stage::kCompiled);
}

// After a merge, each statement says on which machine it was found.
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
  // Blame, too, stays with the machine.
  data.findings = {Finding("add", "h13", Verdict::kCrashed, true)};
  const Matrix matrix = BuildMatrix(data);
  EXPECT_EQ(Cell(matrix, "add", "h13").stage, Stage::kFailed);
  EXPECT_EQ(Cell(matrix, "add", "h17s").stage, Stage::kCompiled);
}

TEST(Matrix, KeepsNamesThatNoTableHas) {
  ReportData data;
  data.reach[{"no_such_op", "h99", Route::kMil, Provenance::kReported}] = {.cases = 1,
                                                                           .compiled = 1};
  const Matrix matrix = BuildMatrix(data);
  EXPECT_FALSE(matrix.rows.back().in_table);
  EXPECT_FALSE(matrix.columns.back().in_table);
  EXPECT_EQ(Cell(matrix, "no_such_op", "h99").stage, Stage::kCompiled);
  EXPECT_EQ(Cell(matrix, "no_such_op", "h99").attested, Attested::kUnknown);
}

// The report and the matrix of all evidence go by the same rules.
TEST(Matrix, AttestsWhatTheLegalityRulesAdmit) {
  EXPECT_EQ(Attest("no_such_op", "h13"), Attested::kUnknown);
  EXPECT_EQ(Attest("conv", "h99"), Attested::kUnknown);
  const auto targets = TargetCatalog::Builtin().FindList("all");
  ASSERT_TRUE(targets.ok());
  const auto all = BuildAttestation(*targets, {});
  ASSERT_TRUE(all.ok());
  for (size_t row = 0; row < all->rows.size(); ++row) {
    if (all->rows[row].native_layer) continue;
    for (size_t target = 0; target < targets->size(); ++target) {
      const bool admitted = all->at(row, target, 0).admitted || all->at(row, target, 1).admitted;
      EXPECT_EQ(Attest(all->rows[row].name, (*targets)[target]->compiler_name) == Attested::kYes,
                admitted)
          << all->rows[row].name << " " << (*targets)[target]->name;
    }
  }
  // Sine: native from A15, with no direct route; on targets of an unknown family nobody can say.
  EXPECT_EQ(Attest("sin", "h14"), Attested::kNo);
  EXPECT_EQ(Attest("sin", "h15"), Attested::kYes);
  EXPECT_EQ(Attest("sin", "u1"), Attested::kUnknown);
}

TEST(KeepMetTargets, LeavesTargetsWithResults) {
  ReportData data;
  data.reach[{"add", "h15", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  Matrix matrix = BuildMatrix(data);
  KeepMetTargets(matrix);
  ASSERT_EQ(matrix.columns.size(), 1u);
  EXPECT_EQ(matrix.columns[0].target, "h15");
  EXPECT_EQ(Cell(matrix, "add", "h15").stage, Stage::kCompiled);
  EXPECT_EQ(matrix.cells.front().size(), 1u);
}

TEST(MatrixCsv, HasARowAnOperationAndAColumnATarget) {
  ReportData data;
  data.reach[{"add", "h17s", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  data.reach[{"add", "h13", Route::kMil, Provenance::kSilicon}] = {.cases = 1, .compiled = 1};
  Matrix matrix = BuildMatrix(data);
  KeepMetTargets(matrix);
  const std::string csv = MatrixCsv(matrix);
  EXPECT_THAT(csv, testing::StartsWith("op,h13,h17s\n"));
  EXPECT_EQ(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')), ListedOps() + 1);
}

}  // namespace
}  // namespace anecheck::reports
