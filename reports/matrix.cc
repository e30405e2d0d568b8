#include "reports/matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "harness/campaign/campaign.h"
#include "harness/evidence/evidence.h"
#include "harness/ops/device_matrix.h"
#include "harness/ops/op.h"
#include "harness/targets/catalog.h"
#include "harness/targets/chip_names.h"
#include "oracles/legality/legality.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

using FindingTallies = std::map<ReachKey, FindingTally>;

FindingTallies TallyFindings(const ReportData& data) {
  FindingTallies tallies;
  for (const FindingInfo& finding : data.findings) {
    const RunInfo& run = data.runs[finding.run];
    Tally(finding, tallies[{finding.op, finding.target, finding.route, run.provenance, run.chip,
                            run.os, run.compiler_version}]);
  }
  return tallies;
}

template <typename Name, typename List, typename Make>
size_t IndexOf(const Name& name, std::map<std::string, size_t>& index, List& list,
               const Make& make) {
  const auto [entry, added] = index.emplace(name, list.size());
  if (added) list.push_back(make());
  return entry->second;
}

std::vector<MatrixRow> TableRows() {
  std::vector<MatrixRow> rows;
  for (const OpDefinition* op : AllOps()) {
    rows.push_back({std::string(op->schema.name), std::string(OpClassName(op->op_class)), true});
  }
  for (const CataloguedOp& op : CataloguedOps()) {
    rows.push_back({std::string(op.name), std::string(OpClassName(op.op_class)), true});
  }
  return rows;
}

std::vector<MatrixColumn> TableColumns() {
  std::vector<MatrixColumn> columns;
  for (const Target& target : AllTargets()) {
    columns.push_back({target.compiler_name,
                       target.family() ? std::string(FamilyName(target.family().value())) : "",
                       ChipsText(target), true, false});
  }
  return columns;
}

void Place(const ReachKey& key, const ReachCounts& counts, const FindingTallies& findings,
           MatrixCell& cell) {
  CellEvidence& evidence = cell.evidence.emplace_back();
  evidence.route = key.route;
  evidence.provenance = key.provenance;
  evidence.chip = key.chip;
  evidence.os = key.os;
  evidence.compiler_version = key.compiler_version;
  evidence.counts = counts;
  if (const auto found = findings.find(key); found != findings.end()) {
    evidence.findings = found->second;
  }
  evidence.stage = StageOf(evidence.counts, evidence.findings);
}

// By either route, as the legality rules have it.
Attested Admitted(const std::string& op, const Target& target) {
  legality::Instance instance;
  instance.op = op;
  bool unknown = false;
  for (const Route route : {Route::kMil, Route::kNetlist}) {
    const auto verdict = legality::Judge(instance, target, route);
    if (!verdict.ok()) return Attested::kUnknown;
    const legality::Outcome outcome = verdict->outcome;
    if (outcome == legality::Outcome::kNative || outcome == legality::Outcome::kDecomposed) {
      return Attested::kYes;
    }
    unknown = unknown || outcome == legality::Outcome::kUnknown;
  }
  return unknown ? Attested::kUnknown : Attested::kNo;
}

int Strength(const CellEvidence& item) {
  evidence::Statement statement;
  statement.provenance = item.provenance;
  statement.basis = ToText(item.provenance);
  return evidence::Strength(statement);
}

// What silicon shows counts before what an engine that is none shows, however far that got.
void Conclude(MatrixCell& cell) {
  cell.stage = cell.attested == Attested::kYes ? Stage::kAttested : Stage::kCatalogued;
  const CellEvidence* best = nullptr;
  for (const CellEvidence& item : cell.evidence) {
    if (!Reached(item.stage) && !Denied(item.stage)) continue;
    if (best == nullptr ||
        std::pair(Strength(item), item.stage) > std::pair(Strength(*best), best->stage)) {
      best = &item;
    }
  }
  if (best == nullptr) return;
  cell.stage = best->stage;
  cell.provenance = best->provenance;
}

}  // namespace

void Tally(const FindingInfo& finding, FindingTally& tally) {
  if (finding.verdict == Verdict::kKnownDefect) ++tally.known;
  if (KindOfFinding(finding.verdict) == FindingKind::kUnconfirmed) ++tally.unconfirmed;
  if (!finding.is_new) return;
  // A refusal says nothing about values; the stage `rejected` tells it from the counts.
  if (finding.verdict == Verdict::kRejected) {
    ++tally.refused;
  } else {
    ++(finding.verdict == Verdict::kWrong ? tally.wrong : tally.failed);
  }
}

Stage StageOf(const ReachCounts& counts, const FindingTally& findings) {
  if (findings.wrong > 0 && counts.dispatched > 0) return Stage::kWrong;
  if (findings.wrong + findings.failed > 0) return Stage::kFailed;
  if (findings.known > 0) return Stage::kKnownDefect;
  if (findings.unconfirmed > 0) return Stage::kUnconfirmed;
  if (counts.correct > 0) return Stage::kCorrect;
  if (counts.dispatched > 0) return Stage::kDispatched;
  if (counts.compiled > 0) return Stage::kCompiled;
  if (counts.rejected > 0) return Stage::kRejected;
  return Stage::kCatalogued;
}

std::string_view AttestedName(Attested attested) {
  constexpr std::string_view kNames[] = {"yes", "no", "unknown"};
  return kNames[static_cast<size_t>(attested)];
}

Attested Attest(std::string_view op, std::string_view target_name) {
  // The rules never change while the tool runs; a report asks for every operation and target.
  static const std::map<std::pair<std::string, std::string>, Attested, std::less<>>* const kTable =
      [] {
        auto* table = new std::map<std::pair<std::string, std::string>, Attested, std::less<>>;
        for (const legality::CatalogueRow& row : legality::Rules::Builtin().operations()) {
          for (const Target& target : AllTargets()) {
            table->emplace(std::pair(row.name, target.compiler_name), Admitted(row.name, target));
          }
        }
        return table;
      }();
  const auto target = FindTarget(target_name);
  if (!target.ok()) return Attested::kUnknown;
  const auto found = kTable->find(std::pair(std::string(op), (*target)->compiler_name));
  return found == kTable->end() ? Attested::kUnknown : found->second;
}

Matrix BuildMatrix(const ReportData& data) {
  Matrix matrix{TableRows(), TableColumns(), {}};
  std::map<std::string, size_t> row_index, column_index;
  for (size_t i = 0; i < matrix.rows.size(); ++i) row_index[matrix.rows[i].op] = i;
  for (size_t i = 0; i < matrix.columns.size(); ++i) column_index[matrix.columns[i].target] = i;
  // Findings may name a pair that no count names; it gets a row of zeros.
  std::map<ReachKey, ReachCounts> reach = data.reach;
  const FindingTallies findings = TallyFindings(data);
  for (const auto& [key, tally] : findings) {
    if (!key.op.empty()) reach.try_emplace(key);
  }
  std::map<std::pair<size_t, size_t>, std::vector<const ReachKey*>> places;
  for (const auto& [key, counts] : reach) {
    const size_t row = IndexOf(key.op, row_index, matrix.rows,
                               [&] { return MatrixRow{key.op, "not in the table", false}; });
    const size_t column = IndexOf(key.target, column_index, matrix.columns,
                                  [&] { return MatrixColumn{key.target, "", "", false, false}; });
    matrix.columns[column].met = true;
    places[{row, column}].push_back(&key);
  }
  matrix.cells.assign(matrix.rows.size(), std::vector<MatrixCell>(matrix.columns.size()));
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t column = 0; column < matrix.columns.size(); ++column) {
      MatrixCell& cell = matrix.cells[row][column];
      cell.attested = Attest(matrix.rows[row].op, matrix.columns[column].target);
      if (const auto found = places.find({row, column}); found != places.end()) {
        for (const ReachKey* key : found->second) Place(*key, reach.at(*key), findings, cell);
      }
      Conclude(cell);
    }
  }
  return matrix;
}

std::string CellText(const MatrixCell& cell) {
  if (!cell.provenance || cell.provenance == Provenance::kSilicon) {
    return std::string(ToText(cell.stage));
  }
  return fmt::format("{} ({})", cell.stage, *cell.provenance);
}

void KeepMetTargets(Matrix& matrix) {
  Matrix part{matrix.rows, {}, std::vector<std::vector<MatrixCell>>(matrix.rows.size())};
  for (size_t column = 0; column < matrix.columns.size(); ++column) {
    if (!matrix.columns[column].met) continue;
    part.columns.push_back(matrix.columns[column]);
    for (size_t row = 0; row < matrix.rows.size(); ++row) {
      part.cells[row].push_back(std::move(matrix.cells[row][column]));
    }
  }
  matrix = std::move(part);
}

std::string MatrixCsv(const Matrix& matrix) {
  std::string text = "op";
  for (const MatrixColumn& column : matrix.columns) text += "," + CsvField(column.target);
  text += "\n";
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    text += CsvField(matrix.rows[row].op);
    for (const MatrixCell& cell : matrix.cells[row]) text += "," + CellText(cell);
    text += "\n";
  }
  return text;
}

std::string MatrixMarkdown(const Matrix& matrix) {
  std::string head = "| operation |", rule = "|---|", body;
  for (const MatrixColumn& column : matrix.columns) {
    head += fmt::format(" {} |", EscapeMarkdown(column.target));
    rule += "---|";
  }
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    body += fmt::format("| {} |", MarkdownCode(matrix.rows[row].op));
    for (const MatrixCell& cell : matrix.cells[row]) body += fmt::format(" {} |", CellText(cell));
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

}  // namespace anecheck::reports
