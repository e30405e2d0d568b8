// The answer of `anecheck check` for one target, operation by operation: the placement of each and
// the reason for it, the choice that Core ML would make by cost, the error of its results, the
// cliffs met and advice.
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
#include "harness/evidence/graph_answer.h"

namespace anecheck {

// The placement of an operation of a model: the answer that `lower` and `explain` give too.
struct PlacedNode {
  bool on_engine = true;
  legality::Outcome outcome = legality::Outcome::kNative;
  // Of the layer that stops it; empty where none does.
  std::string layer, reason, rule, source;
  // Of an operation that passes: its decomposition, and disagreements of sources.
  std::vector<std::string> remarks;
};

// "engine", "host" or "refused".
std::string_view PlacementOf(const PlacedNode& node);

// The knowledge of the operations of a case's graph by its route on the case's target, whose values
// are `target`'s: from the published tables and the rules.
Result<evidence::GraphAnswer> AnswerOf(const Case& item, const Target& target, FamilyOrder order);
// By operation of the graph.
std::vector<PlacedNode> PlaceNodes(const evidence::GraphAnswer& answer);

// Errors by the name of an operation's first result.
using NamedErrors = std::map<std::string, OperationError, std::less<>>;

// The parts of the answer.
struct AnswerParts {
  const Case& item;
  const evidence::GraphAnswer& answer;
  const std::vector<PlacedNode>& placed;
  const std::vector<Cliff>& cliffs;
  const NamedErrors& errors;
  // Operations that an engine refused though the rules admit them, with its words, by name.
  const std::map<std::string, std::string>& refused;
  const Graph& host;  // computed before the engine's part
};

// Adds to a target's report: "title", "operations", "hand_overs", "lowering", "plan" and "advice".
void AddAnswer(const AnswerParts& parts, Json& report);

// For a run by the emulator, which is no engine: an operation that the target admits is "emulated"
// where it ran, "not run" elsewhere.
void ShowEmulated(const std::set<NodeId>& ran, Json& report);

// The table of all targets of a report, for people.
std::string AnswerTable(const Json& json, size_t columns);
// Below a target's verdict: counts, the planner's choice, and advice.
std::string AnswerSummary(const Json& target, bool why);

// The conditions of --fail-on: "host", "refused", "cliff" and "error:NUMBER", the largest relative
// error of an operation that is admitted.
struct FailOn {
  bool host = false, refused = false, cliff = false;
  double error = -1;  // negative: none
};
// Errors: kInvalid for other words.
Result<FailOn> ParseFailOn(std::string_view list);
// A line for each condition that a report meets.
std::vector<std::string> Failures(const FailOn& conditions, const Json& json);

}  // namespace anecheck
