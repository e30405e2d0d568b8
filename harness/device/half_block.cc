#include "harness/device/half_block.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace anecheck::device {
namespace {

template <typename T>
T Read(const void* from, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(from) + index * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <typename T, typename To>
void Load(const void* from, int64_t stride, int64_t count, To* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(Read<T>(from, i * stride));
}

template <typename T>
void StoreAsInt(const float* from, int64_t count, Element element, T* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<T>(SaturateToInt(element, static_cast<double>(from[i])));
  }
}

template <typename T>
void StoreLowBits(const int64_t* from, int64_t count, void* to) {
  for (int64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(from[i]);
    std::memcpy(static_cast<char*>(to) + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

void LoadHalves(const void* from, int64_t stride, int64_t count, float* to) {
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = LoadHalf(Read<uint16_t>(from, i));
    return;
  }
  if (stride == 0) {
    std::fill_n(to, count, LoadHalf(Read<uint16_t>(from, 0)));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = LoadHalf(Read<uint16_t>(from, i * stride));
}

// Applies the planted defects of the store.
void SpoilStored(const NumericModel& model, int64_t count, uint16_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    const Half half{to[i]};
    if (half.IsSubnormal() && model.Has(Planted::kStoreFlushes)) to[i] = 0;
    if (half.IsInf() && model.Has(Planted::kStoreSaturates)) --to[i];
  }
}

void StoreHalves(const float* from, int64_t count, const NumericModel& model, uint16_t* to) {
  switch (model.store_rounding) {
    case Rounding::kNearestEven:
      for (int64_t i = 0; i < count; ++i) to[i] = StoreHalfNearestEven(from[i]);
      break;
    case Rounding::kNearestAway:
      for (int64_t i = 0; i < count; ++i) to[i] = StoreHalfNearestAway(from[i]);
      break;
    default:
      for (int64_t i = 0; i < count; ++i) to[i] = FloatToHalf(from[i], model.store_rounding).bits;
      break;
  }
  if (model.HasAny()) SpoilStored(model, count, to);
}

}  // namespace

int64_t SaturateToInt(Element element, double value) {
  if (element == Element::kBool) return value != 0 ? 1 : 0;
  if (std::isnan(value)) return 0;
  double low = 0;
  double high = 0;
  switch (element) {
    case Element::kInt8:
      low = -128;
      high = 127;
      break;
    case Element::kUint8:
      high = 255;
      break;
    case Element::kInt16:
      low = -32768;
      high = 32767;
      break;
    case Element::kUint16:
      high = 65535;
      break;
    case Element::kUint32:
      high = std::numeric_limits<uint32_t>::max();
      break;
    default:
      low = std::numeric_limits<int32_t>::min();
      high = std::numeric_limits<int32_t>::max();
      break;
  }
  return static_cast<int64_t>(std::clamp(std::trunc(value), low, high));
}

void RoundToHalves(float* values, int64_t count, Rounding rounding) {
  if (rounding == Rounding::kNearestEven) {
    for (int64_t i = 0; i < count; ++i) values[i] = LoadHalf(StoreHalfNearestEven(values[i]));
    return;
  }
  for (int64_t i = 0; i < count; ++i) values[i] = RoundToHalf(values[i], rounding);
}

void LoadFloats(Element element, const void* from, int64_t stride, int64_t count, float* to) {
  switch (element) {
    case Element::kFp16:
      return LoadHalves(from, stride, count, to);
    case Element::kFp32:
      return Load<float>(from, stride, count, to);
    case Element::kInt8:
      return Load<int8_t>(from, stride, count, to);
    case Element::kUint8:
    case Element::kBool:
      return Load<uint8_t>(from, stride, count, to);
    case Element::kInt16:
      return Load<int16_t>(from, stride, count, to);
    case Element::kUint16:
      return Load<uint16_t>(from, stride, count, to);
    default:
      std::fill_n(to, count, 0.0f);
  }
}

void StoreFloats(Element element, const float* from, int64_t count, const NumericModel& model,
                 void* to) {
  switch (element) {
    case Element::kFp16:
      return StoreHalves(from, count, model, static_cast<uint16_t*>(to));
    case Element::kFp32:
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
      return;
    case Element::kInt8:
      return StoreAsInt(from, count, element, static_cast<int8_t*>(to));
    case Element::kUint8:
    case Element::kBool:
      return StoreAsInt(from, count, element, static_cast<uint8_t*>(to));
    case Element::kInt16:
      return StoreAsInt(from, count, element, static_cast<int16_t*>(to));
    case Element::kUint16:
      return StoreAsInt(from, count, element, static_cast<uint16_t*>(to));
    case Element::kUint32:
      return StoreAsInt(from, count, element, static_cast<uint32_t*>(to));
    case Element::kInt32:
      return StoreAsInt(from, count, element, static_cast<int32_t*>(to));
    default:
      return;
  }
}

void LoadInts(Element element, const void* from, int64_t stride, int64_t count, int64_t* to) {
  switch (element) {
    case Element::kInt8:
      return Load<int8_t>(from, stride, count, to);
    case Element::kUint8:
    case Element::kBool:
      return Load<uint8_t>(from, stride, count, to);
    case Element::kInt16:
      return Load<int16_t>(from, stride, count, to);
    case Element::kUint16:
      return Load<uint16_t>(from, stride, count, to);
    case Element::kUint32:
      return Load<uint32_t>(from, stride, count, to);
    case Element::kInt32:
      return Load<int32_t>(from, stride, count, to);
    case Element::kInt64:
    case Element::kUint64:
      return Load<int64_t>(from, stride, count, to);
    default:
      std::fill_n(to, count, int64_t{0});
  }
}

void StoreInts(Element element, const int64_t* from, int64_t count, void* to) {
  switch (ElementSize(element)) {
    case 1:
      return StoreLowBits<uint8_t>(from, count, to);
    case 2:
      return StoreLowBits<uint16_t>(from, count, to);
    case 4:
      return StoreLowBits<uint32_t>(from, count, to);
    case 8:
      return StoreLowBits<int64_t>(from, count, to);
    default:
      return;
  }
}

double LoadNumber(Element element, const void* from, int64_t index) {
  if (FitsFloat(element)) {
    float value = 0;
    LoadFloats(element, static_cast<const char*>(from) + index * ElementSize(element), 1, 1,
               &value);
    return static_cast<double>(value);
  }
  if (element == Element::kFp64) return Read<double>(from, index);
  int64_t value = 0;
  LoadInts(element, static_cast<const char*>(from) + index * ElementSize(element), 1, 1, &value);
  return static_cast<double>(value);
}

}  // namespace anecheck::device
