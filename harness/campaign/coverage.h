// Coverage of the space of cases: which cells a campaign's graphs have met, of how many that are
// known beforehand. Recorded while a campaign runs, read by `anecheck coverage`, and used to steer
// generation towards cells that are still empty.
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

// The kinds of cell, and how each is spelt:
//   op_attribute     conv.groups=given, conv.pad_type=same, conv.bias=absent, add.y=constant
//   attribute_value  conv.groups=one, conv.strides=2 mixed: see attribute_class.h
//   op_pair          conv>relu, producer and consumer
//   shape            add.rank=4, all.extent=odd
//   dtype            cast.x=int32
//   value            all.input=subnormal, all.input=nan
//   rule             conv_kernel_width, a legality rule that spoke
inline constexpr std::string_view kCoverageKinds[] = {
    "op_attribute", "attribute_value", "op_pair", "shape", "dtype", "value", "rule"};

// Legality rules are asked of one case in so many that ran, and of one in so many that was refused
// as it must be: that costs more than making the case. Its seed decides, in other bits than those
// by which cases are executed twice; its index would keep step with targets, routes and shards.
inline constexpr uint64_t kRulesEvery = 256;
inline constexpr uint64_t kRefusedRulesEvery = 16;
inline constexpr int kRulesShift = 8;
constexpr bool IsAskedForRules(uint64_t case_seed, uint64_t every) {
  return (case_seed >> kRulesShift) % every == 0;
}

struct CaseOutcome;

// Counts the cells of many cases, of operations of the table. It keeps all that it learns of cells,
// so that few names are made. Not thread-safe; one per thread.
class CoverageCounter {
 public:
  CoverageCounter();
  ~CoverageCounter();

  // The cells of a case that ran; of one that was refused as it must be, the rules that spoke.
  // Others reached nothing. Rules count only in the cases that were asked for them.
  void Add(const Case& item, const CaseOutcome& outcome);
  // Adds the counts since the last call to the batch. The names live as long as the process.
  void Flush(RowBatch& batch);

 private:
  class Cells;
  std::unique_ptr<Cells> cells_;
};

// The same for one case.
void CountCoverage(const Case& item, const CaseOutcome& outcome, RowBatch& batch);

// The cells known beforehand, sorted: from the schemas of the operations that graphs are drawn
// from, the types and the classes of numbers that their generators give in a few hundred graphs
// each, and the tables of rules. A cell that is drawn more rarely may be met, and is not known.
struct CoverageCell {
  std::string kind, cell;
  auto operator<=>(const CoverageCell&) const = default;
};
const std::vector<CoverageCell>& CoverageSpace();

// A cell that the schemas name and no case meets, with the reason. It is not in the space. A `cell`
// that is an operation's name alone stands for all its cells and pairs.
struct ExcludedCell {
  std::string_view kind, cell, reason;
};
std::span<const ExcludedCell> ExcludedCells();

// One kind over any number of results files.
struct CoverageOfKind {
  std::string kind;
  uint64_t cells = 0;    // known beforehand
  uint64_t covered = 0;  // of these
  uint64_t others = 0;   // met, and not known beforehand
  std::vector<std::string> empty;
  std::vector<ExcludedCell> excluded;
};
struct SpaceCoverage {
  uint64_t cases = 0;
  uint64_t asked = 0;  // of these, those of which legality rules were asked
  std::vector<CoverageOfKind> kinds;
};
Result<SpaceCoverage> ReadCoverage(std::span<const std::string> paths);

// {"cases", "asked_for_rules", "kinds": [{kind, cells, covered, share, others, empty: [...],
// excluded: [{cell, reason}]}]}; share is null where no cell is known beforehand.
Json CoverageToJson(const SpaceCoverage& coverage);
// The same for people, with at most `listed` empty cells of each kind.
std::string CoverageToText(const SpaceCoverage& coverage, size_t listed);

// The content asked of a case: these operations alone, or a pair of them beside any.
struct Aim {
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();
  std::optional<OpChain> chain;
  RouteSet routes = RouteSet::kMil;  // set by AimAt: those that have the operations
};

// The content asked of a case that is after `cell`; nothing if a cell is neither of one operation's
// attributes nor of a pair.
std::optional<Aim> AimAt(const CoverageCell& cell);

// Aims cases at cells that are still empty. Deterministic in all its arguments.
class Steering {
 public:
  Steering();
  // A cell was met by a case.
  void Meet(std::string_view kind, std::string_view cell, uint64_t case_index);
  // The content asked of case `index` on a target of that family, from the cells that cases below
  // `known` met; `direct` if the case is a network description. Cases may be met meanwhile in any
  // number: only those below `known` count. All operations if they reach no further cell on the
  // family.
  Aim AimFor(uint64_t index, uint64_t seed, uint64_t known, int family, bool direct = false);

 private:
  struct Goal {
    CoverageCell cell;
    OpChain ops;  // the same operation twice if the cell is no pair
    // Bit f: family index f reaches them, by MIL text and by network descriptions.
    std::array<uint32_t, 2> families{};
    uint64_t met = UINT64_MAX;  // the first case that met it
  };
  // The goals that are open to a family by one route: those of one operation, then those of pairs.
  // Kept until `known` changes, since looking at all goals costs as much as making a case.
  struct Open {
    std::optional<uint64_t> known;
    std::vector<uint32_t> goals;
    size_t singles = 0;
  };
  const Open& OpenTo(int family, bool direct, uint64_t known);

  std::vector<Goal> goals_;  // sorted by cell, those of operations before those of pairs
  static constexpr size_t kFamilies = 8;
  std::array<Open, 2 * kFamilies> open_;
};

// One case in this many is steered where the campaign steers.
inline constexpr uint64_t kSteerEvery = 2;

}  // namespace anecheck
