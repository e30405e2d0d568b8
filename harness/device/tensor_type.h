// Element types, shapes and tensor types of the simulated engine. They are separate from
// harness/graph, so that the engine checks its input by its own rules.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "harness/formats/mil/data_type.h"

namespace anecheck::device {

using Element = mil::DataType;

// Returns the bytes of one stored element of a runtime tensor, or 0 for types that no tensor can
// have.
constexpr int64_t ElementSize(Element element) {
  switch (element) {
    case Element::kInt8:
    case Element::kUint8:
    case Element::kBool:
      return 1;
    case Element::kFp16:
    case Element::kInt16:
    case Element::kUint16:
      return 2;
    case Element::kFp32:
    case Element::kInt32:
    case Element::kUint32:
      return 4;
    case Element::kInt64:
    case Element::kUint64:
    case Element::kFp64:
      return 8;
    default:
      return 0;
  }
}
constexpr bool IsFloat(Element element) {
  return element == Element::kFp16 || element == Element::kFp32;
}

// The extents of a tensor, at most kMaxRank. The engine takes only five axes. A Shape can have
// more, so that the engine can refuse a program with more axes with a message.
class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) {
    for (const int64_t dim : dims) Append(dim);
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int64_t& operator[](int axis) { return dims_[static_cast<size_t>(axis)]; }
  // Precondition: rank() < kMaxRank.
  void Append(int64_t dim) { dims_[static_cast<size_t>(rank_++)] = dim; }
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }

  int64_t Elements() const { return Product(0, rank_); }
  // The product of the extents of axes [first, end).
  int64_t Product(int first, int end) const {
    int64_t product = 1;
    for (int axis = first; axis < end; ++axis) product *= (*this)[axis];
    return product;
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int axis = 0; axis < a.rank_; ++axis) {
      if (a[axis] != b[axis]) return false;
    }
    return true;
  }
  std::string ToString() const;  // "[1, 8]"

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

struct TensorType {
  Element element = Element::kOther;
  Shape shape;

  int64_t Bytes() const { return shape.Elements() * ElementSize(element); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
  std::string ToString() const;  // "tensor<fp16, [1, 8]>", as MIL text spells it
};

// Returns the row-major element strides of a dense tensor of that shape.
std::array<int64_t, Shape::kMaxRank> DenseStrides(const Shape& shape);

}  // namespace anecheck::device
