// Coverage of the space of cases: which cells a campaign's graphs have met, of how many that are
// known beforehand. Recorded while a campaign runs, read by `anecheck coverage`, and used to steer
// generation towards cells that are still empty.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/store.h"

namespace anecheck {

// The kinds of cell, and how each is spelt:
//   op_attribute     conv.groups=given, conv.pad_type=same, conv.bias=absent, add.y=constant
//   attribute_value  conv.groups=one, softmax.axis=negative (no list beforehand)
//   op_pair          conv>relu, producer and consumer
//   shape            add.rank=4, all.extent=odd
//   dtype            cast.x=int32
//   value            all.input=subnormal, all.input=nan
//   rule             conv_kernel_width, a legality rule that spoke
inline constexpr std::string_view kCoverageKinds[] = {
    "op_attribute", "attribute_value", "op_pair", "shape", "dtype", "value", "rule"};

struct CaseOutcome;

// Counts the cells of many cases, of operations of the table. What it learns of cells is kept, so
// that few names are made. Not thread-safe; one a thread.
class CoverageCounter {
 public:
  CoverageCounter();
  ~CoverageCounter();

  // The cells of a case that ran; of one that was refused as it must be, the rules that spoke.
  // Others reached nothing. Legality rules are asked for one case in sixteen, by its index: that
  // costs as much as making the graph.
  void Add(const Case& item, const CaseOutcome& outcome);
  // Adds what was counted since the last call to the batch. The names live as long as the process.
  void Flush(BatchRecord& batch);

 private:
  class Cells;
  std::unique_ptr<Cells> cells_;
};

// The same for one case.
void CountCoverage(const Case& item, const CaseOutcome& outcome, BatchRecord& batch);

// The cells known beforehand, sorted: from the schemas of the operations that graphs are drawn
// from, the types their generators give, and the tables of rules.
struct CoverageCell {
  std::string kind, cell;
  auto operator<=>(const CoverageCell&) const = default;
};
const std::vector<CoverageCell>& CoverageSpace();

// One kind over any number of results files.
struct CoverageOfKind {
  std::string kind;
  uint64_t cells = 0;    // known beforehand
  uint64_t covered = 0;  // of these
  uint64_t others = 0;   // met, and not known beforehand
  std::vector<std::string> empty;
};
struct SpaceCoverage {
  uint64_t cases = 0;
  std::vector<CoverageOfKind> kinds;
};
Result<SpaceCoverage> ReadCoverage(std::span<const std::string> paths);

// {"cases", "kinds": [{kind, cells, covered, share, others, empty: [...]}]}; share is null where no
// cell is known beforehand.
nlohmann::ordered_json CoverageToJson(const SpaceCoverage& coverage);
// The same for people, with at most `listed` empty cells of each kind.
std::string CoverageToText(const SpaceCoverage& coverage, size_t listed);

// The operations of a case that is to meet one of the cells still empty. Deterministic in all its
// arguments; all operations where nothing is left that a choice of operations can reach.
class Steering {
 public:
  // `family`: of the targets; cells of operations that it does not reach are left alone.
  explicit Steering(int family);
  // A cell was met by a case.
  void Meet(std::string_view kind, std::string_view cell, uint64_t case_index);
  // The operations for case `index`, from what cases below `known` met. Cases may be met meanwhile
  // in any number: only those below `known` count.
  std::bitset<kOpCount> OpsFor(uint64_t index, uint64_t seed, uint64_t known) const;

 private:
  struct Goal {
    CoverageCell cell;
    uint16_t first = 0, second = 0;  // operation ids; equal where there is one
    uint64_t met = UINT64_MAX;       // the first case that met it
  };
  std::vector<Goal> goals_;  // sorted by cell
};

// One case in this many is steered where the campaign steers.
inline constexpr uint64_t kSteerEvery = 2;

}  // namespace anecheck
