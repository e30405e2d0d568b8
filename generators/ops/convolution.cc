// Draws convolution, matrix multiply and pooling.
#include <algorithm>
#include <array>
#include <vector>

#include "generators/drawer.h"
#include "generators/ops/compressed.h"
#include "generators/ops/window.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 4> kPadTypes = {"valid", "same", "same_lower", "custom"};

}  // namespace

double WeightLimit(Drawer& drawer, ValueId x, int64_t products) {
  const double most = drawer.integer_mode() ? 3 : 4;
  const double magnitude = std::max(drawer.range(x).Magnitude(), 0x1p-10);
  const double room = drawer.Ceiling() / (magnitude * static_cast<double>(products));
  if (drawer.integer_mode()) return room < 1 ? 0 : std::min(most, room);
  return std::max(std::min(most, room), 0x1p-10);
}

ValueRange SumRange(Drawer& drawer, ValueId x, int64_t products, double weight, double bias) {
  const double bound = drawer.range(x).Magnitude() * static_cast<double>(products) * weight + bias;
  return {-bound, bound, drawer.integer_mode()};
}

ValueId DrawWeight(Drawer& drawer, const Shape& shape, double limit, bool computed) {
  if (drawer.options().mode == CaseMode::kCompressed) {
    const ValueId weight = DrawCompressed(drawer, shape, limit);
    if (weight != kNoValue) return weight;
  }
  return computed ? drawer.NewOperand(shape, limit) : drawer.NewConst(shape, limit);
}

double BiasLimit(Drawer& drawer) { return drawer.integer_mode() ? 16 : 8; }

void AddPad(Drawer& drawer, int parameter, std::string_view pad_type,
            std::span<const int64_t> pad) {
  if (pad_type == "custom") return drawer.graph().AddInts(parameter, pad);
  drawer.AddInts(parameter, pad);
}

namespace {

// Whether the family's compile limits were measured: A16 and A18.
bool IsMeasured(const Drawer& drawer) {
  return drawer.options().family == 5 || drawer.options().family == 7;
}

// The largest extent of a kernel's height or width that the compiler accepts (facts/limits.csv; for
// the width also facts/known_defects.csv, D29; for A16 and A18
// facts/silicon/compile_limits_silicon.csv).
int64_t KernelCap(const Drawer& drawer, bool width) {
  constexpr int kA13 = 2;
  if (drawer.options().family <= kA13) return width ? 13 : 29;
  if (width) return 15;
  return IsMeasured(drawer) ? 31 : 32;
}

// Whether a max pool with a window of that width is refused.
bool IsTooWide(const Drawer& drawer, int64_t width) { return IsMeasured(drawer) && width > 8; }

// Network descriptions have no window over a single axis.
bool MayHaveWindow(const Drawer& drawer, const Shape& x) {
  // 3-D convolution is documented but never lowered (facts/known_defects.csv, D16).
  return x.rank() == 4 || (x.rank() == 3 && !drawer.options().direct);
}

}  // namespace

Geometry DrawGeometry(Drawer& drawer, const Shape& x, bool dilated) {
  ChoiceStream& choices = drawer.choices();
  Geometry geometry;
  geometry.pad_type = choices.Pick(kPadTypes);
  for (int i = 0; i < x.rank() - 2; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t extent = x[i + 2];
    const bool caps = drawer.options().mode == CaseMode::kShapeRanges && choices.Chance(1, 3);
    const int64_t most = caps ? KernelCap(drawer, i + 3 == x.rank()) : 5;
    geometry.kernel[axis] = caps ? std::min(extent, most - choices.Range(0, 1))
                                 : choices.Range(1, std::min(extent, most));
    geometry.stride[axis] = choices.Chance(1, 3) ? choices.Range(1, 3) : 1;
    const int64_t room = geometry.kernel[axis] > 1 ? (extent - 1) / (geometry.kernel[axis] - 1) : 1;
    if (dilated && !drawer.options().direct && choices.Chance(1, 4)) {
      geometry.dilation[axis] = choices.Range(1, std::clamp<int64_t>(room, 1, 3));
    }
    if (geometry.pad_type == "custom") {
      // Pools require less padding than the kernel's extent (facts/netlist_layers.csv, pool).
      geometry.pad[2 * axis] = choices.Range(0, geometry.kernel[axis] - 1);
      geometry.pad[2 * axis + 1] = choices.Range(0, geometry.kernel[axis] - 1);
    }
    geometry.taps *= geometry.kernel[axis];
  }
  return geometry;
}

namespace {

// One number for all channels, or one number per channel. Every number is finite and has a
// magnitude of at most `limit`.
ValueId DrawPerChannel(Drawer& drawer, int64_t channels, double limit) {
  const Shape shapes[] = {{}, {1}, {channels}};
  const TensorType type{DType::kFp16, shapes[drawer.choices().Below(3)]};
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < type.shape.Elements(); ++i) {
    const auto eighths = static_cast<double>(drawer.choices().Range(-8, 8));
    const Half half = DoubleToHalf(limit * eighths / 8);
    bytes.push_back(static_cast<uint8_t>(half.bits));
    bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return drawer.NewConstOf(type, bytes, limit);
}

// A constant with elements of one byte.
ValueId DrawBytes(Drawer& drawer, const Shape& shape) {
  std::vector<int64_t> bytes(static_cast<size_t>(shape.Elements()));
  for (int64_t& byte : bytes) byte = drawer.choices().Range(0, 255);
  return drawer.NewIntegers(DType::kUint8, shape, bytes);
}

}  // namespace

bool DrawConvolution(Drawer& drawer, ValueId x, OpKind kind) {
  using P = params::Conv;
  const Shape shape = drawer.shape(x);
  if (!MayHaveWindow(drawer, shape)) return false;
  ChoiceStream& choices = drawer.choices();
  const Geometry geometry = DrawGeometry(drawer, shape, true);
  const int64_t channels = shape[1];
  int64_t groups = 1;
  if (choices.Chance(1, 4)) groups = channels;
  if (choices.Chance(1, 6) && channels % 2 == 0) groups = channels / 2;
  int64_t outputs = drawer.Extent(16);
  outputs = std::max<int64_t>(1, outputs / groups) * groups;
  const int64_t products = channels / groups * geometry.taps;
  if (products * outputs * shape.Elements() / channels > drawer.options().max_products)
    return false;
  const double limit = WeightLimit(drawer, x, products);
  if (limit <= 0) return false;

  Shape weight_shape = {outputs, channels / groups};
  for (int i = 0; i < shape.rank() - 2; ++i) {
    weight_shape.Append(geometry.kernel[static_cast<size_t>(i)]);
  }
  // Computed weights take a batch of one (facts/known_defects.csv, D30).
  const bool computed = kind == OpKind::kConv && shape[0] == 1;
  const bool quantized = kind == OpKind::kConvQuantized;
  const ValueId weight = quantized ? DrawBytes(drawer, weight_shape)
                                   : DrawWeight(drawer, weight_shape, limit, computed);
  const ValueId scale = quantized ? DrawPerChannel(drawer, outputs, limit / 512) : kNoValue;
  const ValueId offset = quantized ? DrawPerChannel(drawer, outputs, limit / 2) : kNoValue;
  const bool biased = !quantized && choices.Coin();
  const ValueId bias = biased ? drawer.NewConst({outputs}, BiasLimit(drawer)) : kNoValue;
  const auto spatial = static_cast<size_t>(shape.rank() - 2);
  Graph& graph = drawer.graph();
  drawer.Begin(kind);
  graph.AddArgument(P::kX, x);
  graph.AddArgument(P::kWeight, weight);
  if (biased) graph.AddArgument(P::kBias, bias);
  drawer.AddInts(P::kStrides, std::span(geometry.stride).first(spatial));
  drawer.AddString(P::kPadType, geometry.pad_type);
  AddPad(drawer, P::kPad, geometry.pad_type, std::span(geometry.pad).first(2 * spatial));
  drawer.AddInts(P::kDilations, std::span(geometry.dilation).first(spatial));
  drawer.AddInt(P::kGroups, groups);
  if (quantized) {
    using Q = params::ConvQuantized;
    graph.AddArgument(Q::kQuantScale, scale);
    graph.AddArgument(Q::kQuantBias, offset);
    drawer.AddString(Q::kQuantizationType, "linear");
    drawer.AddInt(Q::kNbits, 8);
  }
  return drawer.Finish(SumRange(drawer, x, products, limit, biased ? BiasLimit(drawer) : 0));
}

namespace {

// Draws the product of a vector and a matrix or another vector.
bool DrawVectorProduct(Drawer& drawer, ValueId x) {
  using P = params::Matmul;
  const Shape shape = drawer.shape(x);
  // Network descriptions have no key for such a product.
  if (shape.rank() != 1 || drawer.options().direct) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t inner = shape[0];
  const int64_t columns = drawer.Extent(inner > 1024 ? 2 : 16);
  if (inner * columns > drawer.options().max_products) return false;
  const double limit = WeightLimit(drawer, x, inner);
  if (limit <= 0) return false;
  const bool transpose_y = choices.Coin();
  Shape other = transpose_y ? Shape{columns, inner} : Shape{inner, columns};
  if (choices.Chance(1, 4)) other = {inner};
  const ValueId y = drawer.NewConst(other, limit);
  drawer.Begin(OpKind::kMatmul);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kY, y);
  if (transpose_y) drawer.graph().AddBool(P::kTransposeY, true);
  return drawer.Finish(SumRange(drawer, x, inner, limit, 0));
}

}  // namespace

bool DrawMatrixProduct(Drawer& drawer, ValueId x, OpKind kind) {
  using P = params::Matmul;
  const Shape shape = drawer.shape(x);
  // Rank 5 is refused although it is legal (facts/known_defects.csv, D31).
  if (shape.rank() > 4) return false;
  if (shape.rank() < 2) return kind == OpKind::kMatmul && DrawVectorProduct(drawer, x);
  ChoiceStream& choices = drawer.choices();
  const bool transpose_x = choices.Coin();
  const bool transpose_y = choices.Coin();
  const int rank = shape.rank();
  const int64_t inner = shape[transpose_x ? rank - 2 : rank - 1];
  const int64_t columns = drawer.Extent(inner > 1024 ? 2 : 16);
  if (shape.Elements() * columns > drawer.options().max_products) return false;
  const double limit = WeightLimit(drawer, x, inner);
  if (limit <= 0) return false;
  Shape other = shape;
  other[rank - 2] = transpose_y ? columns : inner;
  other[rank - 1] = transpose_y ? inner : columns;
  int64_t room = drawer.options().max_products / (shape.Elements() * columns);
  for (int axis = 0; axis < rank - 2; ++axis) {
    if (!choices.Chance(1, 4)) continue;
    other[axis] = shape[axis] == 1 ? choices.Range(1, std::min<int64_t>(room, 3)) : 1;
    if (shape[axis] == 1) room /= other[axis];
  }
  const ValueId y = DrawWeight(drawer, other, limit, true);
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kY, y);
  drawer.AddBool(P::kTransposeX, transpose_x);
  drawer.AddBool(P::kTransposeY, transpose_y);
  return drawer.Finish(SumRange(drawer, x, inner, limit, 0));
}

namespace {

// Whether ceil_mode without padding adds a window that covers no element. No source gives the value
// of such a window.
bool LeavesEmptyWindow(const Geometry& geometry, const Shape& x) {
  for (int i = 0; i < x.rank() - 2; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t stride = geometry.stride[axis];
    const int64_t last = (x[i + 2] - geometry.kernel[axis] + stride - 1) / stride;
    if (last * stride >= x[i + 2]) return true;
  }
  return false;
}

// Whether ceil_mode may be drawn. Network descriptions have no key for it, and the private units of
// the compute lanes lack it.
bool HasCeilMode(const Drawer& drawer, OpKind kind, std::string_view pad_type) {
  if (drawer.options().direct) return false;
  // Other tests cover padding, and windows that begin past the end of x.
  if (kind == OpKind::kL2Pool) return pad_type == "valid";
  return (kind == OpKind::kAvgPool || kind == OpKind::kMaxPool) && pad_type != "same";
}

}  // namespace

bool DrawPool(Drawer& drawer, ValueId x, OpKind kind, std::string_view mode) {
  using P = params::Pool;
  const Shape shape = drawer.shape(x);
  if (!MayHaveWindow(drawer, shape)) return false;
  const Geometry geometry = DrawGeometry(drawer, shape, false);
  if (geometry.taps * shape.Elements() > drawer.options().max_products) return false;
  if (kind == OpKind::kMaxPool &&
      IsTooWide(drawer, geometry.kernel[static_cast<size_t>(shape.rank() - 3)])) {
    return false;
  }
  const double magnitude = drawer.range(x).Magnitude();
  const auto taps = static_cast<double>(geometry.taps);
  const bool squares = mode == "L2";
  if (squares && magnitude * magnitude * taps > drawer.Ceiling()) return false;
  const auto spatial = static_cast<size_t>(shape.rank() - 2);
  const bool average = mode == "Avg";
  const bool exclude = average && drawer.choices().Coin();
  const bool has_ceil = HasCeilMode(drawer, kind, geometry.pad_type);
  const bool ceil =
      has_ceil && drawer.choices().Chance(1, 3) && !LeavesEmptyWindow(geometry, shape);
  Graph& graph = drawer.graph();
  drawer.Begin(kind);
  graph.AddArgument(P::kX, x);
  drawer.AddInts(P::kKernelSizes, std::span(geometry.kernel).first(spatial));
  drawer.AddInts(P::kStrides, std::span(geometry.stride).first(spatial));
  drawer.AddString(P::kPadType, geometry.pad_type);
  AddPad(drawer, P::kPad, geometry.pad_type, std::span(geometry.pad).first(2 * spatial));
  if (has_ceil) drawer.AddBool(P::kCeilMode, ceil);
  if (average) drawer.AddBool(P::kExcludePadding, exclude);
  if (kind == OpKind::kNePool || kind == OpKind::kPePool) {
    drawer.AddString(params::UnitPool::kMode, mode);
  }
  ValueRange range = drawer.range(x);
  if (average) range = {std::min(range.low, 0.0), std::max(range.high, 0.0), false};
  if (squares) range = {0, magnitude * taps, false};
  return drawer.Finish(range);
}

namespace {

bool DrawConv(Drawer& drawer, ValueId x) { return DrawConvolution(drawer, x, OpKind::kConv); }
bool DrawConvQuantized(Drawer& drawer, ValueId x) {
  return DrawConvolution(drawer, x, OpKind::kConvQuantized);
}
bool DrawMatmul(Drawer& drawer, ValueId x) { return DrawMatrixProduct(drawer, x, OpKind::kMatmul); }

bool DrawLinear(Drawer& drawer, ValueId x) {
  using P = params::Linear;
  const Shape shape = drawer.shape(x);
  // Rank 5 is refused (facts/more/reject_strings.csv, Linear).
  if (shape.rank() < 1 || shape.rank() > 4) return false;
  const int64_t inner = shape[shape.rank() - 1];
  const int64_t outputs = drawer.Extent(inner > 1024 ? 2 : 24);
  if (shape.Elements() * outputs > drawer.options().max_products) return false;
  const double limit = WeightLimit(drawer, x, inner);
  if (limit <= 0) return false;
  const ValueId weight = DrawWeight(drawer, {outputs, inner}, limit);
  const bool biased = drawer.choices().Coin();
  const ValueId bias = biased ? drawer.NewConst({outputs}, BiasLimit(drawer)) : kNoValue;
  drawer.Begin(OpKind::kLinear);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kWeight, weight);
  if (biased) drawer.graph().AddArgument(P::kBias, bias);
  return drawer.Finish(SumRange(drawer, x, inner, limit, biased ? BiasLimit(drawer) : 0));
}

bool DrawAvgPool(Drawer& drawer, ValueId x) { return DrawPool(drawer, x, OpKind::kAvgPool, "Avg"); }
bool DrawMaxPool(Drawer& drawer, ValueId x) { return DrawPool(drawer, x, OpKind::kMaxPool, "Max"); }

}  // namespace

constinit const OpGenerator kGeneratorConv = {OpKind::kConv, true, 8, DrawConv};
constinit const OpGenerator kGeneratorConvQuantized = {OpKind::kConvQuantized, false, 0,
                                                       DrawConvQuantized};
constinit const OpGenerator kGeneratorLinear = {OpKind::kLinear, true, 5, DrawLinear};
constinit const OpGenerator kGeneratorMatmul = {OpKind::kMatmul, true, 6, DrawMatmul};
constinit const OpGenerator kGeneratorAvgPool = {OpKind::kAvgPool, false, 4, DrawAvgPool};
constinit const OpGenerator kGeneratorMaxPool = {OpKind::kMaxPool, true, 4, DrawMaxPool};

}  // namespace anecheck
