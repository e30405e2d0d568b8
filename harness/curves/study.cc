#include "harness/curves/study.h"

#include <cmath>
#include <limits>

#include "harness/graph/graph.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/laws.h"
#include "oracles/oracle.h"

namespace anecheck::curves {
namespace {

// Every finite fp16 number in ascending order, with zero only once.
std::vector<double> FiniteHalves() {
  std::vector<double> numbers;
  for (uint32_t bits = 0xfbff; bits > 0x8000; --bits) {
    numbers.push_back(HalfToDouble(Half{static_cast<uint16_t>(bits)}));
  }
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    numbers.push_back(HalfToDouble(Half{static_cast<uint16_t>(bits)}));
  }
  return numbers;
}

}  // namespace

Point PointAt(const Curve& curve, double x, Rounding stores) {
  Point point;
  point.x = x;
  point.stored = DoubleToHalf(curve.value(x), stores);
  point.exact = curve.exact ? curve.exact(x) : std::numeric_limits<double>::quiet_NaN();
  if (!std::isnan(point.exact) && !std::isnan(HalfToDouble(point.stored))) {
    point.ulp = UlpDistance(point.stored, DoubleToHalf(point.exact));
  }
  return point;
}

Study StudyOf(const Curve& curve) {
  Study study;
  double sum = 0;
  for (const double x : FiniteHalves()) {
    const Point point = PointAt(curve, x);
    if (!point.ulp || !std::isfinite(HalfToDouble(DoubleToHalf(point.exact)))) continue;
    ++study.inputs;
    study.nearest += *point.ulp == 0;
    sum += *point.ulp;
    if (*point.ulp > study.farthest.ulp.value_or(0)) study.farthest = point;
    const double error = std::fabs(HalfToDouble(point.stored) - point.exact);
    if (error > study.largest_error) {
      study.largest_error = error;
      study.largest = point;
    }
  }
  if (study.inputs > 0) study.mean_ulp = sum / static_cast<double>(study.inputs);
  return study;
}

Result<Admission> AdmittedBy(const Curve& curve, const Contract& contract) {
  std::vector<double> numbers = FiniteHalves();
  std::erase_if(numbers, [&](double x) { return std::isnan(curve.exact(x)); });
  const TensorType type = {DType::kFp16, {static_cast<int64_t>(numbers.size())}};
  Graph graph;
  const ValueId x = graph.AddInput(type, "x");
  graph.BeginNode(&GetOp(curve.op).schema);
  graph.AddArgument(params::Unary::kX, x);
  if (curve.op == OpKind::kRsqrt || curve.op == OpKind::kInverse) {
    graph.AddFloat(params::WithEpsilon::kEpsilon, 0);
  }
  ANECHECK_ASSIGN(const ValueId y, graph.FinishNode());
  graph.AddOutput(y);
  Tensor input = {type, Bytes(static_cast<size_t>(type.ByteSize()))};
  EncodeElements(type.dtype, numbers, input.bytes);
  ANECHECK_ASSIGN(const std::vector<Estimate> estimates,
                  Evaluate(graph, std::span(&input, 1), contract));
  const Rounding stores =
      RoundsTiesAway(contract) ? Rounding::kNearestAway : Rounding::kNearestEven;
  Admission admission;
  admission.contract = contract.name;
  admission.inputs = numbers.size();
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double stored = HalfToDouble(PointAt(curve, numbers[i], stores).stored);
    if (!Admits(estimates[0], i, stored)) {
      ++admission.outside;
      if (!admission.first) admission.first = numbers[i];
    }
    const double width = estimates[0].high[i] - estimates[0].low[i];
    if (std::isfinite(width) && width > admission.widest) {
      admission.widest = width;
      admission.widest_at = numbers[i];
    }
  }
  return admission;
}

}  // namespace anecheck::curves
