// Published vectors of functions, reductions, comparisons, normalizations and recurrent cells as
// operations of the table.

#include "oracles/testing/vector_model.h"

namespace anecheck::testing::vectors {
namespace {

bool IsFloatOperand(Model& m, ValueId x) {
  return x != kNoValue && IsFloat(m.c.graph.type(x).dtype);
}
bool Flag(const Model& m, const char* name) {
  return m.Has(name) && m.attributes()[name].get<bool>();
}

template <OpKind kKind>
ValueId Function(Model& m) {
  const ValueId x = m.Operand(0);
  return IsFloatOperand(m, x) ? m.c.Unary(kKind, x) : kNoValue;
}

// The operation without the epsilon that MIL adds.
template <OpKind kKind>
ValueId WithoutEpsilon(Model& m) {
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x)) return kNoValue;
  return m.c.Begin(kKind).Arg(0, x).Float(params::WithEpsilon::kEpsilon, 0).Finish();
}

ValueId Alpha(Model& m, OpKind kind, double fallback) {
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x)) return kNoValue;
  const double alpha = m.Number("alpha", fallback);
  return m.c.Begin(kind).Arg(0, x).Float(params::WithAlpha::kAlpha, alpha).Finish();
}
ValueId Elu(Model& m) { return Alpha(m, OpKind::kElu, 1); }
ValueId LeakyRelu(Model& m) { return Alpha(m, OpKind::kLeakyRelu, 0.01); }

ValueId AlphaBeta(Model& m, OpKind kind, double alpha, double beta) {
  using P = params::WithAlphaBeta;
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x)) return kNoValue;
  return m.c.Begin(kind)
      .Arg(P::kX, x)
      .Float(P::kAlpha, m.Number("alpha", alpha))
      .Float(P::kBeta, m.Number("beta", beta))
      .Finish();
}
ValueId HardSigmoid(Model& m) { return AlphaBeta(m, OpKind::kSigmoidHard, 0.2, 0.5); }
ValueId Linear(Model& m) { return AlphaBeta(m, OpKind::kLinearActivation, 1, 0); }

// Returns the negative of operand 0, which is exact.
ValueId Negative(Model& m) {
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x)) return kNoValue;
  return m.c.Binary(OpKind::kMul, x, m.c.Const(MakeTensor(m.c.graph.type(x).dtype, {1}, {-1})));
}

ValueId Cast(Model& m, ValueId x, DType to) {
  if (x == kNoValue) return kNoValue;
  return m.c.Begin(OpKind::kCast)
      .Arg(params::Cast::kX, x)
      .String(params::Cast::kDtype, DTypeName(to))
      .Finish();
}
// Casts to the record's output type, because booleans of the sources are bytes.
ValueId AsOutput(Model& m, ValueId x) {
  const auto wanted = m.OutputType();
  if (x == kNoValue || !wanted) return kNoValue;
  return m.c.graph.type(x).dtype == *wanted ? x : Cast(m, x, *wanted);
}
ValueId Truth(Model& m, size_t i) {
  const ValueId x = m.Operand(i);
  return x == kNoValue || m.c.graph.type(x).dtype == DType::kBool ? x : Cast(m, x, DType::kBool);
}

template <OpKind kKind>
ValueId Compare(Model& m) {
  const ValueId x = m.Operand(0);
  const ValueId y = m.Operand(1);
  if (x == kNoValue || y == kNoValue) return kNoValue;
  const DType dtype = m.c.graph.type(x).dtype;
  if (!IsFloat(dtype) && dtype != DType::kInt32) return kNoValue;
  return AsOutput(m, m.c.Binary(kKind, x, y));
}
template <OpKind kKind>
ValueId Logical(Model& m) {
  const ValueId x = Truth(m, 0);
  const ValueId y = Truth(m, 1);
  if (x == kNoValue || y == kNoValue) return kNoValue;
  return AsOutput(m, m.c.Binary(kKind, x, y));
}
ValueId LogicalNot(Model& m) {
  const ValueId x = Truth(m, 0);
  return x == kNoValue ? kNoValue : AsOutput(m, m.c.Unary(OpKind::kLogicalNot, x));
}
ValueId Where(Model& m) {
  using P = params::Select;
  const ValueId condition = Truth(m, 0);
  const ValueId a = m.Operand(1);
  const ValueId b = m.Operand(2);
  if (condition == kNoValue || a == kNoValue || b == kNoValue) return kNoValue;
  return m.c.Begin(OpKind::kSelect).Arg(P::kCond, condition).Arg(P::kA, a).Arg(P::kB, b).Finish();
}
ValueId Power(Model& m) {
  const ValueId x = m.Operand(0);
  const ValueId y = m.Operand(1);
  if (!IsFloatOperand(m, x) || !IsFloatOperand(m, y)) return kNoValue;
  return m.c.Binary(OpKind::kPow, x, y);
}

ValueId Slopes(Model& m) {
  using P = params::WithAlpha;
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x) || m.ShapeOf(0).rank() < 3) return kNoValue;
  const Shape slope = m.ShapeOf(1);
  const int64_t channels = m.ShapeOf(0)[1];
  // One slope for each channel, in a shape that broadcasts: [C, 1, 1] or [1, C, 1, 1].
  Shape wanted = m.ShapeOf(0);
  for (int axis = 0; axis < wanted.rank(); ++axis) wanted[axis] = axis == 1 ? channels : 1;
  Shape padded = wanted;
  for (int axis = 0; axis < wanted.rank(); ++axis) {
    const int at = axis - (wanted.rank() - slope.rank());
    padded[axis] = at < 0 ? 1 : slope[at];
  }
  if (padded != wanted) return kNoValue;
  const DType dtype = m.c.graph.type(x).dtype;
  const ValueId alpha = m.c.Const(MakeTensor(dtype, {channels}, m.Data(1)));
  return m.c.Begin(OpKind::kPrelu).Arg(P::kX, x).Arg(P::kAlpha, alpha).Finish();
}

// ---- reductions and running sums ----

ValueId ReduceOver(Model& m, OpKind kind, const std::optional<Integers>& axes, bool keep) {
  using P = params::Reduce;
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x) || (axes && axes->empty())) return kNoValue;
  m.c.Begin(kind).Arg(P::kX, x);
  if (axes) m.c.graph.AddInts(P::kAxes, *axes);
  return m.c.Bool(P::kKeepDims, keep).Finish();
}
template <OpKind kKind>
ValueId Reduce(Model& m) {
  const auto axes = m.Has("axes") ? std::optional(m.List("axes")) : std::nullopt;
  return ReduceOver(m, kKind, axes, Flag(m, "keepDimensions"));
}
template <OpKind kKind>
ValueId OnnxReduce(Model& m) {
  std::optional<Integers> axes;
  if (m.inputs() > 1 && !m.Data(1).empty()) axes = m.IntegerData(1);
  if (!axes && m.Has("axes")) axes = m.List("axes");
  if (!axes && m.Number("noop_with_empty_axes", 0) != 0) return kNoValue;
  return ReduceOver(m, kKind, axes, m.Number("keepdims", 1) != 0);
}

ValueId ArgumentOver(Model& m, OpKind kind, bool keep) {
  using P = params::ReduceArg;
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x) || m.OutputType() != DType::kInt32) return kNoValue;
  const auto axis = static_cast<int64_t>(m.Number("axis", 0));
  return m.c.Begin(kind).Arg(P::kX, x).Int(P::kAxis, axis).Bool(P::kKeepDims, keep).Finish();
}
template <OpKind kKind>
ValueId Argument(Model& m) {
  return ArgumentOver(m, kKind, Flag(m, "keepDimensions"));
}

ValueId RunningSum(Model& m) {
  using P = params::Cumsum;
  const ValueId x = m.Operand(0);
  if (!IsFloatOperand(m, x)) return kNoValue;
  return m.c.Begin(OpKind::kCumsum)
      .Arg(P::kX, x)
      .Int(P::kAxis, static_cast<int64_t>(m.Number("axis", 0)))
      .Bool(P::kExclusive, Flag(m, "exclusive"))
      .Bool(P::kReverse, Flag(m, "reversed"))
      .Finish();
}

// A band has bounds on both sides of the main diagonal. A triangle is a band only if its bounding
// diagonal is the main diagonal or lies on its other side.
ValueId Triangle(Model& m) {
  using P = params::BandPart;
  const ValueId x = m.Operand(0);
  const auto diagonal = static_cast<int64_t>(m.Number("diagonal", 0));
  const bool upper = !m.Has("upper") || Flag(m, "upper");
  if (!IsFloatOperand(m, x) || (upper ? diagonal > 0 : diagonal < 0)) return kNoValue;
  return m.c.Begin(OpKind::kBandPart)
      .Arg(P::kX, x)
      .Int(P::kLower, upper ? -diagonal : -1)
      .Int(P::kUpper, upper ? -1 : diagonal)
      .Finish();
}

// ---- normalizations and windows ----

ValueId BatchNorm(Model& m) {
  using P = params::BatchNorm;
  if (m.ShapeOf(0).rank() < 3 || m.Number("axis", 1) != 1) return kNoValue;
  const ValueId x = m.Operand(0);
  const ValueId mean = m.Operand(1);
  const ValueId variance = m.Operand(2);
  const auto scale = m.Named("scale");
  const auto bias = m.Named("bias");
  const ValueId gamma = scale ? m.Operand(*scale) : kNoValue;
  const ValueId beta = bias ? m.Operand(*bias) : kNoValue;
  m.c.Begin(OpKind::kBatchNorm).Arg(P::kX, x).Arg(P::kMean, mean).Arg(P::kVariance, variance);
  if (gamma != kNoValue) m.c.Arg(P::kGamma, gamma);
  if (beta != kNoValue) m.c.Arg(P::kBeta, beta);
  return m.c.Float(P::kEpsilon, m.Number("epsilon", 1e-5)).Finish();
}

ValueId InstanceNorm(Model& m) {
  using P = params::InstanceNorm;
  if (m.Text("layout", "nchw") != "nchw") return kNoValue;
  const ValueId x = m.Operand(0);
  const auto scale = m.Named("scale");
  const auto bias = m.Named("bias");
  const ValueId gamma = scale ? m.Operand(*scale) : kNoValue;
  const ValueId beta = bias ? m.Operand(*bias) : kNoValue;
  m.c.Begin(OpKind::kInstanceNorm).Arg(P::kX, x);
  if (gamma != kNoValue) m.c.Arg(P::kGamma, gamma);
  if (beta != kNoValue) m.c.Arg(P::kBeta, beta);
  return m.c.Float(P::kEpsilon, m.Number("epsilon", 1e-5)).Finish();
}

ValueId RootPool(Model& m) {
  using P = params::Pool;
  const Shape shape = m.ShapeOf(0);
  if (m.Text("layout", "nchw") != "nchw" || m.Has("outputSizes")) return kNoValue;
  if (m.List("dilations", {1, 1}) != Integers{1, 1}) return kNoValue;
  const ValueId x = m.Operand(0);
  m.c.Begin(OpKind::kL2Pool).Arg(P::kX, x);
  m.c.graph.AddInts(P::kKernelSizes, m.List("windowDimensions", {shape[2], shape[3]}));
  m.c.graph.AddInts(P::kStrides, m.List("strides", {1, 1}));
  m.c.String(P::kPadType, "custom");
  m.c.graph.AddInts(P::kPad, m.List("padding", {0, 0, 0, 0}));
  return m.c.Bool(P::kCeilMode, m.Text("roundingType", "floor") == "ceil").Finish();
}

ValueId ConvTranspose(Model& m) {
  using P = params::ConvTranspose;
  if (m.Text("inputLayout", "nchw") != "nchw") return kNoValue;
  const std::string layout = m.Text("filterLayout", "iohw");
  Integers perm;
  for (const char axis : std::string("iohw")) {
    perm.push_back(static_cast<int64_t>(layout.find(axis)));
  }
  const ValueId x = m.Operand(0);
  const ValueId weight = m.Constant(1, perm);
  const ValueId bias = m.inputs() > 2 ? m.Operand(2) : kNoValue;
  m.c.Begin(OpKind::kConvTranspose).Arg(P::kX, x).Arg(P::kWeight, weight);
  if (bias != kNoValue) m.c.Arg(P::kBias, bias);
  m.c.graph.AddInts(P::kPad, m.List("padding", {0, 0, 0, 0}));
  m.c.graph.AddInts(P::kOutputShape, m.OutputShape());
  m.c.String(P::kPadType, "custom");
  m.c.graph.AddInts(P::kStrides, m.List("strides", {1, 1}));
  m.c.graph.AddInts(P::kDilations, m.List("dilations", {1, 1}));
  return m.c.Int(P::kGroups, static_cast<int64_t>(m.Number("groups", 1))).Finish();
}

// ---- recurrent layers ----

// Reorders the gates of the record's layout into MIL's order. Each gate has `block` numbers.
std::vector<double> Gates(const std::vector<double>& rows, const std::string& layout,
                          const std::string& wanted, size_t block) {
  std::vector<double> ordered;
  for (const char gate : wanted) {
    const size_t from = layout.find(gate) * block;
    ordered.insert(ordered.end(), rows.begin() + static_cast<ptrdiff_t>(from),
                   rows.begin() + static_cast<ptrdiff_t>(from + block));
  }
  return ordered;
}

class Recurrent {
 public:
  Recurrent(Model& m, std::string layout, std::string wanted)
      : m_(m),
        layout_(std::move(layout)),
        wanted_(std::move(wanted)),
        hidden_(static_cast<size_t>(m.Number("hiddenSize", 0))) {}

  // Whether the layer has one direction, forward or backward.
  bool Expressible() const {
    const auto weight = m_.Named("weight");
    return weight && m_.ShapeOf(*weight)[0] == 1 && m_.Text("direction", "forward") != "both";
  }
  DType dtype() const { return *m_.OutputType(); }
  std::string Direction() const {
    return m_.Text("direction", "forward") == "backward" ? "reverse" : "forward";
  }
  std::string Activation(size_t i, const char* fallback) const {
    if (!m_.Has("activations")) return fallback;
    return m_.attributes()["activations"][i].get<std::string>();
  }
  ValueId Weight(const char* name) {
    const size_t i = *m_.Named(name);
    const int64_t columns = m_.ShapeOf(i)[2];
    const auto rows = static_cast<int64_t>(wanted_.size() * hidden_);
    return m_.c.Const(
        MakeTensor(dtype(), {rows, columns},
                   Gates(m_.Data(i), layout_, wanted_, hidden_ * static_cast<size_t>(columns))));
  }
  // Returns the sum of the record's biases with these names.
  ValueId Bias(std::initializer_list<const char*> names) {
    std::vector<double> sum(wanted_.size() * hidden_, 0);
    for (const char* name : names) {
      const auto i = m_.Named(name);
      if (!i) continue;
      const std::vector<double> data = m_.Data(*i);
      for (size_t k = 0; k < sum.size(); ++k) sum[k] += data[k];
    }
    const auto count = static_cast<int64_t>(sum.size());
    return m_.c.Const(MakeTensor(dtype(), {count}, Gates(sum, layout_, wanted_, hidden_)));
  }
  ValueId State(const char* name) {
    const int64_t batch = m_.ShapeOf(0)[1];
    const auto i = m_.Named(name);
    const auto size = static_cast<size_t>(batch) * hidden_;
    return m_.c.Const(MakeTensor(dtype(), {batch, static_cast<int64_t>(hidden_)},
                                 i ? m_.Data(*i) : std::vector<double>(size, 0)));
  }
  // Finishes the node. Returns the last h, and puts the other outputs of the record into `further`.
  ValueId Finish(size_t states) {
    const ValueId sequence = m_.c.Finish();
    if (sequence == kNoValue) return kNoValue;
    for (size_t i = 1; i < states; ++i) {
      m_.further.push_back(sequence + 1 + static_cast<ValueId>(i));
    }
    if (m_.OutputCount() > states) m_.further.push_back(sequence);
    return sequence + 1;
  }

 private:
  Model& m_;
  std::string layout_, wanted_;
  size_t hidden_;
};

ValueId Gru(Model& m) {
  using P = params::Gru;
  Recurrent cell(m, m.Text("layout", "zrn"), "rnz");
  if (!cell.Expressible()) return kNoValue;
  const bool reset_after = !m.Has("resetAfter") || m.attributes()["resetAfter"].get<bool>();
  const ValueId bias = cell.Bias({"recurrentBias"});
  const ValueId own = cell.Bias({"bias"});
  const ValueId x = m.Operand(0);
  const ValueId h = cell.State("initialHiddenState");
  const ValueId ih = cell.Weight("weight");
  const ValueId hh = cell.Weight("recurrentWeight");
  m.c.Begin(OpKind::kGru).Arg(P::kX, x).Arg(P::kInitialH, h).Arg(P::kWeightIh, ih);
  m.c.Arg(P::kWeightHh, hh).Arg(P::kBias, bias).Arg(P::kInputBias, own);
  m.c.String(P::kDirection, cell.Direction());
  m.c.Bool(P::kOutputSequence, true).Bool(P::kResetAfter, reset_after);
  m.c.String(P::kRecurrentActivation, cell.Activation(0, "sigmoid"));
  m.c.String(P::kActivation, cell.Activation(1, "tanh"));
  return cell.Finish(1);
}

// ONNX: gates update, reset, new. One direction, sequences first, default activations.
ValueId OnnxGru(Model& m) {
  using P = params::Gru;
  if (m.Has("layout") || m.Has("linear_before_reset") || m.OutputCount() != 1) return kNoValue;
  const Shape x = m.ShapeOf(0);
  const auto hidden = static_cast<size_t>(m.Number("hidden_size", 0));
  const auto rows = static_cast<int64_t>(3 * hidden);
  const auto gates = [&](const std::vector<double>& data, int64_t columns) {
    return Gates(data, "zrn", "rnz", hidden * static_cast<size_t>(columns));
  };
  const auto weight = [&](size_t i) {
    const int64_t columns = m.ShapeOf(i)[2];
    return m.c.Const(MakeTensor(*m.OutputType(), {rows, columns}, gates(m.Data(i), columns)));
  };
  const auto state = static_cast<int64_t>(hidden);
  const ValueId h = m.c.Const(MakeTensor(
      *m.OutputType(), {x[1], state}, std::vector<double>(static_cast<size_t>(x[1]) * hidden, 0)));
  const ValueId input = m.Operand(0);
  const ValueId ih = weight(1);
  const ValueId hh = weight(2);
  std::vector<double> both(2 * static_cast<size_t>(rows), 0);
  if (const auto given = m.Named("B")) both = m.Data(*given);
  const auto middle = both.begin() + static_cast<ptrdiff_t>(rows);
  const auto bias = [&](const std::vector<double>& half) {
    return m.c.Const(MakeTensor(*m.OutputType(), {rows}, gates(half, 1)));
  };
  const ValueId own = bias({both.begin(), middle});
  const ValueId recurrent = bias({middle, both.end()});
  m.c.Begin(OpKind::kGru).Arg(P::kX, input).Arg(P::kInitialH, h).Arg(P::kWeightIh, ih);
  const ValueId sequence =
      m.c.Arg(P::kWeightHh, hh).Arg(P::kBias, recurrent).Arg(P::kInputBias, own).Finish();
  return sequence == kNoValue ? kNoValue : sequence + 1;
}

ValueId Lstm(Model& m) {
  using P = params::Lstm;
  Recurrent cell(m, m.Text("layout", "iofg"), "ifog");
  if (!cell.Expressible()) return kNoValue;
  const ValueId x = m.Operand(0);
  const ValueId h = cell.State("initialHiddenState");
  const ValueId c = cell.State("initialCellState");
  const ValueId ih = cell.Weight("weight");
  const ValueId hh = cell.Weight("recurrentWeight");
  const ValueId bias = cell.Bias({"bias", "recurrentBias"});
  const auto given = m.Named("peepholeWeight");
  ValueId peephole = kNoValue;
  if (given) {
    const std::vector<double> data = m.Data(*given);
    const auto count = static_cast<int64_t>(data.size());
    // The source's order of gates is input, output, forget, and MIL's is input, forget, output.
    peephole =
        m.c.Const(MakeTensor(cell.dtype(), {count}, Gates(data, "iof", "ifo", data.size() / 3)));
  }
  m.c.Begin(OpKind::kLstm).Arg(P::kX, x).Arg(P::kInitialH, h).Arg(P::kInitialC, c);
  m.c.Arg(P::kWeightIh, ih).Arg(P::kWeightHh, hh).Arg(P::kBias, bias);
  if (peephole != kNoValue) m.c.Arg(P::kPeephole, peephole);
  m.c.String(P::kDirection, cell.Direction()).Bool(P::kOutputSequence, true);
  m.c.String(P::kRecurrentActivation, cell.Activation(0, "sigmoid"));
  m.c.String(P::kCellActivation, cell.Activation(1, "tanh"));
  m.c.String(P::kActivation, cell.Activation(2, "tanh"));
  return cell.Finish(2);
}

}  // namespace

const Mappings& FunctionMappings() {
  static const Mappings kMappings = {{"abs", Function<OpKind::kAbs>},
                                     {"ceil", Function<OpKind::kCeil>},
                                     {"floor", Function<OpKind::kFloor>},
                                     {"exp", Function<OpKind::kExp>},
                                     {"sqrt", Function<OpKind::kSqrt>},
                                     {"erf", Function<OpKind::kErf>},
                                     {"sin", Function<OpKind::kSin>},
                                     {"cos", Function<OpKind::kCos>},
                                     {"tan", Function<OpKind::kTan>},
                                     {"sign", Function<OpKind::kSign>},
                                     {"softplus", Function<OpKind::kSoftplus>},
                                     {"softsign", Function<OpKind::kSoftsign>},
                                     {"identity", Function<OpKind::kIdentity>},
                                     {"log", WithoutEpsilon<OpKind::kLog>},
                                     {"reciprocal", WithoutEpsilon<OpKind::kInverse>},
                                     {"neg", Negative},
                                     {"elu", Elu},
                                     {"leakyRelu", LeakyRelu},
                                     {"hardSigmoid", HardSigmoid},
                                     {"linear", Linear},
                                     {"prelu", Slopes},
                                     {"pow", Power},
                                     {"equal", Compare<OpKind::kEqual>},
                                     {"notEqual", Compare<OpKind::kNotEqual>},
                                     {"lesser", Compare<OpKind::kLess>},
                                     {"lesserOrEqual", Compare<OpKind::kLessEqual>},
                                     {"greater", Compare<OpKind::kGreater>},
                                     {"greaterOrEqual", Compare<OpKind::kGreaterEqual>},
                                     {"logicalAnd", Logical<OpKind::kLogicalAnd>},
                                     {"logicalOr", Logical<OpKind::kLogicalOr>},
                                     {"logicalXor", Logical<OpKind::kLogicalXor>},
                                     {"logicalNot", LogicalNot},
                                     {"where", Where},
                                     {"reduceL1", Reduce<OpKind::kReduceL1Norm>},
                                     {"reduceL2", Reduce<OpKind::kReduceL2Norm>},
                                     {"reduceLogSum", Reduce<OpKind::kReduceLogSum>},
                                     {"reduceLogSumExp", Reduce<OpKind::kReduceLogSumExp>},
                                     {"reduceMean", Reduce<OpKind::kReduceMean>},
                                     {"reduceMin", Reduce<OpKind::kReduceMin>},
                                     {"reduceProduct", Reduce<OpKind::kReduceProd>},
                                     {"reduceSumSquare", Reduce<OpKind::kReduceSumSquare>},
                                     {"argMax", Argument<OpKind::kReduceArgmax>},
                                     {"argMin", Argument<OpKind::kReduceArgmin>},
                                     {"cumulativeSum", RunningSum},
                                     {"triangular", Triangle},
                                     {"batchNormalization", BatchNorm},
                                     {"instanceNormalization", InstanceNorm},
                                     {"l2Pool2d", RootPool},
                                     {"convTranspose2d", ConvTranspose},
                                     {"gru", Gru},
                                     {"GRU", OnnxGru},
                                     {"lstm", Lstm},
                                     {"Abs", Function<OpKind::kAbs>},
                                     {"Acos", Function<OpKind::kAcos>},
                                     {"Atanh", Function<OpKind::kAtanh>},
                                     {"Asinh", Function<OpKind::kAsinh>},
                                     {"Ceil", Function<OpKind::kCeil>},
                                     {"Cos", Function<OpKind::kCos>},
                                     {"Cosh", Function<OpKind::kCosh>},
                                     {"Exp", Function<OpKind::kExp>},
                                     {"Identity", Function<OpKind::kIdentity>},
                                     {"Round", Function<OpKind::kRound>},
                                     {"Sin", Function<OpKind::kSin>},
                                     {"Sinh", Function<OpKind::kSinh>},
                                     {"Softsign", Function<OpKind::kSoftsign>},
                                     {"Sqrt", Function<OpKind::kSqrt>},
                                     {"Log", WithoutEpsilon<OpKind::kLog>},
                                     {"Reciprocal", WithoutEpsilon<OpKind::kInverse>},
                                     {"Elu", Elu},
                                     {"LeakyRelu", LeakyRelu},
                                     {"HardSigmoid", HardSigmoid},
                                     {"Pow", Power},
                                     {"Equal", Compare<OpKind::kEqual>},
                                     {"Less", Compare<OpKind::kLess>},
                                     {"LessOrEqual", Compare<OpKind::kLessEqual>},
                                     {"Greater", Compare<OpKind::kGreater>},
                                     {"GreaterOrEqual", Compare<OpKind::kGreaterEqual>},
                                     {"And", Logical<OpKind::kLogicalAnd>},
                                     {"Or", Logical<OpKind::kLogicalOr>},
                                     {"Xor", Logical<OpKind::kLogicalXor>},
                                     {"Not", LogicalNot},
                                     {"ReduceL1", OnnxReduce<OpKind::kReduceL1Norm>},
                                     {"ReduceL2", OnnxReduce<OpKind::kReduceL2Norm>},
                                     {"ReduceLogSum", OnnxReduce<OpKind::kReduceLogSum>},
                                     {"ReduceLogSumExp", OnnxReduce<OpKind::kReduceLogSumExp>},
                                     {"ReduceMean", OnnxReduce<OpKind::kReduceMean>},
                                     {"ReduceMin", OnnxReduce<OpKind::kReduceMin>},
                                     {"ReduceProd", OnnxReduce<OpKind::kReduceProd>},
                                     {"ReduceSumSquare", OnnxReduce<OpKind::kReduceSumSquare>}};
  return kMappings;
}

}  // namespace anecheck::testing::vectors
