// Draws transposed convolution, einsum, L2 pooling, the affine activation and attention.
#include <algorithm>
#include <array>

#include "generators/drawer.h"
#include "generators/ops/window.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool DrawConvTranspose(Drawer& drawer, ValueId x) {
  using P = params::ConvTranspose;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 3 || shape.rank() > 4) return false;
  ChoiceStream& choices = drawer.choices();
  constexpr std::array<std::string_view, 3> kPadTypes = {"valid", "same", "custom"};
  const std::string_view pad_type = choices.Pick(kPadTypes);
  const int64_t channels = shape[1];
  const int64_t groups = choices.Chance(1, 4) ? channels : 1;
  const int64_t outputs = drawer.Extent(groups == 1 ? 8 : 2);
  const auto spatial = static_cast<size_t>(shape.rank() - 2);
  std::array<int64_t, 2> kernel{1, 1};
  std::array<int64_t, 2> stride{1, 1};
  std::array<int64_t, 2> dilation{1, 1};
  std::array<int64_t, 4> pad{};
  int64_t taps = 1;
  int64_t growth = 1;
  Shape weight_shape = {channels, outputs};
  Shape result = {shape[0], outputs * groups};
  for (size_t i = 0; i < spatial; ++i) {
    // For kernels of 4 and more, the limits of strided axes apply (facts/more/op_notes.csv).
    kernel[i] = choices.Range(1, 3);
    stride[i] = choices.Chance(1, 2) ? choices.Range(1, 3) : 1;
    if (choices.Chance(1, 5)) dilation[i] = 2;
    if (pad_type == "custom") {
      pad[2 * i] = choices.Range(0, kernel[i] - 1);
      pad[2 * i + 1] = choices.Range(0, kernel[i] - 1);
    }
    taps *= kernel[i];
    growth *= stride[i];
    weight_shape.Append(kernel[i]);
    const int64_t extent = shape[static_cast<int>(i) + 2];
    const int64_t whole = (extent - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1;
    result.Append(pad_type == "same" ? extent * stride[i] : whole - pad[2 * i] - pad[2 * i + 1]);
  }
  const int64_t products = channels / groups * taps;
  if (products * outputs * shape.Elements() * growth > drawer.options().max_products) return false;
  const double limit = WeightLimit(drawer, x, products);
  if (limit <= 0) return false;
  const ValueId weight = DrawWeight(drawer, weight_shape, limit);
  const bool biased = choices.Coin();
  const ValueId bias = biased ? drawer.NewConst({outputs * groups}, BiasLimit(drawer)) : kNoValue;
  Graph& graph = drawer.graph();
  drawer.Begin(OpKind::kConvTranspose);
  graph.AddArgument(P::kX, x);
  graph.AddArgument(P::kWeight, weight);
  if (biased) graph.AddArgument(P::kBias, bias);
  AddPad(drawer, P::kPad, pad_type, std::span(pad).first(2 * spatial));
  // Sometimes states the output shape, although it follows from the padding.
  if (choices.Chance(1, 6)) drawer.AddInts(P::kOutputShape, result.dims());
  drawer.AddString(P::kPadType, pad_type);
  drawer.AddInts(P::kStrides, std::span(stride).first(spatial));
  drawer.AddInts(P::kDilations, std::span(dilation).first(spatial));
  drawer.AddInt(P::kGroups, groups);
  return drawer.Finish(SumRange(drawer, x, products, limit, biased ? BiasLimit(drawer) : 0));
}

bool DrawLinearActivation(Drawer& drawer, ValueId x) {
  using P = params::LinearActivation;
  // Its layer is Linear, which refuses rank 5 (facts/more/reject_strings.csv).
  if (drawer.shape(x).rank() > 4) return false;
  ChoiceStream& choices = drawer.choices();
  // Quarters and integers are exact in fp16.
  const double step = drawer.integer_mode() ? 1 : 0.25;
  const double alpha = static_cast<double>(choices.Range(-6, 6)) * step;
  const double beta = static_cast<double>(choices.Range(-8, 8)) * step;
  if (alpha == 0) return false;
  const double bound =
      drawer.range(x).Magnitude() * std::max(alpha, -alpha) + std::max(beta, -beta);
  if (bound > drawer.Ceiling()) return false;
  drawer.Begin(OpKind::kLinearActivation);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddFloat(P::kAlpha, alpha);
  drawer.AddFloat(P::kBeta, beta);
  return drawer.Finish({-bound, bound, drawer.integer_mode()});
}

bool DrawEinsum(Drawer& drawer, ValueId x) {
  using P = params::Einsum;
  const Shape shape = drawer.shape(x);
  const int rank = shape.rank();
  if (rank < 3 || rank > 4) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t inner = shape[rank - 1];
  const int64_t columns = drawer.Extent(inner > 1024 ? 2 : 16);
  if (shape.Elements() * columns > drawer.options().max_products) return false;
  const double limit = WeightLimit(drawer, x, inner);
  if (limit <= 0) return false;
  Shape other = shape;
  other[rank - 3] = inner;
  other[rank - 1] = columns;
  if (choices.Chance(1, 4)) other[rank - 2] = 1;
  if (rank == 4 && choices.Chance(1, 4)) other[0] = 1;
  const ValueId y = DrawWeight(drawer, other, limit, true);
  drawer.Begin(OpKind::kEinsum);
  drawer.graph().AddArgument(P::kValues, x);
  drawer.graph().AddArgument(P::kValues, y);
  drawer.AddString(P::kEquation, rank == 4 ? "nchw,nwhu->nchu" : "chw,whr->chr");
  return drawer.Finish(SumRange(drawer, x, inner, limit, 0));
}

bool DrawL2Pool(Drawer& drawer, ValueId x) { return DrawPool(drawer, x, OpKind::kL2Pool, "L2"); }

// The value operand is x. Keys and queries are so small that the rounding of scores hardly changes
// the weights.
bool DrawAttention(Drawer& drawer, ValueId x) {
  using P = params::Attention;
  const Shape shape = drawer.shape(x);
  const int rank = shape.rank();
  if (rank < 3 || rank > 4) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t keys = shape[rank - 2];
  const int64_t rows = choices.Range(1, 6);
  const int64_t embedding = choices.Range(1, 8);
  if (shape.Elements() * rows * embedding > drawer.options().max_products || keys > 64) {
    return false;
  }
  Shape query = shape;
  query[rank - 2] = rows;
  query[rank - 1] = embedding;
  Shape key = shape;
  key[rank - 1] = embedding;
  const ValueId q = drawer.NewOperand(query, 1);
  const ValueId k = drawer.NewOperand(key, 1);
  ValueId mask = kNoValue;
  if (choices.Chance(1, 3)) {
    mask = drawer.NewOperand(choices.Coin() ? Shape{rows, keys} : Shape{1, keys}, 2);
  }
  drawer.Begin(OpKind::kScaledDotProductAttention);
  drawer.graph().AddArgument(P::kQuery, q);
  drawer.graph().AddArgument(P::kKey, k);
  drawer.graph().AddArgument(P::kValue, x);
  if (mask != kNoValue) drawer.graph().AddArgument(P::kAttnMask, mask);
  return drawer.Finish({drawer.range(x).low, drawer.range(x).high, false});
}

}  // namespace

constinit const OpGenerator kGeneratorConvTranspose = {OpKind::kConvTranspose, true, 2,
                                                       DrawConvTranspose};
constinit const OpGenerator kGeneratorLinearActivation = {OpKind::kLinearActivation, true, 2,
                                                          DrawLinearActivation};
constinit const OpGenerator kGeneratorEinsum = {OpKind::kEinsum, true, 2, DrawEinsum};
constinit const OpGenerator kGeneratorL2Pool = {OpKind::kL2Pool, false, 2, DrawL2Pool};
constinit const OpGenerator kGeneratorScaledDotProductAttention = {
    OpKind::kScaledDotProductAttention, false, 2, DrawAttention};

}  // namespace anecheck
