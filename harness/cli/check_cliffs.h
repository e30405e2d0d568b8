// The values against which `anecheck check` judges a model, and the cliffs that they come near.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/check/cliffs.h"
#include "harness/check/model_values.h"
#include "oracles/oracle.h"

namespace anecheck {

// The model's values on an engine that conforms to the contract of a target's family. It has the
// expected outputs and, if memory suffices for every value, all values and the cliffs that they
// come near.
struct Expectation {
  std::vector<Estimate> outputs;
  std::optional<ModelValues> values;
  std::vector<Cliff> cliffs;
  std::string not_looked_for;  // the reason that no cliffs were searched for; empty after a search
};

// Errors: those of the evaluation.
Result<Expectation> Expect(const Case& item, int family, Evaluation& evaluation);

// [{"target", "op", "name", "cliff", "what", "past", "elements", "operand", "result"}]
Json CliffsJson(const Graph& graph, const std::string& target, const std::vector<Cliff>& cliffs);

}  // namespace anecheck
