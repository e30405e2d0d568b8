// The answer of `anecheck check` for one target. For each operation it has the placement with its
// reason, the backend that Core ML chooses by cost, the error of the results, and the cliffs that
// its values come near. It also has advice.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/check/cliffs.h"
#include "harness/check/operation_errors.h"
#include "harness/cli/prepared_model.h"
#include "harness/evidence/graph_answer.h"

namespace anecheck {

// The placement of an operation of a model. `lower` and `explain` give the same answer.
struct PlacedNode {
  bool on_engine = true;
  legality::Outcome outcome = legality::Outcome::kNative;
  // The layer that stops the operation, and its reason; all empty if no layer does.
  std::string layer, reason, rule, source;
  // If the rules admit the operation: its decomposition, the caveats of the rules that admit it,
  // and sources that contradict the rules.
  std::vector<std::string> remarks;
};

// "engine", "host" or "refused".
std::string_view PlacementOf(const PlacedNode& node);

// Returns the statements of the published tables and the rules about each operation of the case's
// graph, on the case's target and by the case's route. `target` has the values of that target.
Result<evidence::GraphAnswer> AnswerOf(const Case& item, const Target& target, FamilyOrder order);
// Returns the placement of each operation of the graph, in the order of its nodes.
std::vector<PlacedNode> PlaceNodes(const evidence::GraphAnswer& answer);

// The error of each operation, by the name of its first result.
using NamedErrors = std::map<std::string, OperationError, std::less<>>;

// The parts of the answer.
struct AnswerParts {
  const Case& item;
  const evidence::GraphAnswer& answer;
  const std::vector<PlacedNode>& placed;
  const std::vector<Cliff>& cliffs;
  const NamedErrors& errors;
  // The engine's message for each operation that it refused although the rules admit it, by name.
  const std::map<std::string, std::string>& refused;
  const PreparedModel& model;
  const plan::Plan& lowering;  // of OwnPart(model)
  bool taken = false;          // the whole model compiled and ran
  bool emulated = false;       // the runner is the emulator
};

// Adds to a target's report: "title", "caveat", "operations", "hand_overs", "lowering", "plan" and
// "advice".
void AddAnswer(const AnswerParts& parts, Json& report);

// Call this after a run by the emulator, which is no engine. For the operations that the target
// admits, replaces the placement by "emulated" if the operation is in `ran`, else by "not run". The
// first `before` operations of the report are those of the host.
void ShowEmulated(const std::set<NodeId>& ran, size_t before, Json& report);

// Returns whether the rules keep the operation of a report's row off the engine.
bool IsKeptOff(const Json& row);
// Returns a table for people: the operations of a report, on all its targets.
std::string AnswerTable(const Json& json, size_t columns);
// Returns the text below a target's verdict: counts, the planner's choice, and advice.
std::string AnswerSummary(const Json& target, bool why);

// The conditions of --fail-on: "host", "refused", "cliff" and "error:NUMBER". NUMBER is the largest
// relative error that an operation may have.
struct FailOn {
  bool host = false, refused = false, cliff = false;
  double error = -1;  // negative if the condition is absent
};
// Errors: kInvalid for any other condition.
Result<FailOn> ParseFailOn(std::string_view list);
// Returns a line for each condition that the report meets.
std::vector<std::string> Failures(const FailOn& conditions, const Json& json);

}  // namespace anecheck
