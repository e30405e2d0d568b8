// Finds operations with many results that only unmeasured terms forbid. One such result may mean
// that a term is assumed too narrow. Many such results of one operation are a finding.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/base/result.h"
#include "harness/results/store.h"

namespace anecheck {

// One operation on one target by one route.
struct OftenUnconfirmed {
  std::string target, op;
  Route route = Route::kMil;
  int64_t unconfirmed = 0, judged = 0;  // cases
  uint64_t example = 0;                 // index of the first unconfirmed case that is a finding
};

// Returns a text such as "20 of 310 cases: ..."
std::string DescribeOften(const OftenUnconfirmed& often);

// Watches one run. Used by one thread at a time.
class UnconfirmedWatch {
 public:
  static constexpr int64_t kLeastCases = 20;
  static constexpr int64_t kLeastPercent = 2;  // of the cases in which the operation was judged

  // Loads the rows of a resumed run.
  Status Recall(Store& store, int64_t run);
  // Adds a batch with its findings. Returns all its operations that reach both limits, including
  // those that reached them before.
  std::vector<OftenUnconfirmed> Add(const RowBatch& batch);

 private:
  // Target, route, operation.
  std::map<std::tuple<std::string, Route, std::string>, ReachCounts> counts_;
  std::map<std::tuple<std::string, Route, std::string>, uint64_t> examples_;

  void Note(const FindingRow& finding);
};

}  // namespace anecheck
