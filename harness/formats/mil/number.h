// Converts number tokens of MIL text to values of element types, and values to text. Used by the
// rules, the lowering, the simulated engine's compiler and the text writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/half.h"

namespace anecheck::mil {

// The functions that read a number take a number token that the parser accepts: decimal (0.5,
// -1e-3), C99 hex float (0x1.8p+1), hex integer (0x10), inf or nan, with an optional sign. They
// return nothing if the token is not a value of the type. Thread-safe and independent of the
// locale.

// Rounds the token's exact value once, to nearest, ties to even. A decimal is not rounded to a
// wider type first. A hex integer of at most 0xffff is the bit pattern of the half (source:
// facts/mil.md, "raw 16-bit hex words"). Magnitudes of 65520 and more become infinity.
std::optional<Half> ToHalf(std::string_view token);

// Rounds the exact value once. Does not accept hex integers.
std::optional<float> ToFloat(std::string_view token);
std::optional<double> ToDouble(std::string_view token);

// Accept decimal and hex integers in the range of the type.
std::optional<int64_t> ToInteger(std::string_view token);
std::optional<uint64_t> ToUnsigned(std::string_view token);

// Appends the exact value in the style of real files: 0x1.388p+13, 0x0p+0, -0x1p-24 (subnormals are
// normalised), inf, -inf. Writes a NaN as its bit pattern, for example 0x7e00, which ToHalf reads
// back exactly.
void AppendHalf(std::string& out, Half value);

// Append the exact value in the same style, and `nan` for every NaN.
void AppendFloat(std::string& out, float value);
void AppendDouble(std::string& out, double value);

void AppendInteger(std::string& out, int64_t value);
void AppendUnsigned(std::string& out, uint64_t value);

// Decodes the escapes \\ \" \' \n \t \r \0 and \xHH of a string token. For any other escaped
// character, removes only the backslash. Assumed: no real file has an escape.
std::string UnescapeString(std::string_view raw);

// Appends a text for which UnescapeString returns `text`. `text` may contain any bytes.
void AppendEscaped(std::string& out, std::string_view text);

}  // namespace anecheck::mil
