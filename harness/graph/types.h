// Element types, shapes and tensor types, which graphs, formats and engines share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace anecheck {

// Element types of graph values. Only constants have types narrower than a byte or one of the two
// fp8 types. Strings, such as pad_type, are attributes and no tensors.
enum class DType : uint8_t {
  kFp16,
  kFp32,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kBool,
  kInt4,
  kUint4,
  kFp8E4M3,
  kFp8E5M2,
  kUint1,
  kUint2,
  kUint3,
  kUint6,
};
inline constexpr size_t kDTypeCount = 16;

// Returns MIL's spelling, such as "fp16", "int8" or "fp8e4m3fn" (facts/mil.md).
std::string_view DTypeName(DType dtype);
std::optional<DType> DTypeFromName(std::string_view name);

// Returns the storage size of one element in bits, 1 to 32. A bool takes 8.
constexpr int DTypeBits(DType dtype) {
  constexpr std::array<int, kDTypeCount> kBits = {16, 32, 8, 8, 16, 16, 32, 8,
                                                  4,  4,  8, 8, 1,  2,  3,  6};
  return kBits[static_cast<size_t>(dtype)];
}
constexpr bool IsFloat(DType dtype) {
  return dtype == DType::kFp16 || dtype == DType::kFp32 || dtype == DType::kFp8E4M3 ||
         dtype == DType::kFp8E5M2;
}
constexpr bool IsConstOnly(DType dtype) { return dtype >= DType::kInt4; }

// A set of element types.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (const DType dtype : dtypes) bits_ |= 1u << static_cast<unsigned>(dtype);
  }
  constexpr bool Contains(DType dtype) const {
    return ((bits_ >> static_cast<unsigned>(dtype)) & 1u) != 0;
  }
  constexpr bool Empty() const { return bits_ == 0; }
  // Returns a text such as "fp16, int32".
  std::string ToString() const;

 private:
  uint32_t bits_ = 0;
};

// Up to kMaxRank extents, outermost first. The engine's limit is rank 5 (facts/limits.csv). Higher
// ranks are allowed, so that tests can make graphs beyond that limit, which an engine must reject.
class Shape {
 public:
  static constexpr int kMaxRank = 8;

  constexpr Shape() = default;
  // Precondition: at most kMaxRank extents.
  constexpr Shape(std::initializer_list<int64_t> dims) {
    for (const int64_t dim : dims) dims_[rank_++] = dim;
  }
  // Makes a shape of the first kMaxRank of `dims`.
  static constexpr Shape FromSpan(std::span<const int64_t> dims) {
    Shape shape;
    for (const int64_t dim : dims) {
      if (shape.rank_ == kMaxRank) break;
      shape.dims_[shape.rank_++] = dim;
    }
    return shape;
  }
  static constexpr Shape Filled(int rank, int64_t dim) {
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.dims_[shape.rank_++] = dim;
    return shape;
  }

  constexpr int rank() const { return rank_; }
  constexpr int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  constexpr int64_t& operator[](int axis) { return dims_[static_cast<size_t>(axis)]; }
  constexpr std::span<const int64_t> dims() const {
    return {dims_.data(), static_cast<size_t>(rank_)};
  }
  // Precondition: rank() < kMaxRank.
  constexpr void Append(int64_t dim) { dims_[rank_++] = dim; }

  // Returns the number of elements, which is 1 for rank 0. Precondition: the product fits 63 bits
  // (the graph validator caps it at kMaxElements).
  constexpr int64_t Elements() const {
    int64_t count = 1;
    for (int i = 0; i < rank_; ++i) count *= dims_[static_cast<size_t>(i)];
    return count;
  }

  friend constexpr bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (size_t i = 0; i < a.rank_; ++i) {
      if (a.dims_[i] != b.dims_[i]) return false;
    }
    return true;
  }

  // "[1, 8, 4, 4]".
  std::string ToString() const;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  uint8_t rank_ = 0;
};

// The largest tensor that the harness supports: 2^31 elements.
inline constexpr int64_t kMaxElements = int64_t{1} << 31;

struct TensorType {
  DType dtype = DType::kFp16;
  Shape shape;

  // Returns the size in bytes of the elements, packed without gaps. Elements narrower than a byte
  // fill a byte from its least significant bit.
  constexpr int64_t ByteSize() const { return (shape.Elements() * DTypeBits(dtype) + 7) / 8; }
  friend constexpr bool operator==(const TensorType&, const TensorType&) = default;
  // Returns MIL's spelling, such as "tensor<fp16, [1, 8, 4, 4]>".
  std::string ToString() const;
};

// Returns the shape to which NumPy broadcasts both shapes, aligned at the last axis. Returns
// nothing if they cannot be broadcast.
std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// Maps an axis in [-rank, rank) to [0, rank). Returns nothing for any other axis.
constexpr std::optional<int> NormalizeAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace anecheck
