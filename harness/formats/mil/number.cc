#include "harness/formats/mil/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "harness/base/hex_text.h"
#include "harness/base/real_text.h"

namespace anecheck::mil {
namespace {

struct Split {
  bool negative = false;
  bool hex = false;
  bool has_exponent = false;
  std::string_view digits;  // the part after the sign and 0x
};

Split SplitToken(std::string_view token) {
  Split split;
  if (!token.empty() && (token[0] == '-' || token[0] == '+')) {
    split.negative = token[0] == '-';
    token.remove_prefix(1);
  }
  if (token.size() > 2 && token[0] == '0' && (token[1] | 0x20) == 'x') {
    split.hex = true;
    token.remove_prefix(2);
  }
  split.digits = token;
  split.has_exponent = token.find_first_of(split.hex ? "pP" : "eE") != std::string_view::npos;
  return split;
}

// Parses the digits of an exponent, with an optional sign. Clamps the result to +-2^30, which
// exceeds the range of every format.
std::optional<int64_t> ParseExponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = std::min<int64_t>(value * 10 + (c - '0'), int64_t{1} << 30);
  }
  return negative ? -value : value;
}

// A hex float as significand * 2^exponent, with a significand below 2^53. The last bit is sticky:
// it is also set if any bit that did not fit is 1. So one further rounding to fewer than 52 bits
// gives the correctly rounded value.
struct Binary {
  uint64_t significand = 0;
  int64_t exponent = 0;
};

std::optional<Binary> ParseHexFloat(std::string_view digits) {
  const size_t at = digits.find_first_of("pP");
  if (at == std::string_view::npos) return std::nullopt;
  const auto exponent = ParseExponent(digits.substr(at + 1));
  if (!exponent) return std::nullopt;
  Binary binary{0, *exponent};
  bool fraction = false;
  bool any = false;
  for (const char c : digits.substr(0, at)) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    const int digit = HexDigit(c);
    if (digit < 0) return std::nullopt;
    any = true;
    if (binary.significand < uint64_t{1} << 49) {
      binary.significand = binary.significand << 4 | static_cast<uint64_t>(digit);
      if (fraction) binary.exponent -= 4;
    } else {
      if (digit != 0) binary.significand |= 1;
      if (!fraction) binary.exponent += 4;
    }
  }
  return any ? std::optional(binary) : std::nullopt;
}

// The number 0.DDD... * 10^point. DDD... has no leading or trailing zeros. Zero has no digits.
struct Decimal {
  std::string digits;
  int64_t point = 0;
};

std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal decimal;
  int64_t exponent = 0;
  if (const size_t at = text.find_first_of("eE"); at != std::string_view::npos) {
    const auto parsed = ParseExponent(text.substr(at + 1));
    if (!parsed) return std::nullopt;
    exponent = *parsed;
    text = text.substr(0, at);
  }
  bool fraction = false;
  bool any = false;
  for (const char c : text) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    any = true;
    if (decimal.digits.empty() && c == '0') {
      if (fraction) --decimal.point;
      continue;
    }
    decimal.digits += c;
    if (!fraction) ++decimal.point;
  }
  if (!any) return std::nullopt;
  while (!decimal.digits.empty() && decimal.digits.back() == '0') decimal.digits.pop_back();
  decimal.point += exponent;
  return decimal;
}

// Returns exactly `units` * 2^-25. Every midpoint between two halves is a multiple of 2^-25.
Decimal DecimalOfUnits(uint64_t units) {
  constexpr uint64_t kFiveTo25 = 298023223876953125;  // 2^-25 = 5^25 * 10^-25
  auto scaled = static_cast<unsigned __int128>(units) * kFiveTo25;
  Decimal decimal;
  while (scaled != 0) {
    decimal.digits += static_cast<char>('0' + static_cast<int>(scaled % 10));
    scaled /= 10;
  }
  std::reverse(decimal.digits.begin(), decimal.digits.end());
  decimal.point = static_cast<int64_t>(decimal.digits.size()) - 25;
  while (!decimal.digits.empty() && decimal.digits.back() == '0') decimal.digits.pop_back();
  return decimal;
}

// Returns a number with the sign of a - b. Precondition: a and b are not zero.
int Compare(const Decimal& a, const Decimal& b) {
  if (a.point != b.point) return a.point < b.point ? -1 : 1;
  return a.digits.compare(b.digits);
}

// Rounds the magnitude of a decimal to a half. The nearest double determines the half, unless this
// double is the midpoint between two halves. Then the exact decimal is compared with the midpoint.
Half HalfOfDecimal(const Decimal& decimal, std::string_view text) {
  constexpr int64_t kOverflowPoint = 7;    // 10^6 and more
  constexpr int64_t kUnderflowPoint = -8;  // below 10^-8, less than half of 2^-24
  if (decimal.digits.empty() || decimal.point <= kUnderflowPoint) return Half{0};
  if (decimal.point >= kOverflowPoint) return kHalfInfinity;
  const double nearest = RealFromText<double>(text).value_or(0);
  const Half even = DoubleToHalf(nearest);
  const Half down = DoubleToHalf(nearest, Rounding::kTowardZero);
  const Half up = DoubleToHalf(nearest, Rounding::kUp);
  if (down == up) return even;  // the double is itself a half, or no finite half is larger
  const double units = nearest * 0x1p25;
  const double low = HalfToDouble(down) * 0x1p25;
  const double high = up.IsInf() ? 65536.0 * 0x1p25 : HalfToDouble(up) * 0x1p25;
  if (units - low != high - units) return even;
  const int order = Compare(decimal, DecimalOfUnits(static_cast<uint64_t>(units)));
  return order < 0 ? down : order > 0 ? up : even;
}

// Applies the sign, also to zero.
template <typename T>
T WithSign(T magnitude, bool negative) {
  return negative ? -magnitude : magnitude;
}

template <typename T>
std::optional<T> ToBinaryFloat(std::string_view token) {
  const Split split = SplitToken(token);
  if (split.digits == "inf") return WithSign(std::numeric_limits<T>::infinity(), split.negative);
  if (split.digits == "nan") return WithSign(std::numeric_limits<T>::quiet_NaN(), split.negative);
  const auto hex = split.hex ? ParseHexFloat(split.digits) : std::nullopt;
  const auto decimal = split.hex ? std::nullopt : ParseDecimal(split.digits);
  if (!hex && !decimal) return std::nullopt;
  const auto value = split.hex ? RealFromHexText<T>(split.digits) : RealFromText<T>(split.digits);
  return WithSign(value.value_or(0), split.negative);
}

// Appends significand * 2^exponent as a hex float. `significand` has `width` bits after the point.
// Trailing zero digits are left out.
void AppendHexFloat(std::string& out, uint64_t significand, int width, int exponent) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  if (significand == 0) {
    out += "0x0p+0";
    return;
  }
  const int top = 63 - std::countl_zero(significand);
  exponent += top - width;
  uint64_t fraction = top == 0 ? 0 : significand << (64 - top);
  out += "0x1";
  if (fraction != 0) {
    out += '.';
    for (; fraction != 0; fraction <<= 4) out += kHex[fraction >> 60];
  }
  out += 'p';
  if (exponent >= 0) out += '+';
  AppendInteger(out, exponent);
}

// Returns the value of a normal half in the spelling of AppendHalf, for example 0x1.8p-3, or
// nothing for another spelling. This is a fast path, because nearly all halves have this spelling.
std::optional<Half> ToPlainHalf(std::string_view token) {
  const char* at = token.data();
  const char* const end = at + token.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  if (end - at < 6 || at[0] != '0' || at[1] != 'x' || at[2] != '1') return std::nullopt;
  at += 3;
  int fraction = 0;  // twelve bits
  if (*at == '.') {
    ++at;
    for (int shift = 8; shift >= 0 && at != end && HexDigit(*at) >= 0; shift -= 4, ++at) {
      fraction |= HexDigit(*at) << shift;
    }
  }
  if (end - at < 3 || end - at > 4 || at[0] != 'p' || (at[1] != '+' && at[1] != '-')) {
    return std::nullopt;
  }
  int exponent = 0;
  for (const char* digit = at + 2; digit != end; ++digit) {
    if (*digit < '0' || *digit > '9') return std::nullopt;
    exponent = exponent * 10 + (*digit - '0');
  }
  if (at[1] == '-') exponent = -exponent;
  if (exponent < -14 || exponent > 15 || (fraction & 3) != 0) return std::nullopt;
  const int sign = negative ? 0x8000 : 0;
  return Half{static_cast<uint16_t>(sign | (exponent + 15) << 10 | fraction >> 2)};
}

// The inverse of ToPlainHalf.
void AppendPlainHalf(std::string& out, Half value) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::array<char, 12> text;
  size_t size = 0;
  if (value.IsNegative()) text[size++] = '-';
  for (const char c : {'0', 'x', '1'}) text[size++] = c;
  uint32_t fraction = (value.bits & 0x3ffu) << 2;
  if (fraction != 0) text[size++] = '.';
  for (; fraction != 0; fraction = fraction << 4 & 0xfff) text[size++] = kHex[fraction >> 8];
  const int exponent = (value.bits >> 10 & 0x1f) - 15;
  const int magnitude = exponent < 0 ? -exponent : exponent;
  text[size++] = 'p';
  text[size++] = exponent < 0 ? '-' : '+';
  if (magnitude >= 10) text[size++] = '1';
  text[size++] = static_cast<char>('0' + magnitude % 10);
  out.append(text.data(), size);
}

}  // namespace

std::optional<Half> ToHalf(std::string_view token) {
  if (const auto plain = ToPlainHalf(token)) return plain;
  const Split split = SplitToken(token);
  Half magnitude;
  if (split.digits == "inf") {
    magnitude = kHalfInfinity;
  } else if (split.digits == "nan") {
    magnitude = kHalfNan;
  } else if (split.hex && !split.has_exponent) {
    uint64_t word = 0;
    for (const char c : split.digits) {
      const int digit = HexDigit(c);
      if (digit < 0 || word > 0xfff) return std::nullopt;
      word = word << 4 | static_cast<uint64_t>(digit);
    }
    if (token[0] == '-' || token[0] == '+') return std::nullopt;
    return Half{static_cast<uint16_t>(word)};
  } else if (split.hex) {
    const auto binary = ParseHexFloat(split.digits);
    if (!binary) return std::nullopt;
    constexpr int64_t kBeyond = 1000;  // a larger exponent gives the same result
    const auto exponent = static_cast<int>(std::clamp(binary->exponent, -kBeyond, kBeyond));
    magnitude.bits =
        half_internal::RoundMagnitude(binary->significand, exponent, false, Rounding::kNearestEven);
  } else {
    const auto decimal = ParseDecimal(split.digits);
    if (!decimal) return std::nullopt;
    magnitude = HalfOfDecimal(*decimal, split.digits);
  }
  if (split.negative) magnitude.bits |= 0x8000;
  return magnitude;
}

std::optional<float> ToFloat(std::string_view token) { return ToBinaryFloat<float>(token); }

std::optional<double> ToDouble(std::string_view token) { return ToBinaryFloat<double>(token); }

std::optional<uint64_t> ToUnsigned(std::string_view token) {
  const Split split = SplitToken(token);
  const std::string_view digits = split.digits;
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto result =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, split.hex ? 16 : 10);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  if (split.negative && value != 0) return std::nullopt;
  return value;
}

std::optional<int64_t> ToInteger(std::string_view token) {
  const Split split = SplitToken(token);
  const bool sign = split.digits.data() != token.data() && split.negative;
  const auto magnitude = ToUnsigned(sign ? token.substr(1) : token);
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!magnitude || *magnitude > kMax + (sign ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(sign ? 0 - *magnitude : *magnitude);
}

void AppendHalf(std::string& out, Half value) {
  const bool normal = value.IsFinite() && !value.IsZero() && !value.IsSubnormal();
  if (normal) return AppendPlainHalf(out, value);
  if (value.IsNan()) {
    std::array<char, 4> digits{};
    std::to_chars(digits.data(), digits.data() + digits.size(), value.bits, 16);
    out += "0x";
    out.append(digits.data(), digits.size());
    return;
  }
  if (value.IsNegative()) out += '-';
  if (value.IsInf()) {
    out += "inf";
    return;
  }
  const int biased = (value.bits >> 10) & 0x1f;
  const uint64_t fraction = value.bits & 0x3ff;
  AppendHexFloat(out, biased == 0 ? fraction : fraction | 0x400, 10,
                 biased == 0 ? -14 : biased - 15);
}

void AppendFloat(std::string& out, float value) { AppendDouble(out, static_cast<double>(value)); }

void AppendDouble(std::string& out, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if ((bits >> 63) != 0) out += '-';
  if (std::isinf(value)) {
    out += "inf";
    return;
  }
  const auto biased = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & 0x000fffffffffffff;
  AppendHexFloat(out, biased == 0 ? fraction : fraction | uint64_t{1} << 52, 52,
                 biased == 0 ? -1022 : biased - 1023);
}

void AppendInteger(std::string& out, int64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void AppendUnsigned(std::string& out, uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

std::string UnescapeString(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      text += raw[i];
      continue;
    }
    const char c = raw[++i];
    const bool hex =
        c == 'x' && i + 2 < raw.size() && HexDigit(raw[i + 1]) >= 0 && HexDigit(raw[i + 2]) >= 0;
    if (hex) {
      text += static_cast<char>(HexDigit(raw[i + 1]) << 4 | HexDigit(raw[i + 2]));
      i += 2;
    } else {
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
    }
  }
  return text;
}

void AppendEscaped(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
}

}  // namespace anecheck::mil
