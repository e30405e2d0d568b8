// A list that stores its few entries inside itself, without an allocation. The generator draws
// hundreds of thousands of graphs per second. The allocation of a vector takes longer than drawing
// the few entries of an attribute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace anecheck {

// Has the part of std::vector's interface that the generators need. Precondition of push_back:
// size() < kMost.
template <typename T>
class ShortList {
 public:
  static constexpr size_t kMost = 16;  // two for each of the at most eight axes of a shape

  ShortList() = default;
  ShortList(std::initializer_list<T> entries) {
    for (const T& entry : entries) push_back(entry);
  }

  void push_back(const T& entry) { entries_[size_++] = entry; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return entries_.data(); }
  const T* data() const { return entries_.data(); }
  T& operator[](size_t i) { return entries_[i]; }
  const T& operator[](size_t i) const { return entries_[i]; }
  T& back() { return entries_[size_ - 1]; }
  const T& back() const { return entries_[size_ - 1]; }
  T* begin() { return entries_.data(); }
  T* end() { return entries_.data() + size_; }
  const T* begin() const { return entries_.data(); }
  const T* end() const { return entries_.data() + size_; }

 private:
  std::array<T, kMost> entries_{};
  size_t size_ = 0;
};

// The entries of an attribute that has one or two for each axis.
using AxisList = ShortList<int64_t>;

}  // namespace anecheck
