#include "oracles/reference/distinct.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/base/half.h"
#include "oracles/reference/number_loops.h"
#include "oracles/reference/rounding.h"

namespace anecheck::reference {
namespace {

// For smaller tensors the table costs more than the evaluations that it saves.
constexpr size_t kManyNumbers = 1 << 13;
constexpr size_t kHalves = 1 << 16;
constexpr size_t kHalfInfinity = 0x7c00;

// The results of the function for one number.
struct Entry {
  double value;
  double low;
  double high;
  uint64_t nan;
};

}  // namespace

// From this size on, a table costs less than a few evaluations of the tensor.
constexpr size_t kManyTables = 1 << 15;

// Flags for values that an entry admits besides finite numbers.
enum EntryFlag : uint64_t { kNanBit = 1, kSpecialBit = 2 };

bool RepeatsNumbers(const Contract& contract, const BoundedTensor& x) {
  return contract.departure_count == 0 && x.size >= kManyNumbers && x.type.dtype == DType::kFp16 &&
         x.point();
}

bool FillsATable(const Contract& contract, const BoundedTensor& x) {
  return x.size >= kManyTables && RepeatsNumbers(contract, x);
}

BoundedTensor AllNumbers(Arena& arena) {
  BoundedTensor numbers;
  numbers.type = {DType::kFp16, Shape{static_cast<int64_t>(kHalves)}};
  numbers.size = kHalves;
  numbers.value = arena.Allocate<double>(kHalves);
  for (size_t bits = 0; bits < kHalves; ++bits) {
    numbers.value[bits] = HalfToDouble(Half{static_cast<uint16_t>(bits)});
  }
  numbers.low = numbers.high = numbers.value;
  numbers.special = true;
  return numbers;
}

FunctionTable::FunctionTable(const BoundedTensor& results)
    : entries_(results.size), point_(results.point()) {
  for (size_t i = 0; i < results.size; ++i) {
    TableEntry& entry = entries_[i];
    entry = {results.value[i], results.low[i], results.high[i], 0};
    const bool finite = std::fabs(entry.value) < kInfinity && std::fabs(entry.low) < kInfinity &&
                        std::fabs(entry.high) < kInfinity;
    if (results.NanAt(i)) entry.flags |= kNanBit;
    if (!finite || results.NanAt(i)) entry.flags |= kSpecialBit;
    const bool of_finite = (i & kHalfInfinity) != kHalfInfinity;
    if (of_finite) finite_flags_ |= entry.flags;
  }
}

// Visits kElements elements at a time, so that their bits stay in the cache.
template <typename Visit>
void FunctionTable::ForHalves(const BoundedTensor& x, const Visit& visit) {
  constexpr size_t kElements = 1024;
  uint16_t halves[kElements];
  for (size_t start = 0; start < x.size; start += kElements) {
    const size_t count = std::min(kElements, x.size - start);
    HalvesOfNumbers(x.value + start, count, halves);
    visit(start, halves, count);
  }
}

template <typename Visit>
void FunctionTable::ForEachEntry(const BoundedTensor& x, const Visit& visit) const {
  ForHalves(x, [&](size_t start, const uint16_t* halves, size_t count) {
    for (size_t i = 0; i < count; ++i) visit(start + i, entries_[halves[i]]);
  });
}

void FunctionTable::Expand(Arena& arena, const BoundedTensor& x, BoundedTensor& result) const {
  auto* const value = arena.Allocate<double>(x.size);
  result.value = result.low = result.high = value;
  if (point_) {
    ForEachEntry(x, [value](size_t i, const TableEntry& entry) { value[i] = entry.value; });
  } else {
    auto* const low = arena.Allocate<double>(x.size);
    auto* const high = arena.Allocate<double>(x.size);
    ForHalves(x, [&](size_t start, const uint16_t* halves, size_t count) {
      ExpandEntries(entries_.data(), halves, count, value + start, low + start, high + start);
    });
    result.low = low;
    result.high = high;
  }
  uint64_t flags = 0;
  if (x.special || finite_flags_ != 0) {
    ForEachEntry(x, [&flags](size_t, const TableEntry& entry) { flags |= entry.flags; });
  }
  result.special = flags != 0;
  if (point_ || (flags & kNanBit) == 0) return;
  auto* const nan = arena.Allocate<uint8_t>(x.size);
  ForEachEntry(x, [nan](size_t i, const TableEntry& entry) {
    nan[i] = (entry.flags & kNanBit) != 0 ? 1 : 0;
  });
  result.nan = nan;
}

DistinctNumbers::DistinctNumbers(Arena& arena, const BoundedTensor& x) {
  auto* const halves = arena.Allocate<uint16_t>(x.size);
  HalvesOfNumbers(x.value, x.size, halves);
  auto* const met = arena.Allocate<uint8_t>(kHalves);
  std::fill_n(met, kHalves, uint8_t{0});
  for (size_t i = 0; i < x.size; ++i) met[halves[i]] = 1;
  auto* const found = arena.Allocate<uint16_t>(kHalves);
  auto* const values = arena.Allocate<double>(std::min(x.size, kHalves));
  uint32_t count = 0;
  for (size_t first = 0; first < kHalves; first += sizeof(uint64_t)) {
    uint64_t any = 0;
    std::memcpy(&any, met + first, sizeof(any));
    if (any == 0) continue;
    for (size_t bits = first; bits < first + sizeof(uint64_t); ++bits) {
      if (met[bits] == 0) continue;
      values[count] = HalfToDouble(Half{static_cast<uint16_t>(bits)});
      found[count++] = static_cast<uint16_t>(bits);
    }
  }
  halves_ = halves;
  found_ = found;
  numbers_.type = {x.type.dtype, Shape{count}};
  numbers_.size = count;
  numbers_.value = numbers_.low = numbers_.high = values;
  numbers_.special = x.special;
  numbers_.signed_zero = x.signed_zero;
}

void DistinctNumbers::Expand(Arena& arena, const BoundedTensor& results,
                             BoundedTensor& result) const {
  const TensorType type = result.type;
  const size_t size = result.size;
  const size_t count = numbers_.size;
  result = results;
  result.type = type;
  result.size = size;
  auto* const value = arena.Allocate<double>(size);
  result.value = result.low = result.high = value;
  if (results.point()) {
    // The table is indexed by the bits of a number. Only the entries of numbers that occur are set.
    auto* const table = arena.Allocate<double>(kHalves);
    for (size_t i = 0; i < count; ++i) table[found_[i]] = results.value[i];
    for (size_t i = 0; i < size; ++i) value[i] = table[halves_[i]];
    return;
  }
  auto* const low = arena.Allocate<double>(size);
  auto* const high = arena.Allocate<double>(size);
  result.low = low;
  result.high = high;
  auto* const table = arena.Allocate<Entry>(kHalves);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t nan = results.NanAt(i) ? 1 : 0;
    table[found_[i]] = {results.value[i], results.low[i], results.high[i], nan};
  }
  for (size_t i = 0; i < size; ++i) {
    const Entry& entry = table[halves_[i]];
    value[i] = entry.value;
    low[i] = entry.low;
    high[i] = entry.high;
  }
  if (results.nan == nullptr) return;
  result.nan = arena.Allocate<uint8_t>(size);
  for (size_t i = 0; i < size; ++i) result.nan[i] = table[halves_[i]].nan != 0 ? 1 : 0;
}

}  // namespace anecheck::reference
