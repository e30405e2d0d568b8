// Native layers, which only a network description can name: schemas and shape inference. Network
// descriptions give the layers' names and attributes (facts/native_layers.csv, netlist_layers.csv).
// Public netlists give each layer's arithmetic, layout and restrictions
// (facts/more/netplist_keys.csv; the public notes that facts/netlist_layers.csv cites). Tensors are
// [N, C, H, W], as in the engine.
#include "harness/ops/native.h"

#include <fmt/format.h>

#include "harness/base/half.h"
#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 2> kDirections = {"Ascending", "Descending"};
constexpr std::array<std::string_view, 2> kMaxMin = {"Max", "Min"};
constexpr std::array<std::string_view, 4> kArgModes = {"SpatialArgMax", "SpatialArgMin",
                                                       "ChannelArgMax", "ChannelArgMin"};
constexpr std::array<std::string_view, 3> kDimensions = {"Channel", "Height", "Width"};
constexpr std::array<std::string_view, 5> kScaledTypes = {"Add", "Mult", "Sub", "Max", "Min"};

// With at most this many positions, fp16 represents every position exactly.
constexpr int64_t kMostPositions = 2048;

constexpr Parameter Name(std::string_view name, std::span<const std::string_view> choices) {
  return {.name = name, .kind = ParameterKind::kString, .choices = choices};
}
constexpr Parameter Integer(std::string_view name) {
  return {.name = name, .kind = ParameterKind::kInt};
}
constexpr Parameter Flag(std::string_view name) {
  return {.name = name, .kind = ParameterKind::kBool};
}

Status CheckRank(const NodeView& node, int parameter) {
  const Shape& shape = node.InputShape(parameter);
  if (shape.rank() == 4) return {};
  return Reject(node, fmt::format("{} is {}, must be [N, C, H, W]",
                                  node.schema().parameters[static_cast<size_t>(parameter)].name,
                                  shape.ToString()));
}

// ---- attention ----

constexpr Parameter kSdpaParameters[] = {
    {.name = "query"},
    {.name = "key"},
    {.name = "value"},
    {.name = "scale", .constant = true},
    {.name = "mask", .need = Need::kOptional},
    Flag("SubtractMax"),
};

// The sequence is axis C, heads are axis H, the embedding is axis W (facts/more/netplist_keys.csv).
// A mask has one plane for all heads or one plane per head. Without SubtractMax an engine's softmax
// is wrong (facts/known_defects.csv, D21).
Status InferSdpa(const NodeView& node, ResultTypes& results) {
  using P = params::NativeSdpa;
  for (const int operand : {P::kQuery, P::kKey, P::kValue}) {
    ANECHECK_RETURN_IF_ERROR(CheckRank(node, operand));
  }
  const Shape& query = node.InputShape(P::kQuery);
  const Shape& key = node.InputShape(P::kKey);
  if (key != node.InputShape(P::kValue)) return Reject(node, "key and value must share a shape");
  if (query[0] != key[0] || query[2] != key[2] || query[3] != key[3]) {
    return Reject(node, fmt::format("query {} does not contract against key {}", query.ToString(),
                                    key.ToString()));
  }
  if (node.InputShape(P::kScale).Elements() != 1) return Reject(node, "scale must be one number");
  if (node.HasInput(P::kMask)) {
    const Shape& mask = node.InputShape(P::kMask);
    const bool fits =
        mask == Shape{1, query[1], 1, key[1]} || mask == Shape{1, query[1], query[2], key[1]};
    if (!fits) {
      return Reject(node, fmt::format("mask is {}, must be [1, {}, 1 or {}, {}]", mask.ToString(),
                                      query[1], query[2], key[1]));
    }
  }
  return InferSameAsX(node, results);
}

// ---- ranking ----

// x must be [N, C, 1, W]. One channel, the key, determines the order of the columns.
Status CheckLines(const NodeView& node, int64_t lane) {
  ANECHECK_RETURN_IF_ERROR(CheckRank(node, 0));
  const Shape& x = node.InputShape(0);
  if (x[2] != 1) return Reject(node, fmt::format("x is {}, its height must be 1", x.ToString()));
  if (lane < 0 || lane >= x[1]) {
    return Reject(node, fmt::format("SortIndices is {}, there are {} channels", lane, x[1]));
  }
  if (x[3] > kMostPositions) return Reject(node, fmt::format("a width of {}", x[3]));
  return {};
}

Shape RankedShape(const Shape& x, int64_t count, bool indices) {
  return {x[0], indices ? 1 : x[1], 1, count};
}

constexpr Parameter kSortParameters[] = {
    {.name = "x"},
    Name("Direction", kDirections),
    Integer("SortIndices"),
    Flag("Indices"),
};

Status InferSort(const NodeView& node, ResultTypes& results) {
  using P = params::NativeSort;
  ANECHECK_RETURN_IF_ERROR(CheckLines(node, node.Int(P::kSortIndices, 0)));
  const Shape& x = node.InputShape(P::kX);
  results.Add(DType::kFp16, RankedShape(x, x[3], node.Bool(P::kIndices, false)));
  return {};
}

constexpr Parameter kTopKParameters[] = {
    {.name = "x"}, Name("Type", kMaxMin), Integer("K"), Integer("SortIndices"), Flag("Indices"),
};

Status InferTopK(const NodeView& node, ResultTypes& results) {
  using P = params::NativeTopK;
  ANECHECK_RETURN_IF_ERROR(CheckLines(node, node.Int(P::kSortIndices, 0)));
  const Shape& x = node.InputShape(P::kX);
  const int64_t k = node.Int(P::kK, 1);
  if (k < 1 || k > x[3]) return Reject(node, fmt::format("K is {}, the width is {}", k, x[3]));
  results.Add(DType::kFp16, RankedShape(x, k, node.Bool(P::kIndices, false)));
  return {};
}

constexpr Parameter kArgMinMaxParameters[] = {{.name = "x"}, Name("Mode", kArgModes)};

// The window is the whole plane, because public netlists show no other window. Spatial modes return
// one position of the flattened plane for each channel; the others return one channel for each
// place.
Status InferArgMinMax(const NodeView& node, ResultTypes& results) {
  using P = params::NativeArgMinMax;
  ANECHECK_RETURN_IF_ERROR(CheckRank(node, P::kX));
  const Shape& x = node.InputShape(P::kX);
  const bool spatial = node.String(P::kMode, "").starts_with("Spatial");
  if ((spatial ? x[2] * x[3] : x[1]) > kMostPositions) {
    return Reject(node, fmt::format("more than {} positions", kMostPositions));
  }
  results.Add(DType::kFp16, spatial ? Shape{x[0], x[1], 1, 1} : Shape{x[0], 1, x[2], x[3]});
  return {};
}

constexpr Parameter kGlobalArgMinMaxParameters[] = {
    {.name = "x"}, Name("Type", kMaxMin), Name("Dimension", kDimensions)};

Status InferGlobalArgMinMax(const NodeView& node, ResultTypes& results) {
  using P = params::NativeGlobalArgMinMax;
  ANECHECK_RETURN_IF_ERROR(CheckRank(node, P::kX));
  Shape shape = node.InputShape(P::kX);
  const int axis = NativeAxis(node.String(P::kDimension, "Width"));
  if (shape[axis] > kMostPositions) {
    return Reject(node, fmt::format("more than {} positions", kMostPositions));
  }
  shape[axis] = 1;
  results.Add(DType::kFp16, shape);
  return {};
}

// ---- normalization and arithmetic ----

constexpr Parameter kMinMaxParameters[] = {
    {.name = "x"},
    Name("Dimension", kDimensions),
    {.name = "Epsilon", .kind = ParameterKind::kFloat},
};

Status InferMinMaxNorm(const NodeView& node, ResultTypes& results) {
  using P = params::NativeMinMaxNorm;
  ANECHECK_RETURN_IF_ERROR(CheckRank(node, P::kX));
  const double epsilon = node.Float(P::kEpsilon, 0);
  if (!(epsilon >= 0)) return Reject(node, fmt::format("Epsilon is {}", epsilon));
  return InferSameAsX(node, results);
}

constexpr Parameter kScaledParameters[] = {
    {.name = "x"},
    {.name = "y"},
    Name("Type", kScaledTypes),
    {.name = "Scale", .kind = ParameterKind::kFloat},
};

// The compiler refuses Sub, and Mult ignores the scale (facts/netlist_layers.csv,
// scaled_elementwise). A legality rule and a documented defect describe both modes, so both are
// admitted here.
Status InferScaled(const NodeView& node, ResultTypes& results) {
  using P = params::NativeScaledElementWise;
  if (node.InputShape(P::kX) != node.InputShape(P::kY)) {
    return Reject(node, "x and y must share a shape");
  }
  return InferSameAsX(node, results);
}

// ---- geometry ----

constexpr Parameter kCorrelationParameters[] = {
    {.name = "x"}, {.name = "template"}, Integer("TemplateHeight"), Integer("TemplateWidth")};

// x must be one plane [1, 1, H, W] without padding. The template, of depth 1, must be a row [1, 1,
// 1, h * w].
Status InferCorrelation(const NodeView& node, ResultTypes& results) {
  using P = params::NativeCrossCorrelation;
  for (const int operand : {P::kX, P::kTemplate}) {
    ANECHECK_RETURN_IF_ERROR(CheckRank(node, operand));
  }
  const Shape& x = node.InputShape(P::kX);
  const Shape& row = node.InputShape(P::kTemplate);
  const int64_t height = node.Int(params::NativeTemplate::kHeight, 0);
  const int64_t width = node.Int(params::NativeTemplate::kWidth, 0);
  if (x[0] != 1 || x[1] != 1) return Reject(node, fmt::format("x is {}, no plane", x.ToString()));
  if (height < 1 || width < 1 || height > x[2] || width > x[3]) {
    return Reject(node, fmt::format("a template of {} by {} does not fit into x, {}", height, width,
                                    x.ToString()));
  }
  if (row != Shape{1, 1, 1, height * width}) {
    return Reject(
        node, fmt::format("template is {}, must be [1, 1, 1, {}]", row.ToString(), height * width));
  }
  results.Add(DType::kFp16, Shape{1, 1, x[2] - height + 1, x[3] - width + 1});
  return {};
}

constexpr Parameter kSamplingParameters[] = {{.name = "points"}, Integer("CentroidCount")};

Status InferSampling(const NodeView& node, ResultTypes& results) {
  using P = params::NativeFurthestPointSampling;
  ANECHECK_RETURN_IF_ERROR(CheckRank(node, P::kPoints));
  const Shape& points = node.InputShape(P::kPoints);
  if (points[0] != 1 || points[1] != 3 || points[2] != 1) {
    return Reject(node, fmt::format("points are {}, must be [1, 3, 1, n]", points.ToString()));
  }
  const int64_t count = node.Int(P::kCentroidCount, 1);
  if (count < 2 || count > points[3] || count > 1024 || points[3] > 8192) {
    return Reject(node, fmt::format("{} centroids of {} points: must be 2 to 1024 of at most 8192",
                                    count, points[3]));
  }
  results.Add(DType::kFp16, Shape{1, 3, 1, count});
  return {};
}

constexpr Parameter kRadiusParameters[] = {
    {.name = "centroids"},
    {.name = "points"},
    {.name = "Radius", .kind = ParameterKind::kFloat},
};

// Both operands have depth 1, three channels and height 1 (facts/netlist_layers.csv,
// radius_search). The result has a row per point and a column per centroid (ANEForge bridges).
Status InferRadius(const NodeView& node, ResultTypes& results) {
  using P = params::NativeRadiusSearch;
  for (const int operand : {P::kCentroids, P::kPoints}) {
    ANECHECK_RETURN_IF_ERROR(CheckRank(node, operand));
    const Shape& shape = node.InputShape(operand);
    if (shape[0] != 1 || shape[1] != 3 || shape[2] != 1) {
      return Reject(node, fmt::format("{} are {}, must be [1, 3, 1, n]",
                                      node.schema().parameters[static_cast<size_t>(operand)].name,
                                      shape.ToString()));
    }
  }
  const double radius = node.Float(P::kRadius, 0);
  if (!(radius > 0 && radius < kHalfMaxValue)) {
    return Reject(node, fmt::format("Radius is {}, must be positive", radius));
  }
  results.Add(DType::kFp16,
              Shape{1, 1, node.InputShape(P::kPoints)[3], node.InputShape(P::kCentroids)[3]});
  return {};
}

// ---- gain and offset with runtime operands ----

constexpr Parameter kDynamicGainParameters[] = {
    {.name = "x"}, {.name = "scale", .need = Need::kOptional}, {.name = "bias"}};

// Public netlists only show planes of one element. Assumed: both apply to a whole plane, as in GOC.
Status InferDynamicGain(const NodeView& node, ResultTypes& results) {
  using P = params::GainOffset;
  ANECHECK_RETURN_IF_ERROR(CheckRank(node, P::kX));
  const Shape row = {1, node.InputShape(P::kX)[1], 1, 1};
  for (const int operand : {P::kScale, P::kBias}) {
    if (!node.HasInput(operand) || node.InputShape(operand) == row) continue;
    return Reject(node, fmt::format("{} is {}, must be {}",
                                    node.schema().parameters[static_cast<size_t>(operand)].name,
                                    node.InputShape(operand).ToString(), row.ToString()));
  }
  return InferSameAsX(node, results);
}

// ---- a slice with a computed begin, and dropout that drops nothing ----

constexpr Parameter kDynamicSliceParameters[] = {
    {.name = "x"}, Integer("start"), Integer("SliceSize")};

// The only instance known to be supported has a width of 4, a size of 2, and a start that keeps the
// slice inside (facts/more/defects_plus.csv, dynamic_slice). No source describes padding and
// background.
Status InferDynamicSlice(const NodeView& node, ResultTypes& results) {
  using P = params::NativeDynamicSlice;
  const Shape& x = node.InputShape(P::kX);
  const int64_t size = node.Int(P::kSliceSize, 0);
  if (x != Shape{1, 1, 1, 4} || size != 2) {
    return Reject(node, fmt::format("x is {} and SliceSize {}: only [1, 1, 1, 4] and 2 are known",
                                    x.ToString(), size));
  }
  const int64_t start = node.Int(P::kStart, 0);
  if (start < 0 || start > 2) {
    return Reject(node, fmt::format("start is {}: the values outside x are unknown", start));
  }
  results.Add(DType::kFp16, Shape{1, 1, 1, size});
  return {};
}

constexpr Parameter kDropoutParameters[] = {{.name = "x"},
                                            {.name = "Rate", .kind = ParameterKind::kFloat}};

Status InferDropout(const NodeView& node, ResultTypes& results) {
  const double rate = node.Float(params::NativeDropout::kRate, 0);
  if (rate != 0) {
    return Reject(node, fmt::format("Rate is {}: no source gives the elements that a rate above 0 "
                                    "drops",
                                    rate));
  }
  return InferSameAsX(node, results);
}

}  // namespace

int NativeAxis(std::string_view dimension) {
  return dimension == "Channel" ? 1 : dimension == "Height" ? 2 : 3;
}

// Each floor is the first family whose code generation supports the layer by direct authoring
// (facts/netlist_layers.csv). Sort, top-k, range normalization (specification 004, table 26.1) and
// the dynamic slice (facts/known_defects.csv, D18) are supported above A13. Dropout's capability
// byte is set from A15 on (specification 003, table 24.3). The guide's catalog says that rate 0
// runs everywhere (facts/source_conflicts.csv), and this table does not follow it.
constinit const OpDefinition kOpNativeSdpa =
    Define(OpKind::kNativeSdpa, kSdpaParameters, InferSdpa);
constinit const OpDefinition kOpNativeSort =
    Define(OpKind::kNativeSort, kSortParameters, InferSort);
constinit const OpDefinition kOpNativeTopK =
    Define(OpKind::kNativeTopK, kTopKParameters, InferTopK);
constinit const OpDefinition kOpNativeArgMinMax =
    Define(OpKind::kNativeArgMinMax, kArgMinMaxParameters, InferArgMinMax);
constinit const OpDefinition kOpNativeGlobalArgMinMax =
    Define(OpKind::kNativeGlobalArgMinMax, kGlobalArgMinMaxParameters, InferGlobalArgMinMax);
constinit const OpDefinition kOpNativeMinMaxNorm =
    Define(OpKind::kNativeMinMaxNorm, kMinMaxParameters, InferMinMaxNorm);
constinit const OpDefinition kOpNativeScaledElementWise =
    Define(OpKind::kNativeScaledElementWise, kScaledParameters, InferScaled);
constinit const OpDefinition kOpNativeCrossCorrelation =
    Define(OpKind::kNativeCrossCorrelation, kCorrelationParameters, InferCorrelation);
constinit const OpDefinition kOpNativeFurthestPointSampling =
    Define(OpKind::kNativeFurthestPointSampling, kSamplingParameters, InferSampling);
constinit const OpDefinition kOpNativeDynamicGoc =
    Define(OpKind::kNativeDynamicGoc, kDynamicGainParameters, InferDynamicGain);
constinit const OpDefinition kOpNativeRadiusSearch =
    Define(OpKind::kNativeRadiusSearch, kRadiusParameters, InferRadius);
constinit const OpDefinition kOpNativeDynamicSlice =
    Define(OpKind::kNativeDynamicSlice, kDynamicSliceParameters, InferDynamicSlice);
constinit const OpDefinition kOpNativeDropout =
    Define(OpKind::kNativeDropout, kDropoutParameters, InferDropout);

}  // namespace anecheck
