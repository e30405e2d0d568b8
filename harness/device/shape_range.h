// Inputs whose extent along one axis is bound after the program is compiled. Such inputs are the
// live-in parameters of specification 000 ("Hardware task descriptor"). Each is tied to a named
// input and checked against a start, a stop and a step. Read from MIL by the compile step, bound by
// the e5rt layer.
//
// By the sources, real MIL texts write `?` for the extent. Such texts give the function an
// attribute FlexibleShapeInformation with RangeDims, a pair [lowest, highest] per axis, and
// DefaultShapes (facts/more/mil_text_forms.csv). The specification adds the step. Assumed: a triple
// [start, stop, step] in place of the pair states the step, which is 1 for a pair. Also assumed: an
// M1 takes `?` with a range. A public probe saw `?` parse and then fail there
// (facts/compile_envelope.csv); the text of that probe is assumed to have stated no range, so `?`
// without a range is refused.
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
  int64_t standard = 1;  // the extent in DefaultShapes, or `start` without such an entry

  bool Holds(int64_t extent) const {
    return extent >= start && extent <= stop && (extent - start) % step == 0;
  }
  // The largest extent in the range: `stop`, or the last step before it.
  int64_t last() const { return stop - (stop - start) % step; }
};

// The ranges of the function's inputs, at most one per input, in the order of the inputs; empty for
// a program of fixed shapes. Errors: kInvalid for `?` without a range, and for ranges that are
// empty, do not fit the declared type, or are on two axes of one input. Two such ranges could not
// be bound, since the size of a buffer would not tell its shape.
Result<std::vector<ShapeRange>> ReadShapeRanges(mil::FunctionView function);

// The extent that a buffer of `bytes` binds, for an input that has type `standard` at the range's
// standard extent. Errors: kInvalid if the size is not a whole number of slices, and, unless `any`
// is set, if the extent is outside of the range or off its steps.
Result<int64_t> ExtentOfBuffer(const ShapeRange& range, const TensorType& standard, int64_t bytes,
                               bool any = false);

}  // namespace anecheck::device
