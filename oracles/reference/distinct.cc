#include "oracles/reference/distinct.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace anecheck::reference {
namespace {

// Below this the table of places costs more than the evaluations it saves.
constexpr size_t kManyNumbers = 1 << 13;
constexpr size_t kHalves = 1 << 16;

// The bits of a double that is an fp16 number, every NaN the same. Scaled by 2^-1008 its fields
// stand where fp16 has them, subnormals included.
uint32_t HalfBits(double x) {
  const uint64_t magnitude = std::bit_cast<uint64_t>(std::fabs(x) * 0x1p-1008) >> 42;
  const uint64_t beyond = x != x ? 0x7e00 : 0x7c00;
  const uint64_t sign = std::bit_cast<uint64_t>(x) >> 63 << 15;
  return static_cast<uint32_t>((magnitude < 0x7c00 ? magnitude : beyond) | sign);
}

double* Expanded(Arena& arena, const double* from, const uint16_t* place, size_t size) {
  auto* const to = arena.Allocate<double>(size);
  for (size_t i = 0; i < size; ++i) to[i] = from[place[i]];
  return to;
}

}  // namespace

bool RepeatsNumbers(const Contract& contract, const BoundedTensor& x) {
  return contract.departure_count == 0 && x.size >= kManyNumbers && x.type.dtype == DType::kFp16 &&
         x.point();
}

DistinctNumbers::DistinctNumbers(Arena& arena, const BoundedTensor& x) {
  auto* const place = arena.Allocate<uint16_t>(x.size);
  // Of each fp16 number the place plus one, or 0 before it is met.
  auto* const places = arena.Allocate<uint32_t>(kHalves);
  auto* const values = arena.Allocate<double>(std::min(x.size, kHalves));
  std::fill_n(places, kHalves, uint32_t{0});
  uint32_t count = 0;
  for (size_t i = 0; i < x.size; ++i) {
    uint32_t& known = places[HalfBits(x.value[i])];
    if (known == 0) {
      values[count] = x.value[i];
      known = ++count;
    }
    place[i] = static_cast<uint16_t>(known - 1);
  }
  place_ = place;
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
  const auto expand = [&](const double* from) { return Expanded(arena, from, place_, size); };
  result = results;
  result.type = type;
  result.size = size;
  result.value = result.low = result.high = expand(results.value);
  if (results.point()) return;
  result.low = expand(results.low);
  result.high = expand(results.high);
  if (results.nan == nullptr) return;
  result.nan = arena.Allocate<uint8_t>(size);
  for (size_t i = 0; i < size; ++i) result.nan[i] = results.nan[place_[i]];
}

}  // namespace anecheck::reference
