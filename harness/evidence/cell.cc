#include "harness/evidence/cell.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/ops/native_layers.h"

namespace anecheck::evidence {
namespace {

using legality::Outcome;

std::string KindOf(const Statement& statement) {
  const std::string provenance(ToText(statement.provenance));
  return StrengthOf(statement) == Strength::kStated ? provenance + " tables" : provenance;
}

}  // namespace

Stage StageOfRules(Outcome outcome) {
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

bool Admits(Outcome outcome) {
  return outcome == Outcome::kNative || outcome == Outcome::kDecomposed;
}

Cell CellOf(legality::Outcome outcome, std::span<const Statement> statements,
            std::span<const uint32_t> of_cell) {
  Cell cell;
  cell.admitted = Admits(outcome);
  cell.stage = StageOfRules(outcome);
  for (const uint32_t index : of_cell) {
    const Statement& statement = statements[index];
    cell.silicon = cell.silicon || statement.provenance == Provenance::kSilicon;
    // If one instance of the operation ran, the operation counts as reached.
    cell.reached = cell.reached || (!Decides(statement) && Reached(statement.stage));
  }
  Settled settled = Settle(statements, of_cell);
  if (settled.by.empty()) return cell;
  const Statement& first = statements[settled.by.front()];
  cell.stage = settled.stage;
  cell.kind = KindOf(first);
  cell.strength = StrengthOf(first);
  cell.by = std::move(settled.by);
  cell.conflict = settled.conflict;
  cell.reached = cell.reached || Reached(cell.stage);
  return cell;
}

std::string CellText(const Cell& cell) {
  if (cell.kind == "rules") return StageText(cell.stage);
  return fmt::format("{} ({})", StageText(cell.stage), cell.kind);
}

std::string StageText(Stage stage) {
  std::string text(ToText(stage));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string_view LayerOf(const OpDefinition& op) {
  for (const NativeLayer& layer : NativeLayers()) {
    if (!op.netlist_unit.empty() && layer.unit == op.netlist_unit) return layer.layer;
  }
  return {};
}

bool SpeaksOf(const Statement& statement, std::string_view name) {
  const std::string_view subject =
      std::string_view(statement.subject).substr(0, statement.subject.find(" ["));
  if (subject == name) return true;
  if (statement.route != Route::kNetlist || !Reached(statement.stage)) return false;
  const OpDefinition* op = FindOp(subject);
  return op != nullptr && !name.empty() && LayerOf(*op) == name;
}

size_t RouteOf(const Statement& statement, std::span<const Route> routes,
               std::span<const Outcome> outcomes, bool native_layer) {
  for (size_t i = 0; i < routes.size(); ++i) {
    if (statement.route ? statement.route == routes[i] : Admits(outcomes[i])) return i;
  }
  if (statement.route) return routes.size();
  return native_layer ? routes.size() - 1 : 0;
}

Result<Answer> AnswerOf(const legality::Instance& instance, const Target& target, Route route,
                        std::span<const Statement> statements, FamilyOrder order) {
  Answer answer;
  ANECHECK_ASSIGN(answer.verdict, legality::Judge(instance, target, route, order));
  legality::Instance bare;
  bare.op = answer.verdict.op;
  constexpr auto routes = AllWords<Route>();
  std::vector<Outcome> outcomes;
  for (const Route each : routes) {
    ANECHECK_ASSIGN(const legality::Verdict verdict, legality::Judge(bare, target, each, order));
    outcomes.push_back(verdict.outcome);
  }
  const auto place = static_cast<size_t>(route);
  const bool native = legality::Rules::Builtin().Find(bare.op)->native;
  for (uint32_t i = 0; i < statements.size(); ++i) {
    const Statement& statement = statements[i];
    if (statement.target != target.compiler_name || !SpeaksOf(statement, bare.op)) continue;
    if (RouteOf(statement, routes, outcomes, native) == place) answer.statements.push_back(i);
  }
  const bool same = answer.verdict.outcome == outcomes[place];
  answer.cell = CellOf(answer.verdict.outcome, statements,
                       same ? answer.statements : std::vector<uint32_t>());
  return answer;
}

}  // namespace anecheck::evidence
