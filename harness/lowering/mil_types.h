// Conversion of MIL types to types of graphs, including axes of unknown extent. Used by
// mil_to_graph.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/graph/types.h"

namespace anecheck {

// The extent of an axis that is unknown in a type, if ReadMilType admits such axes.
inline constexpr int64_t kOpenExtent = -1;
bool IsOpenShape(const Shape& shape);

// The graph type for a tensor, a buffer, a scalar or a state; with `open` it may have axes of
// kOpenExtent. Errors, at `offset`: kUnsupported for other types, element types that graphs lack
// and unknown extents, kLimit for too many elements.
Result<TensorType> ReadMilType(mil::TypeView type, uint64_t offset, bool open = false);

// Whether a tensor may have these extents.
bool MayHaveExtents(const Shape& shape);
// Whether `type` equals the declared type, in which an open axis matches any extent.
bool FitsDeclared(const TensorType& type, const TensorType& declared);

// Returns the shape of one input in DefaultShapes of FlexibleShapeInformation.
std::optional<Shape> DefaultShapeOf(mil::FunctionView function, std::string_view input);

// An error at a place in the text.
Error PlacedError(ErrorCode code, uint64_t offset, std::string_view what);

}  // namespace anecheck
