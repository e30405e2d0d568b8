// Coverage of the space of cases: the share of the cells known beforehand that a campaign's graphs
// have met. A cell is a property of a graph, and a graph with the property meets the cell.
// Campaigns steer generation towards empty cells. `anecheck coverage` prints the coverage.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/cases/drawn_ops.h"
#include "harness/results/store.h"

namespace anecheck {

// The kinds of cell, with examples of their names:
//   op_attribute     conv.groups=given, conv.pad_type=same, conv.bias=absent, add.y=constant
//   attribute_value  conv.groups=one, conv.strides=2 mixed: see attribute_class.h
//   op_pair          conv>relu, producer and consumer
//   shape            add.rank=4, all.extent=odd
//   dtype            cast.x=int32
//   value            all.input=subnormal, all.input=nan
//   rule conv_kernel_width, a legality rule that applied
inline constexpr std::string_view kCoverageKinds[] = {
    "op_attribute", "attribute_value", "op_pair", "shape", "dtype", "value", "rule"};

// Legality rules are evaluated for one in kRulesEvery cases that ran, and for one in
// kRefusedRulesEvery cases that were refused as required, because evaluating them costs more than
// making the case. Bits of the case's seed select these cases; other bits of the seed select the
// cases to execute twice. The case's index cannot select them, because it already determines the
// target, the route and the shard.
inline constexpr uint64_t kRulesEvery = 256;
inline constexpr uint64_t kRefusedRulesEvery = 16;
inline constexpr int kRulesShift = 8;
constexpr bool IsAskedForRules(uint64_t case_seed, uint64_t every) {
  return (case_seed >> kRulesShift) % every == 0;
}

struct CaseOutcome;

// Counts the cells of many cases, for operations of the table. It makes the name of a cell only
// once. Not thread-safe; use one per thread.
class CoverageCounter {
 public:
  CoverageCounter();
  ~CoverageCounter();

  // Counts the cells of a case that ran. For a case that was refused as required it counts only the
  // rules that applied. It counts nothing for other cases. Rules count only in the cases for which
  // they are evaluated.
  void Add(const Case& item, const CaseOutcome& outcome);
  // Adds to `batch` the counts since the last call. The names live as long as the process.
  void Flush(RowBatch& batch);

 private:
  class Cells;
  std::unique_ptr<Cells> cells_;
};

// The cells known beforehand, sorted. They come from the schemas of the operations that graphs are
// drawn from, from the types and classes of numbers in a few hundred drawn graphs per operation,
// and from the tables of rules. Campaigns may also meet rarer cells.
struct CoverageCell {
  std::string kind, cell;
  auto operator<=>(const CoverageCell&) const = default;
};
const std::vector<CoverageCell>& CoverageSpace();

// A cell that the schemas name but no case can meet, with the reason. It is not in the space. A
// `cell` that is only an operation's name means all cells and pairs of that operation.
struct ExcludedCell {
  std::string_view kind, cell, reason;
};
std::span<const ExcludedCell> ExcludedCells();

// The coverage of one kind over any number of results files.
struct CoverageOfKind {
  std::string kind;
  uint64_t cells = 0;    // cells known beforehand
  uint64_t covered = 0;  // cells known beforehand that were met
  uint64_t others = 0;   // cells met that were not known beforehand
  std::vector<std::string> empty;
  std::vector<ExcludedCell> excluded;
};
struct SpaceCoverage {
  uint64_t cases = 0;
  uint64_t asked = 0;  // cases for which legality rules were evaluated
  std::vector<CoverageOfKind> kinds;
};
Result<SpaceCoverage> ReadCoverage(std::span<const std::string> paths);

// {"cases", "asked_for_rules", "kinds": [{kind, cells, covered, share, others, empty: [...],
// excluded: [{cell, reason}]}]}; share is null if no cell is known beforehand.
Json CoverageToJson(const SpaceCoverage& coverage);
// The coverage as readable text, with at most `listed` empty cells of each kind.
std::string CoverageToText(const SpaceCoverage& coverage, size_t listed);

// The content required of a case: only operations in `ops`, or the pair `chain` among others.
struct Aim {
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();
  std::optional<OpChain> chain;
  RouteSet routes = RouteSet::kMil;  // the routes that have the operations; only AimAt sets it
};

// Returns the content required of a case that aims at `cell`. Empty unless the cell concerns one
// operation's attributes or a pair.
std::optional<Aim> AimAt(const CoverageCell& cell);

// Aims cases at cells that are still empty. Its results depend only on the arguments of its calls.
class Steering {
 public:
  Steering();
  // Notes that a case met a cell.
  void Meet(std::string_view kind, std::string_view cell, uint64_t case_index);
  // Returns the content required of case `index` on a target of `family`. It is all operations if
  // the case is not steered, or if no empty cell can be reached on the family. `direct` says
  // whether the case is a network description. A cell is empty if no case below `known` met it.
  Aim AimFor(uint64_t index, uint64_t seed, uint64_t known, int family, bool direct = false);

 private:
  struct Goal {
    CoverageCell cell;
    OpChain ops;  // the same operation twice if the cell is no pair
    // Bit f is set if family index f reaches the operations. The first mask is for MIL text, the
    // second for network descriptions.
    std::array<uint32_t, 2> families{};
    uint64_t met = UINT64_MAX;  // the first case that met it
  };
  // The open goals of a family on one route. Goals of one operation come before goals of pairs.
  // They are kept until `known` changes, since examining all goals costs as much as making a case.
  struct Open {
    std::optional<uint64_t> known;
    std::vector<uint32_t> goals;
    size_t singles = 0;
  };
  const Open& OpenTo(int family, bool direct, uint64_t known);

  std::vector<Goal> goals_;  // sorted by cell; goals of one operation before goals of pairs
  static constexpr size_t kFamilies = 8;
  std::array<Open, 2 * kFamilies> open_;
};

// In a steered campaign, one case in this many is steered.
inline constexpr uint64_t kSteerEvery = 2;

}  // namespace anecheck
