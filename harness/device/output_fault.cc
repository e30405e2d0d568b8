#include "harness/device/output_fault.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <utility>

#include "harness/base/half.h"
#include "harness/base/hash.h"
#include "harness/device/half_block.h"

namespace anecheck::device {
namespace {

// One element of a tensor.
struct Place {
  int64_t index, count;
  uint16_t bits;
};

// Returns whether the fault changes the element. The hash of about the fraction `share` of all
// elements lies below the threshold. The hash includes the tensor's size and the element's content.
// With a hash of the index alone, the fault would always change the same elements of small tensors.
bool Touches(const Fault& fault, const Place& place) {
  if (fault.share >= 1) return true;
  uint64_t sum = static_cast<uint64_t>(place.index) + kGoldenRatio64;
  sum += static_cast<uint64_t>(place.count) * 0xd1342543de82ef95 + (uint64_t{place.bits} << 40);
  return static_cast<double>(MixBits(sum) >> 11) * 0x1p-53 < fault.share;
}

uint16_t MoveUlps(uint16_t bits, int64_t ulps) {
  const Half half{bits};
  if (half.IsNan()) return bits;
  const int64_t magnitude = bits & 0x7fff;
  const int64_t moved = std::clamp<int64_t>(magnitude + ulps, 0, 0x7c00);
  return static_cast<uint16_t>((bits & 0x8000) | moved);
}

uint16_t SpoilElement(const Fault& fault, const Place& place) {
  const auto [index, count, bits] = place;
  const double value = HalfToDouble(Half{bits});
  switch (fault.effect) {
    case FaultEffect::kUlps:
      return Touches(fault, place) ? MoveUlps(bits, fault.a) : bits;
    case FaultEffect::kUlpsTowardZero:
      return Touches(fault, place) ? MoveUlps(bits, -fault.a) : bits;
    case FaultEffect::kSignFlip:
      return Touches(fault, place) ? static_cast<uint16_t>(bits ^ 0x8000) : bits;
    case FaultEffect::kNan:
      return Touches(fault, place) ? kHalfNan.bits : bits;
    case FaultEffect::kInfinity:
      return Touches(fault, place) ? static_cast<uint16_t>((bits & 0x8000) | 0x7c00) : bits;
    case FaultEffect::kZero:
      return Touches(fault, place) ? uint16_t{0} : bits;
    case FaultEffect::kScale:
      return Touches(fault, place) ? DoubleToHalf(value * static_cast<double>(fault.a) / 1024).bits
                                   : bits;
    case FaultEffect::kTileEdge:
      return index > 0 && index % fault.a == 0 ? uint16_t{0} : bits;
    case FaultEffect::kWideTail:
      return index >= fault.a ? MoveUlps(bits, fault.b) : bits;
    case FaultEffect::kBigMagnitude:
      return std::fabs(value) > static_cast<double>(fault.a) ? MoveUlps(bits, fault.b) : bits;
    case FaultEffect::kSmallMagnitude:
      return std::fabs(value) < std::ldexp(1.0, -static_cast<int>(fault.a)) ? uint16_t{0} : bits;
    case FaultEffect::kNegativeUlps:
      return value < 0 ? MoveUlps(bits, fault.a) : bits;
    case FaultEffect::kZeroSign:
      return bits == (fault.a == 0 ? 0x8000 : 0) ? static_cast<uint16_t>(bits ^ 0x8000) : bits;
    case FaultEffect::kInfinityClamped:
      return Half{bits}.IsInf() ? static_cast<uint16_t>(bits - 1) : bits;
    case FaultEffect::kHalfInteger:
      return std::fmod(value * 2, 2.0) != 0 && value * 2 == std::trunc(value * 2)
                 ? MoveUlps(bits, 1)
                 : bits;
    default:
      return bits;
  }
}

// The bytes of a tensor, addressed by rows of the last axis or by slices of another axis.
struct Layout {
  char* data;
  int64_t size;   // bytes of an element
  int64_t rows;   // number of rows along the last axis
  int64_t width;  // elements of a row

  char* Element(int64_t row, int64_t column) const { return data + (row * width + column) * size; }
};

void SpoilRow(const Fault& fault, const Layout& layout, int64_t row) {
  const auto size = static_cast<size_t>(layout.size);
  const int64_t last = layout.width - 1;
  switch (fault.effect) {
    case FaultEffect::kLastZero:
      std::memset(layout.Element(row, last), 0, size);
      break;
    case FaultEffect::kLastStale:
      if (last > 0) std::memcpy(layout.Element(row, last), layout.Element(row, last - 1), size);
      break;
    case FaultEffect::kFirstStale:
      if (last > 0) std::memcpy(layout.Element(row, 0), layout.Element(row, 1), size);
      break;
    case FaultEffect::kRowShift:
      if (layout.width > fault.a) {
        std::memmove(layout.Element(row, 1), layout.Element(row, 0),
                     size * static_cast<size_t>(last));
      }
      break;
    case FaultEffect::kRowReverse:
      for (int64_t i = 0; i < layout.width / 2; ++i) {
        std::swap_ranges(layout.Element(row, i), layout.Element(row, i) + size,
                         layout.Element(row, last - i));
      }
      break;
    case FaultEffect::kSwapPairs:
      for (int64_t i = 0; i + 1 < layout.width; i += 2) {
        std::swap_ranges(layout.Element(row, i), layout.Element(row, i) + size,
                         layout.Element(row, i + 1));
      }
      break;
    default:
      break;
  }
}

// Changes the slices along `axis`, for each index of the axes before it.
void SpoilSlices(const Fault& fault, const TensorType& type, int axis, char* data) {
  if (type.shape.rank() <= axis || type.shape[axis] < 2) return;
  const auto bytes = static_cast<size_t>(type.shape.Product(axis + 1, type.shape.rank()) *
                                         ElementSize(type.element));
  const auto count = static_cast<size_t>(type.shape[axis]);
  for (int64_t outer = 0; outer < type.shape.Product(0, axis); ++outer) {
    char* first = data + static_cast<size_t>(outer) * count * bytes;
    if (fault.effect == FaultEffect::kChannelSwap) {
      std::swap_ranges(first, first + bytes, first + bytes);
      continue;
    }
    const size_t from =
        fault.effect == FaultEffect::kChannelZero ? static_cast<size_t>(fault.a) : 1;
    for (size_t i = from; i < count; ++i) {
      if (fault.effect == FaultEffect::kChannelZero) {
        std::memset(first + i * bytes, 0, bytes);
      } else {
        std::memcpy(first + i * bytes, first, bytes);
      }
    }
  }
}

void TransposeLast(const TensorType& type, char* data) {
  const int rank = type.shape.rank();
  if (rank < 2 || type.shape[rank - 1] != type.shape[rank - 2]) return;
  const int64_t side = type.shape[rank - 1];
  const int64_t size = ElementSize(type.element);
  for (int64_t matrix = 0; matrix < type.shape.Product(0, rank - 2); ++matrix) {
    char* first = data + matrix * side * side * size;
    for (int64_t i = 0; i < side; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        char* a = first + (i * side + j) * size;
        std::swap_ranges(a, a + size, first + (j * side + i) * size);
      }
    }
  }
}

// Replaces the first element by the first element of the previous call, as if it were stale. Works
// for only one fault at a time.
void Exchange(uint16_t* first) {
  static std::atomic<int> last = -1;
  const int before = last.exchange(*first);
  if (before >= 0) *first = static_cast<uint16_t>(before);
}

void SpoilByHistory(const Fault& fault, Moment moment, uint16_t* first) {
  const auto turn = static_cast<uint64_t>(fault.a);
  const bool acts = fault.effect == FaultEffect::kRunCounter    ? moment.run % turn == turn - 1
                    : fault.effect == FaultEffect::kFirstRun    ? moment.run == 0
                    : fault.effect == FaultEffect::kLaterRuns   ? moment.run > 0
                    : fault.effect == FaultEffect::kRareProgram ? moment.program % turn == turn - 1
                                                                : false;
  if (fault.effect == FaultEffect::kAfterOther) Exchange(first);
  if (acts) *first = MoveUlps(*first, 1);
}

}  // namespace

void SpoilOutput(const Fault& fault, const TensorType& type, Moment moment, void* data) {
  auto* bytes = static_cast<char*>(data);
  const int64_t elements = type.shape.Elements();
  switch (fault.effect) {
    case FaultEffect::kLastZero:
    case FaultEffect::kLastStale:
    case FaultEffect::kFirstStale:
    case FaultEffect::kRowShift:
    case FaultEffect::kRowReverse:
    case FaultEffect::kSwapPairs: {
      const int rank = type.shape.rank();
      const int64_t width = rank > 0 ? type.shape[rank - 1] : 1;
      const Layout layout{bytes, ElementSize(type.element), elements / width, width};
      for (int64_t row = 0; row < layout.rows; ++row) SpoilRow(fault, layout, row);
      return;
    }
    case FaultEffect::kChannelSwap:
    case FaultEffect::kChannelZero:
    case FaultEffect::kChannelRepeat:
      return SpoilSlices(fault, type, 1, bytes);
    case FaultEffect::kBatchRepeat:
      return SpoilSlices(fault, type, 0, bytes);
    case FaultEffect::kTransposeLast:
      return TransposeLast(type, bytes);
    case FaultEffect::kRunCounter:
    case FaultEffect::kFirstRun:
    case FaultEffect::kLaterRuns:
    case FaultEffect::kRareProgram:
    case FaultEffect::kAfterOther:
      if (type.element == Element::kFp16)
        SpoilByHistory(fault, moment, static_cast<uint16_t*>(data));
      return;
    default:
      break;
  }
  if (type.element != Element::kFp16) return;
  auto* halves = static_cast<uint16_t*>(data);
  for (int64_t i = 0; i < elements; ++i) halves[i] = SpoilElement(fault, {i, elements, halves[i]});
}

}  // namespace anecheck::device
