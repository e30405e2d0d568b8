// The functions behind `matrix`, `report`, `explain`, `lower`, `check` and `inspect --verify` must
// not contradict each other about an operation. The test draws evidence, operations, attributes,
// targets and routes at random. RC_PARAMS=max_success=N asks 500 N questions.
#include <algorithm>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/evidence/graph_answer.h"
#include "harness/formats/netlist/gates.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/graph/json.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/ops/sheet.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/gates.h"
#include "oracles/legality/testing/draw_instance.h"
#include "oracles/plan/plan_print.h"
#include "reports/attestation.h"
#include "reports/campaign_evidence.h"
#include "reports/matrix.h"

namespace anecheck {
namespace {

using evidence::Answer;
using evidence::Cell;
using evidence::Statement;
using legality::Outcome;
using legality::Ruling;

constexpr int kQuestions = 500;  // for each drawn set of results

template <typename List>
const auto& Pick(ChoiceStream& choices, const List& list) {
  return list[choices.Below(std::size(list))];
}

const Target& PickTarget(ChoiceStream& choices) { return Pick(choices, AllTargets()); }

Route PickRoute(ChoiceStream& choices) {
  return choices.Below(2) == 0 ? Route::kMil : Route::kNetlist;
}

// ---- results -----------------------------------------------------------------------------------

ReachCounts DrawCounts(ChoiceStream& choices) {
  ReachCounts counts;
  counts.cases = 1 + static_cast<int64_t>(choices.Below(3));
  int64_t* const kMembers[] = {&counts.compiled,     &counts.dispatched, &counts.correct,
                               &counts.known_defect, &counts.wrong,      &counts.rejected};
  for (int64_t* member : kMembers) *member = static_cast<int64_t>(choices.Below(2));
  return counts;
}

std::string_view DrawOperation(ChoiceStream& choices) {
  const auto ops = legality::Rules::Builtin().operations();
  return ops[choices.Below(ops.size())].name;
}

reports::ReportData DrawResults(ChoiceStream& choices) {
  constexpr Provenance kKinds[] = {Provenance::kSilicon, Provenance::kReported,
                                   Provenance::kSimulated, Provenance::kRoundtrip};
  reports::ReportData data;
  for (uint64_t i = choices.Below(120); i > 0; --i) {
    reports::ReachKey key;
    key.op = DrawOperation(choices);
    key.target = PickTarget(choices).compiler_name;
    key.route = PickRoute(choices);
    key.provenance = Pick(choices, kKinds);
    key.os = choices.Below(3) == 0 ? "26.0" : "";
    data.reach[key] = DrawCounts(choices);
  }
  return data;
}

// ---- cells: matrix, report, explain -------------------------------------------------------------

// The results in the forms that `matrix`, `report` and `explain` use.
struct Known {
  std::vector<Statement> statements;
  reports::Attestation matrix;
  reports::Matrix report;
  std::map<std::string, size_t, std::less<>> matrix_rows, report_rows, targets, report_columns;
};

Known Learn(const reports::ReportData& data) {
  Known known;
  known.statements = reports::StatementsOf(data);
  std::vector<const Target*> targets;
  for (const Target& target : AllTargets()) targets.push_back(&target);
  known.matrix = reports::BuildAttestation(targets, known.statements).value();
  known.report = reports::BuildMatrix(data).value();
  for (size_t i = 0; i < known.matrix.rows.size(); ++i) {
    known.matrix_rows.emplace(known.matrix.rows[i].name, i);
  }
  for (size_t i = 0; i < known.report.rows.size(); ++i) {
    known.report_rows.emplace(known.report.rows[i].op, i);
  }
  for (size_t i = 0; i < targets.size(); ++i) known.targets.emplace(targets[i]->compiler_name, i);
  for (size_t i = 0; i < known.report.columns.size(); ++i) {
    known.report_columns.emplace(known.report.columns[i].target, i);
  }
  return known;
}

void SameCell(const Cell& a, const Cell& b) {
  RC_ASSERT(evidence::CellText(a) == evidence::CellText(b));
  RC_ASSERT(a.stage == b.stage);
  RC_ASSERT(a.strength == b.strength);
  RC_ASSERT(a.admitted == b.admitted);
  RC_ASSERT(a.reached == b.reached);
  RC_ASSERT(a.silicon == b.silicon);
  RC_ASSERT(a.by == b.by);
}

void AskCells(const Known& known, std::string_view op, const Target& target, Route route) {
  legality::Instance bare;
  bare.op = op;
  const Answer explained = evidence::AnswerOf(bare, target, route, known.statements).value();
  const size_t column = known.targets.at(target.compiler_name);
  const reports::AttestationCell& cell =
      known.matrix.at(known.matrix_rows.find(op)->second, column, static_cast<size_t>(route));
  SameCell(explained.cell, cell);
  RC_ASSERT(explained.verdict.outcome == known.matrix.verdicts[cell.verdict].outcome);
  RC_ASSERT(explained.statements == cell.statements);
  const auto row = known.report_rows.find(op);
  if (row == known.report_rows.end()) return;
  const auto& side =
      known.report.cells[row->second][known.report_columns.find(target.compiler_name)->second].by(
          route);
  SameCell(explained.cell, side.cell);
  RC_ASSERT(explained.verdict.outcome == side.rules);
}

// ---- graphs: explain, check, lower --------------------------------------------------------------

bool Rewritten(const plan::Plan& plan, const std::string& name) {
  return std::ranges::any_of(plan.rewrites, [&](const plan::Rewrite& rewrite) {
    return rewrite.name == name && rewrite.no_graph.empty();
  });
}

void AskGraph(const Known& known, const Graph& graph, const Target& target, Route route) {
  const evidence::GraphAnswer answer =
      evidence::AnswerOf(graph, target, {.route = route}, known.statements).value();
  bool all = true;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    const std::string name = plan::OperationName(node);
    const Answer explained =
        evidence::AnswerOf(legality::InstanceOf(node), target, route, known.statements).value();
    SameCell(explained.cell, answer.operations[id].known.cell);
    // If the rules admit an operation, every layer of the plan admits it.
    RC_ASSERT(answer.RefusedPart(id) == nullptr);
    // The host may rewrite an operation that the rules do not admit into operations that they
    // admit.
    const bool rewritten = Rewritten(answer.plan, name);
    all = all && answer.LayersRun(id) && (explained.cell.admitted || rewritten);
    // The plan's own route dispatches no refused operation. If no source decides on an operation,
    // it is planned, but the plan does not claim that it compiles.
    if (explained.cell.admitted || rewritten || explained.verdict.outcome == Outcome::kUnknown)
      continue;
    for (const int segment : answer.SegmentsOf(id)) {
      RC_ASSERT(answer.plan.segments[static_cast<size_t>(segment)].kind ==
                plan::Segment::Kind::kBridge);
    }
  }
  RC_ASSERT(all == answer.plan.compiles());
  int64_t dispatches = 0;
  for (const plan::Segment& segment : answer.plan.segments) {
    dispatches += segment.kind == plan::Segment::Kind::kElsewhere ? 0 : segment.dispatches;
  }
  RC_ASSERT(dispatches == answer.plan.dispatches);
  RC_ASSERT(plan::PlanJson(answer.plan)["dispatches"] == dispatches);
}

// ---- gates: explain, inspect --verify -----------------------------------------------------------

bool GateRefusesEverywhere(const legality::Instance& instance) {
  return std::ranges::all_of(AllTargets(), [&](const Target& target) {
    const auto verdict = legality::Judge(instance, target, Route::kNetlist);
    if (!verdict.ok()) return false;
    const legality::LayerVerdict& validator = verdict->at(legality::Layer::kValidator);
    const auto& gates = legality::Gates();
    return validator.ruling == Ruling::kReject &&
           std::ranges::find(gates, validator.rule, &legality::Rule::id) != gates.end();
  });
}

// Asks whether `explain` and `inspect --verify` agree about a unit. Each gate that `inspect
// --verify` names exists in the validator of every target.
void AskUnit(const legality::Instance& unit) {
  if (!legality::Rules::Builtin().Find(unit.op)->native) return;
  const bool broken = !legality::BrokenGates(unit).empty();
  if (GateRefusesEverywhere(unit)) RC_ASSERT(broken);
  if (!broken) return;
  for (const Target& target : AllTargets()) {
    const auto verdict = legality::Judge(unit, target, Route::kNetlist);
    RC_ASSERT(verdict.ok());
    RC_ASSERT(!evidence::Admits(verdict->outcome));
  }
}

// Returns, by unit, the gates that `inspect --verify` finds broken in a graph's description. Omits
// gates that only warn, because they refuse nothing.
std::set<std::string> BrokenInFile(const Bytes& file) {
  std::set<std::string> gates;
  for (const Violation& violation : kFormat_netlist.verify(file).value()) {
    if (violation.IsWarning()) continue;
    for (const Rule& gate : netlist::GateRules()) {
      if (violation.rule->id == gate.id) gates.emplace(gate.id);
    }
  }
  return gates;
}

void AskDescription(const Graph& graph) {
  const auto program = GraphToNetlist(graph);
  if (!program.ok()) return;
  const std::set<std::string> broken = BrokenInFile(netlist::Write(program->description));
  bool refused = false;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    refused = refused || GateRefusesEverywhere(legality::InstanceOf(NodeView(graph, id)));
  }
  if (refused == !broken.empty()) return;
  RC_FAIL(fmt::format("refused by legality: {}, gates broken in the file: {}\n{}", refused,
                      fmt::join(broken, " "), GraphToJson(graph).dump()));
}

// ---- the questions ------------------------------------------------------------------------------

Graph DrawGraph(ChoiceStream& choices, const Target& target, Route route) {
  GeneratorOptions options;
  const bool own = choices.Below(2) == 0 && target.family();
  options.family = own ? static_cast<int>(target.family().value()) : kNoFamily;
  options.max_nodes = 3;
  options.max_elements = 64;
  options.max_products = 2048;
  options.direct = route == Route::kNetlist;
  if (options.direct) options.spelt = NetlistOps();
  Graph graph;
  GenerateGraph(choices, options, graph);
  return graph;
}

std::vector<std::string> Subjects() {
  std::vector<std::string> names;
  for (const auto& row : legality::Rules::Builtin().operations()) names.push_back(row.name);
  for (const auto& row : legality::Rules::Builtin().layers()) names.push_back(row.name);
  return names;
}

RC_GTEST_PROP(Answers, NoCommandContradictsAnother, (uint64_t seed)) {
  static const std::vector<std::string> kSubjects = Subjects();
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const Known known = Learn(DrawResults(choices));
  for (int i = 0; i < kQuestions; ++i) {
    const Target& target = PickTarget(choices);
    const Route route = PickRoute(choices);
    const std::string& subject = Pick(choices, kSubjects);
    AskCells(known, subject, target, route);
    legality::InstanceDrawer drawer(legality::Rules::Builtin(), subject, choices.Below(~0ull));
    AskUnit(drawer.Draw());
    const Graph graph = DrawGraph(choices, target, route);
    AskGraph(known, graph, target, route);
    AskDescription(graph);
  }
}

}  // namespace
}  // namespace anecheck
