#include "oracles/defect_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>

#include "oracles/admitted_element.h"
#include "oracles/catalogue.h"
#include "oracles/judge.h"

namespace anecheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether `departing` widens the interval of element `i` so little that a number in the added part
// is no coincidence, however wide the conforming interval is.
bool AddsLittle(const Estimate& conforming, const Estimate& departing, size_t i, double amplitude) {
  if (!IsPlain(conforming) || !IsPlain(departing)) return false;
  const double below = conforming.low[i] - departing.low[i];
  const double above = departing.high[i] - conforming.high[i];
  return below >= 0 && above >= 0 && below + above <= amplitude / 4;
}

// The evidence, in bits, of a number that is a member of its element's set: small if the set holds
// most whole numbers of its span, or most numbers of the type. 0 if the element has no set.
double SurpriseOf(const Estimate& expected, size_t i) {
  if (expected.member_begin.empty()) return 0;
  const std::span<const double> members =
      std::span(expected.members)
          .subspan(expected.member_begin[i],
                   expected.member_begin[i + 1] - expected.member_begin[i]);
  if (members.empty()) return 0;
  const bool whole = std::ranges::all_of(members, [](double x) { return std::trunc(x) == x; });
  const double span = members.back() - members.front();
  const double numbers =
      whole ? span : UlpBetween(expected.type.dtype, members.front(), members.back());
  return std::log2((numbers + 1) / static_cast<double>(members.size()));
}
// The bits of evidence of a chance of one in a thousand.
constexpr double kConvincing = 10;

// In an output with more elements, the search first looks at only some of the elements outside,
// because the sums of all of them under every set of defects take minutes.
constexpr size_t kLarge = size_t{1} << 14;
constexpr size_t kLookedAt = 256;
// The maximum number of rounds. Each round adds elements that the answer leaves unexplained. After
// the last round the search looks at all elements.
constexpr int kMostRounds = 8;

// At most `most` of the numbers, evenly spread.
std::vector<size_t> Spread(std::span<const size_t> numbers, size_t most) {
  if (numbers.size() <= most) return {numbers.begin(), numbers.end()};
  std::vector<size_t> some(most);
  for (size_t i = 0; i < most; ++i) some[i] = numbers[i * numbers.size() / most];
  return some;
}

// Finds the defects that explain the elements outside. Departures with the same id are one defect.
class DefectSearch {
 public:
  // The memory of evaluations, kept from one search to the next.
  struct Memory {
    Evaluation without, evaluation;
    Estimate estimate;
  };

  DefectSearch(const Graph& graph, std::span<const Tensor> inputs, size_t output,
               const Estimate& conforming, int family, std::span<const double> actual,
               std::span<const size_t> outside, Memory& memory)
      : graph_(graph),
        inputs_(inputs),
        output_(output),
        conforming_(conforming),
        family_(family),
        actual_(actual),
        outside_(outside),
        large_(actual.size() > kLarge),
        without_(memory.without),
        evaluation_(memory.evaluation),
        estimate_(memory.estimate) {}

  DefectAnswer Find(std::span<const Departure> catalogue) {
    std::vector<Defect> defects = Applicable(catalogue);
    if (defects.empty()) return {};
    SetContract(defects);
    if (large_ && outside_.size() > kLookedAt) {
      std::vector<size_t> some = Spread(outside_, kLookedAt);
      for (int round = 0; round < kMostRounds; ++round) {
        LookAt(some);
        Found found = FindAny(defects);
        // A set of defects that explains every element would also explain these elements.
        if (found.defects.empty()) return {};
        const std::vector<size_t> open = Unexplained(found);
        if (open.empty()) return AnswerOf(found);
        const std::vector<size_t> more = Spread(open, kLookedAt);
        some.insert(some.end(), more.begin(), more.end());
      }
    }
    LookAt(outside_);
    return AnswerOf(FindAny(defects));
  }

 private:
  enum Grade : uint8_t { kNot, kVaguely, kByValue };
  using Explained = std::vector<Grade>;
  struct Defect {
    std::string_view id;
    std::vector<const Departure*> rows;
    uint64_t departures = 0;  // the rows, as bits of contract_.departures
  };
  // Defects that explain each element looked at: each element by one of them alone, or every
  // element by all of them together.
  struct Found {
    std::vector<const Defect*> defects;  // in order of their ids
    bool together = false;
    bool vague = false;  // DefectAnswer::vague
  };
  // The intervals of the elements looked at, in a form that can be compared.
  using Admitted = std::vector<std::array<uint64_t, 6>>;
  // The result of an evaluation with some departures in force.
  struct Trial {
    uint64_t departures = 0;
    Explained explained;
    Admitted admitted;  // empty if the evaluation failed
  };
  // The largest number of defects among which a combination is searched.
  static constexpr size_t kMaxCombined = 6;

  std::vector<Defect> Applicable(std::span<const Departure> catalogue) const {
    std::vector<Defect> defects;
    size_t rows = 0;
    for (const Departure& row : catalogue) {
      if ((row.families >> family_ & 1) == 0) continue;
      const bool present =
          row.op.empty() || std::ranges::any_of(graph_.nodes(), [&](const Node& node) {
            return node.schema->name == row.op;
          });
      if (!present || ++rows > Contract::kMaxDepartures) continue;
      auto same = std::ranges::find(defects, row.id, &Defect::id);
      if (same == defects.end()) same = defects.insert(defects.end(), Defect{row.id, {}});
      same->rows.push_back(&row);
    }
    std::ranges::sort(defects, {}, &Defect::id);
    return defects;
  }

  // Makes the contract with the departures of all defects, and sets Defect::departures.
  void SetContract(std::span<Defect> defects) {
    std::vector<const Departure*> rows;
    for (Defect& defect : defects) {
      for (const Departure* row : defect.rows) {
        defect.departures |= uint64_t{1} << rows.size();
        rows.push_back(row);
      }
    }
    contract_ = WithDepartures(family_, rows);
  }

  // If evaluations with different departures can share values, makes the evaluation without any.
  // Otherwise every departure may change the output.
  void StartTrials() {
    trials_.clear();
    shared_ = !large_ && graph_.ValuesOfKind(ValueKind::kState).empty();
    changing_ = ~uint64_t{0};
    if (!shared_) return;
    const ValueId output = graph_.outputs()[output_];
    const bool made = without_.RunWithout(graph_, inputs_, contract_, output).ok();
    changing_ = made ? without_.StoredWithout(estimate_) : 0;
    AddTrial(0, made);
  }

  // Fills estimate_ with `departures` in force.
  bool Estimates(uint64_t departures) {
    const ValueId output = graph_.outputs()[output_];
    contract_.in_force = departures;
    const Status made = shared_ ? evaluation_.RunWith(without_, inputs_, departures)
                                : evaluation_.RunTo(graph_, inputs_, contract_, output, wanted_);
    if (made.ok()) evaluation_.Stored(output, estimate_);
    return made.ok();
  }

  // The trial with all defects of `set` in force.
  const Trial& Try(std::span<const Defect* const> set) {
    uint64_t departures = 0;
    for (const Defect* defect : set) departures |= defect->departures;
    departures &= changing_;
    const auto known = std::ranges::find(trials_, departures, &Trial::departures);
    if (known != trials_.end()) return *known;
    return AddTrial(departures, Estimates(departures));
  }

  // Adds the trial whose result is estimate_, if it was `made`.
  const Trial& AddTrial(uint64_t departures, bool made) {
    if (!made) return trials_.emplace_back(departures, Explained(looked_at_.size(), kNot));
    return trials_.emplace_back(departures, ExplainBy(estimate_), AdmittedBy(estimate_));
  }

  const Explained& Explain(std::span<const Defect* const> set) { return Try(set).explained; }
  const Admitted& AdmittedBy(std::span<const Defect* const> set) { return Try(set).admitted; }

  Explained ExplainBy(const Estimate& estimate) const {
    Explained explained(looked_at_.size(), kNot);
    const double amplitude = wanted_.empty()
                                 ? Amplitude(estimate)
                                 : std::max(Amplitude(estimate), Amplitude(conforming_));
    const std::vector<bool> repeated = Repetitions(estimate, actual_);
    double surprise = 0;
    for (size_t k = 0; k < looked_at_.size(); ++k) {
      const size_t i = looked_at_[k];
      const double actual = actual_[i];
      if (repeated[i] || !Admits(estimate, i, actual)) continue;
      const bool says =
          IsInformative(estimate, i, amplitude) || AddsLittle(conforming_, estimate, i, amplitude);
      const bool by_value = !(std::fabs(actual) < kInfinity) || (!estimate.loose && says);
      explained[k] = by_value ? kByValue : kVaguely;
      if (!by_value && !estimate.loose) surprise += SurpriseOf(estimate, i);
    }
    // Sets that are weak evidence one by one are enough together.
    if (surprise >= kConvincing) std::ranges::replace(explained, kVaguely, kByValue);
    return explained;
  }

  void LookAt(std::span<const size_t> elements) {
    looked_at_.assign(elements.begin(), elements.end());
    if (large_) {
      wanted_.assign(actual_.size(), 0);
      for (const size_t i : elements) wanted_[i] = 1;
    }
    StartTrials();
  }

  Found FindAny(std::span<const Defect> defects) {
    Found singles = FindSingles(defects);
    return singles.defects.empty() ? FindCombination(defects) : singles;
  }

  static DefectAnswer AnswerOf(const Found& found) {
    DefectAnswer answer{.defects = {}, .vague = found.vague};
    for (const Defect* defect : found.defects) answer.defects.Add(defect->id);
    return answer;
  }

  // Looks at all elements outside and returns those that `found` leaves unexplained.
  std::vector<size_t> Unexplained(Found& found) {
    LookAt(outside_);
    Explained best(outside_.size(), kNot);
    if (found.together) {
      best = Explain(found.defects);
    } else {
      for (const Defect* defect : found.defects) {
        const Explained explained = Explain({&defect, 1});
        for (size_t k = 0; k < best.size(); ++k) best[k] = std::max(best[k], explained[k]);
      }
    }
    found.vague = std::ranges::find(best, kVaguely) != best.end();
    std::vector<size_t> open;
    for (size_t k = 0; k < best.size(); ++k) {
      if (best[k] == kNot) open.push_back(outside_[k]);
    }
    return open;
  }

  // Explains each element by one defect alone, with as few defects as a greedy cover needs.
  Found FindSingles(std::span<const Defect> defects) {
    std::vector<Explained> by_defect;
    by_defect.reserve(defects.size());
    for (const Defect& defect : defects) {
      const Defect* const only = &defect;
      const Explained& explained = by_defect.emplace_back(Explain({&only, 1}));
      // If one defect explains every element, no cover is smaller. The first such defect is taken.
      if (std::ranges::find(explained, kNot) != explained.end()) continue;
      return {{only}, false, std::ranges::find(explained, kVaguely) != explained.end()};
    }
    Explained best(looked_at_.size(), kNot);
    Found found;
    while (std::ranges::find(best, kNot) != best.end()) {
      size_t chosen = 0;
      int64_t chosen_count = 0;
      for (size_t d = 0; d < defects.size(); ++d) {
        int64_t count = 0;
        for (size_t k = 0; k < best.size(); ++k) {
          count += best[k] == kNot && by_defect[d][k] != kNot ? 1 : 0;
        }
        if (count > chosen_count) {
          chosen = d;
          chosen_count = count;
        }
      }
      if (chosen_count == 0) return {};
      for (size_t k = 0; k < best.size(); ++k) best[k] = std::max(best[k], by_defect[chosen][k]);
      found.defects.push_back(&defects[chosen]);
    }
    std::ranges::sort(found.defects, {}, &Defect::id);
    found.vague = std::ranges::find(best, kVaguely) != best.end();
    return found;
  }

  // The smallest set of defects that explains every element while all of them are switched on.
  Found FindCombination(std::span<const Defect> defects) {
    const std::vector<const Defect*> candidates = Effective(defects);
    const auto sets = size_t{1} << candidates.size();
    for (size_t size = 2; size <= candidates.size(); ++size) {
      for (size_t bits = 0; bits < sets; ++bits) {
        if (static_cast<size_t>(std::popcount(bits)) != size) continue;
        std::vector<const Defect*> set;
        for (size_t d = 0; d < candidates.size(); ++d) {
          if ((bits >> d & 1) != 0) set.push_back(candidates[d]);
        }
        const Explained explained = Explain(set);
        if (std::ranges::find(explained, kNot) != explained.end()) continue;
        return {set, true, std::ranges::find(explained, kVaguely) != explained.end()};
      }
    }
    return {};
  }

  // The defects that change the admitted values of some element looked at: alone, or together with
  // all others, or together with the defects found so far. The last case finds several defects that
  // have the same effect.
  std::vector<const Defect*> Effective(std::span<const Defect> defects) {
    std::vector<const Defect*> effective, rest;
    const Admitted with_none = AdmittedBy(conforming_);
    for (const Defect& defect : defects) {
      const Defect* const only = &defect;
      (AdmittedBy({&only, 1}) != with_none ? effective : rest).push_back(only);
    }
    // If these defects together admit as much as all defects, no other defect changes an element.
    if (!rest.empty()) AddOthers(defects, with_none, rest, effective);
    if (effective.size() > kMaxCombined) effective.resize(kMaxCombined);
    std::ranges::sort(effective, {}, &Defect::id);
    return effective;
  }

  // Moves into `effective` the defects of `rest` that change something together with others.
  void AddOthers(std::span<const Defect> defects, const Admitted& with_none,
                 std::vector<const Defect*>& rest, std::vector<const Defect*>& effective) {
    std::vector<const Defect*> all;
    for (const Defect& defect : defects) all.push_back(&defect);
    const Admitted& with_all = AdmittedBy(all);
    if ((effective.empty() ? with_none : AdmittedBy(effective)) == with_all) return;
    std::erase_if(rest, [&](const Defect* defect) {
      std::vector<const Defect*> others = all;
      std::erase(others, defect);
      if (AdmittedBy(others) == with_all) return false;
      effective.push_back(defect);
      return true;
    });
    if (!effective.empty()) AddChanging(rest, effective);
  }

  // Adds to `effective` the defects of `rest` that change the values which all of `effective`
  // admits.
  void AddChanging(std::span<const Defect* const> rest, std::vector<const Defect*>& effective) {
    const Admitted& without = AdmittedBy(effective);
    const size_t count = effective.size();
    for (const Defect* defect : rest) {
      std::vector<const Defect*> with(effective.begin(),
                                      effective.begin() + static_cast<ptrdiff_t>(count));
      with.push_back(defect);
      if (AdmittedBy(with) != without) effective.push_back(defect);
    }
  }

  Admitted AdmittedBy(const Estimate& estimate) const {
    Admitted admitted;
    admitted.reserve(looked_at_.size());
    const bool apart = !estimate.finite_low.empty();
    for (const size_t i : looked_at_) {
      admitted.push_back({std::bit_cast<uint64_t>(estimate.low[i]),
                          std::bit_cast<uint64_t>(estimate.high[i]), SignificanceOf(estimate, i),
                          CountAdmitted(estimate, i),
                          std::bit_cast<uint64_t>(apart ? estimate.finite_low[i] : 0),
                          std::bit_cast<uint64_t>(apart ? estimate.finite_high[i] : 0)});
    }
    return admitted;
  }

  // The element's flags, and whether the sign of a zero is judged.
  static uint64_t SignificanceOf(const Estimate& estimate, size_t i) {
    constexpr uint64_t kSignedZeros = 1 << 8;
    return estimate.flags[i] | (estimate.signed_zeros ? kSignedZeros : 0);
  }

  const Graph& graph_;
  std::span<const Tensor> inputs_;
  size_t output_;
  const Estimate& conforming_;
  int family_;
  std::span<const double> actual_;
  std::span<const size_t> outside_;
  const bool large_;
  std::vector<size_t> looked_at_;  // the elements of outside_ that are examined
  std::vector<uint8_t> wanted_;    // for large outputs: whether each element is examined
  Contract contract_;              // with the departures of all defects
  bool shared_ = false;            // evaluations share values with without_
  uint64_t changing_ = 0;          // the departures that may change the output
  std::deque<Trial> trials_;       // of the elements looked at
  Evaluation& without_;
  Evaluation& evaluation_;
  Estimate& estimate_;
};

}  // namespace

DefectAnswer FindDefects(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                         const Estimate& conforming, int family, std::span<const double> actual,
                         std::span<const size_t> outside, std::span<const Departure> catalogue,
                         int threads) {
  thread_local DefectSearch::Memory memory;
  memory.without.UseThreads(threads);
  memory.evaluation.UseThreads(threads);
  DefectSearch search(graph, inputs, output, conforming, family, actual, outside, memory);
  return search.Find(catalogue);
}

namespace {

// The departures of `defects` that are in force on the family.
std::vector<const Departure*> RowsOf(const DefectSet& defects, int family) {
  std::vector<const Departure*> rows;
  for (const Departure& row : DeparturesInForce()) {
    if (defects.Has(row.id) && (row.families >> family & 1) != 0) rows.push_back(&row);
  }
  return rows;
}

// Compares as numbers; NaN equals NaN.
bool AreSame(std::span<const double> one, std::span<const double> other) {
  return std::ranges::equal(
      one, other, [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
}

bool AdmitTheSame(const Estimate& one, const Estimate& other) {
  return AreSame(one.low, other.low) && AreSame(one.high, other.high) && one.flags == other.flags &&
         one.member_begin == other.member_begin && AreSame(one.members, other.members) &&
         one.signed_zeros == other.signed_zeros && AreSame(one.finite_low, other.finite_low) &&
         AreSame(one.finite_high, other.finite_high);
}

}  // namespace

NodeId FirstToDepart(const Graph& graph, std::span<const Tensor> inputs, int family,
                     const DefectSet& defects) {
  const Contract conformed = WithDepartures(family, std::span<const Departure* const>());
  const Contract departed = WithDepartures(family, RowsOf(defects, family));
  Evaluation without, with;
  if (!without.Run(graph, inputs, conformed).ok()) return kNoNode;
  if (!with.Run(graph, inputs, departed).ok()) return kNoNode;
  Estimate conforming, departing;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      without.Stored(node.first_result + i, conforming);
      with.Stored(node.first_result + i, departing);
      if (!AdmitTheSame(conforming, departing)) return id;
    }
  }
  return kNoNode;
}

}  // namespace anecheck
