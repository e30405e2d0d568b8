#include "harness/results/value.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/json_text.h"
#include "harness/base/one_line.h"

namespace anecheck {
namespace {

constexpr size_t kShown = 60;  // bytes of a value

std::string Shown(std::string_view text) {
  const bool whole = text.size() <= kShown;
  return fmt::format("'{}'{}", OneLine(text.substr(0, kShown)), whole ? "" : "...");
}

// Describes a value of an unexpected type.
std::string Found(sqlite3_stmt* row, int at) {
  const int type = sqlite3_column_type(row, at);
  if (type == SQLITE_NULL) return "nothing";
  if (type == SQLITE_BLOB) return "bytes";
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(row, at));
  const std::string_view shown(text == nullptr ? "" : text);
  if (type == SQLITE_TEXT) return fmt::format("the text {}", Shown(shown));
  return fmt::format("the number {}", shown);
}

Problem Mismatch(sqlite3_stmt* row, int at, std::string_view wanted) {
  return fmt::format("holds {}, which is no {}", Found(row, at), wanted);
}

}  // namespace

Problem CheckNumber(const ColumnRule& rule, int64_t value) {
  if (value >= rule.least && value <= rule.most) return {};
  return fmt::format("holds {}, which is not within {} to {}", value, rule.least, rule.most);
}

Problem CheckReal(const ColumnRule& rule, double value) {
  const bool within =
      value >= static_cast<double>(rule.least) && value <= static_cast<double>(rule.most);
  if (within) return {};
  return fmt::format("holds {}, which is not within {} to {}", value, rule.least, rule.most);
}

Problem CheckText(const ColumnRule& rule, std::string_view text) {
  const bool known = rule.words.empty() || std::ranges::find(rule.words, text) != rule.words.end();
  if (!known) return fmt::format("holds the text {}, which is no {}", Shown(text), rule.kind);
  if (rule.json && !ParseJson(text).ok()) {
    return fmt::format("holds the text {}, which is no JSON", Shown(text));
  }
  return {};
}

Problem TakeNumber(sqlite3_stmt* row, int at, const ColumnRule& rule, int64_t& value) {
  if (sqlite3_column_type(row, at) != SQLITE_INTEGER) return Mismatch(row, at, "whole number");
  value = sqlite3_column_int64(row, at);
  return CheckNumber(rule, value);
}

Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, double& value) {
  if (sqlite3_column_type(row, at) != SQLITE_FLOAT) return Mismatch(row, at, "number");
  value = sqlite3_column_double(row, at);
  return CheckReal(rule, value);
}

Problem TakeText(sqlite3_stmt* row, int at, const ColumnRule& rule, std::string_view& text) {
  if (sqlite3_column_type(row, at) != SQLITE_TEXT) return Mismatch(row, at, "text");
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, at));
  text = {bytes, static_cast<size_t>(sqlite3_column_bytes(row, at))};
  return rule.json ? CheckText(rule, text) : Problem();
}

}  // namespace anecheck
