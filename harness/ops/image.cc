// Image, resize and texture operations: schemas and shape inference. Argument names and defaults
// are those of the public MIL operation set (iOS 15 to 17).
#include <cmath>
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

// The attribute is required if no fallback is given.
constexpr Parameter Choice(std::string_view name, std::span<const std::string_view> choices) {
  return {.name = name, .kind = ParameterKind::kString, .choices = choices};
}
constexpr Parameter Choice(std::string_view name, std::span<const std::string_view> choices,
                           std::string_view fallback) {
  Parameter parameter = Choice(name, choices);
  parameter.need = Need::kOptional;
  parameter.fallback = Default::Name(fallback);
  return parameter;
}

constexpr std::array<std::string_view, 5> kGrids = {
    "DEFAULT", "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "OFFSET_CORNERS", "UNALIGN_CORNERS"};
constexpr std::array<std::string_view, 2> kInterpolations = {"LINEAR", "NEAREST_NEIGHBOR"};
constexpr std::array<std::string_view, 2> kSamplings = {"bilinear", "nearest"};
constexpr std::array<std::string_view, 4> kPaddings = {"constant", "border", "reflection",
                                                       "symmetric"};
constexpr std::array<std::string_view, 3> kCoordinates = {
    "unnormalized", "normalized_minus_one_to_one", "normalized_zero_to_one"};
constexpr std::array<std::string_view, 4> kBoxes = {"CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST",
                                                    "CENTER_SIZE_HEIGHT_FIRST",
                                                    "CENTER_SIZE_WIDTH_FIRST"};

// ---- resize ---------------------------------------------------------------------------------

constexpr Parameter kResizeParameters[] = {
    {.name = "x", .dtypes = {DType::kFp16, DType::kFp32, DType::kInt32}},
    {.name = "shape", .kind = ParameterKind::kInts},
    {.name = "resized_dims", .kind = ParameterKind::kInt, .unsigned_integer = true},
    Choice("interpolation_mode", kInterpolations, "LINEAR"),
    Choice("sampling_mode", kGrids, "DEFAULT"),
};

// The last `resized_dims` entries of shape are the extents of x's last axes. An entry of 0 keeps
// the extent of x. The layer resizes only height and width (facts/netlist_layers.csv, resize).
Status InferResize(const NodeView& node, ResultTypes& results) {
  using P = params::Resize;
  const TensorType& x = node.InputType(P::kX);
  const auto wanted = node.Ints(P::kShape);
  const int64_t count = node.Int(P::kResizedDims, 0);
  if (count < 1 || count > 2 || count > static_cast<int64_t>(wanted.size()) ||
      static_cast<int>(wanted.size()) > x.shape.rank()) {
    return Reject(node, fmt::format("resized_dims is {} of {} entries for rank {}", count,
                                    wanted.size(), x.shape.rank()));
  }
  Shape shape = x.shape;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t extent = wanted[wanted.size() - 1 - static_cast<size_t>(i)];
    const int axis = x.shape.rank() - 1 - static_cast<int>(i);
    if (extent < 0 || extent > kMaxElements) return Reject(node, fmt::format("extent {}", extent));
    if (extent != 0) shape[axis] = extent;
  }
  results.Add(x.dtype, shape);
  return {};
}

// The last two axes become `height` and `width`.
Status InferPlane(const NodeView& node, ResultTypes& results, double height, double width) {
  const TensorType& x = node.InputType(0);
  if (x.shape.rank() < 3) return Reject(node, "x must have rank 3 or more");
  if (!(height >= 1) || !(width >= 1) || !(height < 65537) || !(width < 65537)) {
    return Reject(node, fmt::format("a result of {} by {} is not possible", height, width));
  }
  Shape shape = x.shape;
  shape[shape.rank() - 2] = static_cast<int64_t>(height);
  shape[shape.rank() - 1] = static_cast<int64_t>(width);
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kResizeNearestParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "target_size_height", .kind = ParameterKind::kInt},
    {.name = "target_size_width", .kind = ParameterKind::kInt},
};
constexpr Parameter kResizeBilinearParameters[] = {
    {.name = "x", .dtypes = kFloats},
    OptionalParameter("target_size_height", ParameterKind::kInt, Default::Number(1)),
    OptionalParameter("target_size_width", ParameterKind::kInt, Default::Number(1)),
    Choice("sampling_mode", kGrids, "DEFAULT"),
};

Status InferResizePlane(const NodeView& node, ResultTypes& results) {
  using P = params::ResizePlane;
  return InferPlane(node, results, static_cast<double>(node.Int(P::kTargetSizeHeight, 1)),
                    static_cast<double>(node.Int(P::kTargetSizeWidth, 1)));
}

// In MIL the factor is an integer or a real. This project always writes an fp32 real.
constexpr Parameter Scale(std::string_view name) {
  return {.name = name,
          .kind = ParameterKind::kFloat,
          .need = Need::kOptional,
          .float_follows_input = false,
          .fallback = Default::Number(1)};
}
constexpr Parameter kUpsampleNearestParameters[] = {
    {.name = "x", .dtypes = kFloats},
    Scale("scale_factor_height"),
    Scale("scale_factor_width"),
};
constexpr Parameter kUpsampleBilinearParameters[] = {
    {.name = "x", .dtypes = kFloats},
    Scale("scale_factor_height"),
    Scale("scale_factor_width"),
    OptionalParameter("align_corners", ParameterKind::kBool, Default::Flag(true)),
    OptionalParameter("half_pixel_centers", ParameterKind::kBool,
                      Default::Words("not align_corners")),
};

// Each extent becomes floor(extent * factor), with the factor in fp32.
Status InferUpsample(const NodeView& node, ResultTypes& results) {
  using P = params::Upsample;
  const Shape& x = node.InputShape(P::kX);
  if (x.rank() < 3) return Reject(node, "x must have rank 3 or more");
  const auto scaled = [&](int parameter, int axis) {
    const auto factor = static_cast<float>(node.Float(parameter, 1));
    return std::floor(static_cast<double>(factor) * static_cast<double>(x[axis]));
  };
  return InferPlane(node, results, scaled(P::kScaleFactorHeight, x.rank() - 2),
                    scaled(P::kScaleFactorWidth, x.rank() - 1));
}

// ---- crop_resize, resample, affine -------------------------------------------------------------

constexpr DTypeSet kBoxTypes = {DType::kFp16, DType::kFp32, DType::kUint16};
constexpr DTypeSet kBoxIndexTypes = {DType::kUint16, DType::kInt32};
constexpr Parameter kCropResizeParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "boxes",
     .need = Need::kOptional,
     .dtypes = kBoxTypes,
     .fallback = Default::Words("roi")},
    {.name = "box_indices",
     .need = Need::kOptional,
     .dtypes = kBoxIndexTypes,
     .fallback = Default::Words("0, 1, 2 and so on")},
    OptionalParameter("target_height", ParameterKind::kInt, Default::Number(1)),
    OptionalParameter("target_width", ParameterKind::kInt, Default::Number(1)),
    OptionalParameter("normalized_coordinates", ParameterKind::kBool, Default::Flag(false)),
    {.name = "spatial_scale",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .float_follows_input = false,
     .fallback = Default::Number(1)},
    Choice("box_coordinate_mode", kBoxes, "CORNERS_HEIGHT_FIRST"),
    Choice("sampling_mode", kGrids, "DEFAULT"),
    OptionalParameter("pad_value", ParameterKind::kFloat, Default::Number(0)),
    {.name = "roi",
     .need = Need::kOptional,
     .dtypes = kFloats,
     .fallback = Default::Words("boxes")},
};

// The form of crop_resize before iOS 17. A roi [N, 1, 4, 1, 1] crops every box from every image. A
// roi [N, 1, 5, 1, 1] crops box n from the image whose index is the box's first number.
Status InferRoi(const NodeView& node, Shape& shape) {
  using P = params::CropResize;
  const TensorType& x = node.InputType(P::kX);
  const TensorType& roi = node.InputType(P::kRoi);
  if (node.HasInput(P::kBoxes) || node.HasInput(P::kBoxIndices)) {
    return Reject(node, "roi stands in place of boxes and box_indices");
  }
  const Shape& dims = roi.shape;
  const bool fits = dims.rank() == 5 && dims[1] == 1 && (dims[2] == 4 || dims[2] == 5) &&
                    dims[3] == 1 && dims[4] == 1;
  if (roi.dtype != x.dtype || !fits) {
    return Reject(node, fmt::format("roi is {}, must be {}[N, 1, 4 or 5, 1, 1]", roi.ToString(),
                                    DTypeName(x.dtype)));
  }
  shape = {dims[0], dims[2] == 4 ? x.shape[0] : 1};
  return {};
}

Status InferBoxes(const NodeView& node, Shape& shape) {
  using P = params::CropResize;
  if (!node.HasInput(P::kBoxes)) return Reject(node, "boxes or roi must be given");
  const Shape& boxes = node.InputShape(P::kBoxes);
  const int64_t images = node.InputShape(P::kX)[0];
  if (boxes.rank() != 2 || boxes[1] != 4) {
    return Reject(node, fmt::format("boxes is {}, must be [N, 4]", boxes.ToString()));
  }
  if (node.HasInput(P::kBoxIndices) ? node.InputShape(P::kBoxIndices) != Shape{boxes[0]}
                                    : boxes[0] > images) {
    return Reject(node, fmt::format("box_indices must be [{}]", boxes[0]));
  }
  shape = {boxes[0]};
  return {};
}

Status InferCropResize(const NodeView& node, ResultTypes& results) {
  using P = params::CropResize;
  const TensorType& x = node.InputType(P::kX);
  if (x.shape.rank() != 4) return Reject(node, "x must have rank 4");
  Shape shape;
  ANECHECK_RETURN_IF_ERROR(node.HasInput(P::kRoi) ? InferRoi(node, shape)
                                                  : InferBoxes(node, shape));
  const int64_t height = node.Int(P::kTargetHeight, 1);
  const int64_t width = node.Int(P::kTargetWidth, 1);
  if (height < 1 || width < 1 || height > 65536 || width > 65536) {
    return Reject(node, fmt::format("a result of {} by {} is not possible", height, width));
  }
  for (const int64_t extent : {x.shape[1], height, width}) shape.Append(extent);
  results.Add(x.dtype, shape);
  return {};
}

constexpr DTypeSet kCoordinateTypes = {DType::kFp16,  DType::kFp32,  DType::kInt32, DType::kInt8,
                                       DType::kUint8, DType::kInt16, DType::kUint16};
constexpr Parameter kResampleParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "coordinates", .dtypes = kCoordinateTypes},
    Choice("sampling_mode", kSamplings),
    Choice("padding_mode", kPaddings),
    {.name = "padding_value", .kind = ParameterKind::kFloat},
    Choice("coordinates_mode", kCoordinates),
    {.name = "align_corners", .kind = ParameterKind::kBool},
};

Status InferResample(const NodeView& node, ResultTypes& results) {
  using P = params::Resample;
  const TensorType& x = node.InputType(P::kX);
  const Shape& grid = node.InputShape(P::kCoordinates);
  if (x.shape.rank() != 4 || grid.rank() != 4 || grid[3] != 2 || grid[0] != x.shape[0]) {
    return Reject(node, fmt::format("x {} needs coordinates [{}, height, width, 2], not {}",
                                    x.shape.ToString(), x.shape[0], grid.ToString()));
  }
  results.Add(x.dtype, Shape{x.shape[0], x.shape[1], grid[1], grid[2]});
  return {};
}

// MIL's definition names more modes and states that they are not supported.
constexpr std::array<std::string_view, 1> kOnlyBilinear = {"bilinear"};
constexpr std::array<std::string_view, 1> kOnlyConstant = {"constant"};
constexpr std::array<std::string_view, 1> kOnlyMinusOne = {"normalized_minus_one_to_one"};
constexpr Parameter kAffineParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "transform_matrix", .dtypes = kFloats},
    {.name = "output_height", .kind = ParameterKind::kInt},
    {.name = "output_width", .kind = ParameterKind::kInt},
    Choice("sampling_mode", kOnlyBilinear),
    Choice("padding_mode", kOnlyConstant),
    {.name = "padding_value", .kind = ParameterKind::kFloat},
    Choice("coordinates_mode", kOnlyMinusOne),
    {.name = "align_corners", .kind = ParameterKind::kBool},
};

Status InferAffine(const NodeView& node, ResultTypes& results) {
  using P = params::Affine;
  const TensorType& x = node.InputType(P::kX);
  const TensorType& matrix = node.InputType(P::kTransformMatrix);
  if (x.shape.rank() != 4) return Reject(node, "x must have rank 4");
  if (matrix.dtype != x.dtype || matrix.shape.rank() != 2 || matrix.shape[1] != 6 ||
      (matrix.shape[0] != 1 && matrix.shape[0] != x.shape[0])) {
    return Reject(node, fmt::format("transform_matrix is {}, must be [1 or {}, 6]",
                                    matrix.ToString(), x.shape[0]));
  }
  if (!node.Bool(P::kAlignCorners, true) || node.Float(P::kPaddingValue, 0) != 0) {
    return Reject(node, "align_corners must be true and padding_value 0");
  }
  const int64_t height = node.Int(P::kOutputHeight, 1);
  const int64_t width = node.Int(P::kOutputWidth, 1);
  if (height < 1 || width < 1 || height > 65536 || width > 65536) {
    return Reject(node, fmt::format("a result of {} by {} is not possible", height, width));
  }
  results.Add(x.dtype, Shape{x.shape[0], x.shape[1], height, width});
  return {};
}

}  // namespace

// Floors: facts/minimum_family.csv. Operations that only the texture engine computes need its
// capability byte.
constinit const OpDefinition kOpResize = Define(OpKind::kResize, kResizeParameters, InferResize);
constinit const OpDefinition kOpResizeBilinear =
    Define(OpKind::kResizeBilinear, kResizeBilinearParameters, InferResizePlane);
constinit const OpDefinition kOpResizeNearestNeighbor =
    Define(OpKind::kResizeNearestNeighbor, kResizeNearestParameters, InferResizePlane);
constinit const OpDefinition kOpUpsampleBilinear =
    Define(OpKind::kUpsampleBilinear, kUpsampleBilinearParameters, InferUpsample);
constinit const OpDefinition kOpUpsampleNearestNeighbor =
    Define(OpKind::kUpsampleNearestNeighbor, kUpsampleNearestParameters, InferUpsample);
constinit const OpDefinition kOpCropResize =
    Define(OpKind::kCropResize, kCropResizeParameters, InferCropResize);
constinit const OpDefinition kOpResample =
    Define(OpKind::kResample, kResampleParameters, InferResample);
constinit const OpDefinition kOpAffine = Define(OpKind::kAffine, kAffineParameters, InferAffine);

}  // namespace anecheck
