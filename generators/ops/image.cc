// How image, resize and texture operations are drawn: small targets, every mode, and positions that
// cross the edges of the image.
#include <algorithm>
#include <array>
#include <vector>

#include "generators/drawer.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 5> kGrids = {
    "DEFAULT", "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "OFFSET_CORNERS", "UNALIGN_CORNERS"};

// Interpolated numbers lie between those they come from, but for the last rounding.
ValueRange Between(const ValueRange& range, double other) {
  return {std::min(range.low, other), std::max(range.high, other), false};
}

// A target extent, at most what keeps the result in bounds.
int64_t Target(Drawer& drawer, ValueId x, int rest) {
  const Shape shape = drawer.shape(x);
  int64_t others = 1;
  for (int axis = 0; axis + 2 < shape.rank(); ++axis) others *= shape[axis];
  const int64_t most = 2 * drawer.options().max_elements / std::max<int64_t>(1, others * rest);
  return drawer.choices().Range(1, std::clamp<int64_t>(most, 1, 12));
}

bool HasPlane(const Drawer& drawer, ValueId x) {
  const Shape& shape = drawer.shape(x);
  return shape.rank() >= 3 && shape.Elements() <= 2 * drawer.options().max_elements;
}

bool DrawResize(Drawer& drawer, ValueId x) {
  using P = params::Resize;
  if (!HasPlane(drawer, x)) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t height = Target(drawer, x, 1);
  const int64_t width = Target(drawer, x, static_cast<int>(height));
  const int64_t dims = choices.Range(1, 2);
  // Integers stay integers where pixels are taken as they are.
  const bool nearest = drawer.integer_mode() || choices.Chance(1, 3);
  drawer.Begin(OpKind::kResize);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddInts(P::kShape, std::vector<int64_t>{choices.Chance(1, 6) ? 0 : height, width});
  drawer.graph().AddInt(P::kResizedDims, dims);
  drawer.graph().AddString(P::kInterpolationMode, nearest ? "NEAREST_NEIGHBOR" : "LINEAR");
  drawer.graph().AddString(P::kSamplingMode, choices.Pick(kGrids));
  return drawer.Finish(nearest ? drawer.range(x) : Between(drawer.range(x), 0));
}

bool DrawResizeBilinear(Drawer& drawer, ValueId x) {
  using P = params::ResizePlane;
  if (!HasPlane(drawer, x)) return false;
  const int64_t height = Target(drawer, x, 1);
  const int64_t width = Target(drawer, x, static_cast<int>(height));
  drawer.Begin(OpKind::kResizeBilinear);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddInt(P::kTargetSizeHeight, height);
  drawer.graph().AddInt(P::kTargetSizeWidth, width);
  drawer.graph().AddString(P::kSamplingMode, drawer.choices().Pick(kGrids));
  return drawer.Finish(Between(drawer.range(x), 0));
}

bool DrawResizeNearest(Drawer& drawer, ValueId x) {
  using P = params::ResizePlane;
  if (!HasPlane(drawer, x)) return false;
  const Shape shape = drawer.shape(x);
  // In integer mode multiples only: elsewhere several neighbours are admitted.
  const auto target = [&](int axis, int64_t drawn) {
    const int64_t extent = shape[shape.rank() - 2 + axis];
    return drawer.integer_mode() ? extent * drawer.choices().Range(1, 2) : drawn;
  };
  const int64_t height = target(0, Target(drawer, x, 1));
  const int64_t width =
      target(1, Target(drawer, x, static_cast<int>(std::min<int64_t>(height, 12))));
  drawer.Begin(OpKind::kResizeNearestNeighbor);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddInt(P::kTargetSizeHeight, height);
  drawer.graph().AddInt(P::kTargetSizeWidth, width);
  return drawer.Finish(drawer.range(x));
}

double DrawScale(Drawer& drawer) {
  constexpr std::array<double, 6> kScales = {2, 3, 4, 2, 1.5, 0.5};
  return drawer.integer_mode() ? 2 : drawer.choices().Pick(kScales);
}

bool EmitUpsample(Drawer& drawer, OpKind kind, ValueId x) {
  using P = params::Upsample;
  if (!HasPlane(drawer, x) || drawer.shape(x).Elements() > 128) return false;
  const bool bilinear = kind == OpKind::kUpsampleBilinear;
  ChoiceStream& choices = drawer.choices();
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  const double height = DrawScale(drawer);
  const double width = DrawScale(drawer);
  drawer.graph().AddFloat(P::kScaleFactorHeight, height);
  drawer.graph().AddFloat(P::kScaleFactorWidth, width);
  if (bilinear) {
    const bool align = choices.Coin();
    drawer.graph().AddBool(P::kAlignCorners, align);
    if (!align && choices.Coin()) drawer.graph().AddBool(P::kHalfPixelCenters, choices.Coin());
  }
  return drawer.Finish(bilinear ? Between(drawer.range(x), 0) : drawer.range(x));
}

bool DrawUpsampleBilinear(Drawer& drawer, ValueId x) {
  return EmitUpsample(drawer, OpKind::kUpsampleBilinear, x);
}
bool DrawUpsampleNearest(Drawer& drawer, ValueId x) {
  return EmitUpsample(drawer, OpKind::kUpsampleNearestNeighbor, x);
}

// A constant of quarters in [low, high], which fp16 holds.
ValueId Quarters(Drawer& drawer, const Shape& shape,
                 const std::vector<std::array<int64_t, 2>>& in) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    const auto& [low, high] = in[static_cast<size_t>(i) % in.size()];
    const double value = static_cast<double>(drawer.choices().Range(4 * low, 4 * high)) / 4;
    const uint16_t bits = DoubleToHalf(value).bits;
    bytes.push_back(static_cast<uint8_t>(bits));
    bytes.push_back(static_cast<uint8_t>(bits >> 8));
  }
  return drawer.NewTensor({DType::kFp16, shape}, bytes);
}

bool DrawCropResize(Drawer& drawer, ValueId x) {
  using P = params::CropResize;
  const Shape shape = drawer.shape(x);
  if (shape.rank() != 4 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t count = choices.Range(1, 3);
  std::vector<int64_t> images;
  for (int64_t i = 0; i < count; ++i) images.push_back(choices.Range(0, shape[0] - 1));
  const ValueId indices = drawer.NewIntegers(DType::kInt32, Shape{count}, images);
  const bool centre = choices.Chance(1, 3);
  // Corners (h0, w0, h1, w1) in order, or a centre and a size.
  const int64_t h = shape[2];
  const int64_t w = shape[3];
  const ValueId boxes =
      centre ? Quarters(drawer, Shape{count, 4}, {{{0, h}}, {{0, w}}, {{0, h}}, {{0, w}}})
             : Quarters(drawer, Shape{count, 4},
                        {{{-1, h / 2}}, {{-1, w / 2}}, {{h / 2, h}}, {{w / 2, w}}});
  const int64_t height = choices.Range(1, 4);
  const int64_t width = choices.Range(1, 4);
  drawer.Begin(OpKind::kCropResize);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kBoxes, boxes);
  drawer.graph().AddArgument(P::kBoxIndices, indices);
  drawer.graph().AddInt(P::kTargetHeight, height);
  drawer.graph().AddInt(P::kTargetWidth, width);
  if (choices.Chance(1, 4)) drawer.graph().AddFloat(P::kSpatialScale, 0.5);
  drawer.graph().AddString(P::kBoxCoordinateMode,
                           centre ? "CENTER_SIZE_HEIGHT_FIRST" : "CORNERS_HEIGHT_FIRST");
  drawer.graph().AddString(P::kSamplingMode, choices.Pick(kGrids));
  const double pad = static_cast<double>(choices.Range(-2, 2));
  drawer.graph().AddFloat(P::kPadValue, pad);
  return drawer.Finish(Between(Between(drawer.range(x), pad), 0));
}

bool DrawResample(Drawer& drawer, ValueId x) {
  using P = params::Resample;
  const Shape shape = drawer.shape(x);
  if (shape.rank() != 4 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  constexpr std::array<std::string_view, 3> kModes = {"unnormalized", "normalized_minus_one_to_one",
                                                      "normalized_zero_to_one"};
  constexpr std::array<std::string_view, 4> kPaddings = {"constant", "border", "reflection",
                                                         "symmetric"};
  const std::string_view mode = choices.Pick(kModes);
  const Shape grid = {shape[0], choices.Range(1, 4), choices.Range(1, 4), 2};
  const bool pixels = mode == "unnormalized";
  const int64_t w = pixels ? shape[3] : 1;
  const int64_t h = pixels ? shape[2] : 1;
  const ValueId coordinates = Quarters(drawer, grid, {{{-1, w}}, {{-1, h}}});
  const bool nearest = drawer.integer_mode() || choices.Chance(1, 3);
  const double pad = static_cast<double>(choices.Range(-2, 2));
  drawer.Begin(OpKind::kResample);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kCoordinates, coordinates);
  drawer.graph().AddString(P::kSamplingMode, nearest ? "nearest" : "bilinear");
  drawer.graph().AddString(P::kPaddingMode, choices.Pick(kPaddings));
  drawer.graph().AddFloat(P::kPaddingValue, pad);
  drawer.graph().AddString(P::kCoordinatesMode, mode);
  drawer.graph().AddBool(P::kAlignCorners, choices.Coin());
  ValueRange range = Between(Between(drawer.range(x), pad), 0);
  return drawer.Finish(range);
}

bool DrawAffine(Drawer& drawer, ValueId x) {
  using P = params::Affine;
  const Shape shape = drawer.shape(x);
  if (shape.rank() != 4 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  const Shape matrices = {choices.Coin() ? 1 : shape[0], 6};
  const ValueId matrix = Quarters(drawer, matrices, {{{-1, 1}}});
  const int64_t height = choices.Range(1, 5);
  const int64_t width = choices.Range(1, 5);
  drawer.Begin(OpKind::kAffine);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kTransformMatrix, matrix);
  drawer.graph().AddInt(P::kOutputHeight, height);
  drawer.graph().AddInt(P::kOutputWidth, width);
  drawer.graph().AddString(P::kSamplingMode, "bilinear");
  drawer.graph().AddString(P::kPaddingMode, "constant");
  drawer.graph().AddFloat(P::kPaddingValue, 0);
  drawer.graph().AddString(P::kCoordinatesMode, "normalized_minus_one_to_one");
  drawer.graph().AddBool(P::kAlignCorners, true);
  return drawer.Finish(Between(drawer.range(x), 0));
}

}  // namespace

constinit const OpGenerator kGeneratorResize = {OpKind::kResize, false, 1, DrawResize};
constinit const OpGenerator kGeneratorResizeBilinear = {OpKind::kResizeBilinear, false, 1,
                                                        DrawResizeBilinear};
constinit const OpGenerator kGeneratorResizeNearestNeighbor = {OpKind::kResizeNearestNeighbor, true,
                                                               1, DrawResizeNearest};
constinit const OpGenerator kGeneratorUpsampleBilinear = {OpKind::kUpsampleBilinear, false, 1,
                                                          DrawUpsampleBilinear};
constinit const OpGenerator kGeneratorUpsampleNearestNeighbor = {OpKind::kUpsampleNearestNeighbor,
                                                                 true, 1, DrawUpsampleNearest};
constinit const OpGenerator kGeneratorCropResize = {OpKind::kCropResize, false, 1, DrawCropResize};
constinit const OpGenerator kGeneratorResample = {OpKind::kResample, false, 1, DrawResample};
constinit const OpGenerator kGeneratorAffine = {OpKind::kAffine, false, 1, DrawAffine};

}  // namespace anecheck
