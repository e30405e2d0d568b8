// The numbers of MIL text: from a token to the exact value of an element type, and back. Used by
// the rules, the lowering, the simulated engine's compiler and the text writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/half.h"

namespace anecheck::mil {

// All functions from token to number take a number token as the parser accepts it: decimal (0.5,
// -1e-3), C99 hex float (0x1.8p+1), hex integer (0x10), inf or nan, with an optional sign. They
// return nothing if the token is no value of the type. Thread-safe and independent of the locale.

// Rounds the token's exact value once, to nearest, ties to even. A decimal is never rounded to a
// wider type first. A hex integer of at most 0xffff is the sixteen bits themselves (source:
// facts/mil.md, "raw 16-bit hex words"). Magnitudes of 65520 and more become infinity.
std::optional<Half> ToHalf(std::string_view token);

// Rounds the exact value once. Does not accept hex integers.
std::optional<float> ToFloat(std::string_view token);
std::optional<double> ToDouble(std::string_view token);

// Decimal or hex integers in range.
std::optional<int64_t> ToInteger(std::string_view token);
std::optional<uint64_t> ToUnsigned(std::string_view token);

// The text is exact, in the style of real files: 0x1.388p+13, 0x0p+0, -0x1p-24 (subnormals
// normalised), inf, -inf. A NaN is written as its raw word, for example 0x7e00, which ToHalf reads
// back bit for bit.
void AppendHalf(std::string& out, Half value);

// The text is exact, except that every NaN is written nan.
void AppendFloat(std::string& out, float value);
void AppendDouble(std::string& out, double value);

void AppendInteger(std::string& out, int64_t value);
void AppendUnsigned(std::string& out, uint64_t value);

// The value of a string token, with the escapes \\ \" \' \n \t \r \0 and \xHH decoded; for any
// other escaped character only the backslash is removed. This is assumed, because no real file has
// an escape.
std::string UnescapeString(std::string_view raw);

// The inverse for any bytes: a text that UnescapeString turns into `text`.
void AppendEscaped(std::string& out, std::string_view text);

}  // namespace anecheck::mil
