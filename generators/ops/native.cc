// Draws native layers. A reshape gives the operand the layout that the layer needs.
#include "harness/ops/native.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "generators/drawer.h"
#include "generators/ops/window.h"
#include "generators/tensor_data.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// Reshapes x to this shape of as many elements. Returns kNoValue if the graph refuses the node.
ValueId Shaped(Drawer& drawer, ValueId x, const Shape& shape) {
  if (drawer.shape(x) == shape) return x;
  const ValueRange range = drawer.range(x);
  drawer.Begin(OpKind::kReshape);
  drawer.graph().AddArgument(params::Reshape::kX, x);
  drawer.AddInts(params::Reshape::kShape, shape.dims());
  return drawer.Finish(range) ? drawer.Last() : kNoValue;
}

// A divisor of `count`, at most `most`.
int64_t Divisor(ChoiceStream& choices, int64_t count, int64_t most) {
  int64_t divisor = choices.Range(1, std::min(count, most));
  while (count % divisor != 0) --divisor;
  return divisor;
}

// A shape of rank 4 with the number of elements of x. It is the shape of x, or the elements are
// split into channels and rows.
Shape PlaneShape(Drawer& drawer, ValueId x) {
  const Shape& shape = drawer.shape(x);
  if (shape.rank() == 4) return shape;
  const int64_t channels = Divisor(drawer.choices(), shape.Elements(), 8);
  const int64_t rows = Divisor(drawer.choices(), shape.Elements() / channels, 8);
  return {1, channels, rows, shape.Elements() / channels / rows};
}

// A new operand of this shape, for a layer that takes both inputs and constants. It is an input
// with probability 1/4, else a constant of magnitude up to `limit`.
ValueId AnyOperand(Drawer& drawer, const Shape& shape, double limit) {
  return drawer.choices().Chance(1, 4) ? drawer.NewInput(shape) : drawer.NewConst(shape, limit);
}

ValueId OneNumber(Drawer& drawer, double value) {
  const Half half = DoubleToHalf(value);
  const std::array<uint8_t, 2> bytes = {static_cast<uint8_t>(half.bits & 0xff),
                                        static_cast<uint8_t>(half.bits >> 8)};
  return drawer.NewConstOf({DType::kFp16, Shape{1}}, bytes, value);
}

// As in DrawAttention, the value operand is x, and keys and queries are small constants or inputs.
bool DrawSdpa(Drawer& drawer, ValueId x) {
  using P = params::NativeSdpa;
  const Shape shape = PlaneShape(drawer, x);
  ChoiceStream& choices = drawer.choices();
  const int64_t rows = choices.Range(1, 6);
  if (shape[1] > 64 || shape.Elements() * rows > drawer.options().max_products ||
      shape.Elements() / shape[1] * rows > drawer.options().max_elements) {
    return false;
  }
  const ValueId value = Shaped(drawer, x, shape);
  if (value == kNoValue) return false;
  Shape query = shape;
  query[1] = rows;
  const ValueId q = AnyOperand(drawer, query, 1);
  const ValueId k = AnyOperand(drawer, shape, 1);
  constexpr std::array<double, 4> kScales = {0.5, 0.25, 0.125, 1};
  const ValueId scale = OneNumber(drawer, choices.Pick(kScales));
  const ValueId mask =
      choices.Chance(1, 3) ? AnyOperand(drawer, Shape{1, rows, 1, shape[1]}, 2) : kNoValue;
  drawer.Begin(OpKind::kNativeSdpa);
  drawer.graph().AddArgument(P::kQuery, q);
  drawer.graph().AddArgument(P::kKey, k);
  drawer.graph().AddArgument(P::kValue, value);
  drawer.graph().AddArgument(P::kScale, scale);
  if (mask != kNoValue) drawer.graph().AddArgument(P::kMask, mask);
  drawer.AddBool(P::kSubtractMax, true);
  return drawer.Finish({drawer.range(value).low, drawer.range(value).high, false});
}

// Reshapes x to lines [1, C, 1, W]. Returns kNoValue if the lines would be too long.
ValueId Lines(Drawer& drawer, ValueId x) {
  const int64_t elements = drawer.shape(x).Elements();
  const int64_t channels = Divisor(drawer.choices(), elements, 4);
  if (elements / channels > 256) return kNoValue;
  return Shaped(drawer, x, Shape{1, channels, 1, elements / channels});
}

ValueRange RankedRange(Drawer& drawer, ValueId lines, bool indices) {
  if (!indices) return drawer.range(lines);
  return {0, static_cast<double>(drawer.shape(lines)[3] - 1), true};
}

bool DrawSort(Drawer& drawer, ValueId x) {
  using P = params::NativeSort;
  ChoiceStream& choices = drawer.choices();
  const ValueId lines = Lines(drawer, x);
  if (lines == kNoValue) return false;
  const std::string_view direction = choices.Coin() ? "Ascending" : "Descending";
  const int64_t lane = choices.Range(0, drawer.shape(lines)[1] - 1);
  const bool indices = choices.Chance(1, 3);
  drawer.Begin(OpKind::kNativeSort);
  drawer.graph().AddArgument(P::kX, lines);
  drawer.AddString(P::kDirection, direction);
  drawer.AddInt(P::kSortIndices, lane);
  drawer.AddBool(P::kIndices, indices);
  return drawer.Finish(RankedRange(drawer, lines, indices));
}

bool DrawTopK(Drawer& drawer, ValueId x) {
  using P = params::NativeTopK;
  ChoiceStream& choices = drawer.choices();
  const ValueId lines = Lines(drawer, x);
  if (lines == kNoValue) return false;
  const std::string_view type = choices.Coin() ? "Max" : "Min";
  const int64_t lane = choices.Range(0, drawer.shape(lines)[1] - 1);
  int64_t k = choices.Range(1, drawer.shape(lines)[3]);
  // A k of 3 or 4 is refused at every width (facts/known_defects.csv, D17).
  if (k == 3 || k == 4) k = 2;
  const bool indices = choices.Chance(1, 3);
  drawer.Begin(OpKind::kNativeTopK);
  drawer.graph().AddArgument(P::kX, lines);
  drawer.AddString(P::kType, type);
  drawer.AddInt(P::kK, k);
  drawer.AddInt(P::kSortIndices, lane);
  drawer.AddBool(P::kIndices, indices);
  return drawer.Finish(RankedRange(drawer, lines, indices));
}

bool DrawArgMinMax(Drawer& drawer, ValueId x) {
  using P = params::NativeArgMinMax;
  constexpr std::array<std::string_view, 4> kModes = {"SpatialArgMax", "SpatialArgMin",
                                                      "ChannelArgMax", "ChannelArgMin"};
  const Shape shape = PlaneShape(drawer, x);
  const ValueId plane = Shaped(drawer, x, shape);
  if (plane == kNoValue) return false;
  const std::string_view mode = drawer.choices().Pick(kModes);
  const int64_t positions = mode.starts_with("Spatial") ? shape[2] * shape[3] : shape[1];
  drawer.Begin(OpKind::kNativeArgMinMax);
  drawer.graph().AddArgument(P::kX, plane);
  drawer.AddString(P::kMode, mode);
  return drawer.Finish({0, static_cast<double>(positions - 1), true});
}

constexpr std::array<std::string_view, 3> kDimensions = {"Width", "Height", "Channel"};

bool DrawGlobalArgMinMax(Drawer& drawer, ValueId x) {
  using P = params::NativeGlobalArgMinMax;
  const Shape shape = PlaneShape(drawer, x);
  const ValueId plane = Shaped(drawer, x, shape);
  if (plane == kNoValue) return false;
  const std::string_view type = drawer.choices().Coin() ? "Max" : "Min";
  const std::string_view dimension = drawer.choices().Pick(kDimensions);
  drawer.Begin(OpKind::kNativeGlobalArgMinMax);
  drawer.graph().AddArgument(P::kX, plane);
  drawer.AddString(P::kType, type);
  drawer.AddString(P::kDimension, dimension);
  return drawer.Finish({0, static_cast<double>(shape[NativeAxis(dimension)] - 1), true});
}

// Does not draw the form that reduces channels (facts/known_defects.csv, D20).
bool DrawMinMaxNorm(Drawer& drawer, ValueId x) {
  using P = params::NativeMinMaxNorm;
  constexpr std::array<double, 3> kEpsilons = {0x1p-10, 0x1p-6, 1};
  const ValueId plane = Shaped(drawer, x, PlaneShape(drawer, x));
  if (plane == kNoValue) return false;
  const std::string_view dimension = drawer.choices().Coin() ? "Width" : "Height";
  const double epsilon = drawer.choices().Pick(kEpsilons);
  drawer.Begin(OpKind::kNativeMinMaxNorm);
  drawer.graph().AddArgument(P::kX, plane);
  drawer.AddString(P::kDimension, dimension);
  drawer.AddFloat(P::kEpsilon, epsilon);
  return drawer.Finish({0, 1.125, false});
}

bool DrawScaled(Drawer& drawer, ValueId x) {
  using P = params::NativeScaledElementWise;
  // The type Sub is refused (facts/known_defects.csv, D26).
  constexpr std::array<std::string_view, 4> kTypes = {"Add", "Max", "Min", "Mult"};
  constexpr std::array<double, 4> kScales = {2, -1, 0.75, 3};
  constexpr std::array<double, 4> kWhole = {2, -1, 1, 3};
  ChoiceStream& choices = drawer.choices();
  const ValueId y = drawer.SameShape(drawer.shape(x), x);
  std::string_view type = choices.Pick(kTypes);
  double scale = choices.Pick(drawer.integer_mode() ? kWhole : kScales);
  const double left = drawer.range(x).Magnitude();
  const double right = drawer.range(y).Magnitude();
  double bound = (type == "Mult" ? left * right : left + right) * 3;
  // If the result may exceed the ceiling, draws the minimum of both operands instead.
  if (bound > drawer.Ceiling()) {
    type = "Min";
    scale = -1;
    bound = std::max(left, right);
  }
  drawer.Begin(OpKind::kNativeScaledElementWise);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kY, y);
  drawer.AddString(P::kType, type);
  drawer.AddFloat(P::kScale, scale);
  return drawer.Finish({-bound, bound, drawer.integer_mode()});
}

// The template is a constant, or an input if the magnitude of inputs keeps the sums in range.
bool DrawCorrelation(Drawer& drawer, ValueId x) {
  using P = params::NativeCrossCorrelation;
  ChoiceStream& choices = drawer.choices();
  const int64_t elements = drawer.shape(x).Elements();
  const int64_t rows = Divisor(choices, elements, 16);
  const Shape shape = {1, 1, rows, elements / rows};
  const int64_t height = choices.Range(1, std::min<int64_t>(rows, 5));
  const int64_t width = choices.Range(1, std::min<int64_t>(shape[3], 5));
  const int64_t taps = height * width;
  const Shape window = {1, 1, 1, taps};
  if (taps * elements > drawer.options().max_products) return false;
  const double limit = WeightLimit(drawer, x, taps);
  if (limit <= 0) return false;
  const ValueId plane = Shaped(drawer, x, shape);
  if (plane == kNoValue) return false;
  const bool given = choices.Coin() && InputMagnitude(drawer.mode()) <= limit;
  const ValueId pattern = given ? drawer.NewInput(window) : drawer.NewConst(window, limit);
  drawer.Begin(OpKind::kNativeCrossCorrelation);
  drawer.graph().AddArgument(P::kX, plane);
  drawer.graph().AddArgument(P::kTemplate, pattern);
  drawer.AddInt(params::NativeTemplate::kHeight, height);
  drawer.AddInt(params::NativeTemplate::kWidth, width);
  return drawer.Finish(SumRange(drawer, x, taps, limit, 0));
}

bool DrawCostVolume(Drawer& drawer, ValueId x) {
  using P = params::CostVolume;
  const int64_t width = drawer.shape(x).Elements();
  const int64_t range = drawer.choices().Range(1, 3);
  const double bound = drawer.range(x).Magnitude() * 2;
  if (width * (range + 1) > 4 * drawer.options().max_elements || bound > drawer.Ceiling()) {
    return false;
  }
  const ValueId row = Shaped(drawer, x, Shape{1, 1, 1, width});
  if (row == kNoValue) return false;
  const double limit = drawer.integer_mode() ? 16 : std::max(drawer.range(x).Magnitude(), 1.0);
  const Shape reach = {1, 1, 1, width + range + drawer.choices().Range(0, 2)};
  const bool given = drawer.choices().Coin() && InputMagnitude(drawer.mode()) <= limit;
  const ValueId other = given ? drawer.NewInput(reach) : drawer.NewConst(reach, limit);
  drawer.Begin(OpKind::kCostVolume);
  drawer.graph().AddArgument(P::kX, row);
  drawer.graph().AddArgument(P::kY, other);
  drawer.AddInt(P::kDisparityDirection, 0);
  drawer.AddInt(P::kDisparityRange, range);
  return drawer.Finish({0, bound + limit, drawer.integer_mode()});
}

// Returns points of shape [1, 3, 1, count]. If x has that shape, returns x. Else x is the first
// coordinate, and the other coordinates are constants of magnitude up to `limit`. Returns kNoValue
// if the graph refuses a node.
ValueId Points(Drawer& drawer, ValueId x, double limit) {
  const Shape& shape = drawer.shape(x);
  if (shape.rank() == 4 && shape[0] == 1 && shape[1] == 3 && shape[2] == 1) return x;
  const int64_t count = shape.Elements();
  const ValueRange range = drawer.range(x);
  const ValueId row = Shaped(drawer, x, Shape{1, 1, 1, count});
  if (row == kNoValue) return kNoValue;
  const ValueId others = drawer.NewConst(Shape{1, 2, 1, count}, limit);
  drawer.Begin(OpKind::kConcat);
  drawer.graph().AddArgument(params::Concat::kValues, row);
  drawer.graph().AddArgument(params::Concat::kValues, others);
  drawer.AddInt(params::Concat::kAxis, 1);
  const bool done =
      drawer.Finish({std::min(range.low, -limit), std::max(range.high, limit), range.integer});
  return done ? drawer.Last() : kNoValue;
}

bool DrawSampling(Drawer& drawer, ValueId x) {
  using P = params::NativeFurthestPointSampling;
  const int64_t elements = drawer.shape(x).Elements();
  if (elements < 2 || 3 * elements > 4 * drawer.options().max_elements) return false;
  const ValueId points = Points(drawer, x, drawer.integer_mode() ? 16 : 8);
  if (points == kNoValue) return false;
  const int64_t count = drawer.shape(points)[3];
  if (count < 2) return false;
  const ValueRange all = drawer.range(points);
  const int64_t picked = drawer.choices().Range(2, std::min<int64_t>(count, 16));
  drawer.Begin(OpKind::kNativeFurthestPointSampling);
  drawer.graph().AddArgument(P::kPoints, points);
  drawer.AddInt(P::kCentroidCount, picked);
  return drawer.Finish(all);
}

bool DrawRadiusSearch(Drawer& drawer, ValueId x) {
  using P = params::NativeRadiusSearch;
  ChoiceStream& choices = drawer.choices();
  const int64_t count = drawer.shape(x).Elements();
  // With one centroid, the layout of the flags is unambiguous.
  const int64_t centroids = choices.Coin() ? 1 : choices.Range(2, 5);
  if (count * std::max<int64_t>(3, centroids) > 4 * drawer.options().max_elements) return false;
  const ValueRange range = drawer.range(x);
  const ValueId points = Points(drawer, x, 8);
  if (points == kNoValue) return false;
  const double reach = std::clamp(range.Magnitude(), 8.0, 8192.0);
  const Shape shape = {1, 3, 1, centroids};
  const ValueId centers = choices.Coin() ? drawer.NewInput(shape) : drawer.NewConst(shape, reach);
  constexpr std::array<double, 4> kShares = {0.125, 0.25, 0.5, 1};
  const double radius = HalfToDouble(DoubleToHalf(reach * choices.Pick(kShares)));
  drawer.Begin(OpKind::kNativeRadiusSearch);
  drawer.graph().AddArgument(P::kCentroids, centers);
  drawer.graph().AddArgument(P::kPoints, points);
  drawer.AddFloat(P::kRadius, radius);
  return drawer.Finish({0, 0x101p-24, false});
}

// Scale and bias are inputs or constants. Without a scale, the layer only adds the bias.
bool DrawDynamicGain(Drawer& drawer, ValueId x) {
  using P = params::GainOffset;
  ChoiceStream& choices = drawer.choices();
  const Shape shape = PlaneShape(drawer, x);
  const Shape row = {1, shape[1], 1, 1};
  const double limit = WeightLimit(drawer, x, 1);
  if (limit <= 0) return false;
  const ValueId plane = Shaped(drawer, x, shape);
  if (plane == kNoValue) return false;
  const double given = InputMagnitude(drawer.mode());
  const bool scaled = choices.Chance(2, 3);
  // The scale may be an input only if the ceiling is finite and the product of the magnitudes of
  // inputs and x does not exceed it.
  const double together = given * drawer.range(x).Magnitude();
  const bool may_be_given = together <= drawer.Ceiling() && std::isfinite(drawer.Ceiling());
  const bool scale_given = choices.Coin() && may_be_given;
  const bool bias_given = choices.Coin();
  const double gain = !scaled ? 1 : scale_given ? given : limit;
  const ValueRange range = SumRange(drawer, x, 1, gain, bias_given ? given : BiasLimit(drawer));
  if (range.high > drawer.Ceiling()) return false;
  const auto operand = [&](bool input, double most) {
    return input ? drawer.NewInput(row) : drawer.NewConst(row, most);
  };
  const ValueId scale = scaled ? operand(scale_given, limit) : kNoValue;
  const ValueId bias = operand(bias_given, BiasLimit(drawer));
  drawer.Begin(OpKind::kNativeDynamicGoc);
  drawer.graph().AddArgument(P::kX, plane);
  if (scale != kNoValue) drawer.graph().AddArgument(P::kScale, scale);
  drawer.graph().AddArgument(P::kBias, bias);
  return drawer.Finish(range);
}

// Reduces x to its first four elements, then selects two of these.
bool DrawDynamicSlice(Drawer& drawer, ValueId x) {
  using P = params::NativeDynamicSlice;
  const int64_t count = drawer.shape(x).Elements();
  if (count < 4) return false;
  const ValueRange range = drawer.range(x);
  ValueId row = Shaped(drawer, x, Shape{1, 1, 1, count});
  if (row == kNoValue) return false;
  if (count > 4) {
    drawer.Begin(OpKind::kSliceBySize);
    drawer.graph().AddArgument(params::SliceBySize::kX, row);
    drawer.AddInts(params::SliceBySize::kBegin, std::array<int64_t, 4>{0, 0, 0, 0});
    drawer.AddInts(params::SliceBySize::kSize, std::array<int64_t, 4>{1, 1, 1, 4});
    if (!drawer.Finish(range)) return false;
    row = drawer.Last();
  }
  const int64_t start = drawer.choices().Range(0, 2);
  drawer.Begin(OpKind::kNativeDynamicSlice);
  drawer.graph().AddArgument(P::kX, row);
  drawer.AddInt(P::kStart, start);
  drawer.AddInt(P::kSliceSize, 2);
  return drawer.Finish(range);
}

bool DrawDropout(Drawer& drawer, ValueId x) {
  drawer.Begin(OpKind::kNativeDropout);
  drawer.graph().AddArgument(params::NativeDropout::kX, x);
  drawer.AddFloat(params::NativeDropout::kRate, 0);
  return drawer.Finish(drawer.range(x));
}

}  // namespace

// These operations are drawn only in network descriptions or on request.
constinit const OpGenerator kGeneratorNativeSdpa = {OpKind::kNativeSdpa, false, 0, DrawSdpa};
constinit const OpGenerator kGeneratorNativeSort = {OpKind::kNativeSort, false, 0, DrawSort};
constinit const OpGenerator kGeneratorNativeTopK = {OpKind::kNativeTopK, false, 0, DrawTopK};
constinit const OpGenerator kGeneratorNativeArgMinMax = {OpKind::kNativeArgMinMax, false, 0,
                                                         DrawArgMinMax};
constinit const OpGenerator kGeneratorNativeGlobalArgMinMax = {OpKind::kNativeGlobalArgMinMax,
                                                               false, 0, DrawGlobalArgMinMax};
constinit const OpGenerator kGeneratorNativeMinMaxNorm = {OpKind::kNativeMinMaxNorm, false, 0,
                                                          DrawMinMaxNorm};
constinit const OpGenerator kGeneratorNativeScaledElementWise = {OpKind::kNativeScaledElementWise,
                                                                 true, 0, DrawScaled};
constinit const OpGenerator kGeneratorNativeCrossCorrelation = {OpKind::kNativeCrossCorrelation,
                                                                true, 0, DrawCorrelation};
constinit const OpGenerator kGeneratorNativeFurthestPointSampling = {
    OpKind::kNativeFurthestPointSampling, false, 0, DrawSampling};
constinit const OpGenerator kGeneratorNativeDynamicGoc = {OpKind::kNativeDynamicGoc, true, 0,
                                                          DrawDynamicGain};
constinit const OpGenerator kGeneratorNativeRadiusSearch = {OpKind::kNativeRadiusSearch, false, 0,
                                                            DrawRadiusSearch};
constinit const OpGenerator kGeneratorNativeDynamicSlice = {OpKind::kNativeDynamicSlice, true, 0,
                                                            DrawDynamicSlice};
constinit const OpGenerator kGeneratorNativeDropout = {OpKind::kNativeDropout, true, 0,
                                                       DrawDropout};
constinit const OpGenerator kGeneratorCostVolume = {OpKind::kCostVolume, true, 0, DrawCostVolume};

}  // namespace anecheck
