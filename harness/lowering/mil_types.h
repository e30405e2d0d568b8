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

// The extent that ReadMilType, called with `open`, gives to an axis of unknown extent.
inline constexpr int64_t kOpenExtent = -1;
bool IsOpenShape(const Shape& shape);

// Returns the graph type for a tensor, a buffer, a scalar or a state. With `open`, the type may
// have axes of kOpenExtent. Errors, at `offset`: kUnsupported for other types, element types that
// graphs lack and unknown extents, kLimit for too many elements.
Result<TensorType> ReadMilType(mil::TypeView type, uint64_t offset, bool open = false);

// Whether a tensor may have these extents.
bool MayHaveExtents(const Shape& shape);
// Whether `type` equals the declared type, in which an open axis matches any extent.
bool FitsDeclared(const TensorType& type, const TensorType& declared);

// Returns the shape of one input in DefaultShapes of FlexibleShapeInformation.
std::optional<Shape> DefaultShapeOf(mil::FunctionView function, std::string_view input);

// Returns an error at byte `offset` of the text.
Error PlacedError(ErrorCode code, uint64_t offset, std::string_view what);

}  // namespace anecheck
