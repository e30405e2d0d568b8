// The direction in which the errors of each operation lean, over a whole run: raises a `biased`
// finding if the test of oracles/lean_sums.h says that the premise does not hold.
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

// One operation on one target by one route whose errors lean.
struct Leaning {
  std::string target, op;
  Route route = Route::kMil;
  Lean lean = Lean::kUp;  // the one with the most evidence
  LeanSums sums;
};

// The lean that stands out most of those that do at all, of sums of that target; without route and
// operation. If a documented defect rounds ties away from zero, only errors in the other direction
// count.
std::optional<Leaning> LeaningOf(const OperationLeans& leans, const std::string& target);

// How sure it is: the binary logarithm of the richest player's capital (oracles/lean_sums.h).
double LogOdds(const LeanSums& sums);

// "inside the bound, errors lie toward zero: by ..."
std::string DescribeLeaning(const Leaning& leaning);

// Of one run; used by one thread at a time.
class LeanWatch {
 public:
  // Takes up the recorded state of a run that goes on.
  Status Recall(Store& store, int64_t run);
  // Adds a batch. Gives the operations of it whose errors lean by now, whether or not they did
  // before.
  std::vector<Leaning> Add(const RowBatch& batch);

 private:
  // Target, route, operation.
  std::map<std::tuple<std::string, Route, std::string>, OperationLeans> sums_;
};

// Says in the message of a case that passed which way its errors lean and that this proves nothing:
// one rounding in an output of few elements is as much. The verdict stays.
void TellLean(CaseOutcome& outcome);

}  // namespace anecheck
