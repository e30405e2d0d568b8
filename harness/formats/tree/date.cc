// Dates of property lists as text, in ISO 8601, UTC and whole seconds.
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "harness/formats/tree/value.h"

namespace anecheck::tree {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr sys_days kEpoch = sys_days(year(2001) / 1 / 1);
constexpr double SecondsOf(year_month_day date) {
  return static_cast<double>(seconds(sys_days(date) - kEpoch).count());
}

// A field of the text: the character before it, the number of its digits, and its range.
struct Field {
  char before;
  size_t digits;
  int least, most;
};
constexpr std::array<Field, 6> kFields = {{{0, 4, 1, 9999},
                                           {'-', 2, 1, 12},
                                           {'-', 2, 1, 31},
                                           {'T', 2, 0, 23},
                                           {':', 2, 0, 59},
                                           {':', 2, 0, 59}}};
constexpr std::array<int, 6> kLeftOut = {1, 1, 1, 0, 0, 0};

// Removes the field from the front of the text and returns its value.
std::optional<int> Take(const Field& field, std::string_view& text) {
  if (field.before != 0) text.remove_prefix(1);
  if (text.size() < field.digits) return std::nullopt;
  int value = 0;
  const std::string_view digits = text.substr(0, field.digits);
  const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || last != digits.data() + digits.size() || value < field.least ||
      value > field.most) {
    return std::nullopt;
  }
  text.remove_prefix(field.digits);
  return value;
}

}  // namespace

bool HasFourDigitYear(const Date& date) {
  constexpr double kFirst = SecondsOf(year(1) / 1 / 1), kEnd = SecondsOf(year(10000) / 1 / 1);
  return date.seconds >= kFirst && date.seconds < kEnd;
}

std::string TextOf(const Date& date) {
  const auto whole = static_cast<int64_t>(std::floor(date.seconds));
  const auto at = std::chrono::sys_seconds(kEpoch) + seconds(whole);
  const sys_days midnight = std::chrono::floor<std::chrono::days>(at);
  const year_month_day days(midnight);
  const std::chrono::hh_mm_ss time(at - midnight);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(days.year()),
                     static_cast<unsigned>(days.month()), static_cast<unsigned>(days.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::optional<Date> DateFromText(std::string_view text) {
  std::array<int, 6> values = kLeftOut;
  for (size_t i = 0; i < kFields.size(); ++i) {
    if (i > 0 && !text.starts_with(kFields[i].before)) break;
    const std::optional<int> value = Take(kFields[i], text);
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  if (text != "Z") return std::nullopt;
  const year_month_day days = year(values[0]) / month(static_cast<unsigned>(values[1])) /
                              day(static_cast<unsigned>(values[2]));
  if (!days.ok()) return std::nullopt;
  return Date{SecondsOf(days) + values[3] * 3600 + values[4] * 60 + values[5]};
}

}  // namespace anecheck::tree
