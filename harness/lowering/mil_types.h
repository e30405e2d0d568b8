// Types of MIL text as types of graphs, axes of unknown extent among them. Used by mil_to_graph.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/graph/types.h"

namespace anecheck {

// An axis whose extent is not known stands as this in a type that is read as open.
inline constexpr int64_t kOpenExtent = -1;
bool IsOpenShape(const Shape& shape);

// The graph type of a tensor, a buffer, a scalar or a state; with `open` it may have axes of
// kOpenExtent. Errors, at `offset`: kUnsupported for other types, element types that graphs lack
// and unknown extents, kLimit for too many elements.
Result<TensorType> ReadMilType(mil::TypeView type, uint64_t offset, bool open = false);

// Whether a tensor may have these extents.
bool MayHaveExtents(const Shape& shape);
// Whether `type` is the declared type, where any extent matches an open one.
bool FitsDeclared(const TensorType& type, const TensorType& declared);

// DefaultShapes of FlexibleShapeInformation for one input.
std::optional<Shape> DefaultShapeOf(mil::FunctionView function, std::string_view input);

// An error at a place in the text.
Error PlacedError(ErrorCode code, uint64_t offset, std::string_view what);

}  // namespace anecheck
