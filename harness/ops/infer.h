// Shape rules that several operations share. Every function is pure, and errors name the rule.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Returns an error of code kInvalid with the message "<op>: <what>".
Error Reject(const NodeView& node, std::string_view what);

// The geometry of one sliding window over spatial axes, shared by conv and the pools.
struct Window {
  static constexpr int kMaxSpatial = 3;
  int spatial = 0;  // number of spatial axes
  std::array<int64_t, kMaxSpatial> input{}, kernel{}, stride{}, dilation{}, pad_before{},
      pad_after{}, output{};
};

// The indices of an operation's window attributes; -1 for an attribute that the operation lacks.
struct WindowParameters {
  int strides = -1;
  int pad_type = -1;
  int pad = -1;
  int dilations = -1;
  int ceil_mode = -1;
};

// Resolves strides, dilations, padding and the output extents. The padding is "valid", "same" (an
// odd element is at the end), "same_lower" (it is at the start) or "custom" (pad = [before, after]
// for each axis). `x` has the axes [N, C, spatial...], and `kernel` lists the window's extents. The
// rules are MIL's, as coremltools states them.
Result<Window> ComputeWindow(const NodeView& node, const Shape& x, std::span<const int64_t> kernel,
                             const WindowParameters& parameters);

// Returns the axes attribute at `parameter`, normalised to [0, rank), as a bit mask; all axes if it
// is absent. An axis outside [-rank, rank) and an axis that is named twice are errors.
Result<uint32_t> AxisMask(const NodeView& node, int parameter, int rank);

// Returns the axis at `parameter` (`fallback` if it is absent), normalised to [0, rank).
Result<int> AxisAt(const NodeView& node, int parameter, int64_t fallback, int rank);

// Returns the only element of the constant at `parameter` (fp16, fp32 or an integer type of 8 to 32
// bits). The result is an error if the operand is not a constant or has more elements.
Result<double> ConstantScalar(const NodeView& node, int parameter);

// The operands of matmul as matrices. MIL reads an operand of rank 1 as a row (x) or a column (y)
// and drops the added axis from the result; it does not transpose vectors.
struct MatmulShape {
  Shape x, y;
  bool x_vector = false, y_vector = false;
  bool transpose_x = false, transpose_y = false;
};
// Precondition: both operands have rank 1 or more.
MatmulShape MatmulShapeOf(const NodeView& node);

// One axis of a slice in Python's sense: `count` elements from `first` on, `step` apart.
struct AxisSlice {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;
  bool squeezed = false;  // the axis is dropped from the result
};
// Parameter indices of slice_by_index and slice_update. The computed parameters are tensors; each
// replaces an attribute.
struct SliceParameters {
  int begin, end, stride, begin_mask, end_mask, squeeze_mask, computed_begin, computed_end;
};
// Resolves every axis of a slice of `x`; an empty axis is an error. If begin or end is computed,
// `first` is meaningless, and an axis must have a known extent because it is squeezed, because both
// masks take it whole, or because `kept` states its extent. `kept` lists the extents of the axes
// that are not squeezed, and may be null.
Result<std::array<AxisSlice, Shape::kMaxRank>> ResolveSlice(const NodeView& node, const Shape& x,
                                                            const SliceParameters& parameters,
                                                            const Shape* kept = nullptr);
// Returns an error unless exactly one of `attribute` and the tensor at `computed` is given. The
// tensor must have one integer for each axis of `x`. `name` is MIL's name of both.
Status CheckPlaces(const NodeView& node, const Shape& x, int attribute, int computed,
                   std::string_view name);

// Rules of layers in convolution.cc that other operations share.
Status InferConv(const NodeView& node, ResultTypes& results);
Status InferMatmul(const NodeView& node, ResultTypes& results);
Status InferPool(const NodeView& node, ResultTypes& results);

// Infers one result of x's own type (parameter 0).
Status InferSameAsX(const NodeView& node, ResultTypes& results);
// Infers the broadcast of parameters 0 and 1, which must have one element type.
Status InferBroadcast(const NodeView& node, ResultTypes& results);

}  // namespace anecheck
