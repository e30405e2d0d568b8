// Rewrites of the convolution class: transposed convolution, folded batch normalization, attention,
// and layers whose weights exceed the kernel memory.
#include <algorithm>
#include <cmath>

#include "harness/ops/params.h"
#include "oracles/plan/decomposition.h"

namespace anecheck::plan {
namespace {

using Ints = std::vector<int64_t>;

// ---- transposed convolution ---------------------------------------------------------------------

// One spatial axis of a transposed convolution, and of the convolution that replaces it.
struct TransposedAxis {
  int64_t input = 1, kernel = 1, output = 1, stride = 1, dilation = 1, before = 0;

  int64_t Spread() const { return (input - 1) * stride + 1; }
  int64_t Reach() const { return (kernel - 1) * dilation; }
  // The number of zeros before and after the spread input; a negative number cuts elements away.
  int64_t PadBefore() const { return Reach() - before; }
  int64_t PadAfter() const { return output - Spread() - PadBefore() + Reach(); }
};

std::vector<TransposedAxis> AxesOf(const NodeView& node) {
  using P = params::ConvTranspose;
  std::vector<TransposedAxis> axes(static_cast<size_t>(node.InputShape(P::kX).rank() - 2));
  const std::string_view type = node.String(P::kPadType, "valid");
  for (size_t i = 0; i < axes.size(); ++i) {
    TransposedAxis& axis = axes[i];
    const int at = static_cast<int>(i) + 2;
    axis.input = node.InputShape(P::kX)[at];
    axis.kernel = node.InputShape(P::kWeight)[at];
    axis.output = node.ResultType().shape[at];
    if (!node.Ints(P::kStrides).empty()) axis.stride = node.Ints(P::kStrides)[i];
    if (!node.Ints(P::kDilations).empty()) axis.dilation = node.Ints(P::kDilations)[i];
    if (type == "custom") axis.before = node.Ints(P::kPad)[2 * i];
    // "same" drops the surplus of the whole result on both sides; an odd element is dropped at the
    // end.
    const int64_t whole = axis.Spread() + axis.Reach();
    if (type == "same") axis.before = std::max<int64_t>(0, whole - axis.output) / 2;
  }
  return axes;
}

// Inserts stride - 1 zeros after every element of one axis.
ValueId SpreadAxis(Builder& out, ValueId x, int axis, int64_t stride) {
  if (stride == 1 || !out.ok()) return x;
  const Shape shape = out.type(x).shape;
  int64_t before = 1, after = 1;
  for (int i = 0; i < axis; ++i) before *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) after *= shape[i];
  const ValueId apart = out.Reshape(x, {before, shape[axis], 1, after});
  const ValueId padded =
      out.Add("pad", {{"x", apart}},
              {{"pad", Ints{0, stride - 1, 0, 0}}, {"mode", std::string_view("constant")}});
  Shape spread = shape;
  spread[axis] *= stride;
  return out.Reshape(padded, spread);
}

// The kernel of the convolution: input and output channels are exchanged within each group, and the
// taps are reversed.
std::vector<double> TurnedKernel(const Site& site, int64_t groups, Shape& shape) {
  using P = params::ConvTranspose;
  const Shape& from = site.node.InputShape(P::kWeight);
  const std::vector<double> weight = site.Numbers(P::kWeight);
  const int64_t inputs = from[0] / groups, outputs = from[1];
  const int64_t taps = from.Elements() / std::max<int64_t>(1, from[0] * from[1]);
  shape = from;
  shape[0] = outputs * groups;
  shape[1] = inputs;
  std::vector<double> turned(weight.size());
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t i = 0; i < inputs; ++i) {
        for (int64_t tap = 0; tap < taps; ++tap) {
          const int64_t source = ((group * inputs + i) * outputs + o) * taps + (taps - 1 - tap);
          const int64_t place = ((group * outputs + o) * inputs + i) * taps + tap;
          turned[static_cast<size_t>(place)] = weight[static_cast<size_t>(source)];
        }
      }
    }
  }
  return turned;
}

}  // namespace

Result<std::vector<ValueId>> TransposedConvolution(const Site& site) {
  using P = params::ConvTranspose;
  const std::vector<TransposedAxis> axes = AxesOf(site.node);
  if (!site.IsConstant(P::kWeight)) return NoGraph("the kernel is no constant");
  if (axes.size() > 2) return NoGraph("three spatial axes");
  Builder& out = site.out;
  ValueId x = site.In(P::kX);
  const Shape& from = site.node.InputShape(P::kX);
  Ints begin = {0, 0}, size = {from[0], from[1]}, pad, dilations;
  for (size_t i = 0; i < axes.size(); ++i) {
    const TransposedAxis& axis = axes[i];
    x = SpreadAxis(out, x, static_cast<int>(i) + 2, axis.stride);
    const int64_t cut_before = std::max<int64_t>(0, -axis.PadBefore());
    const int64_t cut_after = std::max<int64_t>(0, -axis.PadAfter());
    begin.push_back(cut_before);
    size.push_back(axis.Spread() - cut_before - cut_after);
    if (size.back() < 1) return NoGraph("no element of the input is left");
    pad.push_back(std::max<int64_t>(0, axis.PadBefore()));
    pad.push_back(std::max<int64_t>(0, axis.PadAfter()));
    dilations.push_back(axis.dilation);
  }
  ANECHECK_RETURN_IF_ERROR(out.status());
  if (out.type(x).shape != Shape::FromSpan(size)) x = out.Slice(x, begin, size);
  const int64_t groups = site.node.Int(P::kGroups, 1);
  Shape shape;
  const std::vector<double> turned = TurnedKernel(site, groups, shape);
  const ValueId kernel = out.Constant({site.node.InputType(P::kWeight).dtype, shape}, turned);
  const ValueId result =
      out.Add("conv", {{"x", x}, {"weight", kernel}, {"bias", site.In(P::kBias)}},
              {{"pad_type", std::string_view("custom")},
               {"pad", pad},
               {"dilations", dilations},
               {"groups", groups}});
  ANECHECK_RETURN_IF_ERROR(out.status());
  return std::vector<ValueId>{result};
}

Result<std::vector<ValueId>> BatchNorm(const Site& site) {
  using P = params::BatchNorm;
  if (!site.IsConstant(P::kMean) || !site.IsConstant(P::kVariance)) {
    return NoGraph("mean and variance are no constants");
  }
  const std::vector<double> mean = site.Numbers(P::kMean), variance = site.Numbers(P::kVariance);
  std::vector<double> scale(mean.size(), 1), bias(mean.size(), 0);
  if (site.node.HasInput(P::kGamma)) scale = site.Numbers(P::kGamma);
  if (site.node.HasInput(P::kBeta)) bias = site.Numbers(P::kBeta);
  for (size_t i = 0; i < mean.size(); ++i) {
    scale[i] /= std::sqrt(variance[i] + site.node.Float(P::kEpsilon, 1e-5));
    bias[i] -= mean[i] * scale[i];
  }
  const TensorType type{site.dtype(), {static_cast<int64_t>(mean.size())}};
  const ValueId gain = site.out.Constant(type, scale);
  const ValueId offset = site.out.Constant(type, bias);
  const ValueId result =
      site.out.Add("pe_goc", {{"x", site.In(P::kX)}, {"scale", gain}, {"bias", offset}});
  ANECHECK_RETURN_IF_ERROR(site.out.status());
  return std::vector<ValueId>{result};
}

Result<std::vector<ValueId>> Attention(const Site& site) {
  using P = params::Attention;
  Builder& out = site.out;
  const Shape& query = site.node.InputShape(P::kQuery);
  const auto width = static_cast<double>(query[query.rank() - 1]);
  ValueId scores = out.Add("matmul", {{"x", site.In(P::kQuery)}, {"y", site.In(P::kKey)}},
                           {{"transpose_y", true}});
  const ValueId scale = out.Scalar(site.dtype(), 1 / std::sqrt(width));
  scores = out.Add("mul", {{"x", scores}, {"y", scale}});
  if (site.node.HasInput(P::kAttnMask)) {
    if (site.node.InputType(P::kAttnMask).dtype == DType::kBool) {
      return NoGraph("a mask of bools");
    }
    scores = out.Add("add", {{"x", scores}, {"y", site.In(P::kAttnMask)}});
  }
  const ValueId weights = out.Add("softmax", {{"x", scores}}, {{"axis", int64_t{-1}}});
  const ValueId result = out.Add("matmul", {{"x", weights}, {"y", site.In(P::kValue)}});
  ANECHECK_RETURN_IF_ERROR(out.status());
  return std::vector<ValueId>{result};
}

// Conv and linear have the operands x, weight and bias at the same places.
Result<std::vector<ValueId>> SplitWeights(const Site& site) {
  using P = params::Conv;
  const bool conv = site.node.op() == "conv";
  if (!site.IsConstant(P::kWeight)) return NoGraph("the weight is no plain constant");
  if (conv && site.node.Int(P::kGroups, 1) != 1) return NoGraph("several groups");
  if (site.node.HasInput(P::kBias) && !site.IsConstant(P::kBias)) {
    return NoGraph("the bias is no constant");
  }
  const TensorType& weight = site.node.InputType(P::kWeight);
  const int64_t outputs = weight.shape[0];
  const int64_t row = weight.ByteSize() / std::max<int64_t>(1, outputs);
  const int64_t rows = row == 0 ? 0 : site.cap / row;
  if (rows < 1) return NoGraph("one output channel exceeds the kernel memory");
  std::vector<ValueId> parts;
  for (int64_t first = 0; first < outputs; first += rows) {
    const int64_t count = std::min(rows, outputs - first);
    // Copies the node, with some rows of its weight and bias.
    std::vector<ValueId> places(site.places.begin(), site.places.end());
    for (const int parameter : {P::kWeight, P::kBias}) {
      if (!site.node.HasInput(parameter)) continue;
      const ValueId id = site.node.Input(parameter);
      places[id] = site.out.CopyConstantRows(site.node.graph(), id, first, count);
    }
    ANECHECK_RETURN_IF_ERROR(site.out.status());
    const std::string name = site.out.NewName();
    parts.push_back(site.out.Copy(site.node, places, {&name, 1}));
  }
  const int axis = conv ? 1 : site.node.ResultType().shape.rank() - 1;
  const ValueId result = site.out.Concat(parts, axis);
  ANECHECK_RETURN_IF_ERROR(site.out.status());
  return std::vector<ValueId>{result};
}

}  // namespace anecheck::plan
