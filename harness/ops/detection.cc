// Detection and sorting: schemas and shape inference. Argument names and defaults are those of the
// public MIL operation set (iOS 15 to 17).
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

// MIL also has uint32, for which this project has no type.
constexpr std::array<std::string_view, 3> kIndexTypes = {"int32", "int16", "uint16"};
constexpr DTypeSet kSortable = {DType::kFp16,  DType::kFp32,  DType::kInt32, DType::kInt8,
                                DType::kUint8, DType::kInt16, DType::kUint16};

constexpr Parameter kTopkParameters[] = {
    {.name = "x", .dtypes = kSortable},
    OptionalParameter("k", ParameterKind::kInt, Default::Number(1)),
    OptionalParameter("axis", ParameterKind::kInt, Default::Number(-1)),
    OptionalParameter("ascending", ParameterKind::kBool, Default::Flag(false)),
    OptionalParameter("sort", ParameterKind::kBool, Default::Flag(true)),
    OptionalParameter("return_indices", ParameterKind::kBool, Default::Flag(true)),
    {.name = "output_indices_dtype",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kIndexTypes,
     .fallback = Default::Name("int32")},
};

// If k is -1, the result has the whole axis.
Status InferTopk(const NodeView& node, ResultTypes& results) {
  using P = params::Topk;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, -1, x.shape.rank()));
  const int64_t given = node.Int(P::kK, 1);
  const int64_t k = given == -1 ? x.shape[axis] : given;
  if (k < 1 || k > x.shape[axis]) {
    return Reject(node, fmt::format("k is {}, the axis has {}", given, x.shape[axis]));
  }
  const auto dtype = DTypeFromName(node.String(P::kOutputIndicesDtype, "int32"));
  Shape shape = x.shape;
  shape[axis] = k;
  results.Add(x.dtype, shape);
  if (node.Bool(P::kReturnIndices, true)) results.Add(dtype.value_or(DType::kInt32), shape);
  return {};
}

constexpr Parameter kArgsortParameters[] = {
    {.name = "x", .dtypes = kSortable},
    OptionalParameter("axis", ParameterKind::kInt, Default::Number(-1)),
    OptionalParameter("ascending", ParameterKind::kBool, Default::Flag(false)),
};

Status InferArgsort(const NodeView& node, ResultTypes& results) {
  using P = params::Argsort;
  const Shape& x = node.InputShape(P::kX);
  ANECHECK_RETURN_IF_ERROR(AxisAt(node, P::kAxis, -1, x.rank()));
  results.Add(DType::kInt32, x);
  return {};
}

constexpr Parameter kSuppressionParameters[] = {
    {.name = "boxes", .dtypes = kFloats},
    {.name = "scores", .dtypes = kFloats},
    {.name = "iou_threshold", .kind = ParameterKind::kFloat},
    {.name = "score_threshold", .kind = ParameterKind::kFloat},
    {.name = "max_boxes", .kind = ParameterKind::kInt},
    OptionalParameter("per_class_suppression", ParameterKind::kBool, Default::Flag(false)),
};

// Boxes are [n, B, 4], with (x, y) of the centre, width and height. Scores are [n, B, K].
Status InferSuppression(const NodeView& node, ResultTypes& results) {
  using P = params::NonMaximumSuppression;
  const TensorType& boxes = node.InputType(P::kBoxes);
  const TensorType& scores = node.InputType(P::kScores);
  if (boxes.shape.rank() != 3 || scores.shape.rank() != 3 || boxes.shape[2] != 4 ||
      boxes.shape[0] != scores.shape[0] || boxes.shape[1] != scores.shape[1] ||
      boxes.dtype != scores.dtype) {
    return Reject(node, fmt::format("boxes {} and scores {} must be [n, B, 4] and [n, B, K]",
                                    boxes.ToString(), scores.ToString()));
  }
  const int64_t most = node.Int(P::kMaxBoxes, 1);
  if (most < 1 || most > 65536) return Reject(node, fmt::format("max_boxes is {}", most));
  const int64_t batch = boxes.shape[0];
  results.Add(boxes.dtype, Shape{batch, most, 4});
  results.Add(scores.dtype, Shape{batch, most, scores.shape[2]});
  results.Add(DType::kInt32, Shape{batch, most});
  results.Add(DType::kInt32, Shape{batch});
  return {};
}

}  // namespace

// Top-k and argsort are family_gated on A13 and native from A14 on (facts/op_device_matrix.csv).
constinit const OpDefinition kOpNonMaximumSuppression =
    Define(OpKind::kNonMaximumSuppression, kSuppressionParameters, InferSuppression);
constinit const OpDefinition kOpTopk = Define(OpKind::kTopk, kTopkParameters, InferTopk);
constinit const OpDefinition kOpArgsort =
    Define(OpKind::kArgsort, kArgsortParameters, InferArgsort);

}  // namespace anecheck
