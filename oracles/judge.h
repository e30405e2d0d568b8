// Compares an engine's outputs with the oracle's expectation, and names known defects by the value
// they produce. Campaigns and the commands `judge` and `check` report its results.
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
  kNan,       // NaN, where none is admitted
  kNumber,    // a number, where NaN alone is
  kInfinity,  // an infinity beside finite numbers
  kFinite,    // a finite number, where infinities alone are admitted
  kZeroSign,  // a zero of the other sign
  kNear,      // one or two representable values away, as by a rounding too many
  kFar,
};
// A word or two: "nan", "sign of zero"; "" of kNone.
std::string_view DeviationName(Deviation deviation);

struct OutputJudgement {
  // Errors in ulp of the element type against `Estimate::value`: 0, 1, 2, 3-4, 5-8, ... up to
  // 2^13 and, in the last bucket, everything above and NaN against a number.
  static constexpr size_t kHistogramSize = 17;

  Verdict verdict = Verdict::kPass;
  uint64_t elements = 0;
  uint64_t judged = 0;      // elements whose interval says something
  uint64_t outside = 0;     // elements outside the conforming interval
  int64_t first_bad = -1;   // index of the first element outside, -1 where there is none
  int64_t worst = -1;       // index of the element farthest outside
  uint32_t worst_ulp = 0;   // its distance from the interval's nearer end, in ulp
  double expected_low = 0;  // of the worst element; of element 0 where nothing is outside
  double expected_high = 0;
  double actual = 0;
  Deviation deviation = Deviation::kNone;  // of the worst element
  DefectSet defects;  // of kKnownDefect; several where only the combination explains it
  // With kKnownDefect: the defects admit some element only because, through the operations that
  // follow them, they admit almost anything there, or because they widen an interval by the most
  // that they may do to it. The caller should judge operation by operation.
  bool vague = false;
  std::string reason;  // one line where the verdict is not kPass
  std::array<uint64_t, kHistogramSize> ulp_histogram{};
  // Widths of the finite part of the intervals, in the same buckets: 0 where one value is right.
  std::array<uint64_t, kHistogramSize> widths{};
};

// How many representable values of the element type `actual` lies above `value`; negative below.
// Integers differ by their difference. Nothing where either is NaN or they are too far apart to
// count. Adjacent to the largest finite number comes infinity.
std::optional<int64_t> UlpError(DType dtype, double value, double actual);

// The bucket of OutputJudgement::ulp_histogram for an error of `ulp`.
size_t UlpBucket(uint32_t ulp);

// Whether the interval of element `index` says anything: its width is at most a quarter of the
// largest finite |value| of the tensor, or at most eight ulp of the element's own value. If the
// admitted values can be counted (bools, indices, whole numbers), their number takes the place of
// the ulp: one value, or at most a quarter of the largest. `amplitude` is that largest |value|.
bool IsInformative(const Estimate& expected, size_t index, double amplitude);

// Compares one output. Elements outside are evaluated again with the family's defects switched on,
// each alone and then together, the smallest set first; if every one of them falls inside, the
// verdict is kKnownDefect with those ids. The verdict is kInconclusive where no element is outside
// and less than half of them are informative. `expected` is the conforming estimate of that output.
// A type that is not the expected one is kWrong. The overload with `catalogue` takes the departures
// to try instead of those in force (catalogue.h). `threads` as of FindDefects.
OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family, int threads = 1);
OutputJudgement Judge(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                      const Estimate& expected, const Tensor& actual, int family,
                      std::span<const Departure> catalogue, int threads = 1);

// The terms that the bound of an output rests on (those of every operation it depends on, blocks
// of control flow with all that they hold) and that were never measured on `family`. In order, each
// once.
std::vector<Term> AssumedTerms(const Graph& graph, size_t output, int family);

// Of AssumedTerms, those that forbid the elements of `actual` outside: with each as wide as the
// notes leave possible, every element is admitted or is a documented departure's of the family. One
// term where one is enough. Empty if something else forbids an element, and if departures suffice.
// Precondition: `actual` has the type of the output. Errors of the evaluation give no terms.
std::vector<Term> ForbiddingTerms(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                                  const Tensor& actual, int family);

// The departures that explain the elements of `actual` outside though `family` was measured neither
// to depart so nor to do as the contract says: ids of the departures in force that are listed for
// other families, names of OpenRules. Beside them documented departures of the family may be at
// work. Empty if nothing lies outside, and if these do not explain every element. Precondition and
// errors as ForbiddingTerms.
std::vector<std::string_view> UnmeasuredDepartures(const Graph& graph,
                                                   std::span<const Tensor> inputs, size_t output,
                                                   const Tensor& actual, int family);

// The terms that alone forbid `actual` on the family, and were never measured on it: the names of
// ForbiddingTerms, or else UnmeasuredDepartures, with ", " between them. "" where something that
// was measured forbids it.
std::string NeverMeasured(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                          const Tensor& actual, int family);

}  // namespace anecheck
