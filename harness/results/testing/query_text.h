// Lets tests query a results file in SQL.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/store.h"

namespace anecheck::testing {

using TextRows = std::vector<std::vector<std::string>>;

// As Store::Query, but returns each value as its text. NULL is an empty text.
inline Result<TextRows> QueryText(Store& store, std::string_view sql,
                                  std::vector<std::string>* columns = nullptr) {
  ANECHECK_ASSIGN(auto rows, store.Query(sql, columns));
  TextRows texts;
  for (std::vector<StoreValue>& row : rows) {
    std::vector<std::string>& text = texts.emplace_back();
    for (StoreValue& value : row) text.push_back(std::move(value.text));
  }
  return texts;
}

// Returns the rows of a query of the results file `db`. On an error, fails the test.
inline TextRows RowsOf(const std::string& db, std::string_view sql) {
  auto store = Store::OpenReadOnly(db);
  const auto rows = store.ok() ? QueryText(*store, sql) : Result<TextRows>(store.error());
  EXPECT_TRUE(rows.ok()) << rows.error().message;
  return rows.ok() ? *rows : TextRows();
}

}  // namespace anecheck::testing
