// Turns the constants of MIL text into constants of the engine. Constants of MIL text are typed and
// untyped literals, nested lists, strings and references into the weight side file. Used by
// compile.cc.
#pragma once

#include "harness/base/result.h"
#include "harness/device/blob_file.h"
#include "harness/device/op_builder.h"
#include "harness/formats/mil/program.h"

namespace anecheck::device {

// Returns the tensor type for a MIL type. A scalar becomes a tensor of rank 0. Returns an Error for
// types that are no tensors, for unknown extents and for more than Shape::kMaxRank axes. `unknown`
// is the value of `?`, if known.
Result<TensorType> ReadTensorType(mil::TypeView type, int64_t unknown = mil::Dimension::kUnknown);

// Returns the constant for a literal. An untyped number, list of numbers, bool or string takes the
// element type `hint` if its own form leaves the type open.
Result<Constant> ReadConstant(mil::ValueView literal, Element hint, BlobFiles& blobs);

}  // namespace anecheck::device
