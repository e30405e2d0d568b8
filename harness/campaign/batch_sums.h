// What several batches count under one key, added up before it is written: used by the store alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/campaign/store.h"

namespace anecheck {

// Keys by their content.
struct KeyHash {
  static size_t Of(std::string_view text) { return std::hash<std::string_view>()(text); }
  static size_t Of(int number) { return static_cast<size_t>(number); }
  template <typename Key>
  size_t operator()(const Key* key) const {
    size_t hash = 0;
    std::apply([&](const auto&... part) { ((hash = hash * 0x9e3779b97f4a7c15 + Of(part)), ...); },
               *key);
    return hash;
  }
};
struct KeyEqual {
  template <typename Key>
  bool operator()(const Key* a, const Key* b) const {
    return *a == *b;
  }
};

inline void AddTo(UlpCounts& sum, const UlpCounts& counts) {
  for (size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
}
template <typename Counts>
void AddTo(Counts& sum, const Counts& counts) {
  sum += counts;
}

// The keys stand in the batches. In their order, which is that of the tables: rows that lie beside
// each other are found one from the other.
template <typename Map>
auto SumOf(std::span<const BatchRecord> batches, Map BatchRecord::* member) {
  using Key = const typename Map::key_type*;
  using Counts = typename Map::mapped_type;
  std::unordered_map<Key, Counts, KeyHash, KeyEqual> sums;
  for (const BatchRecord& batch : batches) {
    for (const auto& [key, counts] : batch.*member) AddTo(sums[&key], counts);
  }
  std::vector<std::pair<Key, Counts>> sorted(sums.begin(), sums.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return *a.first < *b.first; });
  return sorted;
}

}  // namespace anecheck
