#include "oracles/reference/discrete.h"

#include <algorithm>
#include <numeric>

namespace anecheck::reference {

void MemberSets::Set(size_t i, std::span<const double> numbers) {
  Arena& arena = context_.arena();
  if (sets_ == nullptr) {
    sets_ = arena.Allocate<Members>(size_);
    std::fill_n(sets_, size_, Members{});
  }
  auto* const copy = arena.Allocate<double>(numbers.size());
  std::ranges::copy(numbers, copy);
  sets_[i] = {copy, static_cast<uint32_t>(numbers.size())};
}

void MemberSets::MergeInto(BoundedTensor& result) const {
  if (sets_ == nullptr) return;
  if (result.members == nullptr) return Give(result);
  for (size_t i = 0; i < result.size; ++i) {
    if (sets_[i].count != 0) result.members[i] = sets_[i];
  }
}

namespace {

bool MayBeNan(const Lanes& lanes, size_t k) {
  return lanes.low[k] != lanes.low[k] || lanes.high[k] != lanes.high[k] ||
         (lanes.nan != nullptr && lanes.nan[k] != 0);
}

// Orders points by value, and equal points by position, so that each point has exactly one place.
void PlaceByPosition(const double* values, size_t count, bool descending,
                     std::span<Places> places) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (values[a] != values[b]) return descending ? values[a] > values[b] : values[a] < values[b];
    return a < b;
  });
  for (uint32_t place = 0; place < count; ++place) places[order[place]] = {place, place};
}

}  // namespace

void FindPlaces(const Contract& contract, const Lanes& lanes, size_t count, bool descending,
                std::span<Places> places) {
  bool nan = false;
  for (size_t k = 0; k < count; ++k) nan |= MayBeNan(lanes, k);
  if (nan) {
    std::fill_n(places.begin(), count, Places{0, static_cast<uint32_t>(count) - 1});
    return;
  }
  if (lanes.point() && !contract.Allows(Term::kAnyTie)) {
    PlaceByPosition(lanes.value, count, descending, places);
    return;
  }
  std::vector<double> lows(lanes.low, lanes.low + count);
  std::vector<double> highs(lanes.high, lanes.high + count);
  std::ranges::sort(lows);
  std::ranges::sort(highs);
  const auto above = [&](const std::vector<double>& sorted, double x) {
    return static_cast<uint32_t>(sorted.end() - std::ranges::upper_bound(sorted, x));
  };
  const auto below = [&](const std::vector<double>& sorted, double x) {
    return static_cast<uint32_t>(std::ranges::lower_bound(sorted, x) - sorted.begin());
  };
  const auto n = static_cast<uint32_t>(count);
  for (size_t k = 0; k < count; ++k) {
    // Lanes that certainly come before lane k, and lanes that certainly come after it, limit its
    // places.
    const uint32_t greater = above(lows, lanes.high[k]);
    const uint32_t less = below(highs, lanes.low[k]);
    places[k] = descending ? Places{greater, n - 1 - less} : Places{less, n - 1 - greater};
  }
}

size_t FirstExtreme(const double* values, size_t count, bool largest) {
  size_t best = 0;
  for (size_t k = 0; k < count; ++k) {
    if (values[k] != values[k]) return k;
    if (largest ? values[k] > values[best] : values[k] < values[best]) best = k;
  }
  return best;
}

IndexStore::IndexStore(KernelContext& context, BoundedTensor& result)
    : result_(result),
      raw_(AllocateRaw(context, result.size, true)),
      sets_(context),
      half_(context.contract().Allows(Term::kIndexRounding)) {}

void IndexStore::Put(size_t i, double value, std::span<const double> indices) {
  numbers_.assign(indices.begin(), indices.end());
  if (half_ && numbers_.back() > 2048) {
    for (const double index : indices) numbers_.push_back(RoundToHalf(index));
    std::ranges::sort(numbers_);
    const auto repeated = std::ranges::unique(numbers_);
    numbers_.erase(repeated.begin(), repeated.end());
  }
  raw_.value[i] = value;
  raw_.low[i] = numbers_.front();
  raw_.high[i] = numbers_.back();
  const bool all = raw_.high[i] - raw_.low[i] + 1 == static_cast<double>(numbers_.size());
  if (!all) sets_.Set(i, numbers_);
}

void IndexStore::Finish() {
  StoreExact(result_, raw_);
  sets_.Give(result_);
}

}  // namespace anecheck::reference
