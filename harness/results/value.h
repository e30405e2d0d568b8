// Reads one value of a row from a statement, and checks it against the description of its column.
// Used only by this room.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <type_traits>

#include "harness/results/column.h"
#include "harness/verdict/defect_set.h"

namespace anecheck {

// The reason why the column may not contain a value, as a text that follows the column's name, such
// as "holds -5, which is not within 0 to 7". Empty if the column may contain the value.
using Problem = std::string;

Problem CheckNumber(const ColumnRule& rule, int64_t value);
Problem CheckReal(const ColumnRule& rule, double value);
Problem CheckText(const ColumnRule& rule, std::string_view text);

Problem TakeNumber(sqlite3_stmt* row, int at, const ColumnRule& rule, int64_t& value);
// The text is valid until the next step of the statement.
Problem TakeText(sqlite3_stmt* row, int at, const ColumnRule& rule, std::string_view& text);
Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, double& value);

template <std::integral T>
Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, T& value) {
  int64_t number = 0;
  Problem problem = TakeNumber(row, at, rule, number);
  value = static_cast<T>(number);
  return problem;
}
inline Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, std::string& value) {
  std::string_view text;
  Problem problem = TakeText(row, at, rule, text);
  value = text;
  return problem;
}
template <Word E>
Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, E& value) {
  std::string_view text;
  Problem problem = TakeText(row, at, rule, text);
  if (!problem.empty()) return problem;
  const auto word = FindWord<E>(text);
  if (!word) return CheckText(rule, text);
  value = *word;
  return {};
}
inline Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, DefectSet& value) {
  std::string_view text;
  Problem problem = TakeText(row, at, rule, text);
  value = DefectSet::FromText(text);
  return problem;
}
template <Word E>
Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, std::optional<E>& value) {
  value.reset();
  const bool none =
      sqlite3_column_type(row, at) == SQLITE_TEXT && sqlite3_column_bytes(row, at) == 0;
  return none ? Problem() : Take(row, at, rule, value.emplace());
}
template <typename T>
Problem Take(sqlite3_stmt* row, int at, const ColumnRule& rule, std::optional<T>& value) {
  value.reset();
  if (sqlite3_column_type(row, at) == SQLITE_NULL) return {};
  return Take(row, at, rule, value.emplace());
}

// Checks the conditions on a value to be written that its type does not ensure.
template <typename T>
Problem Check(const ColumnRule& rule, const T& value) {
  if constexpr (std::is_integral_v<T>) return CheckNumber(rule, static_cast<int64_t>(value));
  if constexpr (std::is_floating_point_v<T>) return CheckReal(rule, value);
  return {};
}

}  // namespace anecheck
