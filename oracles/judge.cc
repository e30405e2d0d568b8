#include "oracles/judge.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

constexpr uint32_t kFar = std::numeric_limits<uint32_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

int64_t FloatOrdinal(double x) {
  const auto raw = std::bit_cast<int32_t>(static_cast<float>(x));
  return raw < 0 ? -static_cast<int64_t>(raw & 0x7fffffff) : raw;
}

// Distance in representable values; integers differ by their difference.
uint32_t UlpBetween(DType dtype, double a, double b) {
  if (a != a || b != b) return a != a && b != b ? 0 : kFar;
  if (a == b) return 0;
  if (dtype == DType::kFp16) return UlpDistance(DoubleToHalf(a), DoubleToHalf(b));
  const double distance = dtype == DType::kFp32
                              ? static_cast<double>(std::llabs(FloatOrdinal(a) - FloatOrdinal(b)))
                              : std::fabs(a - b);
  return distance < kFar ? static_cast<uint32_t>(distance) : kFar;
}

// How far an element lies outside its interval.
uint32_t UlpOutside(const Estimate& expected, size_t i, double actual) {
  if (Admits(expected, i, actual)) return 0;
  if (actual != actual || expected.low[i] != expected.low[i]) return kFar;
  // Inside the interval but no whole number or no member: one step at least.
  if (expected.low[i] <= actual && actual <= expected.high[i]) return 1;
  const double end = actual < expected.low[i] ? expected.low[i] : expected.high[i];
  return UlpBetween(expected.type.dtype, actual, end);
}

double Amplitude(const Estimate& expected) {
  double amplitude = 0;
  for (const double value : expected.value) {
    const double magnitude = std::fabs(value);
    if (magnitude < kInfinity) amplitude = std::max(amplitude, magnitude);
  }
  return amplitude;
}

// Fills everything but the verdict; gives the indices outside.
std::vector<size_t> Measure(const Estimate& expected, std::span<const double> actual,
                            OutputJudgement& judgement) {
  std::vector<size_t> outside;
  const double amplitude = Amplitude(expected);
  judgement.elements = actual.size();
  for (size_t i = 0; i < actual.size(); ++i) {
    judgement.judged += IsInformative(expected, i, amplitude) ? 1 : 0;
    ++judgement
          .ulp_histogram[UlpBucket(UlpBetween(expected.type.dtype, expected.value[i], actual[i]))];
    if (Admits(expected, i, actual[i])) continue;
    outside.push_back(i);
    const uint32_t ulp = UlpOutside(expected, i, actual[i]);
    if (judgement.worst < 0 || ulp > judgement.worst_ulp) {
      judgement.worst = static_cast<int64_t>(i);
      judgement.worst_ulp = ulp;
    }
  }
  judgement.outside = outside.size();
  if (!outside.empty()) judgement.first_bad = static_cast<int64_t>(outside.front());
  if (!actual.empty()) {
    const size_t shown = judgement.worst < 0 ? 0 : static_cast<size_t>(judgement.worst);
    judgement.expected_low = expected.low[shown];
    judgement.expected_high = expected.high[shown];
    judgement.actual = actual[shown];
  }
  return outside;
}

// Finds the departures that explain the elements outside.
class DefectSearch {
 public:
  DefectSearch(const Graph& graph, std::span<const Tensor> inputs, size_t output, int family,
               std::span<const double> actual, std::span<const size_t> outside)
      : graph_(graph),
        inputs_(inputs),
        output_(output),
        family_(family),
        actual_(actual),
        outside_(outside) {}

  // "D01" or "D01,D15"; empty where some element stays unexplained.
  std::string Find(std::span<const Departure> catalogue) {
    std::vector<const Departure*> rows = Applicable(catalogue);
    if (rows.empty()) return {};
    std::string ids = FindSingles(rows);
    return ids.empty() && rows.size() > 1 ? FindCombination(rows) : ids;
  }

 private:
  using Explained = std::vector<bool>;

  std::vector<const Departure*> Applicable(std::span<const Departure> catalogue) const {
    std::vector<const Departure*> rows;
    for (const Departure& row : catalogue) {
      if ((row.families >> family_ & 1) == 0) continue;
      const bool present =
          row.op.empty() || std::ranges::any_of(graph_.nodes(), [&](const Node& node) {
            return node.schema->name == row.op;
          });
      if (present && rows.size() < Contract::kMaxDepartures) rows.push_back(&row);
    }
    return rows;
  }

  Explained Explain(std::span<const Departure* const> rows) {
    Explained explained(outside_.size(), false);
    const Contract contract = WithDepartures(family_, rows);
    if (!evaluation_.Run(graph_, inputs_, contract).ok()) return explained;
    evaluation_.Stored(graph_.outputs()[output_], estimate_);
    for (size_t k = 0; k < outside_.size(); ++k) {
      explained[k] = Admits(estimate_, outside_[k], actual_[outside_[k]]);
    }
    return explained;
  }

  // Each element explained by one departure alone; as few departures as a greedy cover needs.
  std::string FindSingles(std::span<const Departure* const> rows) {
    std::vector<Explained> by_row;
    for (const Departure* row : rows) by_row.push_back(Explain(std::span(&row, 1)));
    Explained open(outside_.size(), true);
    std::vector<std::string_view> ids;
    while (std::ranges::find(open, true) != open.end()) {
      size_t best = 0;
      size_t best_count = 0;
      for (size_t row = 0; row < rows.size(); ++row) {
        size_t count = 0;
        for (size_t k = 0; k < open.size(); ++k) count += open[k] && by_row[row][k] ? 1 : 0;
        if (count > best_count) {
          best = row;
          best_count = count;
        }
      }
      if (best_count == 0) return {};
      for (size_t k = 0; k < open.size(); ++k) open[k] = open[k] && !by_row[best][k];
      ids.push_back(rows[best]->id);
    }
    return Join(ids);
  }

  // All departures at once, then without those that are not needed.
  std::string FindCombination(std::vector<const Departure*> rows) {
    if (!ExplainsAll(rows)) return {};
    for (size_t i = rows.size(); i-- > 0 && rows.size() > 1;) {
      std::vector<const Departure*> fewer = rows;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
      if (ExplainsAll(fewer)) rows = std::move(fewer);
    }
    std::vector<std::string_view> ids;
    for (const Departure* row : rows) ids.push_back(row->id);
    return Join(ids);
  }
  bool ExplainsAll(std::span<const Departure* const> rows) {
    const Explained explained = Explain(rows);
    return std::ranges::find(explained, false) == explained.end();
  }

  static std::string Join(std::vector<std::string_view> ids) {
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    return fmt::format("{}", fmt::join(ids, ","));
  }

  const Graph& graph_;
  std::span<const Tensor> inputs_;
  size_t output_;
  int family_;
  std::span<const double> actual_;
  std::span<const size_t> outside_;
  Evaluation evaluation_;
  Estimate estimate_;
};

void MarkNodes(const Graph& graph, ValueId id, std::vector<bool>& needed) {
  const Value& value = graph.value(id);
  if (value.kind != ValueKind::kResult || needed[value.producer]) return;
  needed[value.producer] = true;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 5> kNames = {"pass", "known_defect", "unconfirmed",
                                                      "wrong", "inconclusive"};
  return kNames[static_cast<size_t>(verdict)];
}

size_t UlpBucket(uint32_t ulp) {
  if (ulp <= 2) return ulp;
  const auto bucket = static_cast<size_t>(std::bit_width(ulp - 1)) + 1;
  return std::min(bucket, OutputJudgement::kHistogramSize - 1);
}

bool IsInformative(const Estimate& expected, size_t index, double amplitude) {
  if ((expected.flags[index] & Estimate::kNanOnly) != 0) return true;
  const double width = expected.high[index] - expected.low[index];
  if (!(width > 0)) return true;  // also two equal infinities
  if (width <= amplitude / 4) return true;
  // Where the admitted values can be counted, an ulp says nothing: a bool that may be either.
  const uint64_t count = CountAdmitted(expected, index);
  if (count != 0) return static_cast<double>(count) <= std::max(1.0, amplitude / 4);
  return UlpBetween(expected.type.dtype, expected.low[index], expected.high[index]) <= 8;
}

OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family) {
  return Judge(graph, inputs, output, expected, actual, family, KnownDepartures());
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
  DefectSearch search(graph, inputs, output, family, elements, outside);
  judgement.known_defect = search.Find(catalogue);
  judgement.verdict = judgement.known_defect.empty() ? Verdict::kWrong : Verdict::kKnownDefect;
  judgement.reason = fmt::format("{} of {} elements outside; worst at {}: {} is not in [{}, {}]",
                                 judgement.outside, judgement.elements, judgement.worst,
                                 judgement.actual, judgement.expected_low, judgement.expected_high);
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

}  // namespace anecheck
