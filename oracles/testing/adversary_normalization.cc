// The adversarial engine's normalizations, step by step. The strategy chooses whether each step is
// rounded.
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

double Single(double x) { return static_cast<double>(static_cast<float>(x)); }

}  // namespace

bool Adversary::RunNormalization(const NodeView& node) {
  Elements& result = values_[node.Result()];
  switch (KindOf(node.schema())) {
    case OpKind::kLayerNorm:
    case OpKind::kInstanceNorm:
      result = LayerNorm(node);
      return true;
    case OpKind::kBatchNorm:
      result = BatchNorm(node);
      return true;
    case OpKind::kL2Norm:
      result = L2Norm(node);
      return true;
    case OpKind::kLocalResponseNorm:
      result = LocalResponseNorm(node);
      return true;
    default:
      return false;
  }
}

Adversary::Elements Adversary::LayerNorm(const NodeView& node) {
  // Instance norm has the same steps, over the spatial axes and with constants for each channel.
  const bool instance = KindOf(node.schema()) == OpKind::kInstanceNorm;
  const int gamma = node.schema().FindParameter("gamma");
  const int beta = node.schema().FindParameter("beta");
  const int epsilon_at = node.schema().FindParameter("epsilon");
  const DType dtype = node.ResultType().dtype;
  const Shape& shape = node.InputShape(0);
  const Elements& x = In(node, 0);
  const double given = node.Float(epsilon_at, 1e-5);
  Elements result(x.size());
  for (const auto& group : NormalisedGroups(node)) {
    const double inverse = Single(1.0 / static_cast<double>(group.size()));
    std::vector<double> terms;
    for (const size_t i : group) terms.push_back(x[i]);
    const double wide_mean = Accumulate(terms) * inverse;
    const double mean = Flip() ? ToType(dtype, wide_mean) : wide_mean;
    const bool round_difference = Flip();
    std::vector<double> squares;
    for (double& term : terms) {
      term -= mean;
      if (round_difference) term = ToType(dtype, term);
      squares.push_back(term * term);
    }
    const double epsilon = Flip() ? ToType(dtype, given) : given;
    const double variance = Single(Accumulate(std::move(squares)) * inverse);
    const double root = Hold(dtype, Neighbour(dtype, 1 / std::sqrt(variance + epsilon)));
    for (size_t k = 0; k < group.size(); ++k) {
      double y = Hold(dtype, terms[k] * root);
      const size_t lane = instance ? static_cast<size_t>(CoordinatesOf(shape, group[k])[1]) : k;
      if (node.HasInput(gamma)) y = Hold(dtype, y * In(node, gamma)[lane]);
      if (node.HasInput(beta)) y = Hold(dtype, y + In(node, beta)[lane]);
      result[group[k]] = y;
    }
  }
  return result;
}

// Takes the steps in order, or folds them to a scale and an offset.
Adversary::Elements Adversary::BatchNorm(const NodeView& node) {
  using P = params::BatchNorm;
  const DType dtype = node.ResultType().dtype;
  const Shape& shape = node.InputShape(P::kX);
  const double epsilon = ToType(dtype, node.Float(P::kEpsilon, 1e-5));
  const bool folded = Flip();
  Elements result;
  for (size_t i = 0; i < In(node, P::kX).size(); ++i) {
    const auto c = static_cast<size_t>(CoordinatesOf(shape, i)[1]);
    const double x = In(node, P::kX)[i];
    const double mean = In(node, P::kMean)[c];
    const double gamma = node.HasInput(P::kGamma) ? In(node, P::kGamma)[c] : 1;
    const double beta = node.HasInput(P::kBeta) ? In(node, P::kBeta)[c] : 0;
    const double under = Hold(dtype, In(node, P::kVariance)[c] + epsilon);
    const double root = Hold(dtype, Neighbour(dtype, 1 / std::sqrt(under)));
    const double scale = Hold(dtype, root * gamma);
    double y = 0;
    if (folded) {
      const double offset = Hold(dtype, Hold(dtype, -mean * scale) + beta);
      y = Hold(dtype, x * scale) + offset;
    } else {
      y = Hold(dtype, Hold(dtype, x - mean) * root);
      y = Hold(dtype, y * gamma) + beta;
    }
    result.push_back(Hold(dtype, y));
  }
  return result;
}

Adversary::Elements Adversary::L2Norm(const NodeView& node) {
  using P = params::WithEpsilon;
  const DType dtype = node.ResultType().dtype;
  const Elements& x = In(node, P::kX);
  const double epsilon = ToType(dtype, node.Float(P::kEpsilon, 1e-6));
  Elements result(x.size());
  for (const auto& group : NormalisedGroups(node)) {
    const bool rounded = Flip();
    std::vector<double> squares;
    for (const size_t i : group)
      squares.push_back(rounded ? ToType(dtype, x[i] * x[i]) : x[i] * x[i]);
    const double under = Hold(dtype, Hold(dtype, Accumulate(std::move(squares))) + epsilon);
    const double root = Hold(dtype, Neighbour(dtype, 1 / std::sqrt(under)));
    for (const size_t i : group) result[i] = Hold(dtype, x[i] * root);
  }
  return result;
}

Adversary::Elements Adversary::LocalResponseNorm(const NodeView& node) {
  using P = params::LocalResponseNorm;
  const DType dtype = node.ResultType().dtype;
  const Elements& x = In(node, P::kX);
  const auto size = static_cast<double>(node.Int(P::kSize, 1));
  const double alpha = ToType(dtype, node.Float(P::kAlpha, 1e-4));
  const double beta = ToType(dtype, node.Float(P::kBeta, 0.75));
  const double k = ToType(dtype, node.Float(P::kK, 1));
  // If the size is even, the extra channel may be the last.
  const int64_t later = node.Int(P::kSize, 1) % 2 == 0 && Flip() ? 1 : 0;
  Elements result;
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<double> squares;
    for (const size_t j : ResponseWindow(node, i, later)) squares.push_back(x[j] * x[j]);
    const double sum = Hold(dtype, Accumulate(std::move(squares)));
    const double factor = Hold(dtype, alpha / size);
    const double under = Hold(dtype, Hold(dtype, sum * factor) + k);
    const double power = Hold(dtype, Neighbour(dtype, std::pow(under, -beta)));
    result.push_back(Hold(dtype, x[i] * power));
  }
  return result;
}

}  // namespace anecheck::testing
