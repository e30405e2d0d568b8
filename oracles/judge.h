// Compares an engine's outputs with the oracle's expectation, and recognizes known defects by their
// values. Campaigns and the commands `judge` and `check` report its results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"
#include "harness/verdict/defect_set.h"
#include "harness/verdict/verdict.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

// The way in which an element lies outside its interval.
enum class Deviation : uint8_t {
  kNone,
  kType,      // the whole output is of another type
  kNan,       // NaN, although none is admitted
  kNumber,    // a number, although only NaN is admitted
  kInfinity,  // an infinity beside finite numbers
  kFinite,    // a finite number, although only infinities are admitted
  kZeroSign,  // a zero of the other sign
  kNear,      // one or two representable values away, as after one rounding too many
  kFar,
};
// A short name: "nan", "sign of zero". "" for kNone.
std::string_view DeviationName(Deviation deviation);

struct OutputJudgement {
  // Errors in ulp of the element type against `Estimate::value`: 0, 1, 2, 3-4, 5-8, ... up to
  // 2^13 and, in the last bucket, everything above and NaN against a number.
  static constexpr size_t kHistogramSize = 17;

  Verdict verdict = Verdict::kPass;
  uint64_t elements = 0;
  uint64_t judged = 0;      // elements whose interval can refute a value
  uint64_t outside = 0;     // elements outside the conforming interval
  int64_t first_bad = -1;   // index of the first element outside, or -1
  int64_t worst = -1;       // index of the element farthest outside
  uint32_t worst_ulp = 0;   // distance of element `worst` from its interval's nearer end
  double expected_low = 0;  // of the worst element; of element 0 if nothing is outside
  double expected_high = 0;
  double actual = 0;
  Deviation deviation = Deviation::kNone;  // of the worst element
  DefectSet defects;  // for kKnownDefect; several if only together they explain the output
  // With kKnownDefect: the defects admit some element only because later operations let almost any
  // value pass, or because they widen an interval as far as they can. The caller should then judge
  // operation by operation.
  bool vague = false;
  std::string reason;  // one line if the verdict is not kPass
  std::array<uint64_t, kHistogramSize> ulp_histogram{};
  // Widths of the finite part of the intervals, in the buckets of ulp_histogram; bucket 0 counts
  // the elements for which exactly one value is right.
  std::array<uint64_t, kHistogramSize> widths{};
};

// The distance from `value` up to `actual` in representable values of the element type, negative if
// `actual` is below; for integers, the difference. Nothing if either is NaN or they are too far
// apart to count. Infinity is adjacent to the largest finite number.
std::optional<int64_t> UlpError(DType dtype, double value, double actual);

// The bucket of OutputJudgement::ulp_histogram for an error of `ulp`.
size_t UlpBucket(uint32_t ulp);

// Whether the interval of element `index` is evidence: its width is at most a quarter of the
// largest finite |value| of the tensor, or at most eight ulp of the element's own value. If the
// admitted values can be counted (bools, indices, whole numbers), their number replaces the ulp:
// one value, or at most a quarter of the largest |value|. `amplitude` is that largest |value|.
bool IsInformative(const Estimate& expected, size_t index, double amplitude);

// Compares one output. If elements lie outside their intervals, evaluates them again with the
// family's defects switched on: each defect alone, then several together, the smallest set first.
// If a set of defects admits all of these elements, the verdict is kKnownDefect with the ids of the
// set. The verdict is kInconclusive if no element is outside and less than half of the elements are
// informative. `expected` is the conforming estimate of that output. An output of another type is
// kWrong. The overload with `catalogue` tries its departures instead of those in force
// (catalogue.h). `threads` as in FindDefects.
OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family, int threads = 1);
OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family,
                      std::span<const Departure> catalogue, int threads = 1);

// The terms that the bound of an output rests on and that were never measured on `family`, in
// order, each once. They come from every operation that the output depends on, and from whole
// blocks of control flow.
std::vector<Term> AssumedTerms(const Graph& graph, size_t output, int family);

// The terms of AssumedTerms that forbid those elements of `actual` that lie outside. If each of
// these terms is as wide as the notes leave possible, every element is admitted, or is explained by
// a documented departure of the family. Returns only one term if one is enough. Empty if something
// else forbids an element, or if departures alone explain every element. Precondition: `actual` has
// the type of the output. Empty on errors of the evaluation.
std::vector<Term> ForbiddingTerms(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                                  const Tensor& actual, int family);

// The departures that explain those elements of `actual` that lie outside, and that no measurement
// on `family` confirms or refutes. They are ids of departures in force that are listed for other
// families, and names of OpenRules. Documented departures of the family may contribute. Empty if
// nothing lies outside, or if these departures do not explain every element. Precondition and
// errors as ForbiddingTerms.
std::vector<std::string_view> UnmeasuredDepartures(const Graph& graph,
                                                   std::span<const Tensor> inputs, size_t output,
                                                   const Tensor& actual, int family);

// The names of ForbiddingTerms, or else of UnmeasuredDepartures, separated by ", ". Only they
// forbid `actual` on the family, and they were never measured on it. "" if something measured
// forbids it.
std::string NeverMeasured(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                          const Tensor& actual, int family);

}  // namespace anecheck
