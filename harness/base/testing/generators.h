// RapidCheck generators for the values of base: bytes, halves, floats. Property tests of every room
// use them.
#pragma once

#include <cstdint>
#include <exception>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include "harness/base/half.h"

namespace anecheck::testing {

// Any byte string; its length grows with RapidCheck's size.
rc::Gen<std::vector<uint8_t>> AnyBytes();
rc::Gen<std::vector<uint8_t>> BytesOfSize(size_t size);

// Any of the 65536 halves, with zeros, subnormals, infinities, NaN and range ends drawn often.
rc::Gen<Half> AnyHalf();
rc::Gen<Half> FiniteHalf();
rc::Gen<Half> NumberHalf();  // FiniteHalf or an infinity

// Any bit pattern, with values near the range of half and its rounding borders drawn often.
rc::Gen<double> AnyDouble();
rc::Gen<float> AnyFloat();

rc::Gen<Rounding> AnyRounding();

}  // namespace anecheck::testing

namespace anecheck {

// Prints a half for the counterexamples of RapidCheck.
void showValue(Half half, std::ostream& out);  // NOLINT(readability-identifier-naming)

}  // namespace anecheck
