// Unrolls recurrent cells into linear layers, activations and elementwise operations (coremltools
// op reference, recurrent ops).

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/plan/decomposition.h"

namespace anecheck::plan {
namespace {

constexpr int64_t kMostSteps = 64;

// The parameters of the operands of one direction of a cell; -1 for absent ones.
struct CellOperands {
  int weight_ih, weight_hh, bias, peephole = -1, input_bias = -1;
};

// One direction of one cell.
class Cell {
 public:
  Cell(const Site& site, const CellOperands& operands)
      : site_(site),
        out_(site.out),
        operands_(operands),
        hidden_(site.node.InputShape(operands.weight_hh)[1]) {}

  int64_t hidden() const { return hidden_; }

  // W_ih x + b + W_hh h of all gates: [batch, gates * hidden].
  ValueId Sums(ValueId x, ValueId h) const {
    return out_.Add("add", {{"x", Inputs(x)}, {"y", Recurrent(h)}});
  }
  ValueId Inputs(ValueId x) const {
    return Linear(x, operands_.weight_ih, BiasBesideInputs() ? operands_.bias : InputBias());
  }
  ValueId Recurrent(ValueId h) const {
    return Linear(h, operands_.weight_hh, BiasBesideInputs() ? -1 : operands_.bias);
  }
  ValueId Gate(ValueId sums, int64_t gate) const {
    return out_.SliceAxis(sums, 1, gate * hidden_, hidden_);
  }
  // `gate` plus the cell state times part `part` of the peephole weights.
  ValueId Peep(ValueId gate, int64_t part, ValueId c) const {
    if (operands_.peephole < 0 || !site_.node.HasInput(operands_.peephole)) return gate;
    const std::vector<double> all = site_.Numbers(operands_.peephole);
    const auto mine =
        std::span(all).subspan(static_cast<size_t>(part * hidden_), static_cast<size_t>(hidden_));
    const ValueId weight = out_.Constant({site_.dtype(), {hidden_}}, mine);
    return Plus(gate, Times(c, weight));
  }
  ValueId Times(ValueId x, ValueId y) const { return out_.Add("mul", {{"x", x}, {"y", y}}); }
  ValueId Plus(ValueId x, ValueId y) const { return out_.Add("add", {{"x", x}, {"y", y}}); }
  ValueId Curve(std::string_view name, ValueId x) const {
    if (name == "linear") return x;
    if (name == "hard_sigmoid" || name == "sigmoid_hard") {
      return out_.Add("sigmoid_hard", {{"x", x}}, {{"alpha", 0.2}, {"beta", 0.5}});
    }
    return out_.Add(name == "scaled_tanh" ? "tanh" : name, {{"x", x}});
  }
  const Site& site() const { return site_; }
  bool ResetsAfter() const {
    return operands_.input_bias >= 0 && site_.node.Bool(params::Gru::kResetAfter, false);
  }

 private:
  ValueId Linear(ValueId x, int weight, int bias) const {
    if (bias < 0) return out_.Add("linear", {{"x", x}, {"weight", site_.In(weight)}});
    return out_.Add("linear", {{"x", x}, {"weight", site_.In(weight)}, {"bias", site_.In(bias)}});
  }
  int InputBias() const {
    const int parameter = operands_.input_bias;
    return parameter >= 0 && site_.node.HasInput(parameter) ? parameter : -1;
  }
  // A single bias is added to the inputs' sums, unless the reset gate acts on the recurrent sums.
  bool BiasBesideInputs() const { return InputBias() < 0 && !ResetsAfter(); }

  const Site& site_;
  Builder& out_;
  CellOperands operands_;
  int64_t hidden_;
};

struct CellState {
  ValueId h = kNoValue, c = kNoValue;
};

// Gates i, f, o, z.
CellState LstmStep(const Cell& cell, ValueId x, const CellState& old) {
  using P = params::Lstm;
  const NodeView& node = cell.site().node;
  const std::string_view gate = node.String(P::kRecurrentActivation, "sigmoid");
  const ValueId sums = cell.Sums(x, old.h);
  const ValueId i = cell.Curve(gate, cell.Peep(cell.Gate(sums, 0), 0, old.c));
  const ValueId f = cell.Curve(gate, cell.Peep(cell.Gate(sums, 1), 1, old.c));
  const ValueId z = cell.Curve(node.String(P::kCellActivation, "tanh"), cell.Gate(sums, 3));
  CellState next;
  next.c = cell.Plus(cell.Times(f, old.c), cell.Times(i, z));
  if (node.HasAttribute(P::kClip)) {
    const double limit = node.Float(P::kClip, 0);
    next.c = cell.site().out.Add("clip", {{"x", next.c}}, {{"alpha", -limit}, {"beta", limit}});
  }
  const ValueId o = cell.Curve(gate, cell.Peep(cell.Gate(sums, 2), 2, next.c));
  next.h = cell.Times(o, cell.Curve(node.String(P::kActivation, "tanh"), next.c));
  return next;
}

// Gates r, o, z; the reset gate acts on h, or on the recurrent sum if the node says so.
CellState GruStep(const Cell& cell, ValueId x, const CellState& old) {
  using P = params::Gru;
  const NodeView& node = cell.site().node;
  Builder& out = cell.site().out;
  const std::string_view gate = node.String(P::kRecurrentActivation, "sigmoid");
  const ValueId input = cell.Inputs(x), recurrent = cell.Recurrent(old.h);
  const auto sum = [&](int64_t which) {
    return cell.Plus(cell.Gate(input, which), cell.Gate(recurrent, which));
  };
  const ValueId r = cell.Curve(gate, sum(0));
  const ValueId z = cell.Curve(gate, sum(2));
  const ValueId reset = cell.ResetsAfter() ? cell.Times(r, cell.Gate(recurrent, 1))
                                           : cell.Gate(cell.Recurrent(cell.Times(r, old.h)), 1);
  const ValueId o =
      cell.Curve(node.String(P::kActivation, "tanh"), cell.Plus(cell.Gate(input, 1), reset));
  const ValueId one = out.Scalar(cell.site().dtype(), 1);
  const ValueId rest = out.Add("sub", {{"x", one}, {"y", z}});
  return {cell.Plus(cell.Times(rest, o), cell.Times(z, old.h)), kNoValue};
}

CellState Step(const Cell& cell, ValueId x, const CellState& old) {
  switch (KindOf(cell.site().node.schema())) {
    case OpKind::kLstm:
      return LstmStep(cell, x, old);
    case OpKind::kGru:
      return GruStep(cell, x, old);
    default: {
      const std::string_view curve = cell.site().node.String(params::Rnn::kActivation, "tanh");
      return {cell.Curve(curve, cell.Sums(x, old.h)), kNoValue};
    }
  }
}

// The hidden states of all steps in order of time, and the last state.
struct Run {
  std::vector<ValueId> sequence;
  CellState last;
};

Run RunDirection(const Cell& cell, CellState state, bool reverse) {
  Builder& out = cell.site().out;
  const Shape& x = cell.site().node.InputShape(0);
  Run run;
  run.sequence.resize(static_cast<size_t>(x[0]));
  for (int64_t step = 0; step < x[0] && out.ok(); ++step) {
    const int64_t at = reverse ? x[0] - 1 - step : step;
    const ValueId input = out.Reshape(out.SliceAxis(cell.site().In(0), 0, at, 1), {x[1], x[2]});
    state = Step(cell, input, state);
    run.sequence[static_cast<size_t>(at)] = out.Reshape(state.h, {1, x[1], cell.hidden()});
  }
  run.last = state;
  return run;
}

// The part of an initial state that belongs to one of `directions`.
ValueId Initial(const Site& site, int parameter, int64_t direction, int64_t hidden) {
  const Shape& shape = site.node.InputShape(parameter);
  if (shape[1] == hidden) return site.In(parameter);
  return site.out.SliceAxis(site.In(parameter), 1, direction * hidden, hidden);
}

Run RunCell(const Site& site, const CellOperands& operands, int64_t gates, int64_t direction,
            bool reverse) {
  const Cell cell(site, operands);
  CellState state;
  state.h = Initial(site, 1, direction, cell.hidden());
  if (gates == 4) state.c = Initial(site, params::Lstm::kInitialC, direction, cell.hidden());
  return RunDirection(cell, state, reverse);
}

ValueId Joined(Builder& out, const std::vector<ValueId>& parts, int axis) {
  return out.ok() ? out.Concat(parts, axis) : kNoValue;
}

struct CellForm {
  int64_t gates;
  CellOperands forward;
  int direction, output_sequence;
};

CellForm FormOf(OpKind kind) {
  if (kind == OpKind::kLstm) {
    using P = params::Lstm;
    return {
        4, {P::kWeightIh, P::kWeightHh, P::kBias, P::kPeephole}, P::kDirection, P::kOutputSequence};
  }
  if (kind == OpKind::kGru) {
    using P = params::Gru;
    return {3,
            {P::kWeightIh, P::kWeightHh, P::kBias, -1, P::kInputBias},
            P::kDirection,
            P::kOutputSequence};
  }
  using P = params::Rnn;
  return {1, {P::kWeightIh, P::kWeightHh, P::kBias}, P::kDirection, P::kOutputSequence};
}

}  // namespace

Result<std::vector<ValueId>> UnrolledCell(const Site& site) {
  const CellForm form = FormOf(KindOf(site.node.schema()));
  if (site.node.InputShape(0)[0] > kMostSteps) return NoGraph("too many steps");
  const std::string_view direction = site.node.String(form.direction, "forward");
  std::vector<Run> runs;
  runs.push_back(RunCell(site, form.forward, form.gates, 0, direction == "reverse"));
  if (direction == "bidirectional") {
    using P = params::Lstm;
    const CellOperands back = {P::kWeightIhBack, P::kWeightHhBack, P::kBiasBack, P::kPeepholeBack};
    runs.push_back(RunCell(site, back, form.gates, 1, true));
  }
  std::vector<ValueId> sequences, last_h, last_c;
  for (const Run& run : runs) {
    ANECHECK_RETURN_IF_ERROR(site.out.status());
    last_h.push_back(run.last.h);
    last_c.push_back(run.last.c);
    sequences.push_back(Joined(site.out, run.sequence, 0));
  }
  const ValueId h = Joined(site.out, last_h, 1);
  std::vector<ValueId> results;
  if (site.node.Bool(form.output_sequence, false)) {
    results.push_back(Joined(site.out, sequences, 2));
  } else {
    results.push_back(site.out.Reshape(h, site.node.ResultType(0).shape));
  }
  results.push_back(h);
  if (form.gates == 4) results.push_back(Joined(site.out, last_c, 1));
  ANECHECK_RETURN_IF_ERROR(site.out.status());
  return results;
}

}  // namespace anecheck::plan
