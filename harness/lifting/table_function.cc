#include "harness/lifting/table_function.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/base/half.h"

namespace anecheck::lifting {
namespace {

using Function = double (*)(double);

struct Candidate {
  OpKind op;
  Function value;
};

constexpr Candidate kCandidates[] = {
    {OpKind::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {OpKind::kTanh, [](double x) { return std::tanh(x); }},
    {OpKind::kSilu, [](double x) { return x / (1 + std::exp(-x)); }},
    {OpKind::kGelu, [](double x) { return x / 2 * std::erfc(-x / std::numbers::sqrt2); }},
    {OpKind::kExp2, [](double x) { return std::exp2(x); }},
    {OpKind::kSqrt, [](double x) { return std::sqrt(x); }},
    {OpKind::kRsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {OpKind::kInverse, [](double x) { return 1 / x; }},
    {OpKind::kLog, [](double x) { return std::log2(x); }},
    {OpKind::kSign, [](double x) { return x < 0 ? -1.0 : 1.0; }},
};

// The tables that compilers write have absolute errors of at most 0.0062 near 0 (gelu) and relative
// errors of at most 0.002 (exp2, rsqrt). Source: facts of H13 programs, "Activation table".
constexpr double kMostError = 0.008;
// The step between the bits of compared numbers. It is odd, so that all significands occur.
constexpr uint32_t kEvery = 37;
// Results above kMost are not compared. Results below kLeast are not compared either if the
// argument is positive. A table need not be right if the fp16 result is subnormal or infinite.
constexpr double kLeast = 0x1p-14, kMost = 65504;

bool Follows(const emulator::ActivationTable& table, Function function) {
  size_t compared = 0;
  for (uint32_t bits = 0; bits < 0x10000; bits += kEvery) {
    const Half half{static_cast<uint16_t>(bits)};
    if (!half.IsFinite() || half.IsZero()) continue;
    const double x = HalfToDouble(half);
    const double exact = function(x);
    if (!std::isfinite(exact) || std::fabs(exact) > kMost) continue;
    if (std::fabs(exact) < kLeast && x > 0) continue;
    ++compared;
    const double error = std::fabs(table.Evaluate(x) - exact);
    if (!(error <= kMostError * std::max(1.0, std::fabs(exact)))) return false;
  }
  return compared > 100;
}

// Whether the table consists of two lines through zero, and the right line has the slope 1.
bool IsLeaky(const emulator::ActivationTable& table) {
  return table.knots_a_unit == emulator::ActivationTable::kOnlyZero && table.right_slope == 1 &&
         table.left_intercept == 0 && table.right_intercept == 0 && std::isinf(table.low) &&
         std::isinf(table.high);
}

// Whether the table is x between two bounds around zero, and the nearer bound outside of them.
bool IsClip(const emulator::ActivationTable& table) {
  const bool left = table.low == 0 || (table.left_slope == 1 && table.left_intercept == 0);
  return table.mode == emulator::TableMode::kCentred &&
         table.knots_a_unit == emulator::ActivationTable::kOnlyZero && left && table.low <= 0 &&
         table.high > 0 && table.right_slope == 1 && table.right_intercept == 0 &&
         table.knots[emulator::ActivationTable::kCentre] == 0 && table.below == table.low &&
         table.above == table.high && std::isfinite(table.low) && std::isfinite(table.high);
}

bool IsLog2OfE(double scale) {
  return DoubleToHalf(scale).bits == DoubleToHalf(std::numbers::log2e).bits;
}

}  // namespace

std::optional<TableFunction> FunctionOf(const emulator::ActivationTable& table, double scale) {
  if (IsLeaky(table)) return TableFunction{OpKind::kLeakyRelu, table.left_slope};
  if (IsClip(table)) return TableFunction{OpKind::kClip, table.low, table.high};
  for (const Candidate& candidate : kCandidates) {
    if (!Follows(table, candidate.value)) continue;
    // Follows does not compare at 0, where only sign jumps.
    if (candidate.op == OpKind::kSign && table.Evaluate(0) != 0) continue;
    if (candidate.op == OpKind::kExp2 && IsLog2OfE(scale)) return TableFunction{OpKind::kExp};
    return TableFunction{candidate.op};
  }
  return std::nullopt;
}

}  // namespace anecheck::lifting
