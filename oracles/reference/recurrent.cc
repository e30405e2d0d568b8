// Kernels of recurrent cells, derived gate by gate: sums of products, activation, elementwise
// steps. No source says how an engine fuses them, so it may round each intermediate to fp32 or to
// the element type.
#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/exact_sum.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/store.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kCellTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit, Term::kBiasRounding,
                               Term::kSigmoidTable,    Term::kTanhTable,       Term::kFunctionUlp};

// A number and the interval of an engine's values for it. The number has more bits than a double
// because gates saturate: a gate 2^-70 below 1 may decide how a sum between two elements rounds.
struct Uncertain {
  Wide value = 0;
  double low = 0;
  double high = 0;
  bool nan = false;  // NaN is also admitted; low and high are then infinite

  bool Infinite() const { return low == -kInfinity || high == kInfinity; }
  bool HasZero() const { return low <= 0 && high >= 0; }
  bool Finite() const { return std::fabs(low) < kInfinity && std::fabs(high) < kInfinity; }
};

// Returns a number whose interval is unbounded and admits NaN.
Uncertain Unknown(const Wide& value) { return {value, -kInfinity, kInfinity, true}; }

enum class Curve { kTanh, kSigmoid, kRelu, kLinear, kHardSigmoid };

Curve CurveFrom(std::string_view name) {
  if (name == "sigmoid") return Curve::kSigmoid;
  if (name == "relu") return Curve::kRelu;
  if (name == "hard_sigmoid" || name == "sigmoid_hard") return Curve::kHardSigmoid;
  return name == "linear" ? Curve::kLinear : Curve::kTanh;
}

Wide Plus(const Wide& a, const Wide& b) {
  const double sum = a.high() + b.high();
  return std::isfinite(sum) ? a + b : Wide(sum);
}

Wide Times(const Wide& a, const Wide& b) {
  const double product = a.high() * b.high();
  return std::isfinite(product) ? a * b : Wide(product);
}

// Returns e^-x for x >= 0. The result is never 0, so that it still affects the rounding of a sum.
Wide Decay(const Wide& x) { return x.high() > 690 ? Wide(0x1p-996) : Exp(-x); }

Wide Sigmoid(const Wide& x) {
  if (!std::isfinite(x.high())) return 1 / (1 + std::exp(-x.high()));
  if (x.high() == 0) return 0.5;
  const Wide decay = Decay(x.high() < 0 ? -x : x);
  const Wide tail = decay / (Wide(1) + decay);
  return x.high() < 0 ? tail : Wide(1) - tail;
}

Wide Tanh(const Wide& x) {
  if (!std::isfinite(x.high())) return std::tanh(x.high());
  if (std::fabs(x.high()) < 0x1p-10) {
    // x - x^3/3 + 2 x^5/15 - 17 x^7/315, because the difference in the other formula cancels.
    const Wide square = x * x;
    const Wide rest = Wide(2) / Wide(15) - square * (Wide(17) / Wide(315));
    return x * (Wide(1) - square * (Wide(1) / Wide(3) - square * rest));
  }
  const Wide decay = Decay((x.high() < 0 ? -x : x) * Wide(2));
  const Wide magnitude = Wide(1) - Wide(2) * decay / (Wide(1) + decay);
  return x.high() < 0 ? -magnitude : magnitude;
}

Wide Apply(Curve curve, const Wide& x) {
  switch (curve) {
    case Curve::kTanh:
      return Tanh(x);
    case Curve::kSigmoid:
      return Sigmoid(x);
    case Curve::kRelu:
      return x.high() < 0 ? Wide(0) : x;
    case Curve::kLinear:
    case Curve::kHardSigmoid:
      return x;
  }
  return x;
}

double Apply(Curve curve, double x) {
  switch (curve) {
    case Curve::kTanh:
      return std::tanh(x);
    case Curve::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Curve::kRelu:
      return x < 0 ? 0 : x;
    case Curve::kLinear:
    case Curve::kHardSigmoid:
      return x;
  }
  return x;
}

// The arithmetic of one cell on uncertain numbers.
class CellMath {
 public:
  CellMath(const Contract& contract, DType dtype)
      : contract_(contract),
        grid_(dtype),
        rounds_(contract.Allows(Term::kBiasRounding) || contract.Allows(Term::kWideIntermediate)) {}

  // Returns an intermediate that an engine may keep exact, or round to fp32, to the element type or
  // to one after the other.
  Uncertain Held(Uncertain x) const {
    if (!rounds_) return x;
    const auto store = [this](double end) { return grid_.Round(end); };
    x.low = OuterLow(store, WidenDown(x.low), true);
    x.high = OuterHigh(store, WidenUp(x.high), true);
    return x;
  }
  Uncertain Add(const Uncertain& a, const Uncertain& b) const {
    const bool opposite = (a.high == kInfinity && b.low == -kInfinity) ||
                          (a.low == -kInfinity && b.high == kInfinity);
    const Wide sum = Plus(a.value, b.value);
    if (a.nan || b.nan || opposite) return Unknown(sum);
    return Held({sum, AddDown(a.low, b.low), AddUp(a.high, b.high)});
  }
  Uncertain Multiply(const Uncertain& a, const Uncertain& b) const {
    const bool invalid = (a.Infinite() && b.HasZero()) || (b.Infinite() && a.HasZero());
    const Wide product = Times(a.value, b.value);
    if (a.nan || b.nan || invalid) return Unknown(product);
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return Held({product, low, high});
  }
  Uncertain OneMinus(const Uncertain& a) const {
    return Held({Plus(1, -a.value), 1 - a.high, 1 - a.low, a.nan});
  }
  Uncertain Clip(Uncertain a, double limit) const {
    if (Plus(a.value, -limit).high() > 0) a.value = limit;
    if (Plus(a.value, limit).high() < 0) a.value = -limit;
    for (double* const end : {&a.low, &a.high}) *end = std::clamp(*end, -limit, limit);
    return a;
  }
  Uncertain Activate(Curve curve, const Uncertain& x) const {
    if (curve == Curve::kHardSigmoid) return HardSigmoid(x);
    const bool zero = x.low == 0 && x.high == 0 && curve != Curve::kSigmoid;
    const double low = Apply(curve, x.low), high = Apply(curve, x.high);
    return Held({Apply(curve, x.value), low - (zero ? 0 : ErrorOf(curve, low)),
                 high + (zero ? 0 : ErrorOf(curve, high)), x.nan});
  }

 private:
  // The error that the contract grants the curve at the value `y`.
  double ErrorOf(Curve curve, double y) const {
    if (curve != Curve::kTanh && curve != Curve::kSigmoid) return 0;
    const Term table = curve == Curve::kTanh ? Term::kTanhTable : Term::kSigmoidTable;
    return contract_[table] + contract_[Term::kFunctionUlp] * grid_.Ulp(y);
  }
  // Returns 0.2 x + 0.5 clamped to [0, 1], with 0.2 rounded to fp32 or to the element type.
  Uncertain HardSigmoid(const Uncertain& x) const {
    const double given = RoundToFloat(0.2);
    const double other = grid_.Round(0.2);
    const double low = rounds_ ? std::min({given, other, 0.2}) : given;
    const double high = rounds_ ? std::max({given, other, 0.2}) : given;
    Uncertain y = Add(Multiply({given, low, high}, x), {0.5, 0.5, 0.5});
    if (y.value.high() < 0) y.value = 0;
    if (Plus(y.value, -1).high() > 0) y.value = 1;
    for (double* const end : {&y.low, &y.high}) *end = std::clamp(*end, 0.0, 1.0);
    return y;
  }

  const Contract& contract_;
  Grid grid_;
  bool rounds_;
};

// The state of one batch row between steps, stored as lanes for the next sums.
class RowState {
 public:
  explicit RowState(size_t size)
      : number_(size), value_(size), low_(size), high_(size), nan_(size, 0) {}
  void Load(const BoundedTensor& tensor, size_t start) {
    for (size_t k = 0; k < value_.size(); ++k) {
      Set(k, {tensor.value[start + k], tensor.low[start + k], tensor.high[start + k],
              tensor.NanAt(start + k)});
    }
  }
  void Set(size_t k, const Uncertain& x) {
    number_[k] = x.value;
    value_[k] = x.value.high();
    low_[k] = x.low;
    high_[k] = x.high;
    nan_[k] = x.nan ? 1 : 0;
  }
  Uncertain At(size_t k) const { return {number_[k], low_[k], high_[k], nan_[k] != 0}; }
  // The values, rounded to double.
  Lanes lanes() const { return {value_.data(), low_.data(), high_.data(), nan_.data()}; }

 private:
  std::vector<Wide> number_;
  std::vector<double> value_, low_, high_;
  std::vector<uint8_t> nan_;
};

// The weights of one direction, and the sums that its gates need.
class CellWeights {
 public:
  CellWeights(KernelContext& context, const CellMath& math, int weight_ih, int weight_hh, int bias,
              BoundedTensor& initial_h)
      : math_(math),
        ih_(context.Input(weight_ih)),
        hh_(context.Input(weight_hh)),
        bias_(context.OptionalInput(bias)),
        input_(context, context.Input(0), &ih_),
        recurrent_(context, initial_h, &hh_),
        inner_(static_cast<size_t>(ih_.type.shape[1])),
        hidden_(static_cast<size_t>(hh_.type.shape[1])) {}

  size_t hidden() const { return hidden_; }
  // Returns W_ih x for one row of W_ih.
  Uncertain Input(const BoundedTensor& x, size_t start, size_t row) {
    return Of(input_.Dot(LanesAt(x, start), LanesAt(ih_, row * inner_), inner_));
  }
  // Returns W_hh h for one row of W_hh. h need not be on a grid, so the value is summed exactly.
  Uncertain Recurrent(const RowState& h, size_t row) {
    const Lanes lanes = h.lanes();
    Uncertain sum = Of(recurrent_.Dot(lanes, LanesAt(hh_, row * hidden_), hidden_));
    if (std::any_of(lanes.nan, lanes.nan + hidden_, [](uint8_t nan) { return nan != 0; })) {
      sum = Unknown(0);
    }
    exact_.Clear();
    double plain = 0;
    for (size_t k = 0; k < hidden_; ++k) {
      const double weight = hh_.value[row * hidden_ + k];
      plain += lanes.value[k] * weight;
      if (!(std::fabs(plain) < kInfinity)) continue;
      exact_.AddProduct(lanes.value[k], weight);
      exact_.AddProduct(h.At(k).value.low(), weight);
    }
    sum.value = std::fabs(plain) < kInfinity ? exact_.Odd() : plain;
    return sum;
  }
  Uncertain Bias(size_t row) const {
    if (bias_ == nullptr) return {};
    return {bias_->value[row], bias_->low[row], bias_->high[row]};
  }

 private:
  Uncertain Of(const Accumulated& sum) const {
    if (sum.nan || sum.beyond != 0 || sum.empty()) return Unknown(sum.value);
    return math_.Held({sum.value, sum.low, sum.high});
  }

  const CellMath& math_;
  BoundedTensor& ih_;
  BoundedTensor& hh_;
  const BoundedTensor* bias_;
  Accumulator input_;
  Accumulator recurrent_;
  ExactSum exact_;
  size_t inner_;
  size_t hidden_;
};

// The data that one step of a cell reads.
struct Step {
  const CellMath& math;
  CellWeights& weights;
  const BoundedTensor& x;
  size_t x_start = 0;
  const RowState& h;

  // Returns W_ih x + b + W_hh h for one row of the weights.
  Uncertain Gate(size_t row) const {
    const Uncertain input = math.Add(weights.Input(x, x_start, row), weights.Bias(row));
    return math.Add(input, weights.Recurrent(h, row));
  }
};

// ---- the cells ----------------------------------------------------------------------------------

struct LstmCell {
  Curve recurrent, cell, output;
  const BoundedTensor* peephole = nullptr;
  double clip = kInfinity;

  LstmCell(KernelContext& context, int peephole_parameter) {
    using P = params::Lstm;
    const NodeView& node = context.node();
    recurrent = CurveFrom(node.String(P::kRecurrentActivation, "sigmoid"));
    cell = CurveFrom(node.String(P::kCellActivation, "tanh"));
    output = CurveFrom(node.String(P::kActivation, "tanh"));
    if (context.HasInput(peephole_parameter)) peephole = &context.Input(peephole_parameter);
    if (node.HasAttribute(P::kClip)) {
      clip = Literal(context, P::kClip, 0);
    }
  }

  Uncertain Peep(const CellMath& math, Uncertain gate, const Uncertain& c, size_t place) const {
    if (peephole == nullptr) return gate;
    const Uncertain weight = {peephole->value[place], peephole->low[place], peephole->high[place]};
    return math.Add(gate, math.Multiply(weight, c));
  }

  // Gates are in the order input, forget, output, cell.
  void Run(const Step& step, const RowState& c, RowState& next_h, RowState& next_c) const {
    const CellMath& math = step.math;
    const size_t n = step.weights.hidden();
    for (size_t k = 0; k < n; ++k) {
      const Uncertain before = c.At(k);
      const Uncertain i = math.Activate(recurrent, Peep(math, step.Gate(k), before, k));
      const Uncertain f = math.Activate(recurrent, Peep(math, step.Gate(n + k), before, n + k));
      const Uncertain z = math.Activate(cell, step.Gate(3 * n + k));
      Uncertain after = math.Add(math.Multiply(f, before), math.Multiply(i, z));
      // The operation's text clips the gate, but Core ML clips the state in its predictions. The
      // runtime test of coremltools (test_recurrent.py, TestLSTM) checks these predictions.
      if (clip < kInfinity) after = math.Clip(after, clip);
      const Uncertain o =
          math.Activate(recurrent, Peep(math, step.Gate(2 * n + k), after, 2 * n + k));
      next_c.Set(k, after);
      next_h.Set(k, math.Multiply(o, math.Activate(output, after)));
    }
  }
};

// The reset gate multiplies h before its product with the weights, as in Core ML's GRULayerParams
// and in coremltools' runtime test (test_recurrent.py, TestGRU), which checks Core ML's
// predictions. The formula r * (W h) in the operation's text is that of iOS 18's `reset_after`.
struct GruCell {
  Curve recurrent, output;
  bool reset_after = false;
  const BoundedTensor* input_bias = nullptr;

  explicit GruCell(KernelContext& context) {
    using P = params::Gru;
    recurrent = CurveFrom(context.node().String(P::kRecurrentActivation, "sigmoid"));
    output = CurveFrom(context.node().String(P::kActivation, "tanh"));
    reset_after = context.node().Bool(P::kResetAfter, false);
    input_bias = context.OptionalInput(P::kInputBias);
  }

  Uncertain InputBias(size_t row) const {
    return {input_bias->value[row], input_bias->low[row], input_bias->high[row]};
  }
  // Returns the sum of W x, `recurrent_sum` and the biases. An engine may add two biases to each
  // other, or add each bias to its own product.
  Uncertain Sum(const Step& step, size_t row, const Uncertain& recurrent_sum) const {
    const CellMath& math = step.math;
    const Uncertain input = step.weights.Input(step.x, step.x_start, row);
    const Uncertain bias = step.weights.Bias(row);
    if (input_bias == nullptr) return math.Add(math.Add(input, bias), recurrent_sum);
    const Uncertain own = InputBias(row);
    const Uncertain joined = math.Add(math.Add(input, math.Add(own, bias)), recurrent_sum);
    const Uncertain apart = math.Add(math.Add(input, own), math.Add(recurrent_sum, bias));
    return {joined.value, std::min(joined.low, apart.low), std::max(joined.high, apart.high),
            joined.nan || apart.nan};
  }
  // coremltools passes PyTorch's recurrent bias as `bias` and its input bias as `input_bias`
  // (iOS18/test_recurrent.py, test_pytorch_parity).
  Uncertain ResetAfter(const Step& step, size_t row, const Uncertain& r) const {
    const CellMath& math = step.math;
    Uncertain input = step.weights.Input(step.x, step.x_start, row);
    if (input_bias != nullptr) input = math.Add(input, InputBias(row));
    const Uncertain sum = math.Add(step.weights.Recurrent(step.h, row), step.weights.Bias(row));
    return math.Add(input, math.Multiply(r, sum));
  }

  // Gates are in the order reset, output, update. `reset` receives r * h.
  void Run(const Step& step, const RowState&, RowState& next_h, RowState& reset) const {
    const CellMath& math = step.math;
    const size_t n = step.weights.hidden();
    const auto gate = [&](size_t row) {
      return math.Activate(recurrent, Sum(step, row, step.weights.Recurrent(step.h, row)));
    };
    for (size_t k = 0; k < n && !reset_after; ++k) {
      reset.Set(k, math.Multiply(gate(k), step.h.At(k)));
    }
    for (size_t k = 0; k < n; ++k) {
      const Uncertain sum = reset_after ? ResetAfter(step, n + k, gate(k))
                                        : Sum(step, n + k, step.weights.Recurrent(reset, n + k));
      const Uncertain z = gate(2 * n + k);
      const Uncertain o = math.Activate(output, sum);
      next_h.Set(k, math.Add(math.Multiply(math.OneMinus(z), o), math.Multiply(z, step.h.At(k))));
    }
  }
};

struct RnnCell {
  Curve output;
  explicit RnnCell(KernelContext& context) {
    output = CurveFrom(context.node().String(params::Rnn::kActivation, "tanh"));
  }
  void Run(const Step& step, const RowState&, RowState& next_h, RowState&) const {
    for (size_t k = 0; k < step.weights.hidden(); ++k) {
      next_h.Set(k, step.math.Activate(output, step.Gate(k)));
    }
  }
};

// ---- sequences ----------------------------------------------------------------------------------

// The results: the sequence, the last h, and the last c if the cell has one.
struct Outputs {
  Raw sequence, h, c;
  bool has_cell = false;
  size_t width = 0;  // numbers of all directions at one step
  bool whole_sequence = false;
};

void PutAt(const Raw& raw, size_t at, const Uncertain& x) {
  raw.value[at] = ToOdd(x.value.high(), x.value.low());
  const bool known = x.Finite() && !std::isnan(raw.value[at]);
  raw.low[at] = known ? x.low : -kInfinity;
  raw.high[at] = known ? x.high : kInfinity;
  raw.nan[at] = known && !x.nan ? 0 : 1;
}

// Runs one direction of one batch row. `offset` is the first column of the direction.
template <typename Cell>
void RunRow(const Cell& cell, const CellMath& math, CellWeights& weights, const BoundedTensor& x,
            const BoundedTensor& initial_h, const BoundedTensor* initial_c, size_t row,
            size_t offset, bool reverse, const Outputs& out) {
  const size_t n = weights.hidden();
  const auto steps = static_cast<size_t>(x.type.shape[0]);
  const auto batch = static_cast<size_t>(x.type.shape[1]);
  const auto inner = static_cast<size_t>(x.type.shape[2]);
  RowState h(n);
  RowState c(n);
  RowState next_h(n);
  RowState next_c(n);
  h.Load(initial_h, row * out.width + offset);
  if (initial_c != nullptr) c.Load(*initial_c, row * out.width + offset);
  for (size_t s = 0; s < steps; ++s) {
    const size_t t = reverse ? steps - 1 - s : s;
    cell.Run(Step{math, weights, x, (t * batch + row) * inner, h}, c, next_h, next_c);
    std::swap(h, next_h);
    std::swap(c, next_c);
    if (!out.whole_sequence && s + 1 != steps) continue;
    const size_t place = out.whole_sequence ? t : 0;
    for (size_t k = 0; k < n; ++k) {
      PutAt(out.sequence, (place * batch + row) * out.width + offset + k, h.At(k));
    }
  }
  for (size_t k = 0; k < n; ++k) {
    PutAt(out.h, row * out.width + offset + k, h.At(k));
    if (out.has_cell) PutAt(out.c, row * out.width + offset + k, c.At(k));
  }
}

Outputs MakeOutputs(KernelContext& context, bool has_cell, bool whole_sequence) {
  Outputs out;
  out.has_cell = has_cell;
  out.whole_sequence = whole_sequence;
  out.width = static_cast<size_t>(context.Result(1).type.shape[1]);
  out.sequence = AllocateRaw(context, context.Result(0).size, true);
  out.h = AllocateRaw(context, context.Result(1).size, true);
  if (has_cell) out.c = AllocateRaw(context, context.Result(2).size, true);
  return out;
}

void StoreOutputs(KernelContext& context, const Outputs& out) {
  StoreFloats(context, context.Result(0), out.sequence);
  StoreFloats(context, context.Result(1), out.h);
  if (out.has_cell) StoreFloats(context, context.Result(2), out.c);
}

Status Lstm(KernelContext& context) {
  using P = params::Lstm;
  const BoundedTensor& x = context.Input(P::kX);
  const CellMath math(context.contract(), x.type.dtype);
  BoundedTensor& initial_h = context.Input(P::kInitialH);
  const BoundedTensor* initial_c = &context.Input(P::kInitialC);
  const std::string_view direction = context.node().String(P::kDirection, "forward");
  const Outputs out = MakeOutputs(context, true, context.node().Bool(P::kOutputSequence, false));
  const auto batch = static_cast<size_t>(x.type.shape[1]);
  CellWeights ahead(context, math, P::kWeightIh, P::kWeightHh, P::kBias, initial_h);
  const LstmCell cell(context, P::kPeephole);
  for (size_t row = 0; row < batch; ++row) {
    RunRow(cell, math, ahead, x, initial_h, initial_c, row, 0, direction == "reverse", out);
  }
  if (direction == "bidirectional") {
    CellWeights back(context, math, P::kWeightIhBack, P::kWeightHhBack, P::kBiasBack, initial_h);
    const LstmCell back_cell(context, P::kPeepholeBack);
    for (size_t row = 0; row < batch; ++row) {
      RunRow(back_cell, math, back, x, initial_h, initial_c, row, ahead.hidden(), true, out);
    }
  }
  StoreOutputs(context, out);
  return {};
}

template <typename Cell, typename P>
Status OneState(KernelContext& context) {
  const BoundedTensor& x = context.Input(P::kX);
  const CellMath math(context.contract(), x.type.dtype);
  BoundedTensor& initial_h = context.Input(P::kInitialH);
  const Outputs out = MakeOutputs(context, false, context.node().Bool(P::kOutputSequence, false));
  CellWeights weights(context, math, P::kWeightIh, P::kWeightHh, P::kBias, initial_h);
  const Cell cell(context);
  const bool reverse = context.node().String(P::kDirection, "forward") == "reverse";
  for (size_t row = 0; row < static_cast<size_t>(x.type.shape[1]); ++row) {
    RunRow(cell, math, weights, x, initial_h, nullptr, row, 0, reverse, out);
  }
  StoreOutputs(context, out);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceLstm = {.evaluate = reference::Lstm,
                                                  .terms = reference::kCellTerms};
constinit const ReferenceKernel kReferenceGru = {
    .evaluate = reference::OneState<reference::GruCell, params::Gru>,
    .terms = reference::kCellTerms};
constinit const ReferenceKernel kReferenceRnn = {
    .evaluate = reference::OneState<reference::RnnCell, params::Rnn>,
    .terms = reference::kCellTerms};

}  // namespace anecheck
