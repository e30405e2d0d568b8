// Core ML's analytics.mil: for each operation, the backends that take it, the cost on each, the
// chosen backend, and the engine's reason for a refusal. Source of the form: facts/silicon/
// analytics_grammar.md.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/placement_cost.h"
#include "harness/evidence/evidence.h"
#include "harness/formats/mil/program.h"

namespace anecheck {

struct AnalyticsRow {
  std::string op;
  std::string name;    // the name of its first result
  BackendCosts costs;  // in milliseconds, of the backends that take it
  Backend selected = Backend::kAne;
  bool on_engine = false;  // the engine is among those that take it
  std::string refusal;     // the compiler's reason if the engine does not take it
};

// Returns the operations of a file's functions in order, without those that have no estimate
// (buffers that leave the program, and operations that only the form of the file requires). Errors:
// kInvalid, with the place, for a program without these attributes.
Result<std::vector<AnalyticsRow>> ReadAnalytics(const mil::Program& program);

// Returns the rows as evidence about a target's engine. A row is `compiled` if the planner chose
// the engine, `attested` if the engine takes the operation but another backend was chosen, else
// `rejected`. `source` names the file.
std::vector<evidence::Statement> EvidenceOf(const std::vector<AnalyticsRow>& rows,
                                            const std::string& target, const std::string& source);

// The backends that the published costs predict for the operations of an analytics file.
struct PlanPrediction {
  Plan plan;
  std::vector<bool> known;  // by row: true if a formula gives its cost; else its cost is 0
};
// `graph` is the graph of the program that `rows` describe. A row whose value is not in the graph
// has no estimate.
PlanPrediction PredictPlan(const std::vector<AnalyticsRow>& rows, const Graph& graph);

}  // namespace anecheck
