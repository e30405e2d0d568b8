#include "oracles/judge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "oracles/catalogue.h"
#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

constexpr uint32_t kFar = std::numeric_limits<uint32_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Ends {
  double low = 0;
  double high = 0;
};

// The interval of the finite numbers that an element admits, or of the infinities where there are
// none. Bounded by low and high where the estimate does not know them apart.
Ends FiniteEnds(const Estimate& expected, size_t i) {
  if (expected.finite_low.empty() || expected.finite_low[i] > expected.finite_high[i]) {
    return {expected.low[i], expected.high[i]};
  }
  return {expected.finite_low[i], expected.finite_high[i]};
}

int64_t FloatOrdinal(double x) {
  const auto raw = std::bit_cast<int32_t>(static_cast<float>(x));
  return raw < 0 ? -static_cast<int64_t>(raw & 0x7fffffff) : raw;
}

// Distance in representable values; integers differ by their difference.
uint32_t UlpBetween(DType dtype, double a, double b) {
  if (a != a && b != b) return 0;
  const std::optional<int64_t> error = UlpError(dtype, a, b);
  return error ? static_cast<uint32_t>(std::llabs(*error)) : kFar;
}

// How far an element lies outside its interval.
uint32_t UlpOutside(const Estimate& expected, size_t i, double actual) {
  if (Admits(expected, i, actual)) return 0;
  if (actual != actual || expected.low[i] != expected.low[i]) return kFar;
  // Inside the interval but no whole number or no member: one step at least.
  const Ends ends = FiniteEnds(expected, i);
  if (ends.low <= actual && actual <= ends.high) return 1;
  return UlpBetween(expected.type.dtype, actual, actual < ends.low ? ends.low : ends.high);
}

double Amplitude(const Estimate& expected) {
  double amplitude = 0;
  for (const double value : expected.value) {
    const double magnitude = std::fabs(value);
    if (magnitude < kInfinity) amplitude = std::max(amplitude, magnitude);
  }
  return amplitude;
}

// The elements whose number stands in their line already, where numbers must be distinct.
std::vector<bool> Repetitions(const Estimate& expected, std::span<const double> actual) {
  std::vector<bool> repeated(actual.size(), false);
  if (expected.distinct_axis < 0) return repeated;
  const Shape& shape = expected.type.shape;
  const auto count = static_cast<size_t>(shape[expected.distinct_axis]);
  size_t step = 1;
  for (int axis = expected.distinct_axis + 1; axis < shape.rank(); ++axis) {
    step *= static_cast<size_t>(shape[axis]);
  }
  std::set<double> seen;
  for (size_t line = 0; line < actual.size() / std::max<size_t>(count, 1); ++line) {
    seen.clear();
    for (size_t k = 0; k < count; ++k) {
      const size_t at = line / step * count * step + k * step + line % step;
      repeated[at] = !seen.insert(actual[at]).second;
    }
  }
  return repeated;
}

// Whether a conforming engine may give `actual` as a whole.
bool AdmitsEvery(const Estimate& expected, std::span<const double> actual) {
  const std::vector<bool> repeated = Repetitions(expected, actual);
  for (size_t i = 0; i < actual.size(); ++i) {
    if (repeated[i] || !Admits(expected, i, actual[i])) return false;
  }
  return true;
}

// Whether intervals and NaN alone say what elements may be.
bool IsPlain(const Estimate& expected) {
  return expected.finite_low.empty() && expected.member_begin.empty() && !expected.whole &&
         expected.distinct_axis < 0;
}

// Of a plain estimate: one number is admitted, and it is what was given. Most elements are so.
bool IsOnPoint(const Estimate& expected, size_t i, double actual) {
  return expected.low[i] == actual && expected.high[i] == actual && expected.value[i] == actual &&
         expected.flags[i] == 0;
}

// Fills everything but the verdict; gives the indices outside.
std::vector<size_t> Measure(const Estimate& expected, std::span<const double> actual,
                            OutputJudgement& judgement) {
  std::vector<size_t> outside;
  const double amplitude = Amplitude(expected);
  const std::vector<bool> repeated = Repetitions(expected, actual);
  judgement.elements = actual.size();
  const bool plain = IsPlain(expected);
  for (size_t i = 0; i < actual.size(); ++i) {
    if (plain && IsOnPoint(expected, i, actual[i])) {
      ++judgement.judged;
      ++judgement.ulp_histogram[0];
      continue;
    }
    judgement.judged += IsInformative(expected, i, amplitude) ? 1 : 0;
    ++judgement
          .ulp_histogram[UlpBucket(UlpBetween(expected.type.dtype, expected.value[i], actual[i]))];
    if (!repeated[i] && Admits(expected, i, actual[i])) continue;
    outside.push_back(i);
    const uint32_t ulp = std::max(repeated[i] ? 1u : 0u, UlpOutside(expected, i, actual[i]));
    if (judgement.worst < 0 || ulp > judgement.worst_ulp) {
      judgement.worst = static_cast<int64_t>(i);
      judgement.worst_ulp = ulp;
    }
  }
  judgement.outside = outside.size();
  if (!outside.empty()) judgement.first_bad = static_cast<int64_t>(outside.front());
  if (!actual.empty()) {
    const size_t shown = judgement.worst < 0 ? 0 : static_cast<size_t>(judgement.worst);
    const Ends ends = FiniteEnds(expected, shown);
    judgement.expected_low = ends.low;
    judgement.expected_high = ends.high;
    judgement.actual = actual[shown];
  }
  return outside;
}

// Whether what `departing` admits of element `i` beyond `conforming` is so little that a number
// there is no chance, however wide the conforming interval is.
bool AddsLittle(const Estimate& conforming, const Estimate& departing, size_t i, double amplitude) {
  if (!IsPlain(conforming) || !IsPlain(departing)) return false;
  const double below = conforming.low[i] - departing.low[i];
  const double above = departing.high[i] - conforming.high[i];
  return below >= 0 && above >= 0 && below + above <= amplitude / 4;
}

// How little it would be a chance, in bits, that a number like those of an element's set is one of
// them: whole ones among the whole numbers that the set spans, others among the numbers of the
// type. 0 where the element has no set.
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
// One in a thousand.
constexpr double kConvincing = 10;

// Finds the defects that explain the elements outside. Rows of one id are one defect.
class DefectSearch {
 public:
  // What evaluations need, kept from one search to the next.
  struct Memory {
    Evaluation evaluation;
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
        evaluation_(memory.evaluation),
        estimate_(memory.estimate) {}

  // Fills known_defect and vague; "" where some element stays unexplained.
  void Find(std::span<const Departure> catalogue, OutputJudgement& judgement) {
    const std::vector<Defect> defects = Applicable(catalogue);
    if (defects.empty()) return;
    const Answer answer = FindSingles(defects);
    const Answer& found = answer.ids.empty() ? FindCombination(defects) : answer;
    judgement.known_defect = fmt::format("{}", fmt::join(found.ids, ","));
    judgement.vague = found.vague;
  }

 private:
  enum Grade : uint8_t { kNot, kVaguely, kByValue };
  using Explained = std::vector<Grade>;
  struct Defect {
    std::string_view id;
    std::vector<const Departure*> rows;
  };
  struct Answer {
    std::vector<std::string_view> ids;  // in order; empty where some element stays unexplained
    bool vague = false;
  };
  // A combination is searched among so many defects at the most.
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

  // Fills estimate_ with all defects of `set` switched on.
  bool Estimates(std::span<const Defect* const> set) {
    std::vector<const Departure*> rows;
    for (const Defect* defect : set) {
      rows.insert(rows.end(), defect->rows.begin(), defect->rows.end());
    }
    contract_ = WithDepartures(family_, rows);
    const ValueId output = graph_.outputs()[output_];
    estimated_ = evaluation_.RunTo(graph_, inputs_, contract_, output).ok();
    if (estimated_) evaluation_.Stored(output, estimate_);
    return estimated_;
  }

  Explained Explain(std::span<const Defect* const> set) {
    Explained explained(outside_.size(), kNot);
    if (!Estimates(set)) return explained;
    const double amplitude = Amplitude(estimate_);
    const std::vector<bool> repeated = Repetitions(estimate_, actual_);
    double surprise = 0;
    for (size_t k = 0; k < outside_.size(); ++k) {
      const double actual = actual_[outside_[k]];
      if (repeated[outside_[k]] || !Admits(estimate_, outside_[k], actual)) continue;
      const bool says = IsInformative(estimate_, outside_[k], amplitude) ||
                        AddsLittle(conforming_, estimate_, outside_[k], amplitude);
      const bool by_value = !(std::fabs(actual) < kInfinity) || (!estimate_.loose && says);
      explained[k] = by_value ? kByValue : kVaguely;
      if (!by_value && !estimate_.loose) surprise += SurpriseOf(estimate_, outside_[k]);
    }
    // Sets that say little one by one say enough together.
    if (surprise >= kConvincing) std::ranges::replace(explained, kVaguely, kByValue);
    return explained;
  }

  // Each element explained by one defect alone; as few defects as a greedy cover needs.
  Answer FindSingles(std::span<const Defect> defects) {
    std::vector<Explained> by_defect;
    by_defect.reserve(defects.size());
    alone_.reserve(defects.size());
    for (const Defect& defect : defects) {
      const Defect* const only = &defect;
      const Explained& explained = by_defect.emplace_back(Explain({&only, 1}));
      alone_.push_back(AdmittedByLast());
      // No cover is smaller, and of several alike the first counts.
      if (std::ranges::find(explained, kNot) != explained.end()) continue;
      return {{defect.id}, std::ranges::find(explained, kVaguely) != explained.end()};
    }
    Explained best(outside_.size(), kNot);
    Answer answer;
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
      answer.ids.push_back(defects[chosen].id);
    }
    std::ranges::sort(answer.ids);
    answer.vague = std::ranges::find(best, kVaguely) != best.end();
    return answer;
  }

  // The smallest set of defects that explains every element while all of them are switched on.
  Answer FindCombination(std::span<const Defect> defects) {
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
        Answer answer{{}, std::ranges::find(explained, kVaguely) != explained.end()};
        for (const Defect* defect : set) answer.ids.push_back(defect->id);
        return answer;
      }
    }
    return {};
  }

  // The defects that change what is admitted at some element outside, alone or beside all others.
  std::vector<const Defect*> Effective(std::span<const Defect> defects) {
    std::vector<const Defect*> all;
    for (const Defect& defect : defects) all.push_back(&defect);
    const Admitted with_none = AdmittedBy({});
    const Admitted with_all = AdmittedBy(all);
    std::vector<const Defect*> effective;
    for (size_t d = 0; d < all.size() && effective.size() < kMaxCombined; ++d) {
      std::vector<const Defect*> others = all;
      std::erase(others, all[d]);
      if (alone_[d] == with_none && AdmittedBy(others) == with_all) continue;
      effective.push_back(all[d]);
    }
    return effective;
  }

  // The intervals of the elements outside, comparable.
  using Admitted = std::vector<std::array<uint64_t, 6>>;
  Admitted AdmittedBy(std::span<const Defect* const> set) {
    Estimates(set);
    return AdmittedByLast();
  }
  // By the set that was estimated last; nothing where it could not be.
  Admitted AdmittedByLast() const {
    Admitted admitted;
    if (!estimated_) return admitted;
    admitted.reserve(outside_.size());
    const bool apart = !estimate_.finite_low.empty();
    for (const size_t i : outside_) {
      admitted.push_back({std::bit_cast<uint64_t>(estimate_.low[i]),
                          std::bit_cast<uint64_t>(estimate_.high[i]), estimate_.flags[i],
                          CountAdmitted(estimate_, i),
                          std::bit_cast<uint64_t>(apart ? estimate_.finite_low[i] : 0),
                          std::bit_cast<uint64_t>(apart ? estimate_.finite_high[i] : 0)});
    }
    return admitted;
  }

  const Graph& graph_;
  std::span<const Tensor> inputs_;
  size_t output_;
  const Estimate& conforming_;
  int family_;
  std::span<const double> actual_;
  std::span<const size_t> outside_;
  Contract contract_;  // of the last estimate; the evaluation refers to it
  Evaluation& evaluation_;
  Estimate& estimate_;
  bool estimated_ = false;       // estimate_ is of contract_
  std::vector<Admitted> alone_;  // by each defect that FindSingles tried
};

// How large a term may be on a family where it was never measured. Terms without a row have but two
// values, and admit what they can already.
struct Widest {
  Term term;
  double value = 0;
  std::string_view source;
};
constexpr double kHalfUnit = 0x1p-11;
constexpr std::string_view kHalfClass = "the unit roundoff of fp16, the coarsest format in use";
// 0.01881 of the result is 39 ulp of fp16.
constexpr double kWorstUlp = 39;
constexpr std::string_view kWorstRelative =
    "facts/silicon_sweep_m5.csv: 0.01881, the largest error of an operation found correct";
constexpr double kWorstTable = 0.12;
constexpr std::string_view kWorstAbsolute =
    "facts/numerics.md: up to 0.12 near the seams of an evaluated function";
constexpr Widest kWidest[] = {
    {Term::kAccumulatorUnit, kHalfUnit, kHalfClass},
    {Term::kReciprocalRelative, kHalfUnit, kHalfClass},
    {Term::kPositionRelative, kHalfUnit, kHalfClass},
    {Term::kDivideUlp, kWorstUlp, kWorstRelative},
    {Term::kRootUlp, kWorstUlp, kWorstRelative},
    {Term::kExponentialUlp, kWorstUlp, kWorstRelative},
    {Term::kSigmoidTable, kWorstTable, kWorstAbsolute},
    {Term::kTanhTable, kWorstTable, kWorstAbsolute},
    {Term::kGeluTable, kWorstTable, kWorstAbsolute},
    {Term::kSiluTable, kWorstTable, kWorstAbsolute},
    {Term::kSoftplusTable, kWorstTable, kWorstAbsolute},
    {Term::kErfTable, kWorstTable, kWorstAbsolute},
    {Term::kEluTable, kWorstTable, kWorstAbsolute},
    {Term::kArcTangentTable, kWorstTable, kWorstAbsolute},
    {Term::kReduceUnit, kHalfUnit,
     "facts/source_conflicts.csv: reduce_sum is narrow by one source"},
};

bool AdmitsAll(const Graph& graph, std::span<const Tensor> inputs, size_t output,
               std::span<const double> actual, const Contract& contract) {
  Evaluation evaluation;
  if (!evaluation.Run(graph, inputs, contract).ok()) return false;
  Estimate estimate;
  evaluation.Stored(graph.outputs()[output], estimate);
  return AdmitsEvery(estimate, actual);
}

void MarkNodes(const Graph& graph, ValueId id, std::vector<bool>& needed) {
  const Value& value = graph.value(id);
  if (value.kind != ValueKind::kResult || needed[value.producer]) return;
  needed[value.producer] = true;
}

// A NaN's sign says nothing.
std::string NumberText(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

std::string ExpectedText(double low, double high) {
  if (std::isnan(low)) return "where only nan is admitted";
  return fmt::format("is not in [{}, {}]", low, high);
}

// Why the worst element is outside.
std::string Objection(const Estimate& expected, std::span<const double> actual,
                      const OutputJudgement& judgement) {
  const auto worst = static_cast<size_t>(judgement.worst);
  const bool admitted = Admits(expected, worst, actual[worst]);
  return admitted ? "stands in its line already"
                  : ExpectedText(judgement.expected_low, judgement.expected_high);
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 5> kNames = {"pass", "known-defect", "unconfirmed",
                                                      "wrong", "inconclusive"};
  return kNames[static_cast<size_t>(verdict)];
}

std::optional<int64_t> UlpError(DType dtype, double value, double actual) {
  if (value != value || actual != actual) return std::nullopt;
  if (value == actual) return 0;
  if (dtype == DType::kFp16) {
    return int64_t{HalfOrdinal(DoubleToHalf(actual))} - HalfOrdinal(DoubleToHalf(value));
  }
  if (dtype == DType::kFp32) {
    const int64_t error = FloatOrdinal(actual) - FloatOrdinal(value);
    return std::llabs(error) < kFar ? std::optional(error) : std::nullopt;
  }
  const double difference = actual - value;
  if (!(std::fabs(difference) < kFar)) return std::nullopt;
  return static_cast<int64_t>(difference);
}

size_t UlpBucket(uint32_t ulp) {
  if (ulp <= 2) return ulp;
  const auto bucket = static_cast<size_t>(std::bit_width(ulp - 1)) + 1;
  return std::min(bucket, OutputJudgement::kHistogramSize - 1);
}

bool IsInformative(const Estimate& expected, size_t index, double amplitude) {
  if ((expected.flags[index] & Estimate::kNanOnly) != 0) return true;
  const auto [low, high] = FiniteEnds(expected, index);
  const double width = high - low;
  if (!(width > 0)) return true;  // also two equal infinities
  if (width <= amplitude / 4) return true;
  // Where the admitted values can be counted, an ulp says nothing: a bool that may be either.
  const uint64_t count = CountAdmitted(expected, index);
  if (count != 0) return static_cast<double>(count) <= std::max(1.0, amplitude / 4);
  return UlpBetween(expected.type.dtype, low, high) <= 8;
}

OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family) {
  return Judge(graph, inputs, output, expected, actual, family, DeparturesInForce());
}

OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family,
                      std::span<const Departure> catalogue) {
  OutputJudgement judgement;
  judgement.elements = expected.value.size();
  if (actual.type != expected.type ||
      actual.bytes.size() != static_cast<size_t>(expected.type.ByteSize())) {
    judgement.verdict = Verdict::kWrong;
    judgement.reason =
        fmt::format("the output is {} with {} bytes, expected {}", actual.type.ToString(),
                    actual.bytes.size(), expected.type.ToString());
    return judgement;
  }
  std::vector<double> elements(expected.value.size());
  DecodeElements(actual.type.dtype, actual.bytes, elements);
  const std::vector<size_t> outside = Measure(expected, elements, judgement);
  if (outside.empty()) {
    if (judgement.judged * 2 < judgement.elements) {
      judgement.verdict = Verdict::kInconclusive;
      judgement.reason = fmt::format(
          "the bound says something about {} of {} elements only; the others may be anywhere "
          "within more than a quarter of the output's amplitude",
          judgement.judged, judgement.elements);
    }
    return judgement;
  }
  thread_local DefectSearch::Memory memory;
  DefectSearch search(graph, inputs, output, expected, family, elements, outside, memory);
  search.Find(catalogue, judgement);
  judgement.verdict = judgement.known_defect.empty() ? Verdict::kWrong : Verdict::kKnownDefect;
  judgement.reason = fmt::format("{} of {} elements outside; worst at {}: {} {}", judgement.outside,
                                 judgement.elements, judgement.worst, NumberText(judgement.actual),
                                 Objection(expected, elements, judgement));
  return judgement;
}

std::vector<Term> AssumedTerms(const Graph& graph, size_t output, int family) {
  std::vector<bool> needed(graph.nodes().size(), false);
  MarkNodes(graph, graph.outputs()[output], needed);
  std::array<bool, kTermCount> used{};
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    if (!needed[i]) continue;
    const Node& node = graph.nodes()[i];
    for (const Argument& argument : graph.arguments(node)) MarkNodes(graph, argument.value, needed);
    for (const Term term : AllReferenceKernels()[node.schema->id]->terms) {
      used[static_cast<size_t>(term)] = true;
    }
  }
  std::vector<Term> assumed;
  for (const TermFact& fact : TermFacts()) {
    const bool counts = used[static_cast<size_t>(fact.term)];
    if (counts && MarkOf(fact.term, family) == TermMark::kAssumed) assumed.push_back(fact.term);
  }
  return assumed;
}

std::vector<Term> ForbiddingTerms(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                                  const Tensor& actual, int family) {
  const std::vector<Term> assumed = AssumedTerms(graph, output, family);
  std::vector<double> elements(static_cast<size_t>(actual.type.shape.Elements()));
  DecodeElements(actual.type.dtype, actual.bytes, elements);
  const Contract& conforming = ConformingContract(family);
  Contract all = conforming;
  std::vector<Term> widened;
  for (const Widest& widest : kWidest) {
    if (std::ranges::find(assumed, widest.term) == assumed.end()) continue;
    all.terms[static_cast<size_t>(widest.term)] = widest.value;
    widened.push_back(widest.term);
  }
  const auto admitted = [&](const Contract& contract) {
    return AdmitsAll(graph, inputs, output, elements, contract);
  };
  if (widened.empty() || admitted(conforming) || !admitted(all)) return {};
  for (const Term term : widened) {
    Contract one = conforming;
    one.terms[static_cast<size_t>(term)] = all[term];
    if (admitted(one)) return {term};
  }
  return widened;
}

std::vector<std::string_view> UnmeasuredDepartures(const Graph& graph,
                                                   std::span<const Tensor> inputs, size_t output,
                                                   const Tensor& actual, int family) {
  const uint32_t bit = uint32_t{1} << family;
  std::vector<Departure> rows;
  std::vector<std::string_view> unmeasured;
  for (const std::span<const Departure> list : {DeparturesInForce(), OpenRules()}) {
    for (Departure row : list) {
      if ((row.holds & bit) != 0) continue;
      if ((row.families & bit) == 0) unmeasured.push_back(row.id);
      row.families |= bit;
      rows.push_back(row);
    }
  }
  Evaluation evaluation;
  if (!evaluation.Run(graph, inputs, ConformingContract(family)).ok()) return {};
  Estimate expected;
  evaluation.Stored(graph.outputs()[output], expected);
  const OutputJudgement judgement = Judge(graph, inputs, output, expected, actual, family, rows);
  std::vector<std::string_view> found;
  for (const std::string_view id : unmeasured) {
    const bool named = judgement.known_defect.find(id) != std::string::npos;
    if (named && std::ranges::find(found, id) == found.end()) found.push_back(id);
  }
  return found;
}

std::string NeverMeasured(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                          const Tensor& actual, int family) {
  std::vector<std::string_view> names;
  for (const Term term : ForbiddingTerms(graph, inputs, output, actual, family)) {
    names.push_back(TermFacts()[static_cast<size_t>(term)].name);
  }
  if (names.empty()) names = UnmeasuredDepartures(graph, inputs, output, actual, family);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace anecheck
