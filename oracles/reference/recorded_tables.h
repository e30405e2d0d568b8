// The laws of the functions that the engine computes by tables: the exact content of the tables
// that compilers write, and how the engine evaluates the tables. Sources:
// facts/silicon/act_tables.csv, facts/silicon/numerics_laws.md (L9 to L13).
#pragma once

#include <cstdint>

#include "oracles/reference/rounding.h"

namespace anecheck::reference {

enum class Recorded : uint8_t {
  kSigmoid,
  kTanh,
  kGelu,
  kSilu,
  kErf,
  kExp,
  kLog,
  kSqrt,
  kRsqrt,
  kInverse,
  kSin,
  kCos,
};

// Whether the law defines the engine's result for `x`. It defines no result at infinities and NaN,
// outside of the function's domain, and for erf at magnitudes above 2.
bool HasRecord(Recorded function, double x);

// The engine's result for `x` before the last rounding to fp16. Intermediate roundings are the
// grid's stores. Log, rsqrt and inverse take the sum of operand and epsilon. Precondition:
// HasRecord(function, x).
double RecordedValue(Recorded function, double x, const Grid& grid);

// The least and the greatest RecordedValue over [low, high]. Precondition: HasRecord at both ends,
// and for kInverse no zero between them. For kSin and kCos, returns the bounds of the table's lines
// under an exact reduction of the argument.
Interval RecordedBounds(Recorded function, double low, double high, const Grid& grid);

}  // namespace anecheck::reference
