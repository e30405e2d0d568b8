// Real numbers read from text, rounded once and independent of the locale. The whole project uses
// these functions: the standard library of macOS (libc++ 19) has no std::from_chars for reals.
#pragma once

#include <optional>
#include <string_view>

namespace anecheck {

// T is float or double. The whole of `text` as a decimal number: "0.5", "-1e-3", and "inf",
// "infinity" or "nan" in any case; no space, no plus sign, no hexadecimal. Rounded to nearest, ties
// to even; magnitudes beyond T's range yield an infinity or zero with the sign. Nothing if `text`
// is not such a number. Thread-safe.
template <typename T>
std::optional<T> RealFromText(std::string_view text);

// The same for a hexadecimal number without its 0x: "1.8p+1".
template <typename T>
std::optional<T> RealFromHexText(std::string_view text);

}  // namespace anecheck
