// Curves of the activation unit: tables of 33 knots, which a compiler writes or a file contains.
// `anecheck activation` prints, plots and measures such curves.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/half.h"
#include "harness/formats/format.h"
#include "harness/ops/composed_curve.h"
#include "harness/ops/op.h"

namespace anecheck::curves {

// A knot's x is the reduced argument (Curve::argument). In a table of the engine, a knot's y is an
// fp16 number.
using Knot = CurveKnot;

struct Curve {
  std::string name;      // "gelu", or the name of the file
  std::string source;    // the source of the table's content
  std::string argument;  // how a position among the knots follows from an argument: "x", "|x|", ...
  std::vector<Knot> knots;
  // The value is `below` for arguments up to `low`, and `above` for arguments from `high` on.
  double low = 0, high = 0, below = 0, above = 0;
  // The curve in full precision, before the result is stored as fp16.
  std::function<double(double)> value;
  // The function that the curve approximates; empty for a file's curve, because a file names no
  // function.
  std::function<double(double)> exact;
  OpKind op = OpKind::kIdentity;  // the operation that a named curve computes
};

// The names that NamedCurve accepts: "sigmoid", "silu", ...
std::vector<std::string_view> CurveNames();

// Returns the table that compilers write for H13 and H14. Errors: kNotFound, with a list of the
// known curves.
Result<Curve> NamedCurve(std::string_view name);

// The curve in the bytes of a file. A file contains a task's table (128 bytes) or an activation
// record with named words (84 or 86 bytes). Errors: kUnsupported for a record of knots and deltas,
// whose domain no source states; kMalformed for other lengths.
Result<Curve> CurveOfBytes(ByteSpan bytes, const std::string& file);

}  // namespace anecheck::curves
