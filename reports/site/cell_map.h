// A map from operation and route to values, with lookup in constant time.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/verdict/route.h"

namespace anecheck::reports {

// The key of a cell.
struct OpRoute {
  size_t op = 0;
  Route route = Route::kMil;
  auto operator<=>(const OpRoute&) const = default;
};

// Maps operation and route to a value. Entries keep their order of insertion. A pointer to a value
// is valid until the next insertion. Not safe for concurrent writers.
template <typename Value>
class CellMap {
 public:
  using Entry = std::pair<OpRoute, Value>;

  const Value* Find(const OpRoute& cell) const {
    const size_t at = PlaceOf(cell);
    return at == kNone ? nullptr : &entries_[at].second;
  }
  // Returns the value of the cell. Inserts an entry if there is none.
  Value& operator[](const OpRoute& cell) {
    const size_t at = PlaceOf(cell);
    if (at != kNone) return entries_[at].second;
    if (places_.size() <= cell.op) places_.resize(cell.op + 1, {kNone, kNone});
    places_[cell.op][static_cast<size_t>(cell.route)] = static_cast<uint32_t>(entries_.size());
    return entries_.emplace_back(cell, Value()).second;
  }
  // Removes the entries for which `unwanted` is true.
  template <typename Predicate>
  void EraseIf(Predicate unwanted) {
    if (std::erase_if(entries_, unwanted) == 0) return;
    std::ranges::fill(places_, std::array{kNone, kNone});
    for (size_t i = 0; i < entries_.size(); ++i) {
      const OpRoute& cell = entries_[i].first;
      places_[cell.op][static_cast<size_t>(cell.route)] = static_cast<uint32_t>(i);
    }
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t PlaceOf(const OpRoute& cell) const {
    return cell.op < places_.size() ? places_[cell.op][static_cast<size_t>(cell.route)] : kNone;
  }

  std::vector<std::array<uint32_t, 2>> places_;  // indices in entries_, by operation and route
  std::vector<Entry> entries_;
};

}  // namespace anecheck::reports
