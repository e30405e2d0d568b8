#include "harness/lowering/mil_types.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/formats/mil/number.h"
#include "harness/formats/mil/reader.h"
#include "harness/graph/validate.h"
#include "harness/lowering/pack.h"

namespace anecheck {

Error PlacedError(ErrorCode code, uint64_t offset, std::string_view what) {
  return MakeError(code, fmt::format("{} (offset 0x{:x})", what, offset), offset);
}

bool IsOpenShape(const Shape& shape) {
  return std::ranges::any_of(shape.dims(), [](int64_t dim) { return dim == kOpenExtent; });
}

Result<TensorType> ReadMilType(mil::TypeView type, uint64_t offset, bool open) {
  if (type.kind() == mil::TypeKind::kState) return ReadMilType(type.element(), offset);
  if (type.kind() != mil::TypeKind::kTensor && type.kind() != mil::TypeKind::kScalar &&
      type.kind() != mil::TypeKind::kBuffer) {
    return PlacedError(ErrorCode::kUnsupported, offset,
                       "only tensors, buffers, scalars and states become values");
  }
  const auto dtype = FromMilType(type.data_type());
  if (!dtype) {
    return PlacedError(ErrorCode::kUnsupported, offset,
                       fmt::format("graphs have no element type {}", type.spelling()));
  }
  TensorType result;
  result.dtype = *dtype;
  if (type.dimensions().size() > Shape::kMaxRank) {
    return PlacedError(ErrorCode::kUnsupported, offset,
                       fmt::format("rank above {}", Shape::kMaxRank));
  }
  for (const mil::Dimension& dimension : type.dimensions()) {
    if (dimension.value < 0 && open) {
      result.shape.Append(kOpenExtent);
      continue;
    }
    if (dimension.value < 0) {
      return PlacedError(
          ErrorCode::kUnsupported, offset,
          "a dimension is not known: give the model fixed shapes, or inputs of a shape");
    }
    result.shape.Append(dimension.value);
  }
  if (!IsHoldable(result.shape)) {
    return PlacedError(ErrorCode::kLimit, offset, "a tensor has more than 2^31 elements");
  }
  return result;
}

bool MayHaveExtents(const Shape& shape) {
  return IsHoldable(shape) &&
         std::ranges::none_of(shape.dims(), [](int64_t dim) { return dim < 0; });
}

bool FitsDeclared(const TensorType& type, const TensorType& declared) {
  if (type.dtype != declared.dtype || type.shape.rank() != declared.shape.rank()) return false;
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    if (declared.shape[axis] != kOpenExtent && declared.shape[axis] != type.shape[axis])
      return false;
  }
  return true;
}

// FlexibleShapeInformation has the form (DefaultShapes, {{input, extents}, ...}).
std::optional<Shape> DefaultShapeOf(mil::FunctionView function, std::string_view input) {
  const auto attribute = mil::FindValue(function.attributes(), "FlexibleShapeInformation");
  if (!attribute) return std::nullopt;
  std::string_view kind;
  for (uint32_t i = attribute->index(); i < attribute->next(); ++i) {
    const mil::ValueView value(attribute->program(), i);
    if (value.kind() == mil::ValueKind::kString) kind = value.text();
    if (value.kind() != mil::ValueKind::kPair || value.children().empty()) continue;
    const mil::ValueView list = value.children()[1].Inner();
    if (list.kind() != mil::ValueKind::kList) continue;
    i = value.next() - 1;
    if (kind != "DefaultShapes" || value.children()[0].Inner().text() != input) continue;
    Shape shape;
    for (const mil::ValueView entry : list.children()) {
      const auto extent = mil::ToInteger(entry.Inner().text());
      if (!extent || shape.rank() == Shape::kMaxRank) return std::nullopt;
      shape.Append(static_cast<int64_t>(*extent));
    }
    return shape;
  }
  return std::nullopt;
}

}  // namespace anecheck
