#include "oracles/judge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/base/real_text.h"
#include "harness/ops/op.h"
#include "oracles/admitted_element.h"
#include "oracles/catalogue.h"
#include "oracles/contract.h"
#include "oracles/defect_search.h"
#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

int64_t FloatOrdinal(double x) {
  const auto raw = std::bit_cast<int32_t>(static_cast<float>(x));
  return raw < 0 ? -static_cast<int64_t>(raw & 0x7fffffff) : raw;
}

// Whether the element may be one of two neighbouring integers of one sign, as a quotient that may
// be truncated or floored. In a tensor of small numbers two neighbours are much of the tensor's
// range, but a wrong engine would hardly return one of the two by chance.
bool IsEitherNeighbour(const Estimate& expected, size_t index) {
  const DType dtype = expected.type.dtype;
  const double low = expected.low[index];
  const double high = expected.high[index];
  return !IsFloat(dtype) && dtype != DType::kBool && high - low <= 1 && (low > 0 || high < 0);
}

Deviation DeviationOf(const Estimate& expected, size_t i, double actual, uint32_t ulp) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Ends ends = FiniteEnds(expected, i);
  if (actual != actual) return Deviation::kNan;
  if (expected.low[i] != expected.low[i]) return Deviation::kNumber;
  if (std::fabs(actual) == kInfinite) return Deviation::kInfinity;
  if (std::fabs(ends.low) == kInfinite && std::fabs(ends.high) == kInfinite) {
    return Deviation::kFinite;
  }
  if (actual == 0 && ends.low == 0 && ends.high == 0) return Deviation::kZeroSign;
  // Integers are not rounded: the neighbour of an integer is another number.
  constexpr uint32_t kFewUlp = 2;
  return IsFloat(expected.type.dtype) && ulp <= kFewUlp ? Deviation::kNear : Deviation::kFar;
}

uint32_t WidthOf(const Estimate& expected, size_t index) {
  if ((expected.flags[index] & Estimate::kNanOnly) != 0) return 0;
  const Ends ends = FiniteEnds(expected, index);
  // If no finite number is right, the ends are in reverse order.
  return ends.low < ends.high ? UlpBetween(expected.type.dtype, ends.low, ends.high) : 0;
}

// Fills everything but the verdict; returns the indices of the elements outside.
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
      ++judgement.widths[0];
      continue;
    }
    const bool tells = IsInformative(expected, i, amplitude) || IsEitherNeighbour(expected, i);
    judgement.judged += tells ? 1 : 0;
    ++judgement
          .ulp_histogram[UlpBucket(UlpBetween(expected.type.dtype, expected.value[i], actual[i]))];
    ++judgement.widths[UlpBucket(WidthOf(expected, i))];
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
    if (judgement.worst >= 0) {
      judgement.deviation = DeviationOf(expected, shown, judgement.actual, judgement.worst_ulp);
    }
  }
  return outside;
}

// The largest size of a term on a family where it was never measured. Terms without an entry have
// only two values, and the wider value is already in use.
struct Widest {
  Term term;
  double value = 0;
  std::string_view source;
};
constexpr double kHalfUnit = 0x1p-11;
constexpr std::string_view kHalfClass = "the unit roundoff of fp16, the coarsest format in use";
constexpr double kWorstPart = 0.01881;
constexpr std::string_view kWorstRelative =
    "facts/silicon_sweep_m5.csv: 0.01881, the largest error of an operation found correct";
constexpr double kWorstTable = 0.12;
constexpr std::string_view kWorstAbsolute =
    "facts/numerics.md: up to 0.12 near the seams of an evaluated function";
// Twice the worst measured error. This is an assumption: an error measured on one chip is no limit
// on another.
constexpr double kTwice = 2;
constexpr Widest kWidest[] = {
    {Term::kAccumulatorUnit, 0x1p-16,
     "assumed: 8 bits fewer than the fp32 class of A13 and the wider ones of A16 and A18"},
    {Term::kReciprocalRelative, kHalfUnit, kHalfClass},
    {Term::kPositionRelative, kHalfUnit, kHalfClass},
    {Term::kDivideUlp, kTwice * 1,
     "facts/silicon_sweep_m5.csv: inverse 0.00028, real_div 0.00017, within 1 ulp; twice"},
    {Term::kRootUlp, kTwice * 2, "facts/silicon_sweep_m5.csv: rsqrt 0.00104, 2 ulp; twice"},
    {Term::kExponentialUlp, kTwice * 2,
     "facts/silicon_sweep_m5.csv: log 0.0008, softsign 0.00076, 2 ulp; twice"},
    {Term::kSigmoidTable, kTwice * 0.0034, "facts/numerics.md, worst absolute error; twice"},
    {Term::kTanhTable, kTwice * 0.0017, "facts/numerics.md, worst absolute error; twice"},
    {Term::kGeluTable, kTwice * 0.0062, "facts/silicon/numerics_silicon.csv, N426; twice"},
    {Term::kSiluTable, kTwice * 0.0204, "the law of 33 knots (TermFacts); twice"},
    {Term::kSoftplusTable, kTwice * 0.0102, "the law of 33 knots (TermFacts); twice"},
    {Term::kErfTable, kTwice * 0.00087, "facts/silicon/numerics_silicon.csv, N429; twice"},
    {Term::kEluTable, kTwice * 0.0121, "the law of 33 knots (TermFacts); twice"},
    {Term::kTurnTable, kWorstTable, kWorstAbsolute},
    {Term::kTurnPart, kWorstPart, kWorstRelative},
    {Term::kTurnReduction, kHalfUnit, kHalfClass},
    {Term::kArcTangentTable, kWorstTable, kWorstAbsolute},
    {Term::kReduceUnit, kHalfUnit,
     "facts/source_conflicts.csv: reduce_sum is narrow by one source"},
};

// One output that an engine of one family returned.
struct Given {
  const Graph& graph;
  std::span<const Tensor> inputs;
  size_t output;
  int family;
  std::span<const double> actual;
};

// The values that `contract` admits, or nothing if the graph cannot be evaluated.
std::optional<Estimate> EstimateBy(const Given& given, const Contract& contract) {
  Evaluation evaluation;
  if (!evaluation.Run(given.graph, given.inputs, contract).ok()) return std::nullopt;
  Estimate estimate;
  evaluation.Stored(given.graph.outputs()[given.output], estimate);
  return estimate;
}

// Whether documented departures of the family explain every element that `contract` does not
// admit.
bool AdmitsBesideDepartures(const Given& given, const Contract& contract) {
  const std::optional<Estimate> estimate = EstimateBy(given, contract);
  if (!estimate) return false;
  const std::vector<bool> repeated = Repetitions(*estimate, given.actual);
  std::vector<size_t> outside;
  for (size_t i = 0; i < given.actual.size(); ++i) {
    if (repeated[i] || !Admits(*estimate, i, given.actual[i])) outside.push_back(i);
  }
  if (outside.empty()) return true;
  const std::optional<Estimate> conforming = EstimateBy(given, ConformingContract(given.family));
  if (!conforming) return false;
  return !FindDefects(given.graph, given.inputs, given.output, *conforming, given.family,
                      given.actual, outside, DeparturesInForce())
              .defects.empty();
}

void MarkNodes(const Graph& graph, ValueId id, std::vector<bool>& needed) {
  const Value& value = graph.value(id);
  if (value.kind != ValueKind::kResult || needed[value.producer]) return;
  needed[value.producer] = true;
}

// The admitted values of element `i`, with every special value beside its numbers.
std::string ExpectedText(const Estimate& expected, size_t i) {
  if (std::isnan(expected.low[i])) return "where only nan is admitted";
  const bool apart = !expected.finite_low.empty();
  const double low = apart ? expected.finite_low[i] : expected.low[i];
  const double high = apart ? expected.finite_high[i] : expected.high[i];
  std::string text = low > high ? "" : fmt::format("[{}, {}]", low, high);
  const auto add = [&](bool admitted, std::string_view word) {
    if (admitted) text += fmt::format("{}{}", text.empty() ? "" : " or ", word);
  };
  add(apart && std::isinf(expected.low[i]) && low != expected.low[i], "-inf");
  add(apart && std::isinf(expected.high[i]) && high != expected.high[i], "inf");
  add((expected.flags[i] & Estimate::kNanAllowed) != 0, "nan");
  return "is not in " + text;
}

// The reason that the worst element is outside.
std::string Objection(const Estimate& expected, std::span<const double> actual,
                      const OutputJudgement& judgement) {
  const auto worst = static_cast<size_t>(judgement.worst);
  const bool admitted = Admits(expected, worst, actual[worst]);
  return admitted ? "stands in its line already" : ExpectedText(expected, worst);
}

// The reason why an output inside its bound is no evidence. A set of numbers, as ties leave it, is
// weak evidence even if it has no number between its ends.
std::string WhyOpen(const Estimate& expected, const OutputJudgement& judgement) {
  const size_t open = judgement.elements - judgement.judged;
  const double amplitude = Amplitude(expected);
  size_t sets = 0;
  for (size_t i = 0; i < judgement.elements; ++i) {
    const bool tells = IsInformative(expected, i, amplitude) || IsEitherNeighbour(expected, i);
    sets += !tells && CountAdmitted(expected, i) != 0 ? 1 : 0;
  }
  if (sets == open) {
    return fmt::format(
        "{} of {} elements may be one of several numbers each, as this one is: ties, "
        "or comparisons within one rounding, leave them open",
        open, judgement.elements);
  }
  return fmt::format(
      "the bounds of only {} of {} elements are evidence; the others may be anywhere within "
      "more than a quarter of the output's amplitude",
      judgement.judged, judgement.elements);
}

}  // namespace

std::string_view DeviationName(Deviation deviation) {
  constexpr std::string_view kNames[] = {
      "", "type", "nan", "number for nan", "infinity", "finite", "sign of zero", "near", "far"};
  return kNames[static_cast<size_t>(deviation)];
}

std::optional<int64_t> UlpError(DType dtype, double value, double actual) {
  if (value != value || actual != actual) return std::nullopt;
  if (value == actual) return 0;
  if (dtype == DType::kFp16) {
    return int64_t{HalfOrdinal(DoubleToHalf(actual))} - HalfOrdinal(DoubleToHalf(value));
  }
  if (dtype == DType::kFp32) {
    const int64_t error = FloatOrdinal(actual) - FloatOrdinal(value);
    return std::llabs(error) < kFarInUlp ? std::optional(error) : std::nullopt;
  }
  const double difference = actual - value;
  if (!(std::fabs(difference) < kFarInUlp)) return std::nullopt;
  return static_cast<int64_t>(difference);
}

size_t UlpBucket(uint32_t ulp) {
  if (ulp <= 2) return ulp;
  const auto bucket = static_cast<size_t>(std::bit_width(ulp - 1)) + 1;
  return std::min(bucket, OutputJudgement::kHistogramSize - 1);
}

bool IsInformative(const Estimate& expected, size_t index, double amplitude) {
  if ((expected.flags[index] & Estimate::kNanOnly) != 0) return true;
  const bool apart = !expected.finite_low.empty();
  // Only infinities are admitted.
  if (apart && expected.finite_low[index] > expected.finite_high[index]) return true;
  const auto [low, high] = FiniteEnds(expected, index);
  const double width = high - low;
  if (!(width > 0)) return true;  // also two equal infinities
  if (width <= amplitude / 4) return true;
  // If the admitted values can be counted, as for a bool that may be true or false, ulp have no
  // meaning.
  const uint64_t count = CountAdmitted(expected, index);
  if (count != 0) return static_cast<double>(count) <= std::max(1.0, amplitude / 4);
  return UlpBetween(expected.type.dtype, low, high) <= 8;
}

OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family, int threads) {
  return Judge(graph, inputs, output, expected, actual, family, DeparturesInForce(), threads);
}

OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family,
                      std::span<const Departure> catalogue, int threads) {
  OutputJudgement judgement;
  judgement.elements = expected.value.size();
  if (actual.type != expected.type ||
      actual.bytes.size() != static_cast<size_t>(expected.type.ByteSize())) {
    judgement.verdict = Verdict::kWrong;
    judgement.deviation = Deviation::kType;
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
      judgement.reason = WhyOpen(expected, judgement);
    }
    return judgement;
  }
  DefectAnswer found =
      FindDefects(graph, inputs, output, expected, family, elements, outside, catalogue, threads);
  judgement.defects = std::move(found.defects);
  judgement.vague = found.vague;
  judgement.verdict = judgement.defects.empty() ? Verdict::kWrong : Verdict::kKnownDefect;
  judgement.reason = fmt::format("{} of {} elements outside; worst at {}: {} {}", judgement.outside,
                                 judgement.elements, judgement.worst, NumberText(judgement.actual),
                                 Objection(expected, elements, judgement));
  return judgement;
}

namespace {

void MarkTerms(const Node& node, std::array<bool, kTermCount>& used) {
  for (const Term term : AllReferenceKernels()[node.schema->id]->terms) {
    used[static_cast<size_t>(term)] = true;
  }
}

// Marks the terms of the whole block: its results, predicates and states all decide the results of
// the node.
void MarkBlock(const Graph& block, std::array<bool, kTermCount>& used) {
  for (const Node& node : block.nodes()) {
    MarkTerms(node, used);
    for (const Graph& inner : block.blocks(node)) MarkBlock(inner, used);
  }
}

}  // namespace

std::vector<Term> AssumedTerms(const Graph& graph, size_t output, int family) {
  std::vector<bool> needed(graph.nodes().size(), false);
  MarkNodes(graph, graph.outputs()[output], needed);
  std::array<bool, kTermCount> used{};
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    if (!needed[i]) continue;
    const Node& node = graph.nodes()[i];
    for (const Argument& argument : graph.arguments(node)) MarkNodes(graph, argument.value, needed);
    MarkTerms(node, used);
    for (const Graph& block : graph.blocks(node)) MarkBlock(block, used);
  }
  std::vector<Term> assumed;
  for (const TermFact& fact : TermFacts()) {
    const bool counts =
        used[static_cast<size_t>(fact.term)] && ConformingContract(family).Allows(fact.term);
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
  const Given given = {graph, inputs, output, family, elements};
  if (widened.empty() || AdmitsBesideDepartures(given, conforming) ||
      !AdmitsBesideDepartures(given, all)) {
    return {};
  }
  for (const Term term : widened) {
    Contract one = conforming;
    one.terms[static_cast<size_t>(term)] = all[term];
    if (AdmitsBesideDepartures(given, one)) return {term};
  }
  return widened;
}

std::vector<std::string_view> UnmeasuredDepartures(const Graph& graph,
                                                   std::span<const Tensor> inputs, size_t output,
                                                   const Tensor& actual, int family) {
  if (IsAnyEngine(family)) return {};
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
    if (judgement.defects.Has(id) && std::ranges::find(found, id) == found.end())
      found.push_back(id);
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
