// The form of a table's description, which determines its schema, binding, reading, checks and
// merging. tables.h describes the tables of the results file.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "harness/verdict/words.h"

namespace anecheck {

// The value of a column after a second row with the same key is written.
enum class Growth : uint8_t {
  kNone,    // none: the second row is an error
  kSum,     // the sum of both
  kLeast,   // the smaller value
  kMost,    // the greater value
  kOfMost,  // taken from the row whose kMost column is greater
};

// The greatest count in a column. No run has more cases or elements, and the sums of thousands of
// runs still fit in 64 bits.
inline constexpr int64_t kMostCount = int64_t{1} << 48;

// The properties of a column that do not depend on the struct of the table's rows.
struct ColumnRule {
  std::string_view name;
  std::string_view note;  // for people, in the schema
  std::string_view type;  // of SQLite
  bool key = false;
  bool optional = false;  // NULL if the fact is not known
  bool json = false;      // a text that is JSON
  bool large = false;     // left out of lists of rows
  bool local = false;     // depends on the file's path, so a run's digest omits it
  Growth growth = Growth::kNone;
  // The range of a number; reals must also be finite. Unsigned 64-bit numbers are stored as signed
  // ones.
  int64_t least = 0;
  int64_t most = kMostCount;
  std::span<const std::string_view> words;  // the valid texts; empty if any text is valid
  std::string_view kind;                    // the kind of `words`, e.g. "verdict"
};

// A column, and the member or the function of the row's struct that has its value.
template <typename Access>
struct Column : ColumnRule {
  Access access;

  constexpr Column Within(int64_t low, int64_t high) const {
    Column column = *this;
    column.least = low;
    column.most = high;
    return column;
  }
  // Permits every 64-bit number.
  constexpr Column Bits() const {
    return Within(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  }
  constexpr Column Json() const {
    Column column = *this;
    column.json = true;
    return column;
  }
  constexpr Column Large() const {
    Column column = *this;
    column.large = true;
    return column;
  }
  constexpr Column Local() const {
    Column column = *this;
    column.local = true;
    return column;
  }
};

template <typename Access>
constexpr Column<Access> Value(std::string_view name, Access access, std::string_view note = {},
                               Growth growth = Growth::kNone) {
  Column<Access> column = {{.name = name, .note = note}, access};
  column.growth = growth;
  return column;
}
template <typename Access>
constexpr Column<Access> Key(std::string_view name, Access access, std::string_view note = {}) {
  Column<Access> column = Value(name, access, note);
  column.key = true;
  return column;
}
template <typename Access>
constexpr Column<Access> Sum(std::string_view name, Access access, std::string_view note = {}) {
  return Value(name, access, note, Growth::kSum);
}

struct TableRule {
  std::string_view name;
  std::string_view note;
  int since = 1;                // the first version of the file with the table
  bool of_run = true;           // its first column, and the first of its key, is `run`
  std::string_view end;         // further constraints at the end of its schema
  std::string_view index = {};  // the statement that makes its index
};

template <typename Row, typename... Columns>
struct Table {
  TableRule rule;
  std::tuple<Columns...> columns;
};

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
// A missing word is stored as the text '' instead of NULL, so that a key can contain the column.
template <typename T>
inline constexpr bool kIsOptionalWord = false;
template <Word E>
inline constexpr bool kIsOptionalWord<std::optional<E>> = true;

// Sets the parts of a column that the type of its value determines.
template <typename Row, typename Access>
constexpr Column<Access> Typed(Column<Access> column) {
  using V = std::remove_cvref_t<std::invoke_result_t<Access, Row&>>;
  column.optional = kIsOptional<V> && !kIsOptionalWord<V>;
  column.type = std::is_integral_v<V> ? "INTEGER" : std::is_floating_point_v<V> ? "REAL" : "TEXT";
  if constexpr (Word<V>) {
    column.words = Words<V>::kTexts;
    column.kind = Words<V>::kConcept;
  } else if constexpr (kIsOptionalWord<V>) {
    column.words = Words<typename V::value_type>::kTexts;
    column.kind = Words<typename V::value_type>::kConcept;
  }
  return column;
}

template <typename Row, typename... Accesses>
constexpr auto Describe(const TableRule& rule, const Column<Accesses>&... columns) {
  return Table<Row, Column<Accesses>...>{rule, {Typed<Row>(columns)...}};
}

}  // namespace anecheck
