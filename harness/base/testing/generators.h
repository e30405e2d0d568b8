// RapidCheck generators for bytes, halves, floats and rounding modes, for the property tests of the
// whole project.
#pragma once

#include <cstdint>
#include <exception>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include "harness/base/half.h"

namespace anecheck::testing {

// Draws any byte string. Its length grows with RapidCheck's size.
rc::Gen<std::vector<uint8_t>> AnyBytes();
rc::Gen<std::vector<uint8_t>> BytesOfSize(size_t size);

// Draws any of the 65536 halves, and often a zero, a subnormal, an infinity, NaN or a range end.
rc::Gen<Half> AnyHalf();
rc::Gen<Half> FiniteHalf();
rc::Gen<Half> NumberHalf();  // FiniteHalf or an infinity

// Draws any bit pattern, and often a value near the range of half or near its rounding borders.
rc::Gen<double> AnyDouble();
rc::Gen<float> AnyFloat();

rc::Gen<Rounding> AnyRounding();

}  // namespace anecheck::testing

namespace anecheck {

// Prints a half for the counterexamples of RapidCheck.
void showValue(Half half, std::ostream& out);  // NOLINT(readability-identifier-naming)

}  // namespace anecheck
