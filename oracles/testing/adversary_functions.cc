// The adversarial engine's functions of one variable, pairs, running sums and reductions, step by
// step.
#include <algorithm>
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

double Single(double x) { return static_cast<double>(static_cast<float>(x)); }

double Softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

double Attribute(const NodeView& node, int parameter, double fallback) {
  return ToType(node.ResultType().dtype, node.Float(parameter, fallback));
}

}  // namespace

bool Adversary::RunFunction(const NodeView& node) {
  Elements& result = values_[node.Result()];
  switch (KindOf(node.schema())) {
    case OpKind::kFloorDiv:
    case OpKind::kMod:
    case OpKind::kPow:
      result = Pairs(node);
      return true;
    case OpKind::kCumsum:
      result = RunningSums(node);
      return true;
    case OpKind::kCrossProduct:
      result = CrossProduct(node);
      return true;
    case OpKind::kMatrixDecomposition:
      return false;
    default:
      break;
  }
  const OpKind kind = KindOf(node.schema());
  const bool by_channel = kind == OpKind::kPrelu || kind == OpKind::kSoftplusParametric;
  for (size_t i = 0; i < In(node, 0).size(); ++i) {
    const size_t channel =
        by_channel ? static_cast<size_t>(CoordinatesOf(node.InputShape(0), i)[1]) : 0;
    result.push_back(Hold(node.ResultType().dtype, Function(node, In(node, 0)[i], channel)));
  }
  return true;
}

double Adversary::Function(const NodeView& node, double x, size_t channel) {
  using P = params::WithAlphaBeta;
  using E = params::WithEpsilon;
  const DType dtype = node.ResultType().dtype;
  const auto alpha = [&] { return Attribute(node, P::kAlpha, 0); };
  const auto beta = [&] { return Attribute(node, P::kBeta, 0); };
  const auto shifted = [&](double fallback) {
    const double epsilon = Attribute(node, E::kEpsilon, fallback);
    return epsilon == 0 ? x : Hold(dtype, x + epsilon);
  };
  const auto near = [&](double y) { return Neighbour(dtype, y); };
  const auto turned = [&] { return x * (1 + Sign() * ErrorOf(Term::kTurnReduction)); };
  const auto lines = [&](double y) {
    const double error =
        std::fmin(ErrorOf(Term::kTurnTable), std::fabs(y) * ErrorOf(Term::kTurnPart));
    return Within(Table(y, error, false), -1, 1);
  };
  switch (KindOf(node.schema())) {
    case OpKind::kAbs:
      return std::fabs(x);
    case OpKind::kSquare:
      return x * x;
    case OpKind::kSqrt:
      return near(std::sqrt(x));
    case OpKind::kRsqrt:
      return near(1 / std::sqrt(shifted(1e-12)));
    case OpKind::kInverse:
      return near(1 / shifted(1e-4));
    case OpKind::kLog:
      return near(std::log(shifted(1e-45)));
    case OpKind::kRelu6:
      return std::isnan(x) ? x : std::clamp(x, 0.0, 6.0);
    case OpKind::kLeakyRelu:
      return x < 0 ? alpha() * x : x;
    case OpKind::kPrelu:
      return x < 0 ? In(node, P::kAlpha)[channel] * x : x;
    case OpKind::kClampedRelu: {
      const double line = x < 0 ? alpha() * x : x;
      return line > beta() ? beta() : line;
    }
    case OpKind::kThreshold:
      return x < alpha() ? alpha() : x;
    case OpKind::kThresholdedRelu:
      return x < alpha() ? 0 : x;
    case OpKind::kElu:
      return x < 0 ? Table(alpha() * std::expm1(x), std::fabs(alpha()) * ErrorOf(Term::kEluTable),
                           false)
                   : x;
    case OpKind::kSigmoidHard: {
      const double line = Hold(dtype, Hold(dtype, alpha() * x) + beta());
      return std::isnan(line) ? line : std::clamp(line, 0.0, 1.0);
    }
    case OpKind::kScaledTanh: {
      const double inner = Hold(dtype, beta() * x);
      return alpha() * Hold(dtype, Table(std::tanh(inner), ErrorOf(Term::kTanhTable), false));
    }
    case OpKind::kSilu:
      return Table(x == -HUGE_VAL ? 0 : x / (1 + std::exp(-x)), ErrorOf(Term::kSiluTable), x == 0);
    case OpKind::kSoftplus:
      return Within(Table(Softplus(x), ErrorOf(Term::kSoftplusTable), false), 0, HUGE_VAL);
    case OpKind::kSoftplusParametric: {
      const double inner = Hold(dtype, In(node, P::kBeta)[channel] * x);
      const double curve =
          Hold(dtype, Table(Softplus(inner), ErrorOf(Term::kSoftplusTable), false));
      return In(node, P::kAlpha)[channel] * curve;
    }
    case OpKind::kSoftsign:
      return near(std::isinf(x) ? std::copysign(1.0, x) : x / (1 + std::fabs(x)));
    case OpKind::kErf:
      return Within(Table(std::erf(x), ErrorOf(Term::kErfTable), x == 0), -1, 1);
    case OpKind::kExp:
      return near(std::exp(x));
    case OpKind::kExp2:
      return near(std::exp2(x));
    case OpKind::kSign:
      return std::isnan(x) ? x : (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0);
    case OpKind::kCeil:
      return std::ceil(x);
    case OpKind::kFloor:
      return std::floor(x);
    case OpKind::kRound:
      return std::nearbyint(x);
    case OpKind::kSin:
      return lines(std::sin(turned()));
    case OpKind::kCos:
      return lines(std::cos(turned()));
    case OpKind::kTan:
      return near(std::tan(x));
    case OpKind::kAtan:
      return Within(Table(std::atan(x), ErrorOf(Term::kArcTangentTable), x == 0),
                    std::atan(-HUGE_VAL), std::atan(HUGE_VAL));
    case OpKind::kAsin:
      return near(std::asin(x));
    case OpKind::kAcos:
      return near(std::acos(x));
    case OpKind::kAtanh:
      return near(std::atanh(x));
    case OpKind::kAsinh:
      return near(std::asinh(x));
    case OpKind::kAcosh:
      return near(std::acosh(x));
    case OpKind::kSinh:
      return near(std::sinh(x));
    case OpKind::kCosh:
      return near(std::cosh(x));
    default:
      return NAN;
  }
}

Adversary::Elements Adversary::Pairs(const NodeView& node) {
  const OpKind kind = KindOf(node.schema());
  const Shape& shape = node.ResultType().shape;
  const DType dtype = node.ResultType().dtype;
  Elements result;
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    const double a = In(node, 0)[BroadcastIndex(node.InputShape(0), shape, i)];
    const double b = In(node, 1)[BroadcastIndex(node.InputShape(1), shape, i)];
    double y = 0;
    const bool whole = std::fmod(a, b) == 0;
    if (kind == OpKind::kFloorDiv) {
      y = std::floor(Hold(dtype, whole ? a / b : Neighbour(dtype, a / b)));
    }
    if (kind == OpKind::kMod) y = a - std::floor(a / b) * b;
    if (kind == OpKind::kPow) y = Neighbour(dtype, std::pow(a, b));
    result.push_back(Hold(dtype, y));
  }
  return result;
}

Adversary::Elements Adversary::RunningSums(const NodeView& node) {
  using P = params::Cumsum;
  const Shape& shape = node.ResultType().shape;
  const int64_t given = node.Int(P::kAxis, 0);
  const auto axis = static_cast<size_t>(given < 0 ? given + shape.rank() : given);
  Elements result;
  for (size_t i = 0; i < In(node, 0).size(); ++i) {
    Coordinates at = CoordinatesOf(shape, i);
    const int64_t here = at[axis];
    std::vector<double> terms;
    for (int64_t k = 0; k < shape[static_cast<int>(axis)]; ++k) {
      const bool before = node.Bool(P::kReverse, false) ? k > here : k < here;
      if (!before && (k != here || node.Bool(P::kExclusive, false))) continue;
      at[axis] = k;
      terms.push_back(In(node, 0)[IndexOf(shape, at)]);
    }
    result.push_back(Hold(node.ResultType().dtype, Accumulate(std::move(terms))));
  }
  return result;
}

Adversary::Elements Adversary::CrossProduct(const NodeView& node) {
  const Shape& shape = node.ResultType().shape;
  const DType dtype = node.ResultType().dtype;
  const bool rounded = Flip();
  Elements result;
  for (size_t i = 0; i < In(node, 0).size(); ++i) {
    Coordinates at = CoordinatesOf(shape, i);
    const int64_t component = at[1];
    const auto element = [&](int operand, int64_t offset) {
      at[1] = (component + offset) % 3;
      return In(node, operand)[IndexOf(shape, at)];
    };
    const double first = element(0, 1) * element(1, 2);
    const double second = -element(0, 2) * element(1, 1);
    result.push_back(Hold(dtype, Accumulate({rounded ? ToType(dtype, first) : first,
                                             rounded ? ToType(dtype, second) : second})));
  }
  return result;
}

bool Adversary::RunReduction(const NodeView& node) {
  Elements& result = values_[node.Result()];
  for (const Combined& combined : CombinedElements(node)) {
    std::vector<double> terms;
    terms.reserve(combined.elements.size());
    for (const size_t i : combined.elements) terms.push_back(In(node, 0)[i]);
    result.push_back(Reduced(node, terms));
  }
  return true;
}

double Adversary::Reduced(const NodeView& node, const std::vector<double>& terms) {
  const DType dtype = node.ResultType().dtype;
  const auto squares = [&] {
    const bool rounded = Flip();
    std::vector<double> products;
    products.reserve(terms.size());
    for (const double x : terms) products.push_back(rounded ? ToType(dtype, x * x) : x * x);
    return Accumulate(std::move(products));
  };
  switch (KindOf(node.schema())) {
    case OpKind::kReduceMean: {
      double sum = Accumulate(terms);
      if (Flip()) sum = ToType(dtype, sum);
      return Hold(dtype, sum * Single(1.0 / static_cast<double>(terms.size())));
    }
    case OpKind::kReduceMin: {
      const bool nan = std::ranges::any_of(terms, [](double x) { return std::isnan(x); });
      return nan ? NAN : Hold(dtype, *std::ranges::min_element(terms));
    }
    case OpKind::kReduceSumSquare:
      return Hold(dtype, squares());
    case OpKind::kReduceL1Norm: {
      std::vector<double> magnitudes;
      magnitudes.reserve(terms.size());
      for (const double x : terms) magnitudes.push_back(std::fabs(x));
      return Hold(dtype, Accumulate(std::move(magnitudes)));
    }
    case OpKind::kReduceL2Norm:
      return Hold(dtype, Neighbour(dtype, std::sqrt(Hold(dtype, squares()))));
    case OpKind::kReduceLogSum:
      return Hold(dtype, Neighbour(dtype, std::log(Hold(dtype, Accumulate(terms)))));
    case OpKind::kReduceLogSumExp:
      return LogSumExp(dtype, terms);
    case OpKind::kReduceArgmax:
      return Position(terms, true);
    case OpKind::kReduceArgmin:
      return Position(terms, false);
    default: {
      double product = 1;
      for (const double x : terms) product = Single(product * x);
      return Hold(dtype, product);
    }
  }
}

double Adversary::LogSumExp(DType dtype, const std::vector<double>& terms) {
  double top = -HUGE_VAL;
  for (const double x : terms) top = std::isnan(x) || x > top ? x : top;
  if (std::isnan(top)) return top;
  std::vector<double> exponentials;
  for (const double x : terms) {
    double difference = x - top;
    if (Flip()) difference = ToType(dtype, difference);
    exponentials.push_back(Hold(dtype, Neighbour(dtype, std::exp(difference))));
  }
  const double sum = Hold(dtype, Accumulate(std::move(exponentials)));
  return Hold(dtype, Hold(dtype, Neighbour(dtype, std::log(sum))) + top);
}

// Returns any of the positions that hold the extreme.
double Adversary::Position(const std::vector<double>& terms, bool largest) {
  if (std::ranges::any_of(terms, [](double x) { return std::isnan(x); })) return 0;
  const double extreme =
      largest ? *std::ranges::max_element(terms) : *std::ranges::min_element(terms);
  std::vector<size_t> positions;
  for (size_t k = 0; k < terms.size(); ++k) {
    if (terms[k] == extreme) positions.push_back(k);
  }
  const size_t chosen = strategy_ == Strategy::kRandom ? choices_.Below(positions.size())
                        : strategy_ == Strategy::kUp   ? positions.size() - 1
                                                       : 0;
  return static_cast<double>(positions[chosen]);
}

}  // namespace anecheck::testing
