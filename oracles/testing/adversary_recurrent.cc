// The adversarial engine's recurrent cells. It may round any intermediate, and tables err.
#include <algorithm>
#include <cmath>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"

namespace anecheck::testing {
// The weights of one direction and the names of its curves.
struct Adversary::CellParts {
  const Elements* ih = nullptr;
  const Elements* hh = nullptr;
  const Elements* bias = nullptr;
  const Elements* peephole = nullptr;
  const Elements* input_bias = nullptr;
  bool reset_after = false;
  std::string_view gate, cell, output;
  double clip = INFINITY;
  size_t inner = 0;
  size_t hidden = 0;
  DType dtype = DType::kFp16;
};

double Adversary::Curve(std::string_view name, DType dtype, double x) {
  if (name == "sigmoid")
    return Hold(dtype, Table(1 / (1 + std::exp(-x)), ErrorOf(Term::kSigmoidTable), false));
  if (name == "relu") return Hold(dtype, x < 0 ? 0 : x);
  if (name == "linear") return Hold(dtype, x);
  if (name == "hard_sigmoid" || name == "sigmoid_hard") {
    const double slope = Hold(dtype, static_cast<double>(0.2f));
    return std::clamp(Hold(dtype, Hold(dtype, slope * x) + 0.5), 0.0, 1.0);
  }
  return Hold(dtype, Table(std::tanh(x), ErrorOf(Term::kTanhTable), x == 0));
}

double Adversary::GateSum(const Elements& weights, size_t row, size_t count, const double* lanes,
                          DType dtype) {
  const bool round_products = Flip();
  std::vector<double> products;
  for (size_t k = 0; k < count; ++k) {
    const double product = lanes[k] * weights[row * count + k];
    products.push_back(round_products ? ToType(dtype, product) : product);
  }
  return Hold(dtype, Accumulate(std::move(products)));
}

void Adversary::CellStep(OpKind kind, const CellParts& parts, const double* x, Elements& h,
                         Elements& c) {
  const Elements old_h = h;
  const Elements old_c = c;
  const size_t n = parts.hidden;
  const DType dtype = parts.dtype;
  const auto hold = [&](double value) { return Hold(dtype, value); };
  const auto input = [&](size_t row) {
    const double sum = GateSum(*parts.ih, row, parts.inner, x, dtype);
    return hold(sum + (parts.bias == nullptr ? 0 : (*parts.bias)[row]));
  };
  const auto recurrent = [&](size_t row) {
    return GateSum(*parts.hh, row, n, old_h.data(), dtype);
  };
  if (kind == OpKind::kGru) return GruStep(parts, x, h);
  for (size_t k = 0; k < n; ++k) {
    const auto gate = [&](size_t number) {
      const size_t row = number * n + k;
      const double sum = input(row);
      return hold(sum + recurrent(row));
    };
    const auto peep = [&](double sum, size_t number, double at) {
      if (parts.peephole == nullptr) return sum;
      return hold(sum + hold((*parts.peephole)[number * n + k] * at));
    };
    if (kind == OpKind::kRnn) {
      h[k] = Curve(parts.output, dtype, gate(0));
    } else {
      const double i = Curve(parts.gate, dtype, peep(gate(0), 0, old_c[k]));
      const double f = Curve(parts.gate, dtype, peep(gate(1), 1, old_c[k]));
      const double z = Curve(parts.cell, dtype, gate(3));
      c[k] = std::clamp(hold(hold(f * old_c[k]) + hold(i * z)), -parts.clip, parts.clip);
      const double o = Curve(parts.gate, dtype, peep(gate(2), 2, c[k]));
      h[k] = hold(o * Curve(parts.output, dtype, c[k]));
    }
  }
}

// Adds the two biases to each other, or each bias to its own product.
void Adversary::GruStep(const CellParts& parts, const double* x, Elements& h) {
  const Elements old_h = h;
  const size_t n = parts.hidden;
  const DType dtype = parts.dtype;
  const auto hold = [&](double value) { return Hold(dtype, value); };
  const auto bias = [&](const Elements* from, size_t row) {
    return from == nullptr ? 0 : (*from)[row];
  };
  const auto sum = [&](size_t row, const Elements& lanes) {
    const double input = GateSum(*parts.ih, row, parts.inner, x, dtype);
    const double recurrent = GateSum(*parts.hh, row, n, lanes.data(), dtype);
    const double own = bias(parts.input_bias, row);
    const double other = bias(parts.bias, row);
    if (parts.input_bias != nullptr && Flip()) {
      return hold(hold(input + own) + hold(recurrent + other));
    }
    return hold(hold(input + (parts.input_bias == nullptr ? other : hold(own + other))) +
                recurrent);
  };
  Elements r;
  Elements reset;
  for (size_t k = 0; k < n; ++k) {
    r.push_back(Curve(parts.gate, dtype, sum(k, old_h)));
    reset.push_back(hold(r[k] * old_h[k]));
  }
  for (size_t k = 0; k < n; ++k) {
    const double z = Curve(parts.gate, dtype, sum(2 * n + k, old_h));
    double inner = 0;
    if (parts.reset_after) {
      const double input = GateSum(*parts.ih, n + k, parts.inner, x, dtype);
      const double recurrent = GateSum(*parts.hh, n + k, n, old_h.data(), dtype);
      const double own = hold(input + bias(parts.input_bias, n + k));
      inner = hold(own + hold(r[k] * hold(recurrent + bias(parts.bias, n + k))));
    } else {
      inner = sum(n + k, reset);
    }
    const double o = Curve(parts.output, dtype, inner);
    h[k] = hold(hold(hold(1 - z) * o) + hold(z * old_h[k]));
  }
}

bool Adversary::RunRecurrent(const NodeView& node) {
  const OpKind kind = KindOf(node.schema());
  const bool lstm = kind == OpKind::kLstm;
  if (!lstm && kind != OpKind::kGru && kind != OpKind::kRnn) return false;
  using L = params::Lstm;
  using G = params::Gru;  // rnn has the same indices up to the sequence flag
  const auto at = [&](int parameter) {
    return node.HasInput(parameter) ? &In(node, parameter) : nullptr;
  };
  const Shape& x = node.InputShape(0);
  CellParts parts;
  parts.dtype = node.InputType(0).dtype;
  parts.inner = static_cast<size_t>(x[2]);
  parts.hidden = static_cast<size_t>(node.InputShape(lstm ? +L::kWeightHh : +G::kWeightHh)[1]);
  parts.ih = at(lstm ? +L::kWeightIh : +G::kWeightIh);
  parts.hh = at(lstm ? +L::kWeightHh : +G::kWeightHh);
  parts.bias = at(lstm ? +L::kBias : +G::kBias);
  parts.gate = "sigmoid";
  parts.cell = "tanh";
  const int curve = lstm                   ? +L::kActivation
                    : kind == OpKind::kGru ? +G::kActivation
                                           : +params::Rnn::kActivation;
  parts.output = node.String(curve, "tanh");
  if (lstm) parts.peephole = at(L::kPeephole);
  if (kind == OpKind::kGru) {
    parts.input_bias = at(G::kInputBias);
    parts.reset_after = node.Bool(G::kResetAfter, false);
  }
  if (lstm && node.HasAttribute(L::kClip)) parts.clip = node.Float(L::kClip, 0);
  const std::string_view direction = node.String(lstm ? +L::kDirection : +G::kDirection, "forward");
  const bool whole = node.Bool(lstm ? +L::kOutputSequence : +G::kOutputSequence, false);
  for (uint32_t r = 0; r < node.node().result_count; ++r) {
    values_[node.Result(r)].assign(static_cast<size_t>(node.ResultType(r).shape.Elements()), 0);
  }
  RunDirection(node, parts, direction == "reverse", 0, whole);
  if (direction != "bidirectional") return true;
  parts.ih = at(L::kWeightIhBack);
  parts.hh = at(L::kWeightHhBack);
  parts.bias = at(L::kBiasBack);
  parts.peephole = at(L::kPeepholeBack);
  RunDirection(node, parts, true, parts.hidden, whole);
  return true;
}

void Adversary::RunDirection(const NodeView& node, const CellParts& parts, bool reverse,
                             size_t offset, bool whole) {
  const OpKind kind = KindOf(node.schema());
  const Shape& x = node.InputShape(0);
  const auto steps = static_cast<size_t>(x[0]);
  const auto batch = static_cast<size_t>(x[1]);
  const auto width = static_cast<size_t>(node.ResultType(1).shape[1]);
  for (size_t row = 0; row < batch; ++row) {
    Elements h;
    Elements c(parts.hidden, 0);
    for (size_t k = 0; k < parts.hidden; ++k) {
      h.push_back(In(node, 1)[row * width + offset + k]);
      if (kind == OpKind::kLstm) {
        c[k] = In(node, params::Lstm::kInitialC)[row * width + offset + k];
      }
    }
    for (size_t s = 0; s < steps; ++s) {
      const size_t t = reverse ? steps - 1 - s : s;
      CellStep(kind, parts, In(node, 0).data() + (t * batch + row) * parts.inner, h, c);
      for (size_t k = 0; k < parts.hidden; ++k) {
        const size_t column = row * width + offset + k;
        if (whole) values_[node.Result()][t * batch * width + column] = h[k];
        if (s + 1 != steps) continue;
        if (!whole) values_[node.Result()][column] = h[k];
        values_[node.Result(1)][column] = h[k];
        if (kind == OpKind::kLstm) values_[node.Result(2)][column] = c[k];
      }
    }
  }
}

}  // namespace anecheck::testing
