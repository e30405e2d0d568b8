// Watches over a whole run whether the errors of an operation lean to one side. Raises a `biased`
// finding if the test of oracles/lean_sums.h rejects the premise of unbiased errors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/base/result.h"
#include "harness/judging/judge_case.h"
#include "harness/results/store.h"

namespace anecheck {

// One operation whose errors lean on one target by one route.
struct Leaning {
  std::string target, op;
  Route route = Route::kMil;
  Lean lean = Lean::kUp;  // the direction with the strongest evidence
  LeanSums sums;
};

// Returns the most significant lean among these sums of an operation on `target`, if any is
// significant. Does not set the route and the operation. If a documented defect rounds ties away
// from zero, only errors in the other direction count.
std::optional<Leaning> LeaningOf(const OperationLeans& leans, const std::string& target);

// Returns the binary logarithm of the odds: the richest player's capital (oracles/lean_sums.h).
double LogOdds(const LeanSums& sums);

// Returns a text such as "inside the bound, errors lie toward zero: by ..."
std::string DescribeLeaning(const Leaning& leaning);

// Watches one run. Used by one thread at a time.
class LeanWatch {
 public:
  // Loads the recorded state of a resumed run.
  Status Recall(Store& store, int64_t run);
  // Adds a batch. Returns all its operations whose errors lean after the batch, including those
  // whose errors leaned before.
  std::vector<Leaning> Add(const RowBatch& batch);

 private:
  // Target, route, operation.
  std::map<std::tuple<std::string, Route, std::string>, OperationLeans> sums_;
};

// Sets the message of a passed case. The message names the direction in which the errors lean. It
// adds that one case proves nothing, because a single rounding in an output of few elements has the
// same effect. Leaves the verdict unchanged.
void TellLean(CaseOutcome& outcome);

}  // namespace anecheck
