// A sequential test of many outputs of one operation: whether its errors lean to one side though
// each of them lies inside its bound. Campaigns keep the sums of it by operation, target and route.
//
// The premise. No interval forbids that all errors lie on one side: an engine that truncates where
// its contract lets it err is inside its bound, and a positive test shows no violation of it. It
// shows that the engine does not round its results to nearest. An engine that does errs to
// either side alike wherever the operands do not say on which side the next number lies: by less
// than kLeastLean of its room on the average. So the test leaves out results that err by a function
// of one operand (tables), of a count (reciprocals) or of a place, those that are chosen rather
// than rounded, functions with a kink whose operands may err, and those that the family's
// documented defects make lean (IsTested). Functions whose bound is in units of the last place
// (exp, sqrt, quotients) are asked: that their errors lie to one side says that they are not
// rounded to nearest, and no more.
//
// The test. Let s be the mean over the free elements of one output of the error, in units of the
// room on its side: -1 <= s <= 1, whatever hangs together inside of that output. Cases are drawn
// independently, so that under the premise the expectation of s, given all that came before, is at
// most kLeastLean. A player who bets the part b of the money on each output, and has
// 1 + b (s - kLeastLean) times as much after it, then gains nothing on the average, and by Ville's
// inequality comes to T times the first sum, ever, with a probability of 1 / T at most. No look at
// the sums costs anything, and products of several campaigns may be multiplied. kBets players are
// asked at once, and kMostTests sums of them; 1 / kFalseFindings is the share for all together.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/verdict/words.h"

namespace anecheck {

enum class Lean : uint8_t {
  kUp,      // the errors are positive
  kDown,    // negative
  kAway,    // away from zero
  kToward,  // toward zero: truncation
  // Their mean square is above that of numbers spread evenly over their bounds. Summed, and no
  // finding: an engine that rounds where it may, and nowhere else, does so (the scaled product of a
  // linear_activation has 0.40 of its bound, where numbers spread evenly have 0.33).
  kFills,
};
template <>
struct Words<Lean> {
  static constexpr std::string_view kConcept = "lean";
  static constexpr auto kTexts =
      std::to_array<std::string_view>({"up", "down", "away", "toward", "fills"});
};
inline constexpr size_t kLeanCount = Words<Lean>::kTexts.size();

// A mean error of less than this part of its room is none that the test speaks of. The effects that
// the premise leaves out lie far below: how much denser operands lie on one side of a number than
// on the other (one unit in the last place, 2^-10, apart), and errors of fp32 functions, 2^-13 of
// that unit.
inline constexpr double kLeastLean = 1.0 / 32;
inline constexpr size_t kBets = 4;
inline constexpr std::array<double, kBets> kBetParts = {1.0 / 8, 1.0 / 4, 1.0 / 2, 3.0 / 4};
// Above the sums that any one results file may hold: operations, targets, routes and leans.
inline constexpr double kMostTests = 1e5;
inline constexpr double kFalseFindings = 1e9;

// The sums of one lean. Whole numbers, so that no order of outputs makes a difference.
struct LeanSums {
  static constexpr double kUnit = 1 << 20;

  uint64_t outputs = 0;
  int64_t sum = 0;  // of the outputs' means, in 1 / kUnit, rounded down
  // Binary logarithms of each player's capital, in 1 / kUnit, never too large.
  std::array<int64_t, kBets> capitals{};
  // The output that leans most: its case, and by how much.
  uint64_t extreme_case = 0;
  int64_t extreme = INT64_MIN;

  void Add(uint64_t case_index, double says);
  LeanSums& operator+=(const LeanSums& other) {
    outputs += other.outputs;
    sum += other.sum;
    for (size_t bet = 0; bet < kBets; ++bet) capitals[bet] += other.capitals[bet];
    const bool first = other.extreme == extreme && other.extreme_case < extreme_case;
    if (other.extreme > extreme || first) {
      extreme = other.extreme;
      extreme_case = other.extreme_case;
    }
    return *this;
  }
  bool operator==(const LeanSums&) const = default;

  // Whether the premise does not hold, as the text above says. The mean of the players' capital is
  // at least that of the richest, divided by all of them.
  bool Significant() const {
    const double needed = std::log2(kBets * kMostTests * kFalseFindings);
    return Part(*std::ranges::max_element(capitals)) >= needed;
  }
  double Mean() const { return outputs == 0 ? 0 : Part(sum) / static_cast<double>(outputs); }
  static double Part(int64_t units) { return static_cast<double>(units) / kUnit; }
};

using OperationLeans = std::array<LeanSums, kLeanCount>;
inline OperationLeans& operator+=(OperationLeans& sums, const OperationLeans& other) {
  for (size_t i = 0; i < kLeanCount; ++i) sums[i] += other[i];
  return sums;
}

}  // namespace anecheck
