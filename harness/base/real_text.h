// Real numbers read from text, rounded once and whatever the locale. The project reads them through
// these alone: the standard library of macOS has no std::from_chars for them (libc++ 19).
#pragma once

#include <optional>
#include <string_view>

namespace anecheck {

// T is float or double. The whole of `text` as a decimal number: "0.5", "-1e-3", and "inf",
// "infinity" or "nan" in any case; no space, no plus sign, no hexadecimal. Rounded to nearest, ties
// to even; magnitudes beyond T's range give an infinity or zero with the sign. Nothing where `text`
// is no such number. Thread-safe.
template <typename T>
std::optional<T> RealFromText(std::string_view text);

// The same of a hexadecimal number without its 0x: "1.8p+1".
template <typename T>
std::optional<T> RealFromHexText(std::string_view text);

}  // namespace anecheck
