// Draws image, resize and texture operations. Target extents are small, every mode is drawn, and
// some positions lie outside of the image.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "generators/drawer.h"
#include "generators/ops/domain.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 5> kGrids = {
    "DEFAULT", "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "OFFSET_CORNERS", "UNALIGN_CORNERS"};

// The range of interpolated numbers. Except for the last rounding, they lie between the numbers
// from which they are interpolated.
ValueRange Between(const ValueRange& range, double other) {
  return {std::min(range.low, other), std::max(range.high, other), false};
}

// A target extent for which the result keeps to the maximum number of elements.
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
  // Nearest sampling keeps integers.
  const bool nearest = drawer.integer_mode() || choices.Chance(1, 3);
  drawer.Begin(OpKind::kResize);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kShape, std::vector<int64_t>{choices.Chance(1, 6) ? 0 : height, width});
  drawer.AddInt(P::kResizedDims, dims);
  drawer.AddString(P::kInterpolationMode, nearest ? "NEAREST_NEIGHBOR" : "LINEAR");
  drawer.AddString(P::kSamplingMode, choices.Pick(kGrids));
  return drawer.Finish(nearest ? drawer.range(x) : Between(drawer.range(x), 0));
}

bool DrawResizeBilinear(Drawer& drawer, ValueId x) {
  using P = params::ResizePlane;
  if (!HasPlane(drawer, x)) return false;
  const int64_t height = Target(drawer, x, 1);
  const int64_t width = Target(drawer, x, static_cast<int>(height));
  drawer.Begin(OpKind::kResizeBilinear);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kTargetSizeHeight, height);
  drawer.AddInt(P::kTargetSizeWidth, width);
  drawer.AddString(P::kSamplingMode, drawer.choices().Pick(kGrids));
  return drawer.Finish(Between(drawer.range(x), 0));
}

bool DrawResizeNearest(Drawer& drawer, ValueId x) {
  using P = params::ResizePlane;
  if (!HasPlane(drawer, x)) return false;
  const Shape shape = drawer.shape(x);
  // Integer mode draws only multiples of the extent. For others, the oracle admits several
  // neighbours.
  const auto target = [&](int axis, int64_t drawn) {
    const int64_t extent = shape[shape.rank() - 2 + axis];
    return drawer.integer_mode() ? extent * drawer.choices().Range(1, 2) : drawn;
  };
  const int64_t height = target(0, Target(drawer, x, 1));
  const int64_t width =
      target(1, Target(drawer, x, static_cast<int>(std::min<int64_t>(height, 12))));
  drawer.Begin(OpKind::kResizeNearestNeighbor);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kTargetSizeHeight, height);
  drawer.AddInt(P::kTargetSizeWidth, width);
  return drawer.Finish(drawer.range(x));
}

double DrawScale(Drawer& drawer) {
  constexpr std::array<double, 7> kScales = {2, 3, 4, 2, 1.5, 0.5, 1};
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
  drawer.AddFloat(P::kScaleFactorHeight, height);
  drawer.AddFloat(P::kScaleFactorWidth, width);
  if (bilinear) {
    const bool align = choices.Coin();
    drawer.AddBool(P::kAlignCorners, align);
    if (!align && choices.Coin()) drawer.AddBool(P::kHalfPixelCenters, choices.Coin());
  }
  return drawer.Finish(bilinear ? Between(drawer.range(x), 0) : drawer.range(x));
}

bool DrawUpsampleBilinear(Drawer& drawer, ValueId x) {
  return EmitUpsample(drawer, OpKind::kUpsampleBilinear, x);
}
bool DrawUpsampleNearest(Drawer& drawer, ValueId x) {
  return EmitUpsample(drawer, OpKind::kUpsampleNearestNeighbor, x);
}

// The ranges of drawn numbers. Consecutive numbers use consecutive ranges, cyclically.
using Intervals = std::vector<std::array<int64_t, 2>>;

// A constant whose elements are multiples of 1/4 in these intervals. fp16 represents them exactly.
ValueId Quarters(Drawer& drawer, const Shape& shape, const Intervals& in) {
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

// Returns, for each of `count` boxes, the index of its image in a batch of `images`. The indices
// are a constant or computed.
ValueId BoxIndices(Drawer& drawer, int64_t count, int64_t images) {
  ChoiceStream& choices = drawer.choices();
  if (images > 1 && drawer.MayCompute()) {
    const ValueId input = drawer.NewInput(Shape{count});
    return drawer.CastTo(DType::kInt32, Within(drawer, input, 0, static_cast<double>(images - 1)));
  }
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) indices.push_back(choices.Range(0, images - 1));
  return drawer.NewIntegers(DType::kInt32, Shape{count}, indices);
}

// The form of boxes. A box is a pair of corners (h0, w0, h1, w1) in order, or a centre and a size.
// Either form may state the width before the height. `h` and `w` are the upper bounds of
// coordinates, and are 1 for normalized coordinates.
struct BoxForm {
  bool centre = false;
  bool width_first = false;
  int64_t h = 1;
  int64_t w = 1;

  // The intervals of the four numbers of a box.
  Intervals Numbers() const {
    const int64_t a = width_first ? w : h;
    const int64_t b = width_first ? h : w;
    if (centre) return {{{0, a}}, {{0, b}}, {{0, a}}, {{0, b}}};
    return {{{-1, a / 2}}, {{-1, b / 2}}, {{a / 2, a}}, {{b / 2, b}}};
  }
};

// Returns the coordinates of boxes, in this shape: a constant, or computed values in the image.
ValueId DrawNumbers(Drawer& drawer, const Shape& shape, const BoxForm& form) {
  if (drawer.MayCompute()) {
    return Within(drawer, drawer.NewInput(shape), 0, static_cast<double>(std::max(form.h, form.w)));
  }
  return Quarters(drawer, shape, form.Numbers());
}

// Draws roi, the form of the boxes before iOS 17. With shape [count, 1, 4, 1, 1], crop_resize crops
// every box from every image. With shape [count, 1, 5, 1, 1], it crops each box from the image
// whose index is the first number of the box.
ValueId DrawRegions(Drawer& drawer, int64_t count, const BoxForm& form, int64_t images) {
  ChoiceStream& choices = drawer.choices();
  if (choices.Coin()) return DrawNumbers(drawer, Shape{count, 1, 4, 1, 1}, form);
  Intervals in;
  for (int64_t box = 0; box < count; ++box) {
    const int64_t image = choices.Range(0, images - 1);
    in.push_back({{image, image}});
    for (const std::array<int64_t, 2>& number : form.Numbers()) in.push_back(number);
  }
  return Quarters(drawer, Shape{count, 1, 5, 1, 1}, in);
}

bool DrawCropResize(Drawer& drawer, ValueId x) {
  using P = params::CropResize;
  const Shape shape = drawer.shape(x);
  if (shape.rank() != 4 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t count = choices.Range(1, 3);
  // roi replaces boxes and indices. Without roi and indices, box i belongs to image i.
  const bool regions = choices.Chance(1, 6);
  const bool indexed = !regions && (count > shape[0] || !choices.Chance(1, 4));
  const ValueId indices = indexed ? BoxIndices(drawer, count, shape[0]) : kNoValue;
  constexpr std::array<std::string_view, 6> kModes = {
      "CORNERS_HEIGHT_FIRST",     "CORNERS_HEIGHT_FIRST",    "CORNERS_WIDTH_FIRST",
      "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST", "CORNERS_HEIGHT_FIRST"};
  if (indexed && indices == kNoValue) return false;
  const std::string_view mode = choices.Pick(kModes);
  const bool normalized = choices.Chance(1, 4);
  const BoxForm form = {.centre = mode.starts_with("CENTER"),
                        .width_first = mode.ends_with("WIDTH_FIRST"),
                        .h = normalized ? 1 : shape[2],
                        .w = normalized ? 1 : shape[3]};
  const ValueId boxes = regions ? DrawRegions(drawer, count, form, shape[0])
                                : DrawNumbers(drawer, Shape{count, 4}, form);
  const int64_t height = choices.Range(1, 4);
  const int64_t width = choices.Range(1, 4);
  drawer.Begin(OpKind::kCropResize);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(regions ? P::kRoi : P::kBoxes, boxes);
  if (indexed) drawer.graph().AddArgument(P::kBoxIndices, indices);
  drawer.AddInt(P::kTargetHeight, height);
  drawer.AddInt(P::kTargetWidth, width);
  if (choices.Chance(1, 4)) drawer.AddFloat(P::kSpatialScale, 0.5);
  drawer.AddBool(P::kNormalizedCoordinates, normalized);
  drawer.AddString(P::kBoxCoordinateMode, mode);
  drawer.AddString(P::kSamplingMode, choices.Pick(kGrids));
  const double pad = static_cast<double>(choices.Range(-2, 2));
  drawer.AddFloat(P::kPadValue, pad);
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
  const ValueId coordinates = drawer.MayCompute() ? Within(drawer, drawer.NewInput(grid), -1,
                                                           static_cast<double>(std::max(h, w)))
                                                  : Quarters(drawer, grid, {{{-1, w}}, {{-1, h}}});
  const bool nearest = drawer.integer_mode() || choices.Chance(1, 3);
  const double pad = static_cast<double>(choices.Range(-2, 2));
  drawer.Begin(OpKind::kResample);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kCoordinates, coordinates);
  drawer.AddString(P::kSamplingMode, nearest ? "nearest" : "bilinear");
  drawer.AddString(P::kPaddingMode, choices.Pick(kPaddings));
  drawer.AddFloat(P::kPaddingValue, pad);
  drawer.AddString(P::kCoordinatesMode, mode);
  drawer.AddBool(P::kAlignCorners, choices.Coin());
  ValueRange range = Between(Between(drawer.range(x), pad), 0);
  return drawer.Finish(range);
}

bool DrawAffine(Drawer& drawer, ValueId x) {
  using P = params::Affine;
  const Shape shape = drawer.shape(x);
  if (shape.rank() != 4 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  const Shape matrices = {choices.Coin() ? 1 : shape[0], 6};
  const ValueId matrix = drawer.MayCompute() ? Within(drawer, drawer.NewInput(matrices), -1, 1)
                                             : Quarters(drawer, matrices, {{{-1, 1}}});
  const int64_t height = choices.Range(1, 5);
  const int64_t width = choices.Range(1, 5);
  drawer.Begin(OpKind::kAffine);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kTransformMatrix, matrix);
  drawer.AddInt(P::kOutputHeight, height);
  drawer.AddInt(P::kOutputWidth, width);
  drawer.AddString(P::kSamplingMode, "bilinear");
  drawer.AddString(P::kPaddingMode, "constant");
  drawer.AddFloat(P::kPaddingValue, 0);
  drawer.AddString(P::kCoordinatesMode, "normalized_minus_one_to_one");
  drawer.AddBool(P::kAlignCorners, true);
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
