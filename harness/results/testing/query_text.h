// Lets tests query a results file in SQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/results/store.h"

namespace anecheck::testing {

// As Store::Query, with each value as its text; NULL is an empty text.
inline Result<std::vector<std::vector<std::string>>> QueryText(
    Store& store, std::string_view sql, std::vector<std::string>* columns = nullptr) {
  ANECHECK_ASSIGN(auto rows, store.Query(sql, columns));
  std::vector<std::vector<std::string>> texts;
  for (std::vector<StoreValue>& row : rows) {
    std::vector<std::string>& text = texts.emplace_back();
    for (StoreValue& value : row) text.push_back(std::move(value.text));
  }
  return texts;
}

}  // namespace anecheck::testing
