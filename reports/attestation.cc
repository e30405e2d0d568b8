#include "reports/attestation.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/ops/native_layers.h"
#include "harness/ops/op.h"
#include "oracles/legality/explain.h"
#include "reports/matrix.h"

namespace anecheck::reports {
namespace {

using evidence::Statement;
using legality::Outcome;
using legality::Verdict;

// The native layer that an operation's network description names, or empty.
std::string_view LayerOf(const OpDefinition& op) {
  for (const NativeLayer& layer : NativeLayers()) {
    if (!op.netlist_unit.empty() && layer.unit == op.netlist_unit) return layer.layer;
  }
  return {};
}

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

Stage StageOfOutcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNative:
      return Stage::kAttested;
    case Outcome::kDecomposed:
      return Stage::kDecomposed;
    case Outcome::kRejected:
      return Stage::kRefused;
    case Outcome::kNoPath:
      return Stage::kNoPath;
    case Outcome::kUnknown:
      break;
  }
  return Stage::kUnknown;
}

bool Admitted(const Verdict& verdict) {
  return verdict.outcome == Outcome::kNative || verdict.outcome == Outcome::kDecomposed;
}

// Verdicts that say the same share one place.
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
    // What a bare name leaves open is the same for all cells of a row and says nothing here.
    for (legality::LayerVerdict& layer : verdict.layers) layer.open.clear();
    if (fresh) verdicts_.push_back(std::move(verdict));
    return entry->second;
  }

 private:
  std::vector<Verdict>& verdicts_;
  std::unordered_map<std::string, uint32_t> places_;
};

std::string Kind(const Statement& statement) {
  const std::string provenance(ToText(statement.provenance));
  const bool of_tables = statement.provenance == Provenance::kPublished &&
                         statement.basis != ToText(Provenance::kSilicon);
  return of_tables ? provenance + " tables" : provenance;
}

// The strongest evidence that decides: what silicon refused was not reached because an engine that
// is none computed it. Of equally strong evidence the furthest stage counts, else a refusal.
void Conclude(const Attestation& matrix, AttestationCell& cell) {
  const Verdict& verdict = matrix.verdicts[cell.verdict];
  cell.admitted = Admitted(verdict);
  cell.stage = StageOfOutcome(verdict.outcome);
  cell.kind = "rules";
  const Statement* best = nullptr;
  for (const uint32_t index : cell.statements) {
    const Statement& statement = matrix.statements[index];
    cell.silicon = cell.silicon || statement.provenance == Provenance::kSilicon ||
                   statement.basis == ToText(Provenance::kSilicon);
    cell.reached = cell.reached || Reached(statement.stage);
    const bool decides = Reached(statement.stage) || Denied(statement.stage);
    if (!decides || statement.subject.find(" [") != std::string::npos) continue;
    const auto rank = [](const Statement& s) {
      return std::pair(evidence::Strength(s), Reached(s.stage) ? s.stage : Stage::kNoPath);
    };
    if (best == nullptr || rank(statement) > rank(*best)) best = &statement;
  }
  if (best == nullptr) return;
  cell.kind = Kind(*best);
  cell.strength = evidence::Strength(*best);
  cell.stage = best->stage;
}

// Where each statement belongs: a cell of its subject and target. One that names no route belongs
// to the first route that the rules admit, else to the route by which its subject is named. What an
// operation reached by direct authoring, the layer that it is authored as reached too; what it did
// not reach says nothing of that layer's other uses.
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
    const size_t first =
        (row->second * matrix_.targets.size() + target->second) * matrix_.routes.size();
    size_t chosen = matrix_.routes.size();
    for (size_t route = 0; route < matrix_.routes.size(); ++route) {
      const bool named = statement.route == matrix_.routes[route];
      const Verdict& verdict = matrix_.verdicts[matrix_.cells[first + route].verdict];
      const bool fits = !statement.route ? Admitted(verdict) : named;
      if (fits && chosen == matrix_.routes.size()) chosen = route;
    }
    if (chosen == matrix_.routes.size() && !statement.route) {
      chosen = matrix_.rows[row->second].native_layer ? matrix_.routes.size() - 1 : 0;
    }
    if (chosen == matrix_.routes.size()) return;
    matrix_.cells[first + chosen].statements.push_back(index);
    const OpDefinition* op = FindOp(matrix_.rows[row->second].name);
    if (statement.route != Route::kNetlist || !Reached(statement.stage) || op == nullptr) return;
    const auto layer = rows_.find(LayerOf(*op));
    if (layer == rows_.end() || layer->second == row->second) return;
    matrix_
        .cells[(layer->second * matrix_.targets.size() + target->second) * matrix_.routes.size() +
               chosen]
        .statements.push_back(index);
  }

 private:
  Attestation& matrix_;
  std::map<std::string, size_t, std::less<>> rows_, targets_;
};

void MarkConflicts(Attestation& matrix) {
  matrix.conflicts = evidence::FindConflicts(matrix.statements);
  std::set<std::pair<size_t, size_t>> pairs;
  for (const evidence::Conflict& conflict : matrix.conflicts) {
    pairs.emplace(std::min(conflict.stronger, conflict.weaker),
                  std::max(conflict.stronger, conflict.weaker));
  }
  for (AttestationCell& cell : matrix.cells) {
    for (const uint32_t a : cell.statements) {
      for (const uint32_t b : cell.statements) {
        cell.conflict = cell.conflict || pairs.contains({a, b});
      }
    }
  }
}

// How far the operation got follows from the counts; findings alone reach nothing: a crash of the
// compiler names an operation too.
Stage ReachedStage(const CellEvidence& item) {
  if (item.counts.dispatched > 0) {
    if (item.stage == Stage::kWrong) return Stage::kWrong;
    return item.stage == Stage::kCorrect ? Stage::kCorrect : Stage::kDispatched;
  }
  if (item.counts.compiled > 0) return Stage::kCompiled;
  return item.counts.rejected > 0 ? Stage::kRejected : Stage::kCatalogued;
}

// The tool and the day of the newest of the runs that the statement sums up.
void Describe(const ReportData& data, Statement& statement) {
  for (const RunInfo& run : data.runs) {
    const bool counted = run.provenance == statement.provenance && run.chip == statement.chip &&
                         run.os == statement.os &&
                         run.compiler_version == statement.compiler_version &&
                         run.met.contains({statement.target, *statement.route});
    if (!counted) continue;
    const std::string day = run.started.substr(0, 10);
    if (day < statement.date) continue;
    statement.date = day;
    statement.tool_version = run.tool_version;
  }
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
  VerdictTable table(matrix.verdicts);
  for (const AttestationRow& row : matrix.rows) {
    legality::Instance instance;
    instance.op = row.name;
    for (const Target* target : matrix.targets) {
      for (const Route route : matrix.routes) {
        ANECHECK_ASSIGN(Verdict verdict, legality::Judge(instance, *target, route, options.order));
        matrix.cells.emplace_back().verdict = table.Place(std::move(verdict));
      }
    }
  }
  Placer placer(matrix);
  for (size_t i = 0; i < matrix.statements.size(); ++i) placer.Place(static_cast<uint32_t>(i));
  for (AttestationCell& cell : matrix.cells) Conclude(matrix, cell);
  MarkConflicts(matrix);
  return matrix;
}

std::vector<Statement> StatementsOf(const ReportData& data) {
  std::vector<Statement> statements;
  const Matrix matrix = BuildMatrix(data);
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t column = 0; column < matrix.columns.size(); ++column) {
      for (const CellEvidence& found : matrix.cells[row][column].evidence) {
        Statement statement;
        statement.subject = evidence::Canonical(matrix.rows[row].op);
        statement.target = matrix.columns[column].target;
        statement.route = found.route;
        statement.stage = ReachedStage(found);
        statement.status = std::string(ToText(found.stage));
        statement.provenance = found.provenance;
        statement.basis = ToText(found.provenance);
        statement.chip = found.chip;
        statement.os = found.os;
        statement.compiler_version = found.compiler_version;
        statement.source = "campaign";
        statement.note = std::to_string(found.counts.cases) + " cases";
        Describe(data, statement);
        statements.push_back(std::move(statement));
      }
    }
  }
  return statements;
}

}  // namespace anecheck::reports
