#include "reports/matrix.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "harness/ops/op.h"
#include "harness/ops/sheet.h"
#include "harness/targets/catalog.h"
#include "harness/targets/chip_names.h"
#include "reports/attestation.h"
#include "reports/state_table.h"

namespace anecheck::reports {
namespace {

using legality::Outcome;

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
  for (const OpSheet& op : CataloguedOps()) {
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

// The cells of attestation.h's matrix by operation, target and route, built only from this data.
class AllEvidence {
 public:
  static Result<AllEvidence> Of(const ReportData& data) {
    std::vector<const Target*> targets;
    for (const Target& target : AllTargets()) targets.push_back(&target);
    ANECHECK_ASSIGN(Attestation matrix, BuildAttestation(std::move(targets), StatementsOf(data)));
    return AllEvidence(std::move(matrix));
  }

  // Returns nothing for an operation or target that is in no table.
  std::optional<MatrixCell::ByRoute> Find(const std::string& op, const std::string& target,
                                          Route route) const {
    const auto row = rows_.find(op), column = columns_.find(target);
    if (row == rows_.end() || column == columns_.end()) return std::nullopt;
    const AttestationCell& cell =
        matrix_.at(row->second, column->second, static_cast<size_t>(route));
    return MatrixCell::ByRoute{matrix_.verdicts[cell.verdict].outcome, cell};
  }

 private:
  explicit AllEvidence(Attestation matrix) : matrix_(std::move(matrix)) {
    for (size_t i = 0; i < matrix_.rows.size(); ++i) rows_.emplace(matrix_.rows[i].name, i);
    for (size_t i = 0; i < matrix_.targets.size(); ++i) {
      columns_.emplace(matrix_.targets[i]->compiler_name, i);
    }
  }

  Attestation matrix_;
  std::map<std::string, size_t> rows_, columns_;
};

// Returns the rank of a cell. Cells are ranked by strength, then by stage. The stage of wrong
// values ranks directly above that of an operation that only ran.
std::tuple<int, Stage, bool> DepthOf(const evidence::Cell& cell) {
  const bool counts = cell.reached && cell.strength;
  const bool wrong = cell.stage == Stage::kWrong;
  return {counts ? static_cast<int>(*cell.strength) : -1, wrong ? Stage::kDispatched : cell.stage,
          wrong};
}

constexpr auto kAllRoutes = std::to_array({Route::kMil, Route::kNetlist});

StateTable TableOf(const Matrix& matrix, std::span<const Route> routes = kAllRoutes) {
  std::vector<std::string> targets;
  targets.reserve(matrix.columns.size());
  for (const MatrixColumn& column : matrix.columns) targets.push_back(column.target);
  StateTable table(std::move(targets), {routes.begin(), routes.end()});
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    table.BeginRow(matrix.rows[row].op);
    for (const MatrixCell& cell : matrix.cells[row]) {
      for (const Route route : routes) table.Add(cell.by(route).cell, cell.by(route).rules);
    }
  }
  return table;
}

// Leaves out operations and routes without evidence. It is for targets that only an external engine
// names, because no table lists such targets.
std::string MarkdownOfEvidence(Matrix matrix) {
  std::set<Route> met;
  size_t kept = 0;
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    bool any = false;
    for (const MatrixCell& cell : matrix.cells[row]) {
      for (const CellEvidence& item : cell.evidence) met.insert(item.key.route);
      any = any || !cell.evidence.empty();
    }
    if (!any) continue;
    std::swap(matrix.rows[kept], matrix.rows[row]);
    std::swap(matrix.cells[kept], matrix.cells[row]);
    ++kept;
  }
  matrix.rows.resize(kept);
  matrix.cells.resize(kept);
  const std::vector<Route> routes(met.begin(), met.end());
  return TableOf(matrix, routes).Markdown();
}

}  // namespace

const evidence::Cell& MatrixCell::folded() const {
  const evidence::Cell& mil = by(Route::kMil).cell;
  const evidence::Cell& netlist = by(Route::kNetlist).cell;
  return DepthOf(netlist) > DepthOf(mil) ? netlist : mil;
}

Result<Matrix> BuildMatrix(const ReportData& data) {
  Matrix matrix{TableRows(), TableColumns(), {}};
  std::map<std::string, size_t> row_index, column_index;
  for (size_t i = 0; i < matrix.rows.size(); ++i) row_index[matrix.rows[i].op] = i;
  for (size_t i = 0; i < matrix.columns.size(); ++i) column_index[matrix.columns[i].target] = i;
  const std::vector<CellEvidence> found = EvidenceOf(data);
  const std::vector<evidence::Statement> statements = StatementsOf(data);
  std::map<std::pair<size_t, size_t>, std::vector<uint32_t>> places;
  for (uint32_t i = 0; i < found.size(); ++i) {
    const ReachKey& key = found[i].key;
    const size_t row = IndexOf(key.op, row_index, matrix.rows,
                               [&] { return MatrixRow{key.op, "not in the table", false}; });
    const size_t column = IndexOf(key.target, column_index, matrix.columns,
                                  [&] { return MatrixColumn{key.target, "", "", false, false}; });
    matrix.columns[column].met = true;
    places[{row, column}].push_back(i);
  }
  ANECHECK_ASSIGN(const AllEvidence all, AllEvidence::Of(data));
  matrix.cells.assign(matrix.rows.size(), std::vector<MatrixCell>(matrix.columns.size()));
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t column = 0; column < matrix.columns.size(); ++column) {
      MatrixCell& cell = matrix.cells[row][column];
      std::array<std::vector<uint32_t>, 2> by_route;
      for (const uint32_t i : places[{row, column}]) {
        cell.evidence.push_back(found[i]);
        by_route[static_cast<size_t>(found[i].key.route)].push_back(i);
      }
      for (const Route route : AllWords<Route>()) {
        MatrixCell::ByRoute& side = cell.routes[static_cast<size_t>(route)];
        auto known = all.Find(matrix.rows[row].op, matrix.columns[column].target, route);
        // No rule covers a name that is in no table.
        side = known ? *std::move(known)
                     : MatrixCell::ByRoute{Outcome::kUnknown,
                                           evidence::CellOf(Outcome::kUnknown, statements,
                                                            by_route[static_cast<size_t>(route)])};
      }
    }
  }
  return matrix;
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

std::string MatrixCsv(const Matrix& matrix) { return TableOf(matrix).Csv(); }

std::string MatrixMarkdown(const Matrix& matrix) {
  const bool any_known = std::ranges::any_of(matrix.columns, &MatrixColumn::in_table);
  return any_known ? TableOf(matrix).Markdown() : MarkdownOfEvidence(matrix);
}

}  // namespace anecheck::reports
