#include "oracles/testing/sampling_structure.h"

#include <algorithm>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

// The mode in which positions are centres of pixels, counted from the corner of the first pixel.
constexpr std::string_view kCentres = "centres";

// grid_point[i] of resize_bilinear, but over [first, first + extent - 1] instead of [0, Xin - 1].
Fraction GridPoint(std::string_view mode, double i, double xout, double first, double extent) {
  const double xin = extent;
  const double last = first + xin - 1;
  Fraction p{first, 1};
  if (mode == "STRICT_ALIGN_CORNERS" || mode == "ALIGN_CORNERS") {
    if (xout > 1) p = {first * (xout - 1) + i * (xin - 1), xout - 1};
    if (xout == 1 && mode == "ALIGN_CORNERS") p = {2 * first + xin - 1, 2};
  } else if (mode == "OFFSET_CORNERS") {
    const double delta = std::max(1.0, xin - 1);
    p = {2 * xout * first + delta + 2 * i * delta, 2 * xout};
  } else if (mode == kCentres) {
    p = {(2 * i + 1) * xin, 2 * xout};
  } else if (mode == "UNALIGN_CORNERS") {
    p = {2 * xout * first + 2 * i * xin + xin - xout, 2 * xout};
  } else if (xout > 1) {
    p = {first * xout + i * xin, xout};
  }
  if (p.value() < std::min(first, last)) return {std::min(first, last), 1};
  if (p.value() > std::max(first, last)) return {std::max(first, last), 1};
  return p;
}

Sampling Planes(const NodeView& node) {
  const Shape& x = node.InputShape(0);
  const int rank = x.rank();
  Sampling sampling;
  sampling.height = x[rank - 2];
  sampling.width = x[rank - 1];
  sampling.relative = 0x1p-20;
  return sampling;
}

// Resizes by a mode for each axis; "" keeps the pixels of an axis.
Sampling Resized(const NodeView& node, std::string_view height_mode, std::string_view width_mode) {
  Sampling sampling = Planes(node);
  const Shape& shape = node.ResultType().shape;
  const int rank = shape.rank();
  const auto along = [](std::string_view mode, int64_t i, int64_t out, int64_t in) {
    if (mode.empty()) return Fraction{static_cast<double>(i), 1};
    return GridPoint(mode, static_cast<double>(i), static_cast<double>(out), 0,
                     static_cast<double>(in));
  };
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(shape, i);
    const int64_t area = shape[rank - 2] * shape[rank - 1];
    sampling.points.push_back(
        {i / static_cast<size_t>(area),
         along(height_mode, at[at.size() - 2], shape[rank - 2], sampling.height),
         along(width_mode, at[at.size() - 1], shape[rank - 1], sampling.width)});
  }
  return sampling;
}

Sampling NearestResized(const NodeView& node, std::string_view height_mode,
                        std::string_view width_mode) {
  Sampling sampling = Resized(node, height_mode, width_mode);
  sampling.nearest = true;
  sampling.lower = width_mode == "DEFAULT" || width_mode == kCentres;
  sampling.relative = 0;
  return sampling;
}

Sampling CropSampling(const NodeView& node, Operands operands) {
  using P = params::CropResize;
  Sampling sampling = Planes(node);
  sampling.constant = node.Float(P::kPadValue, 0);
  const Shape& x = node.InputShape(P::kX);
  const Shape& shape = node.ResultType().shape;
  const std::string_view mode = node.String(P::kSamplingMode, "DEFAULT");
  const int64_t extents[] = {shape[shape.rank() - 2], shape[shape.rank() - 1]};
  const std::string_view form = node.String(P::kBoxCoordinateMode, "CORNERS_HEIGHT_FIRST");
  const double scale = static_cast<double>(static_cast<float>(node.Float(P::kSpatialScale, 1)));
  const bool roi = node.HasInput(P::kRoi);
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    Coordinates at = CoordinatesOf(shape, i);
    const auto box = static_cast<size_t>(at[0]);
    double image = operands.size() > 2 ? operands[2][box] : static_cast<double>(box);
    std::span<const double> corners = std::span(operands[1]).subspan(4 * box);
    if (roi) {
      // The result is [box, image, channel, row, column]. A box has four numbers, or five, of which
      // the first is its image.
      const bool named = node.InputShape(P::kRoi)[2] == 5;
      corners = std::span(operands[1]).subspan(named ? 5 * box + 1 : 4 * box);
      image = named ? operands[1][5 * box] : static_cast<double>(at[1]);
      at.erase(at.begin() + 1);
    }
    SamplePoint point;
    point.plane = static_cast<size_t>(static_cast<int64_t>(image) * x[1] + at[1]);
    for (int axis = 0; axis < 2; ++axis) {
      const int64_t extent = x[2 + axis];
      const bool swapped = form.ends_with("WIDTH_FIRST");
      const auto which = static_cast<size_t>(swapped ? 1 - axis : axis);
      double a = corners[which] * scale;
      double b = corners[which + 2] * scale;
      if (node.Bool(P::kNormalizedCoordinates, false)) {
        a *= static_cast<double>(extent - 1);
        b *= static_cast<double>(extent - 1);
      }
      if (form.starts_with("CENTER")) {
        const double size = b;
        b = a + size / 2;
        a = a - size / 2;
      }
      const Fraction p = GridPoint(mode, static_cast<double>(at[static_cast<size_t>(2 + axis)]),
                                   static_cast<double>(extents[axis]), a, b - a + 1);
      point.padding |= p.value() < 0 || p.value() > static_cast<double>(extent - 1);
      (axis == 0 ? point.y : point.x) = p;
    }
    sampling.points.push_back(point);
  }
  return sampling;
}

Fraction Pixels(std::string_view mode, bool align, Fraction c, int64_t extent) {
  const auto n = static_cast<double>(extent);
  if (mode == "unnormalized") return c;
  // Maps to [0, 1] first, then to the centres of the corner pixels or to their edges.
  Fraction unit = c;
  if (mode == "normalized_minus_one_to_one") {
    unit = {c.numerator + c.denominator, 2 * c.denominator};
  }
  if (align) return {unit.numerator * (n - 1), unit.denominator};
  return {2 * unit.numerator * n - unit.denominator, 2 * unit.denominator};
}

Sampling ResampleSampling(const NodeView& node, Operands operands) {
  using P = params::Resample;
  Sampling sampling = Planes(node);
  sampling.constant = node.Float(P::kPaddingValue, 0);
  sampling.edge = node.String(P::kPaddingMode, "constant");
  sampling.nearest = node.String(P::kSamplingMode, "") == "nearest";
  const std::string_view mode = node.String(P::kCoordinatesMode, "");
  if (mode == "unnormalized") sampling.relative = 0;
  const bool align = node.Bool(P::kAlignCorners, false);
  const Shape& shape = node.ResultType().shape;
  const Shape& grid = node.InputShape(P::kCoordinates);
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(shape, i);
    const size_t pair = IndexOf(grid, {at[0], at[2], at[3], 0});
    sampling.points.push_back({static_cast<size_t>(at[0] * shape[1] + at[1]),
                               Pixels(mode, align, {operands[1][pair + 1], 1}, sampling.height),
                               Pixels(mode, align, {operands[1][pair], 1}, sampling.width)});
  }
  return sampling;
}

Sampling AffineSampling(const NodeView& node, Operands operands) {
  using P = params::Affine;
  Sampling sampling = Planes(node);
  sampling.edge = "constant";
  const Shape& shape = node.ResultType().shape;
  const Shape& matrices = node.InputShape(P::kTransformMatrix);
  const auto last_row = static_cast<double>(std::max<int64_t>(1, shape[2] - 1));
  const auto last_column = static_cast<double>(std::max<int64_t>(1, shape[3] - 1));
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(shape, i);
    const size_t matrix = matrices[0] == 1 ? 0 : 6 * static_cast<size_t>(at[0]);
    const double* m = operands[1].data() + matrix;
    // -1 + 2 i / last, over the common denominator of both axes.
    const double x = (2 * static_cast<double>(at[3]) - last_column) * last_row;
    const double y = (2 * static_cast<double>(at[2]) - last_row) * last_column;
    const double whole = last_row * last_column;
    const Fraction to_x{m[0] * x + m[1] * y + m[2] * whole, whole};
    const Fraction to_y{m[3] * x + m[4] * y + m[5] * whole, whole};
    sampling.points.push_back({static_cast<size_t>(at[0] * shape[1] + at[1]),
                               Pixels("normalized_minus_one_to_one", true, to_y, sampling.height),
                               Pixels("normalized_minus_one_to_one", true, to_x, sampling.width)});
  }
  return sampling;
}

// Returns the index in [0, extent) that is read for `i` beyond the edge, or -1 for the constant.
int64_t Fold(std::string_view edge, int64_t i, int64_t extent) {
  if (i >= 0 && i < extent) return i;
  if (edge == "constant") return -1;
  if (edge == "border") return i < 0 ? 0 : extent - 1;
  const int64_t again = edge == "symmetric" ? 1 : 0;
  if (extent == 1) return 0;
  while (i < 0 || i >= extent) i = i < 0 ? -i - again : 2 * (extent - 1) - i + again;
  return i;
}

}  // namespace

bool IsImage(const NodeView& node) {
  return DefinitionOf(node.schema()).op_class == OpClass::kImage;
}

Sampling SamplingOf(const NodeView& node, Operands operands) {
  switch (KindOf(node.schema())) {
    case OpKind::kResize: {
      using P = params::Resize;
      const bool linear = node.String(P::kInterpolationMode, "LINEAR") == "LINEAR";
      std::string_view mode = node.String(P::kSamplingMode, "DEFAULT");
      if (!linear && mode == "DEFAULT") mode = kCentres;
      const std::string_view height = node.Int(P::kResizedDims, 0) < 2 ? std::string_view() : mode;
      return linear ? Resized(node, height, mode) : NearestResized(node, height, mode);
    }
    case OpKind::kResizeBilinear: {
      const std::string_view mode = node.String(params::ResizePlane::kSamplingMode, "DEFAULT");
      return Resized(node, mode, mode);
    }
    case OpKind::kUpsampleBilinear: {
      using P = params::Upsample;
      const bool align = node.Bool(P::kAlignCorners, true);
      const bool half =
          node.HasAttribute(P::kHalfPixelCenters) ? node.Bool(P::kHalfPixelCenters, false) : !align;
      const std::string_view mode = align  ? "STRICT_ALIGN_CORNERS"
                                    : half ? "UNALIGN_CORNERS"
                                           : "DEFAULT";
      return Resized(node, mode, mode);
    }
    case OpKind::kCropResize:
      return CropSampling(node, operands);
    case OpKind::kResample:
      return ResampleSampling(node, operands);
    case OpKind::kAffine:
      return AffineSampling(node, operands);
    default: {
      Sampling sampling = NearestResized(node, "DEFAULT", "DEFAULT");
      sampling.either = KindOf(node.schema()) == OpKind::kResizeNearestNeighbor;
      return sampling;
    }
  }
}

std::optional<size_t> PixelAt(const Sampling& sampling, size_t plane, int64_t row, int64_t column) {
  const int64_t y = Fold(sampling.edge, row, sampling.height);
  const int64_t x = Fold(sampling.edge, column, sampling.width);
  if (y < 0 || x < 0) return std::nullopt;
  const int64_t area = sampling.height * sampling.width;
  return plane * static_cast<size_t>(area) + static_cast<size_t>(y * sampling.width + x);
}

bool IsSort(const NodeView& node) {
  const OpKind kind = KindOf(node.schema());
  return kind == OpKind::kTopk || kind == OpKind::kArgsort;
}

namespace {

size_t SortAxis(const NodeView& node) {
  const int rank = node.InputShape(0).rank();
  const int parameter = node.schema().FindParameter("axis");
  const int64_t axis = node.Int(parameter, -1);
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

Shape WithoutAxis(const Shape& shape, size_t axis) {
  Shape rest;
  for (int i = 0; i < shape.rank(); ++i) {
    if (static_cast<size_t>(i) != axis) rest.Append(shape[i]);
  }
  return rest;
}

}  // namespace

std::vector<std::vector<size_t>> SortedLines(const NodeView& node) {
  const Shape& x = node.InputShape(0);
  const size_t axis = SortAxis(node);
  const Shape rest = WithoutAxis(x, axis);
  std::vector<std::vector<size_t>> lines;
  for (size_t i = 0; i < static_cast<size_t>(rest.Elements()); ++i) {
    Coordinates at = CoordinatesOf(rest, i);
    at.insert(at.begin() + static_cast<ptrdiff_t>(axis), 0);
    std::vector<size_t> line;
    for (int64_t k = 0; k < x[static_cast<int>(axis)]; ++k) {
      at[axis] = k;
      line.push_back(IndexOf(x, at));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

size_t RankedElement(const NodeView& node, size_t line, size_t rank) {
  const Shape& shape = node.ResultType().shape;
  const size_t axis = SortAxis(node);
  Coordinates at = CoordinatesOf(WithoutAxis(shape, axis), line);
  at.insert(at.begin() + static_cast<ptrdiff_t>(axis), static_cast<int64_t>(rank));
  return IndexOf(shape, at);
}

}  // namespace anecheck::testing
