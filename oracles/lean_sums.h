// A sequential test over many outputs of one operation: whether its errors lean to one side
// although each of them lies inside its bound. Campaigns keep the test's sums for each operation,
// target and route.
//
// The premise. No interval forbids that all errors lie on one side: an engine that truncates, if
// its contract lets it err by so much, stays inside its bound. So a positive test shows no
// violation of the bound; it shows that the engine does not round its results to nearest. An engine
// that rounds to nearest errs equally to both sides if the operands do not determine on which side
// the next number lies: its mean error is less than kLeastLean of the bound. The test therefore
// leaves out results that err by a function of one operand (tables), of a count (reciprocals) or of
// a place. It also leaves out results that are chosen rather than rounded, functions with a kink
// whose operands may err, and results that the family's documented defects make lean (IsTested). It
// covers functions whose bound is in units of the last place (exp, sqrt, quotients): errors to one
// side show only that they are not rounded to nearest.
//
// The test. Let s be the mean error over the free elements of one output, each error as a share of
// the bound on its side. Then -1 <= s <= 1, however the elements of that output depend on each
// other. Cases are drawn independently, so that under the premise the expectation of s, given all
// earlier outputs, is at most kLeastLean. On each output a player bets the fraction b of the
// capital, and the result multiplies the capital by 1 + b (s - kLeastLean). On average the player
// gains nothing, and by Ville's inequality the probability that the capital ever reaches T times
// the initial capital is at most 1 / T. The sums may be inspected at any time, and the capitals of
// several campaigns may be multiplied. The test runs kBets players on each of up to kMostTests
// sums; 1 / kFalseFindings bounds the probability of any false finding among all of them.
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
  // The mean square of the errors is above that of numbers spread evenly over their bounds. Its
  // sums are kept, but it is no finding, because an engine that rounds only where it may can have
  // such errors: the mean square is 0.40 of the squared bound for the scaled product of a
  // linear_activation, and 0.33 for evenly spread numbers.
  kFills,
};
template <>
struct Words<Lean> {
  static constexpr std::string_view kConcept = "lean";
  static constexpr auto kTexts =
      std::to_array<std::string_view>({"up", "down", "away", "toward", "fills"});
};
inline constexpr size_t kLeanCount = Words<Lean>::kTexts.size();

// The test ignores a mean error of less than this part of the bound. The effects that the premise
// neglects are far smaller. These are the different density of operands on both sides of a number,
// which are one unit in the last place (2^-10) apart, and the errors of fp32 functions, which are
// 2^-13 of that unit.
inline constexpr double kLeastLean = 1.0 / 32;
inline constexpr size_t kBets = 4;
inline constexpr std::array<double, kBets> kBetParts = {1.0 / 8, 1.0 / 4, 1.0 / 2, 3.0 / 4};
// More sums than any results file may contain: operations times targets, routes and leans.
inline constexpr double kMostTests = 1e5;
inline constexpr double kFalseFindings = 1e9;

// The sums of one lean. They are whole numbers, so that the order of outputs makes no difference.
struct LeanSums {
  static constexpr double kUnit = 1 << 20;

  uint64_t outputs = 0;
  int64_t sum = 0;  // of the outputs' means, in units of 1 / kUnit, rounded down
  // The binary logarithm of each player's capital, in units of 1 / kUnit, rounded down.
  std::array<int64_t, kBets> capitals{};
  // The case of the output that leans most, and the lean of that output.
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

  // Whether the test above refutes the premise. The mean capital of the players is at least the
  // richest player's capital divided by the number of players.
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
