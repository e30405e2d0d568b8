// Real numbers as text, independent of the locale. The whole project reads real numbers with these
// functions, because the standard library of macOS (libc++ 19) has no std::from_chars for reals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck {

// Reads the whole of `text` as a decimal number such as "0.5" or "-1e-3", or as "inf", "infinity"
// or "nan" in upper or lower case. Returns nothing for any other text; spaces, a plus sign and
// hexadecimal digits are not allowed. Rounds to nearest, ties to even. A magnitude beyond T's range
// becomes an infinity or zero with the sign of the text. T is float or double. Thread-safe.
template <typename T>
std::optional<T> RealFromText(std::string_view text);

// Like RealFromText, for a hexadecimal number without "0x", such as "1.8p+1".
template <typename T>
std::optional<T> RealFromHexText(std::string_view text);

// Returns the shortest decimal number that RealFromText<double> reads as `value`, or "inf", "-inf"
// or "nan". The sign of a NaN is dropped.
std::string NumberText(double value);

}  // namespace anecheck
