// Watches the direction in which the errors of each operation lean over a whole run. Raises a
// `biased` finding if the test of oracles/lean_sums.h rejects the premise of unbiased errors.
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
  Lean lean = Lean::kUp;  // the direction with the most evidence
  LeanSums sums;
};

// Returns the most significant lean among the sums of that target, if any is significant. Does not
// set the route and the operation. If a documented defect rounds ties away from zero, only errors
// in the other direction count.
std::optional<Leaning> LeaningOf(const OperationLeans& leans, const std::string& target);

// The certainty: the binary logarithm of the richest player's capital (oracles/lean_sums.h).
double LogOdds(const LeanSums& sums);

// "inside the bound, errors lie toward zero: by ..."
std::string DescribeLeaning(const Leaning& leaning);

// Watches one run. Used by one thread at a time.
class LeanWatch {
 public:
  // Loads the recorded state of a resumed run.
  Status Recall(Store& store, int64_t run);
  // Adds a batch. Returns its operations whose errors lean after the batch, whether or not they did
  // before.
  std::vector<Leaning> Add(const RowBatch& batch);

 private:
  // Target, route, operation.
  std::map<std::tuple<std::string, Route, std::string>, OperationLeans> sums_;
};

// Sets the message of a passed case: it names the direction in which the errors lean, and says that
// this proves nothing, because one rounding in an output of few elements has the same effect. The
// verdict stays.
void TellLean(CaseOutcome& outcome);

}  // namespace anecheck
