// The loops that store fp16 results, compiled for every instruction set (Highway).
#pragma once

#include <cstddef>

namespace anecheck::reference {

struct StoredValues {
  bool exact = true;     // every value was representable
  bool special = false;  // some value is not finite
};

// value[i] = RoundToHalf(raw[i]).
StoredValues RoundValuesToHalf(const double* raw, size_t count, double* value);

struct StoredEnds {
  bool point = true;     // every interval contains only its value
  bool special = false;  // some end is not finite
};

// Sets low[i] and high[i] to OuterLow and OuterHigh (store.h) for fp16. Precondition: no end is
// NaN.
StoredEnds RoundEndsToHalf(const double* from_low, const double* from_high, bool wide,
                           const double* value, size_t count, double* low, double* high);

// Sets low[i] and high[i] to the ends rounded to fp16 and moved outward by `ulp` neighbours, as by
// MoveHalfEnd (rounding.h).
void WidenHalfEnds(const double* from_low, const double* from_high, int ulp, size_t count,
                   double* low, double* high);

}  // namespace anecheck::reference
