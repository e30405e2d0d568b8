#include "harness/base/real_text.h"

#include <clocale>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <type_traits>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

namespace anecheck {
namespace {

// The locale is never freed, because threads may read numbers until the process ends.
locale_t PlainLocale() {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", locale_t{});
  return plain;
}

template <typename T>
std::optional<T> ReadWhole(const std::string& text) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  char* end = nullptr;
  T value = 0;
  if constexpr (std::is_same_v<T, float>) {
    value = strtof_l(text.c_str(), &end, PlainLocale());
  } else {
    value = strtod_l(text.c_str(), &end, PlainLocale());
  }
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return value;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// The text after a minus sign, or the whole text if it has none.
std::string_view Magnitude(std::string_view text) {
  return text.starts_with('-') ? text.substr(1) : text;
}

}  // namespace

template <typename T>
std::optional<T> RealFromText(std::string_view text) {
  const std::string_view magnitude = Magnitude(text);
  if (magnitude.empty()) return std::nullopt;
  // Refuses spaces, a plus sign and hexadecimal digits, which strtod accepts.
  const char first = magnitude[0];
  if (!IsDigit(first) && !IsLetter(first) && first != '.') return std::nullopt;
  if (magnitude.size() > 1 && (magnitude[1] | 0x20) == 'x') return std::nullopt;
  return ReadWhole<T>(std::string(text));
}

template <typename T>
std::optional<T> RealFromHexText(std::string_view text) {
  const std::string_view magnitude = Magnitude(text);
  const bool negative = magnitude.size() != text.size();
  // Refuses "inf" and a second "0x".
  if (magnitude.empty() || magnitude.find_first_of("xX") != std::string_view::npos) {
    return std::nullopt;
  }
  return ReadWhole<T>((negative ? "-0x" : "0x") + std::string(magnitude));
}

std::string NumberText(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

template std::optional<float> RealFromText<float>(std::string_view text);
template std::optional<double> RealFromText<double>(std::string_view text);
template std::optional<float> RealFromHexText<float>(std::string_view text);
template std::optional<double> RealFromHexText<double>(std::string_view text);

}  // namespace anecheck
