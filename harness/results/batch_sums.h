// Adds up the counts of several batches under one key before they are written. Used only by the
// store.
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

#include "harness/base/hash.h"
#include "harness/results/store.h"

namespace anecheck {

// Hashes keys by their content.
struct KeyHash {
  static size_t Of(std::string_view text) { return std::hash<std::string_view>()(text); }
  template <Word E>
  static size_t Of(E word) {
    return static_cast<size_t>(word);
  }
  static size_t Of(int number) { return static_cast<size_t>(number); }
  template <typename Key>
  size_t operator()(const Key* key) const {
    size_t hash = 0;
    std::apply([&](const auto&... part) { ((hash = hash * kGoldenRatio64 + Of(part)), ...); },
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

template <typename Counts>
void AddTo(Counts& sum, const Counts& counts) {
  sum += counts;
}

// Hashes cells of coverage by the addresses of their names. Most names have one copy in the
// process. A second copy only makes a second row, and the file adds both rows up.
struct CellAddressHash {
  size_t operator()(const CoverageKey* key) const {
    const std::hash<const void*> hash;
    return hash(key->second.data()) * 31 + hash(key->first.data());
  }
};
struct CellAddressEqual {
  bool operator()(const CoverageKey* a, const CoverageKey* b) const {
    return a->second.data() == b->second.data() && a->first.data() == b->first.data() &&
           a->second.size() == b->second.size();
  }
};

inline std::vector<std::pair<const CoverageKey*, CoverageCounts>> SumOfCoverage(
    std::span<const RowBatch> batches) {
  std::unordered_map<const CoverageKey*, CoverageCounts, CellAddressHash, CellAddressEqual> sums;
  for (const RowBatch& batch : batches) {
    for (const auto& [key, counts] : batch.coverage) {
      const auto [sum, fresh] = sums.try_emplace(&key, counts);
      if (!fresh) sum->second += counts;
    }
  }
  std::vector<std::pair<const CoverageKey*, CoverageCounts>> sorted(sums.begin(), sums.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return *a.first < *b.first; });
  return sorted;
}

// Adds up the counts of each key. The result points to keys in `batches`. They have the order of
// the tables, because SQLite finds neighbouring rows faster.
template <typename Map>
auto SumOf(std::span<const RowBatch> batches, Map RowBatch::* member) {
  using Key = const typename Map::key_type*;
  using Counts = typename Map::mapped_type;
  std::unordered_map<Key, Counts, KeyHash, KeyEqual> sums;
  for (const RowBatch& batch : batches) {
    for (const auto& [key, counts] : batch.*member) AddTo(sums[&key], counts);
  }
  std::vector<std::pair<Key, Counts>> sorted(sums.begin(), sums.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return *a.first < *b.first; });
  return sorted;
}

}  // namespace anecheck
