#include "harness/curves/compose.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/real_text.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck::curves {
namespace {

Status CheckKnots(std::span<const Knot> knots, int64_t points) {
  if (points < 1)
    return MakeError(ErrorCode::kInvalid, "a composed curve must have at least 1 point");
  if (knots.size() < 2 || knots.size() > kMostKnots) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("a curve must have 2 to {} knots, but it has {}", kMostKnots, knots.size()));
  }
  for (size_t i = 0; i < knots.size(); ++i) {
    const bool ascends = i == 0 || knots[i - 1].x < knots[i].x;
    if (std::isfinite(knots[i].x) && std::isfinite(knots[i].y) && ascends) continue;
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("knot {} at ({}, {}): knots must be finite and in ascending order of x", i,
                    knots[i].x, knots[i].y));
  }
  return {};
}

// Adds fp16 constants, and counts the numbers that fp16 does not represent exactly.
class HalfConstants {
 public:
  explicit HalfConstants(Composition& into) : into_(into) {}

  Result<ValueId> Add(std::span<const double> numbers, Shape shape) {
    Bytes bytes;
    for (const double number : numbers) {
      const Half half = DoubleToHalf(number);
      const double held = HalfToDouble(half);
      if (!std::isfinite(held)) {
        return MakeError(ErrorCode::kInvalid,
                         fmt::format("{} is beyond the range of fp16: a curve with such steep or "
                                     "distant knots cannot be composed",
                                     number));
      }
      into_.rounded += held != number;
      bytes.push_back(static_cast<uint8_t>(half.bits & 0xff));
      bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
    }
    return into_.graph.AddConst({DType::kFp16, shape}, bytes);
  }

 private:
  Composition& into_;
};

Result<ValueId> AddLinear(Graph& graph, ValueId x, ValueId weight, ValueId bias) {
  graph.BeginNode(&GetOp(OpKind::kLinear).schema);
  graph.AddArgument(params::Linear::kX, x);
  graph.AddArgument(params::Linear::kWeight, weight);
  graph.AddArgument(params::Linear::kBias, bias);
  return graph.FinishNode();
}

constexpr std::string_view kSeparators = " \t,;\r";

// Takes one number from the text, in which commas or blanks separate numbers.
bool TakeNumber(std::string_view& text, double& number) {
  const size_t begin = text.find_first_not_of(kSeparators);
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin);
  const size_t end = std::min(text.find_first_of(kSeparators), text.size());
  const auto value = RealFromText<double>(text.substr(0, end));
  if (!value) return false;
  number = *value;
  text.remove_prefix(end);
  return true;
}

}  // namespace

Result<Composition> Compose(std::span<const Knot> knots, int64_t points) {
  ANECHECK_RETURN_IF_ERROR(CheckKnots(knots, points));
  const size_t count = knots.size();
  std::vector<double> ones(count, 1);
  const CurveConstants curve = ConstantsOfCurve(knots);
  Composition made;
  HalfConstants constants(made);
  const auto rows = static_cast<int64_t>(count);
  const ValueId x = made.graph.AddInput({DType::kFp16, {points, 1}}, "x");
  ANECHECK_ASSIGN(const ValueId unit_weights, constants.Add(ones, {rows, 1}));
  ANECHECK_ASSIGN(const ValueId distances, constants.Add(curve.distances, {rows}));
  ANECHECK_ASSIGN(const ValueId slopes, constants.Add(curve.changes, {1, rows}));
  ANECHECK_ASSIGN(const ValueId start, constants.Add(std::span(&curve.start, 1), {1}));
  ANECHECK_ASSIGN(const ValueId from_knots, AddLinear(made.graph, x, unit_weights, distances));
  made.graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  made.graph.AddArgument(params::Unary::kX, from_knots);
  ANECHECK_ASSIGN(const ValueId rectified, made.graph.FinishNode());
  ANECHECK_ASSIGN(const ValueId y, AddLinear(made.graph, rectified, slopes, start));
  made.graph.Rename(y, "y");
  made.graph.AddOutput(y);
  return made;
}

double ValueAt(std::span<const Knot> knots, double x) {
  if (std::isnan(x)) return x;
  if (x <= knots.front().x) return knots.front().y;
  if (x >= knots.back().x) return knots.back().y;
  const auto after =
      std::ranges::upper_bound(knots, x, {}, [](const Knot& knot) { return knot.x; });
  const Knot& to = *after;
  const Knot& from = *(after - 1);
  return from.y + (x - from.x) / (to.x - from.x) * (to.y - from.y);
}

Result<std::vector<Knot>> ReadKnots(std::string_view text, const std::string& file) {
  std::vector<Knot> knots;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.find_first_not_of(" \t\r") == std::string_view::npos || row.front() == '#') continue;
    Knot knot;
    const bool numbers = TakeNumber(row, knot.x) && TakeNumber(row, knot.y);
    if (numbers && row.find_first_not_of(" \t\r") == std::string_view::npos) {
      knots.push_back(knot);
    } else if (line > 1) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: line {}: expected two numbers, x and y", file, line));
    }
  }
  return knots;
}

}  // namespace anecheck::curves
