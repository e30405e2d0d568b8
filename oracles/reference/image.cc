// Kernels of image, resize and texture operations. They compute the positions that each result
// element reads, by MIL's definitions.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/ops/params.h"
#include "oracles/reference/sampling.h"

namespace anecheck {
namespace reference {
namespace {

double Relative(const KernelContext& context) {
  return context.contract()[Term::kPositionRelative];
}

// The rule that places the grid of result positions over the pixel positions [begin, end]
// (sampling_mode of resize_bilinear, and the two flags of upsample_bilinear).
enum class GridMode : uint8_t { kDefault, kStrictAlign, kAlign, kOffset, kUnalign };

GridMode ModeOf(std::string_view name) {
  if (name == "STRICT_ALIGN_CORNERS") return GridMode::kStrictAlign;
  if (name == "ALIGN_CORNERS") return GridMode::kAlign;
  if (name == "OFFSET_CORNERS") return GridMode::kOffset;
  return name == "UNALIGN_CORNERS" ? GridMode::kUnalign : GridMode::kDefault;
}

// Returns grid point `i` of `count` over [begin, end], clamped to this interval. The point is exact
// if begin and end are exact.
Position GridPoint(GridMode mode, int64_t i, int64_t count, double begin, double end,
                   int64_t extent, double relative) {
  const auto at = static_cast<double>(i);
  const auto n = static_cast<double>(count);
  const double span = end - begin;
  Position point;
  switch (mode) {
    case GridMode::kDefault:
      // The spacing is (Xin - Xin / Xout) / (Xout - 1), that is Xin / Xout. A single point is at 0.
      point = MakePosition(begin * n + (count == 1 ? 0 : at * (span + 1)), n, extent, relative);
      break;
    case GridMode::kStrictAlign:
    case GridMode::kAlign:
      if (count > 1) {
        point = MakePosition(begin * (n - 1) + at * span, n - 1, extent, relative);
      } else {
        const bool middle = mode == GridMode::kAlign;
        point = MakePosition(middle ? begin + end : 2 * begin, 2, extent, relative);
      }
      break;
    case GridMode::kOffset:
      point =
          MakePosition(2 * n * begin + (2 * at + 1) * std::max(1.0, span), 2 * n, extent, relative);
      break;
    case GridMode::kUnalign:
      point = MakePosition(2 * n * begin + (2 * at + 1) * (span + 1) - n, 2 * n, extent, relative);
      break;
  }
  const double first = std::min(begin, end);
  const double last = std::max(begin, end);
  if (point.value() <= first) return MakePosition(first, 1, extent, relative);
  return point.value() >= last ? MakePosition(last, 1, extent, relative) : point;
}

// Computes planes of height x width. `point(axis, i)` returns the position along height (0) or
// width (1), in the type that `sample` takes.
template <typename Point, typename Sample>
Status ForPlanes(KernelContext& context, const Point& point, Sample sample) {
  const BoundedTensor& x = context.Input(0);
  BoundedTensor& result = context.Result();
  const Shape& from = x.type.shape;
  const Shape& shape = result.type.shape;
  const int rank = shape.rank();
  const int64_t height = rank < 2 ? 1 : shape[rank - 2];
  const int64_t width = shape[rank - 1];
  Plane plane{.x = &x, .height = rank < 2 ? 1 : from[rank - 2], .width = from[rank - 1]};
  StoreSamples(context, result, [&](size_t i) {
    const auto at = static_cast<int64_t>(i);
    plane.first = static_cast<size_t>(at / (height * width) * plane.height * plane.width);
    return sample(plane, point(0, at / width % height), point(1, at % width));
  });
  return {};
}

// The extents of the last two axes of the operand and of the result.
struct Planar {
  int64_t from[2];
  int64_t to[2];
};
Planar ExtentsOf(KernelContext& context) {
  const Shape& x = context.Input(0).type.shape;
  const Shape& result = context.Result().type.shape;
  const int rank = x.rank();
  return {{rank < 2 ? 1 : x[rank - 2], x[rank - 1]},
          {rank < 2 ? 1 : result[rank - 2], result[rank - 1]}};
}

// Flags the elements that may be infinite or NaN, and their neighbours along every axis.
const uint8_t* NearSpecials(KernelContext& context, const BoundedTensor& x) {
  auto* flags = context.arena().Allocate<uint8_t>(x.size);
  for (size_t i = 0; i < x.size; ++i) {
    const bool number = std::fabs(x.low[i]) < kInfinity && std::fabs(x.high[i]) < kInfinity;
    flags[i] = number && !x.NanAt(i) ? 0 : 1;
  }
  const Shape& shape = x.type.shape;
  size_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const auto extent = static_cast<size_t>(shape[axis]);
    auto* const wider = context.arena().Allocate<uint8_t>(x.size);
    for (size_t i = 0; i < x.size; ++i) {
      const size_t at = i / step % extent;
      wider[i] = flags[i];
      if (at > 0) wider[i] |= flags[i - step];
      if (at + 1 < extent) wider[i] |= flags[i + step];
    }
    flags = wider;
    step *= extent;
  }
  return flags;
}

Status ResizeLinear(KernelContext& context, GridMode height, GridMode width) {
  const Planar planar = ExtentsOf(context);
  const double relative = Relative(context);
  const BoundedTensor& input = context.Input(0);
  // An engine that is not an ANE may blend along every axis. Along an axis with unchanged extent it
  // uses a weight of 0, and 0 times an infinity is NaN.
  const bool blends_all = IsAnyEngine(context.contract().family) && input.special;
  const uint8_t* const near = blends_all ? NearSpecials(context, input) : nullptr;
  return ForPlanes(
      context,
      [&](int axis, int64_t i) {
        return GridPoint(axis == 0 ? height : width, i, planar.to[axis], 0,
                         static_cast<double>(planar.from[axis] - 1), planar.from[axis], relative);
      },
      [&](const Plane& plane, const Position& y, const Position& x) {
        Sampled sampled = SampleLinear(context, plane, y, x);
        if (near == nullptr) return sampled;
        const auto row = static_cast<size_t>(std::floor(y.value()));
        const auto column = static_cast<size_t>(std::floor(x.value()));
        const auto extent = static_cast<size_t>(plane.width);
        sampled.nan |= near[plane.first + row * extent + column];
        return sampled;
      });
}

// The pixel nearest to result pixel i, for an axis with extents `from` and `to`. Some operations
// put pixel i at i, others at its centre. Both rules choose the same pixels for an axis that grows
// by a whole factor or keeps its extent.
int64_t CornerPixel(int64_t i, int64_t from, int64_t to) {
  return std::min(from - 1, i * from / to);
}
int64_t CentrePixel(int64_t i, int64_t from, int64_t to) {
  return std::min(from - 1, (2 * i + 1) * from / (2 * to));
}

// Admits only one pixel.
PixelRange Only(int64_t pixel) { return {pixel, pixel, pixel}; }

// Returns the pixel at the centre of result pixel `i`. Admits both pixels if the centre is on their
// border, because an engine may round its factor.
PixelRange AtCentre(int64_t i, int64_t from, int64_t to) {
  const int64_t centre = CentrePixel(i, from, to);
  const bool border = from % to != 0 && (2 * i + 1) * from % (2 * to) == 0;
  return {centre, border ? std::max<int64_t>(centre - 1, 0) : centre, centre};
}

// Returns the pixel nearest to the grid point of MIL's definition. Admits both of two equally near
// ones.
PixelRange NearGridPoint(int64_t i, int64_t from, int64_t to) {
  const int64_t twice = 2 * i * from + to;
  const int64_t near = std::min(from - 1, twice / (2 * to));
  return {near, twice % (2 * to) == 0 ? std::max<int64_t>(near - 1, 0) : near, near};
}

// For resize, admits the pixel at the centre or the pixel nearest to the grid point of MIL's
// definition. Both fit coremltools' runtime test (iOS17/test_image_resizing.py,
// test_resize_nearest_neighbor), in which 2 rows become the 3 rows 0, 1, 1.
PixelRange ResizedPixel(int64_t i, int64_t from, int64_t to) {
  return EitherRange(AtCentre(i, from, to), NearGridPoint(i, from, to));
}
// For upsample_nearest_neighbor, admits only the pixel at the corner, computed from the extents and
// not from the given factor (iOS15/test_image_resizing.py,
// TestUpsampleNearestNeighborFractionalScales: 3 columns become the 2 columns 0, 1 for factor 0.67,
// and the 3 columns 0, 1, 2 for factor 1.12).
PixelRange UpsampledPixel(int64_t i, int64_t from, int64_t to) {
  return Only(CornerPixel(i, from, to));
}
// For resize_nearest_neighbor, admits the pixel at the corner or at the centre, because no runtime
// test distinguishes the two.
PixelRange EitherPixel(int64_t i, int64_t from, int64_t to) {
  return EitherRange(Only(CornerPixel(i, from, to)), AtCentre(i, from, to));
}

template <PixelRange kPixel(int64_t, int64_t, int64_t)>
Status ResizeNearest(KernelContext& context) {
  const Planar planar = ExtentsOf(context);
  return ForPlanes(
      context, [&](int axis, int64_t i) { return kPixel(i, planar.from[axis], planar.to[axis]); },
      NearestSampler());
}

Status Resize(KernelContext& context) {
  using P = params::Resize;
  const NodeView& node = context.node();
  const GridMode mode = ModeOf(node.String(P::kSamplingMode, "DEFAULT"));
  const bool plane = node.Int(P::kResizedDims, 0) >= 2;
  if (node.String(P::kInterpolationMode, "LINEAR") == "LINEAR") {
    // In the mode that aligns corners, an axis with unchanged extent has unchanged pixels.
    return ResizeLinear(context, plane ? mode : GridMode::kStrictAlign, mode);
  }
  if (mode == GridMode::kDefault) return ResizeNearest<ResizedPixel>(context);
  const Planar planar = ExtentsOf(context);
  return ForPlanes(
      context,
      [&](int axis, int64_t i) {
        if (axis == 0 && !plane) return Only(i);
        const Position point =
            GridPoint(mode, i, planar.to[axis], 0, static_cast<double>(planar.from[axis] - 1),
                      planar.from[axis], Relative(context));
        PixelRange range = NearestTo(point);
        // MIL's definition does not say whether it means the nearest or the lower pixel.
        range.first = std::min(range.first, static_cast<int64_t>(std::floor(point.low)));
        return range;
      },
      NearestSampler());
}

Status ResizeBilinear(KernelContext& context) {
  const GridMode mode =
      ModeOf(context.node().String(params::ResizePlane::kSamplingMode, "DEFAULT"));
  return ResizeLinear(context, mode, mode);
}

// The factor is recomputed from the extents, as MIL's definition requires.
Status UpsampleBilinear(KernelContext& context) {
  using P = params::Upsample;
  const bool align = context.node().Bool(P::kAlignCorners, true);
  const bool centres = context.node().Bool(P::kHalfPixelCenters, !align);
  const GridMode mode = align     ? GridMode::kStrictAlign
                        : centres ? GridMode::kUnalign
                                  : GridMode::kDefault;
  return ResizeLinear(context, mode, mode);
}

// ---- crop_resize ----------------------------------------------------------------------------

// The ends of a box along one axis in pixels, and the largest error of an engine's ends.
struct BoxAxis {
  double begin = 0;
  double end = 0;
  double slack = 0;
};

// Reads the box whose coordinates begin at element `start` of `boxes`.
BoxAxis ReadBox(const NodeView& node, const BoundedTensor& boxes, size_t start, bool height,
                int64_t extent) {
  using P = params::CropResize;
  const std::string_view mode = node.String(P::kBoxCoordinateMode, "CORNERS_HEIGHT_FIRST");
  const bool height_first = mode.ends_with("HEIGHT_FIRST");
  const bool corners = mode.starts_with("CORNERS");
  const size_t first = start + (height == height_first ? 0 : 1);
  const bool normalized = node.Bool(P::kNormalizedCoordinates, false);
  // spatial_scale is fp32 in MIL.
  const double scale = RoundToFloat(node.Float(P::kSpatialScale, 1)) *
                       (normalized ? static_cast<double>(extent - 1) : 1.0);
  const double a = boxes.value[first] * scale;
  const double b = boxes.value[first + 2] * scale;
  const double slack =
      (boxes.high[first] - boxes.low[first] + boxes.high[first + 2] - boxes.low[first + 2]) *
      std::fabs(scale);
  return corners ? BoxAxis{a, b, slack} : BoxAxis{a - b / 2, a + b / 2, slack};
}

// Whether one of the box's four coordinates may be NaN.
bool MayBeNan(const BoundedTensor& boxes, size_t start) {
  bool nan = false;
  for (size_t i = start; i < start + 4; ++i) nan |= boxes.NanAt(i);
  return nan;
}

// Whether a sample lies inside the image. Outside the image the whole sample is pad_value.
enum class Where : uint8_t { kInside, kOutside, kEither };
Where PlaceOf(const Position& position, int64_t extent) {
  const auto last = static_cast<double>(extent - 1);
  if (position.low >= 0 && position.high <= last) return Where::kInside;
  return position.high < 0 || position.low > last ? Where::kOutside : Where::kEither;
}

Status CropResize(KernelContext& context) {
  using P = params::CropResize;
  const NodeView& node = context.node();
  const BoundedTensor& x = context.Input(P::kX);
  const bool roi = node.HasInput(P::kRoi);
  const BoundedTensor& boxes = context.Input(roi ? P::kRoi : P::kBoxes);
  const Shape& from = x.type.shape;
  BoundedTensor& result = context.Result();
  const int64_t channels = from[1];
  const int64_t height = result.type.shape[result.type.shape.rank() - 2];
  const int64_t width = result.type.shape[result.type.shape.rank() - 1];
  // roi has four numbers for each box, or five, of which the first is the index of the image. If
  // there are four, each box is cut from every image.
  const size_t numbers = roi ? static_cast<size_t>(boxes.type.shape[2]) : 4;
  const size_t each = roi && numbers == 4 ? static_cast<size_t>(from[0]) : 1;
  const GridMode mode = ModeOf(node.String(P::kSamplingMode, "DEFAULT"));
  const double pad = GridOf(context, x.type.dtype).Round(node.Float(P::kPadValue, 0));
  const double relative = Relative(context);
  const auto grid = [&](size_t box, bool vertical, int64_t i, int64_t count) {
    const int64_t extent = from[vertical ? 2 : 3];
    const BoxAxis axis = ReadBox(node, boxes, numbers * box + numbers - 4, vertical, extent);
    Position point = GridPoint(mode, i, count, axis.begin, axis.end, extent, relative);
    point.low -= 2 * axis.slack;
    point.high += 2 * axis.slack;
    return point;
  };
  const auto sample = [&](size_t i) -> Sampled {
    const auto at = static_cast<int64_t>(i);
    const int64_t column = at % width;
    const int64_t row = at / width % height;
    const int64_t channel = at / (width * height) % channels;
    const auto crop = static_cast<size_t>(at / (width * height * channels));
    const size_t box = crop / each;
    const size_t own = roi ? crop % each : box;
    auto image = static_cast<double>(own);
    if (numbers == 5 || node.HasInput(P::kBoxIndices)) {
      const BoundedTensor& indices = numbers == 5 ? boxes : context.Input(P::kBoxIndices);
      const size_t place = numbers == 5 ? 5 * box : box;
      image = indices.value[place];
      if (indices.low[place] != indices.high[place] || indices.NanAt(place) ||
          std::trunc(image) != image) {
        return Anything(0);
      }
    }
    if (!(image >= 0 && image < static_cast<double>(from[0]))) return Anything(0);
    const Position y = grid(box, true, row, height);
    const Position z = grid(box, false, column, width);
    if (!(std::fabs(y.low) + std::fabs(y.high) + std::fabs(z.low) + std::fabs(z.high) < 1e9)) {
      return Anything(0);
    }
    const int64_t plane_index = static_cast<int64_t>(image) * channels + channel;
    const Plane plane{.x = &x,
                      .first = static_cast<size_t>(plane_index * from[2] * from[3]),
                      .height = from[2],
                      .width = from[3]};
    const Where wy = PlaceOf(y, from[2]);
    const Where wz = PlaceOf(z, from[3]);
    const Sampled padding{pad, pad, pad, 0};
    if (wy == Where::kOutside || wz == Where::kOutside) return padding;
    const Sampled inside = SampleLinear(context, plane, y, z);
    if (wy == Where::kInside && wz == Where::kInside) return inside;
    const bool value_inside = y.value() >= 0 && y.value() <= static_cast<double>(from[2] - 1) &&
                              z.value() >= 0 && z.value() <= static_cast<double>(from[3] - 1);
    return value_inside ? Either(inside, padding) : Either(padding, inside);
  };
  const auto area = static_cast<size_t>(channels * height * width);
  StoreSamples(context, result, [&](size_t i) {
    const Sampled sampled = sample(i);
    const size_t box = i / area / each;
    return MayBeNan(boxes, numbers * box + numbers - 4) ? Anything(sampled.value) : sampled;
  });
  return {};
}

// ---- resample and affine ----------------------------------------------------------------------

// Converts the coordinate `numerator / denominator`, in the units of `mode`, to a pixel position.
Position ToPixels(std::string_view mode, bool align, double numerator, double denominator,
                  int64_t extent, double relative) {
  const auto n = static_cast<double>(extent);
  if (mode == "unnormalized") return MakePosition(numerator, denominator, extent, 0);
  if (mode == "normalized_zero_to_one") {
    return align ? MakePosition(numerator * (n - 1), denominator, extent, relative)
                 : MakePosition(2 * numerator * n - denominator, 2 * denominator, extent, relative);
  }
  const double shifted = numerator + denominator;
  return align ? MakePosition(shifted * (n - 1), 2 * denominator, extent, relative)
               : MakePosition(shifted * n - denominator, 2 * denominator, extent, relative);
}

Edge EdgeOf(std::string_view name) {
  if (name == "border") return Edge::kBorder;
  if (name == "reflection") return Edge::kReflection;
  return name == "symmetric" ? Edge::kSymmetric : Edge::kConstant;
}

bool IsNear(const Position& position) {
  return std::fabs(position.low) < 1e9 && std::fabs(position.high) < 1e9;
}

Status Resample(KernelContext& context) {
  using P = params::Resample;
  const NodeView& node = context.node();
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& coordinates = context.Input(P::kCoordinates);
  const Shape& from = x.type.shape;
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const std::string_view mode = node.String(P::kCoordinatesMode, "unnormalized");
  const bool align = node.Bool(P::kAlignCorners, false);
  const bool nearest = node.String(P::kSamplingMode, "bilinear") == "nearest";
  Plane plane{.x = &x,
              .height = from[2],
              .width = from[3],
              .edge = EdgeOf(node.String(P::kPaddingMode, "constant")),
              .outside = GridOf(context, x.type.dtype).Round(node.Float(P::kPaddingValue, 0))};
  const auto position = [&](size_t at, int64_t extent) {
    Position p = ToPixels(mode, align, coordinates.value[at], 1, extent, Relative(context));
    const Position low = ToPixels(mode, align, coordinates.low[at], 1, extent, Relative(context));
    const Position high = ToPixels(mode, align, coordinates.high[at], 1, extent, Relative(context));
    p.low = std::min(p.low, low.low);
    p.high = std::max(p.high, high.high);
    return p;
  };
  const int64_t area = shape[2] * shape[3];
  NearestSampler nearest_sampler;
  StoreSamples(context, result, [&](size_t i) -> Sampled {
    const auto at = static_cast<int64_t>(i);
    const auto pair = static_cast<size_t>(2 * (at / (area * shape[1]) * area + at % area));
    if (coordinates.NanAt(pair) || coordinates.NanAt(pair + 1)) return Anything(kNan);
    const Position z = position(pair, from[3]);
    const Position y = position(pair + 1, from[2]);
    if (!IsNear(y) || !IsNear(z)) return Anything(kNan);
    plane.first = static_cast<size_t>(at / area * from[2] * from[3]);
    return nearest ? nearest_sampler(plane, NearestTo(y), NearestTo(z))
                   : SampleLinear(context, plane, y, z);
  });
  return {};
}

Status Affine(KernelContext& context) {
  using P = params::Affine;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& matrix = context.Input(P::kTransformMatrix);
  const Shape& from = x.type.shape;
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const bool shared = matrix.type.shape[0] == 1;
  const auto rows = static_cast<double>(std::max<int64_t>(1, shape[2] - 1));
  const auto columns = static_cast<double>(std::max<int64_t>(1, shape[3] - 1));
  // The coordinate of position i of n in [-1, 1], times n - 1. A single position has coordinate -1.
  const auto place = [](int64_t i, double last) { return 2 * static_cast<double>(i) - last; };
  Plane plane{.x = &x, .height = from[2], .width = from[3], .edge = Edge::kConstant};
  const int64_t area = shape[2] * shape[3];
  StoreSamples(context, result, [&](size_t i) -> Sampled {
    const auto at = static_cast<int64_t>(i);
    const double v = place(at / shape[3] % shape[2], rows);
    const double u = place(at % shape[3], columns);
    const auto batch = shared ? size_t{0} : static_cast<size_t>(at / (area * shape[1]));
    plane.first = static_cast<size_t>(at / area * from[2] * from[3]);
    Position positions[2];
    for (size_t axis = 0; axis < 2; ++axis) {
      const size_t row = 6 * batch + 3 * axis;
      double numerator = 0;
      double magnitude = 0;  // sum of the magnitudes of the terms
      double slack = 0;
      const double factors[3] = {u * rows, v * columns, rows * columns};
      for (size_t k = 0; k < 3; ++k) {
        numerator += matrix.value[row + k] * factors[k];
        magnitude += std::fabs(matrix.value[row + k] * factors[k]);
        slack += (matrix.high[row + k] - matrix.low[row + k]) * std::fabs(factors[k]);
        if (matrix.NanAt(row + k)) return Anything(kNan);
      }
      const int64_t extent = from[axis == 0 ? 3 : 2];
      Position& position = positions[axis];
      position = ToPixels("normalized_minus_one_to_one", true, numerator, rows * columns, extent,
                          Relative(context));
      const double error =
          (magnitude * Relative(context) + slack) / (rows * columns) * static_cast<double>(extent);
      // Whole positions stay exact, as in other operations.
      if (position.low != position.high || slack != 0) {
        position.low -= error;
        position.high += error;
      }
      if (!IsNear(position)) return Anything(kNan);
    }
    return SampleLinear(context, plane, positions[1], positions[0]);
  });
  return {};
}

constexpr Term kSamplingTerms[] = {Term::kWeightRounding, Term::kPositionRelative};

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceResize = {.evaluate = reference::Resize,
                                                    .terms = reference::kSamplingTerms};
constinit const ReferenceKernel kReferenceResizeBilinear = {.evaluate = reference::ResizeBilinear,
                                                            .terms = reference::kSamplingTerms};
constinit const ReferenceKernel kReferenceResizeNearestNeighbor = {
    .evaluate = reference::ResizeNearest<reference::EitherPixel>};
constinit const ReferenceKernel kReferenceUpsampleBilinear = {
    .evaluate = reference::UpsampleBilinear, .terms = reference::kSamplingTerms};
constinit const ReferenceKernel kReferenceUpsampleNearestNeighbor = {
    .evaluate = reference::ResizeNearest<reference::UpsampledPixel>};
constinit const ReferenceKernel kReferenceCropResize = {.evaluate = reference::CropResize,
                                                        .terms = reference::kSamplingTerms,
                                                        .value_needs_bounds = true};
constinit const ReferenceKernel kReferenceResample = {.evaluate = reference::Resample,
                                                      .terms = reference::kSamplingTerms,
                                                      .value_needs_bounds = true};
constinit const ReferenceKernel kReferenceAffine = {
    .evaluate = reference::Affine, .terms = reference::kSamplingTerms, .value_needs_bounds = true};

}  // namespace anecheck
