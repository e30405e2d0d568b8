#include "harness/curves/curve.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

#include "harness/emulator/activation_table.h"
#include "harness/encoder/activation_table.h"
#include "harness/formats/activation/record.h"

namespace anecheck::curves {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Silu(double x) { return x * Sigmoid(x); }
double Gelu(double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; }
double ReciprocalRoot(double x) { return 1 / std::sqrt(x); }
double Reciprocal(double x) { return 1 / x; }

constexpr std::string_view kRead = "read from a compiler (facts/silicon/act_tables.csv)";
constexpr std::string_view kByLaw =
    "computed by a published rule (facts/silicon/numerics_laws.md, L9 to L13)";

struct Row {
  std::string_view name;
  encoder::Function function;
  double (*exact)(double);
  OpKind op;
  std::string_view source;
};

constexpr std::array kRows = {
    Row{"sigmoid", encoder::Function::kSigmoid, Sigmoid, OpKind::kSigmoid, kRead},
    Row{"silu", encoder::Function::kSilu, Silu, OpKind::kSilu, kRead},
    Row{"gelu", encoder::Function::kGelu, Gelu, OpKind::kGelu, kRead},
    Row{"exp2", encoder::Function::kExp2, std::exp2, OpKind::kExp2, kRead},
    Row{"tanh", encoder::Function::kTanh, std::tanh, OpKind::kTanh, kByLaw},
    Row{"sqrt", encoder::Function::kSquareRoot, std::sqrt, OpKind::kSqrt, kByLaw},
    Row{"rsqrt", encoder::Function::kReciprocalRoot, ReciprocalRoot, OpKind::kRsqrt, kByLaw},
    Row{"inverse", encoder::Function::kReciprocal, Reciprocal, OpKind::kInverse, kByLaw},
};

using emulator::ActivationTable;
using emulator::TableMode;

// How an argument is reduced, and the reduced argument of the first knot.
struct Reduction {
  std::string_view argument;
  double first = 0;
};

Reduction ReductionOf(const ActivationTable& table) {
  switch (table.mode) {
    case TableMode::kCentred:
      return {"x", std::ldexp(-16, -table.Scale())};
    case TableMode::kLeft:
      return {"x", std::ldexp(-32, -table.Scale())};
    case TableMode::kExp2:
      return {"x - floor(x)"};
    case TableMode::kOdd:
    case TableMode::kFraction:
    case TableMode::kWhole:
      return {"|x|"};
    case TableMode::kReciprocal:
    case TableMode::kLog2:
      return {"the significand of |x|, 0.5 to 1", 0.5};
    case TableMode::kRoot:
    case TableMode::kReciprocalRoot:
      return {"the significand of x at an even exponent, 0.5 to 2"};
  }
  return {};
}

Result<Curve> OfTable(ByteSpan bytes, const std::string& name) {
  ANECHECK_ASSIGN(const ActivationTable table, emulator::ParseTable(bytes, name));
  Curve curve;
  curve.name = name;
  curve.low = table.low;
  curve.high = table.high;
  curve.below = table.below;
  curve.above = table.above;
  const Reduction reduction = ReductionOf(table);
  curve.argument = reduction.argument;
  if (table.HasKnots()) {
    for (size_t i = 0; i < table.knots.size(); ++i) {
      const double offset = std::ldexp(static_cast<double>(i), -table.Scale());
      curve.knots.push_back({reduction.first + offset, table.knots[i]});
    }
  }
  curve.value = [table](double x) { return table.Evaluate(x); };
  return curve;
}

Curve OfWords(const activation::WordsRecord& record, const std::string& name) {
  Curve curve;
  curve.name = name;
  curve.argument = "x";
  curve.low = HalfToDouble(record.clamp_low);
  curve.high = HalfToDouble(record.clamp_high);
  const double step = (curve.high - curve.low) / activation::kSegments;
  for (size_t i = 0; i < record.knots.size(); ++i) {
    curve.knots.push_back(
        {curve.low + static_cast<double>(i) * step, HalfToDouble(record.knots[i])});
  }
  curve.below = curve.knots.front().y;
  curve.above = curve.knots.back().y;
  curve.value = [record](double x) { return activation::Evaluate(record, x); };
  return curve;
}

}  // namespace

std::vector<std::string_view> CurveNames() {
  std::vector<std::string_view> names;
  names.reserve(kRows.size());
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

Result<Curve> NamedCurve(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name != name) continue;
    ANECHECK_ASSIGN(Curve curve, OfTable(encoder::TableOf(row.function), std::string(name)));
    curve.source = row.source;
    curve.exact = row.exact;
    curve.op = row.op;
    return curve;
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("{}: no curve of this name and no file; the curves are {}", name,
                               fmt::join(CurveNames(), ", ")));
}

Result<Curve> CurveOfBytes(ByteSpan bytes, const std::string& file) {
  if (bytes.size() == emulator::kTableBytes) return OfTable(bytes, file);
  auto record = activation::Parse(bytes);
  if (!record.ok()) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("{}: {} bytes; a task's table has {}, an activation record 84 or "
                                 "86",
                                 file, bytes.size(), emulator::kTableBytes));
  }
  const auto* words = std::get_if<activation::WordsRecord>(&*record);
  if (words == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: a record of knots and deltas; no source gives the "
                                 "arguments of its knots",
                                 file));
  }
  if (!(HalfToDouble(words->clamp_low) < HalfToDouble(words->clamp_high))) {
    return MakeError(
        ErrorCode::kMalformed,
        fmt::format("{}: its domain is empty: clamp_low is not below clamp_high", file));
  }
  return OfWords(*words, file);
}

}  // namespace anecheck::curves
