// Resizing and sampling of images. A13 has no texture engine: it resizes in software and refuses
// crop_resize, resample and affine (facts/op_device_matrix.csv, facts/netlist_layers.csv).
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/sampling.h"

namespace anecheck::device {
namespace {

using Built = std::unique_ptr<const Kernel>;

Blending BlendingOf(const OpBuilder& builder, Element element) {
  return {.element = element,
          .stores_rows = builder.target().family <= kFamilyA13,
          .invalid_is_zero = builder.model().invalid_is_zero,
          .drops_weight = builder.model().Has(Planted::kImageDropsWeight)};
}

// Loads `count` elements. A NaN becomes the value that the family substitutes for it.
void LoadPixels(Element element, const void* from, int64_t count, const NumericModel& model,
                float* to) {
  LoadFloats(element, from, 1, count, to);
  for (int64_t i = 0; model.nan_is_infinity && i < count; ++i) {
    if (std::isnan(to[i])) to[i] = std::numeric_limits<float>::infinity();
  }
}

// ---- resizing -----------------------------------------------------------------------------------

struct ResizeShape {
  Element element = Element::kFp16;
  int64_t planes = 1, height = 1, width = 1;
  std::vector<double> rows,
      columns;  // for each row and column of the result, the position that it reads
  bool nearest = false;
};

class ResizeKernel : public Kernel {
 public:
  ResizeKernel(ResizeShape shape, const Blending& blending, const NumericModel& model)
      : shape_(std::move(shape)), blending_(blending), model_(model) {}

  void Run(const Invocation& call) const override {
    const ResizeShape& s = shape_;
    const int64_t area = s.height * s.width;
    const auto result_area = static_cast<int64_t>(s.rows.size() * s.columns.size());
    const int64_t size = ElementSize(s.element);
    float* pixels = call.scratch.Floats(0, area);
    float* result = call.scratch.Floats(1, result_area);
    const Image image{.pixels = pixels, .height = s.height, .width = s.width};
    for (int64_t plane = 0; plane < s.planes; ++plane) {
      LoadPixels(s.element, static_cast<const char*>(call.inputs[0]) + plane * area * size, area,
                 model_, pixels);
      float* to = result;
      for (const double row : s.rows) {
        for (const double column : s.columns) {
          *to++ =
              s.nearest ? NearestPixel(image, row, column) : blending_.Linear(image, row, column);
        }
      }
      StoreFloats(s.element, result, result_area, model_,
                  static_cast<char*>(call.outputs[0]) + plane * result_area * size);
    }
  }

 private:
  ResizeShape shape_;
  Blending blending_;
  NumericModel model_;
};

std::vector<double> GridPoints(GridMode mode, int64_t from, int64_t to) {
  std::vector<double> points(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    points[static_cast<size_t>(i)] = GridPoint(mode, i, to, 0, static_cast<double>(from - 1));
  }
  return points;
}

// Returns the pixel for each result of a resize by a factor. Such a resize repeats or skips pixels.
std::vector<double> ScaledPixels(int64_t from, int64_t to) {
  std::vector<double> points(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    points[static_cast<size_t>(i)] = static_cast<double>(i * from / to);
  }
  return points;
}

// Returns, for each result, the pixel that contains its centre.
std::vector<double> CentrePixels(int64_t from, int64_t to) {
  std::vector<double> points(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    points[static_cast<size_t>(i)] = static_cast<double>((2 * i + 1) * from / (2 * to));
  }
  return points;
}

std::vector<double> Pixels(int64_t count) { return ScaledPixels(count, count); }

constexpr int64_t kLargestExtent = 65536;

// Reads an operand with a plane of pixels. The builder refuses other operands.
Operand PlaneOperand(OpBuilder& builder, int least_rank) {
  const Operand x = builder.Tensor("x");
  if (builder.ok() && (!IsFloat(x.type.element) || x.type.shape.rank() < least_rank)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
  }
  return x;
}

Built MakeResize(OpBuilder& builder, const Operand& x, std::vector<double> rows,
                 std::vector<double> columns, bool nearest) {
  const int rank = x.type.shape.rank();
  ResizeShape shape{.element = x.type.element,
                    .planes = rank < 2 ? 1 : x.type.shape.Product(0, rank - 2),
                    .height = rank < 2 ? 1 : x.type.shape[rank - 2],
                    .width = x.type.shape[rank - 1],
                    .rows = std::move(rows),
                    .columns = std::move(columns),
                    .nearest = nearest};
  TensorType type = x.type;
  if (rank >= 2) type.shape[rank - 2] = static_cast<int64_t>(shape.rows.size());
  type.shape[rank - 1] = static_cast<int64_t>(shape.columns.size());
  builder.Output(type);
  return std::make_unique<ResizeKernel>(std::move(shape), BlendingOf(builder, x.type.element),
                                        builder.model());
}

GridMode ReadGridMode(OpBuilder& builder) {
  const std::string name = builder.String("sampling_mode", "DEFAULT");
  const GridMode mode = GridModeOf(name);
  if (mode == GridMode::kUnknown) {
    builder.Reject(Stage::kFrontend, fmt::format("sampling_mode '{}' is not known", name));
  }
  return mode;
}

int64_t ReadExtent(OpBuilder& builder, std::string_view name, int64_t fallback) {
  const int64_t extent = builder.Int(name, fallback);
  if (builder.ok() && (extent < 1 || extent > kLargestExtent)) {
    builder.Reject(Stage::kFrontend, fmt::format("{} is {}", name, extent));
  }
  return extent;
}

Built BuildResize(OpBuilder& builder) {
  const Operand x = PlaneOperand(builder, 1);
  const IntList wanted = builder.Ints("shape");
  const int64_t count = builder.Int("resized_dims");
  const std::string kind = builder.String("interpolation_mode", "LINEAR");
  const GridMode mode = ReadGridMode(builder);
  if (!builder.ok()) return nullptr;
  const Shape& shape = x.type.shape;
  const int rank = shape.rank();
  if (count < 1 || count > 2 || count > static_cast<int64_t>(wanted.size()) ||
      static_cast<int>(wanted.size()) > rank || (kind != "LINEAR" && kind != "NEAREST_NEIGHBOR")) {
    builder.Reject(Stage::kValidator, "failed to map resize layer on this arch");
    return nullptr;
  }
  std::array<int64_t, 2> to = {rank < 2 ? 1 : shape[rank - 2], shape[rank - 1]};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t extent = wanted[wanted.size() - 1 - static_cast<size_t>(i)];
    if (extent < 0 || extent > kLargestExtent) {
      builder.Reject(Stage::kFrontend, fmt::format("shape has an extent of {}", extent));
      return nullptr;
    }
    if (extent != 0) to[static_cast<size_t>(1 - i)] = extent;
  }
  const bool nearest = kind == "NEAREST_NEIGHBOR";
  const auto points = [&](int64_t from, int64_t target) {
    return nearest && mode == GridMode::kDefault ? CentrePixels(from, target)
                                                 : GridPoints(mode, from, target);
  };
  auto rows = count == 2 ? points(shape[rank - 2], to[0]) : Pixels(to[0]);
  return MakeResize(builder, x, std::move(rows), points(shape[rank - 1], to[1]), nearest);
}

Built BuildResizePlane(OpBuilder& builder, bool nearest) {
  const Operand x = PlaneOperand(builder, 3);
  const GridMode mode = nearest ? GridMode::kDefault : ReadGridMode(builder);
  const int64_t height = ReadExtent(builder, "target_size_height", 1);
  const int64_t width = ReadExtent(builder, "target_size_width", 1);
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  const auto points = [&](int64_t from, int64_t to) {
    return nearest ? ScaledPixels(from, to) : GridPoints(mode, from, to);
  };
  return MakeResize(builder, x, points(x.type.shape[rank - 2], height),
                    points(x.type.shape[rank - 1], width), nearest);
}

// Returns floor(extent * factor), where the factor is an integer or a fraction.
int64_t ScaledExtent(OpBuilder& builder, std::string_view name, int64_t extent) {
  if (!builder.ok() || !builder.Has(name)) return extent;
  const auto factor = builder.ConstantTensor(name);
  if (!builder.ok() || factor->type.shape.Elements() != 1) return extent;
  const double number = LoadNumber(factor->type.element, factor->constant->data.data(), 0);
  const double scaled = std::floor(number * static_cast<double>(extent));
  if (!(scaled >= 1 && scaled <= static_cast<double>(kLargestExtent))) {
    builder.Reject(Stage::kFrontend, fmt::format("{} is {}", name, number));
    return extent;
  }
  return static_cast<int64_t>(scaled);
}

Built BuildUpsample(OpBuilder& builder, bool nearest) {
  const Operand x = PlaneOperand(builder, 3);
  const bool align = !nearest && builder.Bool("align_corners", true);
  const bool centres = !nearest && builder.Bool("half_pixel_centers", !align);
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  const int64_t from[] = {x.type.shape[rank - 2], x.type.shape[rank - 1]};
  const int64_t height = ScaledExtent(builder, "scale_factor_height", from[0]);
  const int64_t width = ScaledExtent(builder, "scale_factor_width", from[1]);
  if (!builder.ok()) return nullptr;
  GridMode mode = centres ? GridMode::kUnalign : GridMode::kDefault;
  if (align) mode = GridMode::kStrictAlign;
  if (nearest) {
    return MakeResize(builder, x, ScaledPixels(from[0], height), ScaledPixels(from[1], width),
                      true);
  }
  return MakeResize(builder, x, GridPoints(mode, from[0], height), GridPoints(mode, from[1], width),
                    false);
}

// ---- sampling at computed places ----------------------------------------------------------------

// The images of x, and the rules by which the results sample them.
struct SampledShape {
  Element element = Element::kFp16;
  int64_t images = 1, channels = 1, height = 1, width = 1;
  int64_t results = 1;
  int64_t by_box = 0;  // number of boxes if the boxes have a separate axis; else 0
  int64_t rows = 1, columns = 1;
  Border border = Border::kConstant;
  float outside = 0;
  bool nearest = false;
  bool skips_outside = false;  // a point beyond the pixels has the value `outside`
};

struct Point {
  double row = 0;
  double column = 0;
};

// The image of x that result image `result` reads, and the point that each of its elements reads.
class PointSource {
 public:
  virtual ~PointSource() = default;
  virtual int64_t ImageOf(const Invocation& call, int64_t result) const = 0;
  virtual Point At(const Invocation& call, int64_t result, int64_t row, int64_t column) const = 0;
};

class SampleKernel : public Kernel {
 public:
  SampleKernel(const SampledShape& shape, std::unique_ptr<const PointSource> points,
               const Blending& blending, const NumericModel& model)
      : shape_(shape), points_(std::move(points)), blending_(blending), model_(model) {}

  void Run(const Invocation& call) const override {
    const SampledShape& s = shape_;
    const int64_t area = s.height * s.width;
    const int64_t result_area = s.rows * s.columns;
    const int64_t size = ElementSize(s.element);
    float* pixels = call.scratch.Floats(0, s.channels * area);
    float* result = call.scratch.Floats(1, s.channels * result_area);
    for (int64_t n = 0; n < s.results; ++n) {
      const int64_t image = points_->ImageOf(call, n);
      LoadPixels(s.element,
                 static_cast<const char*>(call.inputs[0]) + image * s.channels * area * size,
                 s.channels * area, model_, pixels);
      for (int64_t row = 0; row < s.rows; ++row) {
        for (int64_t column = 0; column < s.columns; ++column) {
          const Point point = points_->At(call, n, row, column);
          for (int64_t c = 0; c < s.channels; ++c) {
            result[(c * s.rows + row) * s.columns + column] = Sample(pixels + c * area, point);
          }
        }
      }
      StoreFloats(s.element, result, s.channels * result_area, model_,
                  static_cast<char*>(call.outputs[0]) + n * s.channels * result_area * size);
    }
  }

 private:
  float Sample(const float* pixels, const Point& point) const {
    const SampledShape& s = shape_;
    const Image image{.pixels = pixels,
                      .height = s.height,
                      .width = s.width,
                      .border = s.border,
                      .outside = s.outside};
    const bool inside = point.row >= 0 && point.row <= static_cast<double>(s.height - 1) &&
                        point.column >= 0 && point.column <= static_cast<double>(s.width - 1);
    if (s.skips_outside && !inside) return s.outside;
    if (std::isnan(point.row) || std::isnan(point.column)) return s.outside;
    return s.nearest ? NearestPixel(image, point.row, point.column)
                     : blending_.Linear(image, point.row, point.column);
  }

  SampledShape shape_;
  std::unique_ptr<const PointSource> points_;
  Blending blending_;
  NumericModel model_;
};

// Refuses the statement on families without the texture engine.
void NeedsTextureEngine(OpBuilder& builder, std::string_view text) {
  if (builder.target().family <= kFamilyA13) {
    builder.RejectOnEngine(Stage::kCodegen, std::string(text));
  }
}

Built MakeSample(OpBuilder& builder, const Operand& x, SampledShape shape,
                 std::unique_ptr<const PointSource> points) {
  shape.element = x.type.element;
  shape.images = x.type.shape[0];
  shape.channels = x.type.shape[1];
  shape.height = x.type.shape[2];
  shape.width = x.type.shape[3];
  if (shape.element == Element::kFp16) {
    shape.outside = RoundToHalf(shape.outside, Rounding::kNearestEven);
  }
  Shape result = {shape.results, shape.channels, shape.rows, shape.columns};
  if (shape.by_box > 0) {
    result = {shape.by_box, shape.results / shape.by_box, shape.channels, shape.rows,
              shape.columns};
  }
  builder.Output({shape.element, result});
  return std::make_unique<SampleKernel>(shape, std::move(points),
                                        BlendingOf(builder, shape.element), builder.model());
}

bool IsPlanes(OpBuilder& builder, const Operand& x, bool fits, const Operand& other) {
  if (!builder.ok()) return false;
  if (x.type.shape.rank() == 4 && IsFloat(x.type.element) && fits) return true;
  builder.Reject(Stage::kFrontend,
                 fmt::format("x {} and {} do not fit", x.type.ToString(), other.type.ToString()));
  return false;
}

// ---- crop_resize ----

struct BoxShape {
  Element element = Element::kFp16;
  Element index = Element::kOther;  // kOther: box k crops image k
  int64_t images = 1;
  int64_t numbers = 4;  // numbers per box; the first of five is the index of its image
  int64_t each = 0;  // number of crops per box, one for each image; 0 if each box crops one image
  bool corners = true;
  bool height_first = true;
  std::array<double, 2> scale{1, 1};  // factors of the coordinates along height and width
  std::array<int64_t, 2> count{1, 1};
  GridMode mode = GridMode::kDefault;
};

class BoxPoints : public PointSource {
 public:
  explicit BoxPoints(const BoxShape& shape) : shape_(shape) {}
  int64_t ImageOf(const Invocation& call, int64_t result) const override {
    if (shape_.each > 0) return result % shape_.each;
    const bool first = shape_.numbers == 5;
    if (!first && shape_.index == Element::kOther) return result;
    const double index = first ? LoadNumber(shape_.element, call.inputs[1], 5 * result)
                               : LoadNumber(shape_.index, call.inputs[2], result);
    return std::clamp<int64_t>(static_cast<int64_t>(index), 0, shape_.images - 1);
  }
  Point At(const Invocation& call, int64_t result, int64_t row, int64_t column) const override {
    return {Along(call, result, 0, row), Along(call, result, 1, column)};
  }

 private:
  double Along(const Invocation& call, int64_t result, size_t axis, int64_t index) const {
    const int64_t box = shape_.each > 0 ? result / shape_.each : result;
    const int64_t start = shape_.numbers * (box + 1) - 4;
    const int64_t place = start + ((axis == 0) == shape_.height_first ? 0 : 1);
    const double first = LoadNumber(shape_.element, call.inputs[1], place) * shape_.scale[axis];
    const double second =
        LoadNumber(shape_.element, call.inputs[1], place + 2) * shape_.scale[axis];
    const double begin = shape_.corners ? first : first - second / 2;
    const double end = shape_.corners ? second : first + second / 2;
    return GridPoint(shape_.mode, index, shape_.count[axis], begin, end);
  }

  BoxShape shape_;
};

Built BuildCropResize(OpBuilder& builder) {
  const Operand x = PlaneOperand(builder, 4);
  const bool roi = builder.Has("roi");
  const Operand boxes = builder.Tensor(roi ? "roi" : "boxes");
  const auto indices = builder.OptionalTensor("box_indices");
  BoxShape shape;
  shape.count = {ReadExtent(builder, "target_height", 1), ReadExtent(builder, "target_width", 1)};
  const bool normalized = builder.Bool("normalized_coordinates", false);
  const auto scale = static_cast<double>(static_cast<float>(builder.Float("spatial_scale", 1)));
  const std::string order = builder.String("box_coordinate_mode", "CORNERS_HEIGHT_FIRST");
  shape.mode = ReadGridMode(builder);
  const auto pad = static_cast<float>(builder.Float("pad_value", 0));
  NeedsTextureEngine(builder, "Codegen Error: Invalid Texture CropCfg");
  if (!builder.ok()) return nullptr;
  shape.corners = order.starts_with("CORNERS_");
  shape.height_first = order.ends_with("_HEIGHT_FIRST");
  const Shape& b = boxes.type.shape;
  const bool known = (shape.corners || order.starts_with("CENTER_SIZE_")) &&
                     (shape.height_first || order.ends_with("_WIDTH_FIRST"));
  const bool listed = b.rank() == 2 && b[1] == 4;
  const bool indexed =
      indices ? listed && indices->type.shape == Shape{b[0]} : listed && b[0] <= x.type.shape[0];
  const bool regions = b.rank() == 5 && b[1] == 1 && (b[2] == 4 || b[2] == 5) && b[3] == 1 &&
                       b[4] == 1 && !indices && boxes.type.element == x.type.element;
  if (!IsPlanes(builder, x, known && (roi ? regions : indexed), boxes)) return nullptr;
  shape.element = boxes.type.element;
  if (roi) shape.numbers = b[2];
  if (roi && b[2] == 4) shape.each = x.type.shape[0];
  if (indices) shape.index = indices->type.element;
  shape.images = x.type.shape[0];
  for (size_t axis = 0; axis < 2; ++axis) {
    const auto last = static_cast<double>(x.type.shape[static_cast<int>(axis) + 2] - 1);
    shape.scale[axis] = normalized ? scale * last : scale;
  }
  const SampledShape sampled{.results = b[0] * std::max<int64_t>(1, shape.each),
                             .by_box = roi ? b[0] : 0,
                             .rows = shape.count[0],
                             .columns = shape.count[1],
                             .border = Border::kEdge,
                             .outside = pad,
                             .skips_outside = true};
  return MakeSample(builder, x, sampled, std::make_unique<BoxPoints>(shape));
}

// ---- resample and affine ----

// Converts the coordinate over / under, in [-1, 1], in [0, 1] or in pixels, to a position in
// pixels. The function divides only once, so that integer positions are exact.
enum class Coordinates : uint8_t { kPixels, kMinusOneToOne, kZeroToOne };
double ToPixels(Coordinates kind, bool align, double over, double under, int64_t extent) {
  const auto n = static_cast<double>(extent);
  if (kind == Coordinates::kPixels) return over / under;
  // Maps [-1, 1] or [0, 1] to [0, 2].
  const double twice = kind == Coordinates::kMinusOneToOne ? over + under : 2 * over;
  return align ? twice * (n - 1) / (2 * under) : (twice * n - under) / (2 * under);
}

struct PlaceShape {
  Element element = Element::kFp16;
  Coordinates kind = Coordinates::kPixels;
  bool align = false;
  int64_t height = 1, width = 1;  // extents of x
  int64_t rows = 1, columns = 1;
};

class CoordinatePoints : public PointSource {
 public:
  explicit CoordinatePoints(const PlaceShape& shape) : shape_(shape) {}
  int64_t ImageOf(const Invocation& /*call*/, int64_t result) const override { return result; }
  Point At(const Invocation& call, int64_t result, int64_t row, int64_t column) const override {
    const int64_t at = 2 * ((result * shape_.rows + row) * shape_.columns + column);
    return {Along(call, at + 1, shape_.height), Along(call, at, shape_.width)};
  }

 private:
  double Along(const Invocation& call, int64_t at, int64_t extent) const {
    const double value = LoadNumber(shape_.element, call.inputs[1], at);
    return ToPixels(shape_.kind, shape_.align, value, 1, extent);
  }

  PlaceShape shape_;
};

Built BuildResample(OpBuilder& builder) {
  const Operand x = PlaneOperand(builder, 4);
  const Operand grid = builder.Tensor("coordinates");
  const std::string sampling = builder.String("sampling_mode");
  const std::string padding = builder.String("padding_mode");
  const auto outside = static_cast<float>(builder.Float("padding_value"));
  const std::string kind = builder.String("coordinates_mode");
  PlaceShape shape;
  shape.align = builder.Bool("align_corners", false);
  NeedsTextureEngine(builder, "resample is not supported on this architecture");
  if (!builder.ok()) return nullptr;
  constexpr std::string_view kKinds[] = {"unnormalized", "normalized_minus_one_to_one",
                                         "normalized_zero_to_one"};
  const auto found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  const Shape& g = grid.type.shape;
  const bool known = found != std::end(kKinds) && BorderOf(padding) != Border::kUnknown &&
                     (sampling == "bilinear" || sampling == "nearest");
  if (g.rank() == 4 && g[3] != 2) {
    builder.Reject(Stage::kValidator, "Channel size in coordinates should be 1 or 2");
  }
  if (!IsPlanes(builder, x, known && g.rank() == 4 && g[0] == x.type.shape[0], grid)) {
    return nullptr;
  }
  shape.element = grid.type.element;
  shape.kind = static_cast<Coordinates>(found - std::begin(kKinds));
  shape.height = x.type.shape[2];
  shape.width = x.type.shape[3];
  shape.rows = g[1];
  shape.columns = g[2];
  const SampledShape sampled{.results = g[0],
                             .rows = g[1],
                             .columns = g[2],
                             .border = BorderOf(padding),
                             .outside = outside,
                             .nearest = sampling == "nearest"};
  return MakeSample(builder, x, sampled, std::make_unique<CoordinatePoints>(shape));
}

// The corners of the result lie at -1 and 1. A result with a single point has it at -1. The matrix
// maps the coordinates of the result to those of the image.
class AffinePoints : public PointSource {
 public:
  AffinePoints(const PlaceShape& shape, bool shared) : shape_(shape), shared_(shared) {}
  int64_t ImageOf(const Invocation& /*call*/, int64_t result) const override { return result; }
  Point At(const Invocation& call, int64_t result, int64_t row, int64_t column) const override {
    const int64_t matrix = shared_ ? 0 : 6 * result;
    return {Along(call, matrix + 3, row, column, shape_.height),
            Along(call, matrix, row, column, shape_.width)};
  }

 private:
  double Along(const Invocation& call, int64_t first, int64_t row, int64_t column,
               int64_t extent) const {
    const auto last_row = static_cast<double>(std::max<int64_t>(1, shape_.rows - 1));
    const auto last_column = static_cast<double>(std::max<int64_t>(1, shape_.columns - 1));
    const double u = 2 * static_cast<double>(column) - last_column;
    const double v = 2 * static_cast<double>(row) - last_row;
    const auto factor = [&](int64_t k) {
      return LoadNumber(shape_.element, call.inputs[1], first + k);
    };
    const double over =
        factor(0) * u * last_row + factor(1) * v * last_column + factor(2) * last_row * last_column;
    return ToPixels(Coordinates::kMinusOneToOne, true, over, last_row * last_column, extent);
  }

  PlaceShape shape_;
  bool shared_;
};

Built BuildAffine(OpBuilder& builder) {
  const Operand x = PlaneOperand(builder, 4);
  const Operand matrix = builder.Tensor("transform_matrix");
  PlaceShape shape;
  shape.rows = ReadExtent(builder, "output_height", 1);
  shape.columns = ReadExtent(builder, "output_width", 1);
  const bool only = builder.String("sampling_mode") == "bilinear" &&
                    builder.String("padding_mode") == "constant" &&
                    builder.String("coordinates_mode") == "normalized_minus_one_to_one" &&
                    builder.Float("padding_value") == 0 && builder.Bool("align_corners", false);
  NeedsTextureEngine(builder, "affine transform is not supported on this architecture");
  if (!builder.ok()) return nullptr;
  const Shape& m = matrix.type.shape;
  const bool fits = matrix.type.element == x.type.element && m.rank() == 2 && m[1] == 6 &&
                    (m[0] == 1 || m[0] == x.type.shape[0]);
  if (!IsPlanes(builder, x, only && fits, matrix)) return nullptr;
  shape.element = matrix.type.element;
  shape.height = x.type.shape[2];
  shape.width = x.type.shape[3];
  const SampledShape sampled{
      .results = x.type.shape[0], .rows = shape.rows, .columns = shape.columns};
  return MakeSample(builder, x, sampled, std::make_unique<AffinePoints>(shape, m[0] == 1));
}

constexpr OpRow kRows[] = {
    {"resize", BuildResize},
    {"resize_bilinear", [](OpBuilder& builder) { return BuildResizePlane(builder, false); }},
    {"resize_nearest_neighbor", [](OpBuilder& builder) { return BuildResizePlane(builder, true); }},
    {"upsample_bilinear", [](OpBuilder& builder) { return BuildUpsample(builder, false); }},
    {"upsample_nearest_neighbor", [](OpBuilder& builder) { return BuildUpsample(builder, true); }},
    {"crop_resize", BuildCropResize},
    {"resample", BuildResample},
    {"affine", BuildAffine},
};

}  // namespace

std::span<const OpRow> ImageRows() { return kRows; }

}  // namespace anecheck::device
