// Recurrent cells in MPFR, written directly from their equations.
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow_classes.h"
#include "oracles/testing/slow_operands.h"

namespace anecheck::testing {
namespace {

using Numbers = std::vector<double>;
using Operands = std::span<const Numbers>;
using State = std::vector<Real>;

Real Apply(std::string_view curve, const Real& x) {
  if (curve == "sigmoid") return Real(1.0) / (Real(1.0) + Exp(-x));
  if (curve == "relu") return x.Odd() < 0 ? Real(0.0) : x;
  if (curve == "hard_sigmoid" || curve == "sigmoid_hard") {
    const Real y = x * Real(static_cast<double>(0.2f)) + Real(0.5);
    return y.Odd() < 0 ? Real(0.0) : y.Odd() > 1 ? Real(1.0) : y;
  }
  return curve == "linear" ? x : Tanh(x);
}

struct Weights {
  const Numbers* ih = nullptr;
  const Numbers* hh = nullptr;
  const Numbers* bias = nullptr;
  size_t inner = 0;
  size_t hidden = 0;

  Real Input(const Numbers& x, size_t start, size_t row) const {
    Real sum = bias == nullptr ? Real(0.0) : Real((*bias)[row]);
    for (size_t k = 0; k < inner; ++k) sum = sum + Real(x[start + k]) * (*ih)[row * inner + k];
    return sum;
  }
  Real Recurrent(const State& h, size_t row) const {
    Real sum;
    for (size_t k = 0; k < hidden; ++k) sum = sum + h[k] * Real((*hh)[row * hidden + k]);
    return sum;
  }
  Real Gate(const Numbers& x, size_t start, const State& h, size_t row) const {
    return Input(x, start, row) + Recurrent(h, row);
  }
};

// Computes one step of the node's cell. `c` is empty except for lstm.
class Stepper {
 public:
  Stepper(const NodeView& node, Operands operands, int peephole) : kind_(KindOf(node.schema())) {
    if (kind_ == OpKind::kLstm) {
      using P = params::Lstm;
      gate_ = node.String(P::kRecurrentActivation, "sigmoid");
      cell_ = node.String(P::kCellActivation, "tanh");
      output_ = node.String(P::kActivation, "tanh");
      peephole_ = OperandAt(node, operands, peephole);
      clips_ = node.HasAttribute(P::kClip);
      const double given = node.Float(P::kClip, 0);
      const DType dtype = node.InputType(0).dtype;
      clip_ = dtype == DType::kFp16 ? static_cast<double>(static_cast<float>(given))
                                    : Real(given).RoundedTo(dtype);
    } else if (kind_ == OpKind::kGru) {
      gate_ = node.String(params::Gru::kRecurrentActivation, "sigmoid");
      output_ = node.String(params::Gru::kActivation, "tanh");
      reset_after_ = node.Bool(params::Gru::kResetAfter, false);
      input_bias_ = OperandAt(node, operands, params::Gru::kInputBias);
    } else {
      output_ = node.String(params::Rnn::kActivation, "tanh");
    }
  }

  void Run(const Weights& w, const Numbers& x, size_t start, State& h, State& c) const {
    const State old_h = h;
    const State old_c = c;
    const size_t n = w.hidden;
    if (kind_ == OpKind::kGru) return RunGru(w, x, start, h);
    for (size_t k = 0; k < n; ++k) {
      const auto gate = [&](size_t number) { return w.Gate(x, start, old_h, number * n + k); };
      if (kind_ == OpKind::kRnn) {
        h[k] = Apply(output_, gate(0));
      } else {
        const auto peep = [&](size_t number, const Real& at) {
          return peephole_ == nullptr ? Real(0.0) : Real((*peephole_)[number * n + k]) * at;
        };
        const Real i = Apply(gate_, gate(0) + peep(0, old_c[k]));
        const Real f = Apply(gate_, gate(1) + peep(1, old_c[k]));
        c[k] = f * old_c[k] + i * Apply(cell_, gate(3));
        if (clips_ && c[k].Odd() > clip_) c[k] = clip_;
        if (clips_ && c[k].Odd() < -clip_) c[k] = -clip_;
        h[k] = Apply(gate_, gate(2) + peep(2, c[k])) * Apply(output_, c[k]);
      }
    }
  }

 private:
  void RunGru(const Weights& w, const Numbers& x, size_t start, State& h) const {
    const State old_h = h;
    const size_t n = w.hidden;
    const auto own = [&](size_t row) {
      return input_bias_ == nullptr ? Real(0.0) : Real((*input_bias_)[row]);
    };
    const auto gate = [&](size_t row) {
      return Apply(gate_, w.Gate(x, start, old_h, row) + own(row));
    };
    State reset;
    for (size_t k = 0; k < n; ++k) reset.push_back(gate(k) * old_h[k]);
    for (size_t k = 0; k < n; ++k) {
      const size_t row = n + k;
      Real sum = w.Gate(x, start, reset, row);
      if (reset_after_) {
        const Real bias = w.bias == nullptr ? Real(0.0) : Real((*w.bias)[row]);
        const Real input = w.Input(x, start, row) - bias;
        sum = input + gate(k) * (w.Recurrent(old_h, row) + bias);
      }
      const Real z = gate(2 * n + k);
      h[k] = (Real(1.0) - z) * Apply(output_, sum + own(row)) + z * old_h[k];
    }
  }

  OpKind kind_;
  std::string_view gate_, cell_, output_;
  bool reset_after_ = false;
  const Numbers* input_bias_ = nullptr;
  const Numbers* peephole_ = nullptr;
  bool clips_ = false;
  double clip_ = 0;
};

void RunDirection(const NodeView& node, Operands operands, const Weights& weights,
                  const Stepper& stepper, const Numbers* initial_c, bool reverse, size_t offset,
                  bool whole, std::vector<SlowElements>& results) {
  const Shape& x = node.InputShape(0);
  const DType dtype = node.InputType(0).dtype;
  const auto steps = static_cast<size_t>(x[0]);
  const auto batch = static_cast<size_t>(x[1]);
  const auto width = static_cast<size_t>(node.ResultType(1).shape[1]);
  const Numbers& initial_h = *OperandAt(node, operands, 1);
  for (size_t row = 0; row < batch; ++row) {
    State h;
    State c;
    for (size_t k = 0; k < weights.hidden; ++k) {
      h.emplace_back(initial_h[row * width + offset + k]);
      c.emplace_back(initial_c == nullptr ? 0 : (*initial_c)[row * width + offset + k]);
    }
    for (size_t s = 0; s < steps; ++s) {
      const size_t t = reverse ? steps - 1 - s : s;
      stepper.Run(weights, operands[0], (t * batch + row) * weights.inner, h, c);
      for (size_t k = 0; k < weights.hidden; ++k) {
        const size_t column = row * width + offset + k;
        if (whole) results[0][t * batch * width + column] = h[k].RoundedTo(dtype);
        if (s + 1 != steps) continue;
        if (!whole) results[0][column] = h[k].RoundedTo(dtype);
        results[1][column] = h[k].RoundedTo(dtype);
        if (results.size() > 2) results[2][column] = c[k].RoundedTo(dtype);
      }
    }
  }
}

bool AllFinite(Operands operands) {
  for (const Numbers& numbers : operands) {
    for (const double x : numbers) {
      if (!std::isfinite(x)) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<SlowElements>> SlowRecurrent(const NodeView& node, Operands operands) {
  const OpKind kind = KindOf(node.schema());
  const bool lstm = kind == OpKind::kLstm;
  if (!lstm && kind != OpKind::kGru && kind != OpKind::kRnn) return std::nullopt;
  std::vector<SlowElements> results;
  results.reserve(node.node().result_count);
  for (uint32_t r = 0; r < node.node().result_count; ++r) {
    results.emplace_back(static_cast<size_t>(node.ResultType(r).shape.Elements()));
  }
  if (!AllFinite(operands)) return results;
  using L = params::Lstm;
  using G = params::Gru;  // rnn has the same indices up to the direction and the sequence flag
  const auto weights = [&](int ih, int hh, int bias) {
    Weights w{OperandAt(node, operands, ih), OperandAt(node, operands, hh),
              OperandAt(node, operands, bias)};
    w.inner = static_cast<size_t>(node.InputShape(ih)[1]);
    w.hidden = static_cast<size_t>(node.InputShape(hh)[1]);
    return w;
  };
  if (!lstm) {
    RunDirection(node, operands, weights(G::kWeightIh, G::kWeightHh, G::kBias),
                 Stepper(node, operands, -1), nullptr,
                 node.String(G::kDirection, "forward") == "reverse", 0,
                 node.Bool(G::kOutputSequence, false), results);
    return results;
  }
  const std::string_view direction = node.String(L::kDirection, "forward");
  const bool whole = node.Bool(L::kOutputSequence, false);
  const Numbers* c = OperandAt(node, operands, L::kInitialC);
  const Weights ahead = weights(L::kWeightIh, L::kWeightHh, L::kBias);
  RunDirection(node, operands, ahead, Stepper(node, operands, L::kPeephole), c,
               direction == "reverse", 0, whole, results);
  if (direction == "bidirectional") {
    RunDirection(node, operands, weights(L::kWeightIhBack, L::kWeightHhBack, L::kBiasBack),
                 Stepper(node, operands, L::kPeepholeBack), c, true, ahead.hidden, whole, results);
  }
  return results;
}

}  // namespace anecheck::testing
