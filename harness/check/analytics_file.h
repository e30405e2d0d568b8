// Core ML's analytics.mil: per operation the backends that take it, the engine's reason against it,
// the cost on each and the chosen one. Source of the form: facts/silicon/
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
  std::string name;    // its first result
  BackendCosts costs;  // in milliseconds, of the backends that take it
  Backend selected = Backend::kAne;
  bool on_engine = false;  // the engine is among those that take it
  std::string refusal;     // why it is not, in the compiler's words
};

// The operations of a file's functions in order. Those that have no estimate (buffers that leave
// the program, and those that follow from the file's own form) are left out. Errors: kInvalid, with
// the place, for a program without these attributes.
Result<std::vector<AnalyticsRow>> ReadAnalytics(const mil::Program& program);

// The rows as evidence of a target's engine: refused, attested (taken, another backend chosen) or
// compiled. `source` names the file.
std::vector<evidence::Statement> EvidenceOf(const std::vector<AnalyticsRow>& rows,
                                            const std::string& target, const std::string& source);

// The backends that the published laws predict for the operations of analytics.
struct PlanPrediction {
  Plan plan;
  std::vector<bool> known;  // by row: whether a law gives its estimate; others count as 0
};
// `graph` is that of the same program. Rows of values that it lacks have no estimate.
PlanPrediction PredictPlan(const std::vector<AnalyticsRow>& rows, const Graph& graph);

}  // namespace anecheck
