#include "reports/attestation.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/base/json.h"
#include "harness/base/parallel_for.h"
#include "harness/ops/op.h"
#include "oracles/legality/explain.h"

namespace anecheck::reports {
namespace {

using evidence::Statement;
using legality::Verdict;

using evidence::LayerOf;

std::vector<AttestationRow> CatalogueRows() {
  constexpr size_t kMil = static_cast<size_t>(Route::kMil);
  constexpr size_t kNetlist = static_cast<size_t>(Route::kNetlist);
  std::vector<AttestationRow> rows;
  for (const legality::CatalogueRow& row : legality::Rules::Builtin().operations()) {
    rows.push_back({row.name, row.op_class, false, {}});
    const OpDefinition* op = FindOp(row.name);
    if (op == nullptr || !op->no_reference_reason.empty()) continue;
    rows.back().tested_by[kMil] = {row.name};
    if (!op->netlist_unit.empty()) rows.back().tested_by[kNetlist] = {row.name};
  }
  for (const legality::CatalogueRow& row : legality::Rules::Builtin().layers()) {
    rows.push_back({row.name, row.op_class, true, {}});
    for (const OpDefinition* op : AllOps()) {
      if (LayerOf(*op) == row.name) {
        rows.back().tested_by[kNetlist].emplace_back(op->schema.name);
      }
    }
  }
  return rows;
}

// A table in which equal verdicts share one index.
class VerdictTable {
 public:
  explicit VerdictTable(std::vector<Verdict>& verdicts) : verdicts_(verdicts) {}
  uint32_t Place(Verdict verdict) {
    std::string key(legality::OutcomeName(verdict.outcome));
    for (const legality::LayerVerdict& layer : verdict.layers) {
      key += '\n' + std::string(legality::RulingName(layer.ruling)) + layer.rule + layer.reason;
    }
    key += '\n' + verdict.native_layer;
    const auto [entry, fresh] = places_.emplace(key, static_cast<uint32_t>(verdicts_.size()));
    // Drops the open questions. The rules judge a name without attributes, so the same questions
    // are open in all cells of a row.
    for (legality::LayerVerdict& layer : verdict.layers) layer.open.clear();
    if (fresh) verdicts_.push_back(std::move(verdict));
    return entry->second;
  }

 private:
  std::vector<Verdict>& verdicts_;
  std::unordered_map<std::string, uint32_t> places_;
};

// Puts each statement into the cell of its subject and target. If an operation reached a stage by
// direct authoring, the native layer as which it is authored reached that stage too. If the
// operation did not reach a stage, other uses of the layer may still have reached it.
class Placer {
 public:
  explicit Placer(Attestation& matrix) : matrix_(matrix) {
    for (size_t i = 0; i < matrix.rows.size(); ++i) rows_.emplace(matrix.rows[i].name, i);
    for (size_t i = 0; i < matrix.targets.size(); ++i) {
      targets_.emplace(matrix.targets[i]->compiler_name, i);
    }
  }

  void Place(uint32_t index) {
    const Statement& statement = matrix_.statements[index];
    const auto row = rows_.find(statement.subject.substr(0, statement.subject.find(" [")));
    const auto target = targets_.find(statement.target);
    if (row == rows_.end() || target == targets_.end()) return;
    std::vector<legality::Outcome> outcomes;
    for (size_t route = 0; route < matrix_.routes.size(); ++route) {
      const AttestationCell& cell = matrix_.at(row->second, target->second, route);
      outcomes.push_back(matrix_.verdicts[cell.verdict].outcome);
    }
    const size_t chosen = evidence::RouteOf(statement, matrix_.routes, outcomes,
                                            matrix_.rows[row->second].native_layer);
    if (chosen == matrix_.routes.size()) return;
    Add(row->second, target->second, chosen, index);
    const OpDefinition* op = FindOp(matrix_.rows[row->second].name);
    if (statement.route != Route::kNetlist || !Reached(statement.stage) || op == nullptr) return;
    const auto layer = rows_.find(LayerOf(*op));
    if (layer == rows_.end() || layer->second == row->second) return;
    Add(layer->second, target->second, chosen, index);
  }

 private:
  void Add(size_t row, size_t target, size_t route, uint32_t statement) {
    const size_t place = (row * matrix_.targets.size() + target) * matrix_.routes.size() + route;
    matrix_.cells[place].statements.push_back(statement);
  }

  Attestation& matrix_;
  std::map<std::string, size_t, std::less<>> rows_, targets_;
};

void MarkConflicts(Attestation& matrix) {
  matrix.conflicts = evidence::FindConflicts(matrix.statements);
  // for each statement, the weaker statements that it contradicts
  std::vector<std::vector<uint32_t>> against(matrix.statements.size());
  for (const evidence::Conflict& conflict : matrix.conflicts) {
    against[conflict.stronger].push_back(static_cast<uint32_t>(conflict.weaker));
  }
  for (AttestationCell& cell : matrix.cells) {
    const std::set<uint32_t> of_cell(cell.statements.begin(), cell.statements.end());
    cell.conflict = std::ranges::any_of(of_cell, [&](uint32_t statement) {
      return std::ranges::any_of(against[statement],
                                 [&](uint32_t other) { return of_cell.contains(other); });
    });
  }
}

// Returns the verdicts of the rules in the order of the cells.
Result<std::vector<Verdict>> JudgeRows(const Attestation& matrix,
                                       const AttestationOptions& options) {
  const size_t width = matrix.targets.size() * matrix.routes.size();
  std::vector<Verdict> verdicts(matrix.rows.size() * width);
  const auto judge_row = [&](uint64_t row) -> Status {
    legality::Instance instance;
    instance.op = matrix.rows[row].name;
    Verdict* place = verdicts.data() + row * width;
    for (const Target* target : matrix.targets) {
      for (const Route route : matrix.routes) {
        ANECHECK_ASSIGN(*place++, legality::Judge(instance, *target, route, options.order));
      }
    }
    return {};
  };
  ANECHECK_RETURN_IF_ERROR(ParallelFor(matrix.rows.size(), 0, judge_row));
  return verdicts;
}

}  // namespace

Result<Attestation> BuildAttestation(std::vector<const Target*> targets,
                                     std::vector<Statement> statements,
                                     const AttestationOptions& options) {
  Attestation matrix;
  matrix.rows = CatalogueRows();
  matrix.targets = std::move(targets);
  matrix.routes = options.routes;
  std::erase_if(statements, [&](const Statement& statement) {
    const auto differs = [](const std::string& wanted, const std::string& given) {
      return !wanted.empty() && !given.empty() && wanted != given;
    };
    return differs(options.os, statement.os) ||
           differs(options.compiler_version, statement.compiler_version);
  });
  matrix.statements = std::move(statements);
  ANECHECK_ASSIGN(std::vector<Verdict> verdicts, JudgeRows(matrix, options));
  VerdictTable table(matrix.verdicts);
  for (Verdict& verdict : verdicts) {
    matrix.cells.emplace_back().verdict = table.Place(std::move(verdict));
  }
  Placer placer(matrix);
  for (size_t i = 0; i < matrix.statements.size(); ++i) placer.Place(static_cast<uint32_t>(i));
  for (AttestationCell& cell : matrix.cells) {
    static_cast<evidence::Cell&>(cell) =
        evidence::CellOf(matrix.verdicts[cell.verdict].outcome, matrix.statements, cell.statements);
  }
  MarkConflicts(matrix);
  return matrix;
}

void KeepRows(std::span<const std::string> names, Attestation& matrix) {
  const size_t width = matrix.targets.size() * matrix.routes.size();
  std::vector<AttestationRow> rows;
  std::vector<AttestationCell> cells;
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    if (std::ranges::find(names, matrix.rows[row].name) == names.end()) continue;
    rows.push_back(std::move(matrix.rows[row]));
    for (size_t i = 0; i < width; ++i) cells.push_back(std::move(matrix.cells[row * width + i]));
  }
  matrix.rows = std::move(rows);
  matrix.cells = std::move(cells);
}

}  // namespace anecheck::reports
