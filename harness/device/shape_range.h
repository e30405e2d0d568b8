// Inputs whose extent along one axis is bound after the program is compiled. Such inputs are the
// live-in parameters of specification 000 ("Hardware task descriptor"). Each parameter belongs to a
// named input and is checked against a start, a stop and a step. The compile step reads the ranges
// from MIL, and the e5rt layer binds the extents.
//
// The sources show that real MIL texts write `?` for the extent. Such texts give the function an
// attribute FlexibleShapeInformation with RangeDims, a pair [lowest, highest] per axis, and
// DefaultShapes (facts/more/mil_text_forms.csv). The specification adds the step. Assumed: a triple
// [start, stop, step] may replace the pair; a pair has step 1. Also assumed: an M1 takes `?` with a
// range. A public probe saw that an M1 parsed `?` and then failed (facts/compile_envelope.csv). The
// text of that probe is assumed to have stated no range, so the engine refuses `?` without a range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/tensor_type.h"
#include "harness/formats/mil/program.h"

namespace anecheck::device {

struct ShapeRange {
  std::string input;
  size_t index = 0;  // the index of the input among the function's inputs
  int axis = 0;
  int64_t start = 1;
  int64_t stop = 1;
  int64_t step = 1;
  int64_t standard = 1;  // the extent in DefaultShapes, or `start` if DefaultShapes has no entry

  bool Holds(int64_t extent) const {
    return extent >= start && extent <= stop && (extent - start) % step == 0;
  }
  // Returns the largest extent in the range: `stop`, or the last step before it.
  int64_t last() const { return stop - (stop - start) % step; }
};

// Returns the ranges of the function's inputs, at most one per input, in the order of the inputs.
// Empty for a program of fixed shapes. Errors: kInvalid for `?` without a range, and for ranges
// that are empty, do not fit the declared type, or are on two axes of one input. Two ranges on one
// input could not be bound, since the size of a buffer would not determine its shape.
Result<std::vector<ShapeRange>> ReadShapeRanges(mil::FunctionView function);

// Returns the extent that a buffer of `bytes` binds, for an input that has type `standard` at the
// range's standard extent. Errors: kInvalid if the size is not a whole number of slices, or if the
// extent is outside the range or off its steps. If `any` is set, the range is not checked.
Result<int64_t> ExtentOfBuffer(const ShapeRange& range, const TensorType& standard, int64_t bytes,
                               bool any = false);

}  // namespace anecheck::device
