// A table of small records that grows by pieces of fixed size. It never moves or copies its
// records, so its peak memory is about the size of its content. The peak of a growing vector is up
// to three times its content. Used for the tables of a MIL program.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace anecheck::mil {

// Holds at most 2^32 - 1 records of a trivially copyable type. Movable, not copyable.
template <typename T>
class Table {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Table* table, uint32_t index) : table_(table), index_(index) {}
    const T& operator*() const { return (*table_)[index_]; }
    const T* operator->() const { return &(*table_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Table* table_ = nullptr;
    uint32_t index_ = 0;
  };

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](uint32_t index) const { return pieces_[index / kPiece][index % kPiece]; }
  T& operator[](uint32_t index) { return pieces_[index / kPiece][index % kPiece]; }
  const T& back() const { return (*this)[size_ - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

  void push_back(const T& record) {
    if (size_ % kPiece == 0 && size_ / kPiece == pieces_.size()) [[unlikely]]
      AddPiece();
    pieces_[size_ / kPiece][size_ % kPiece] = record;
    ++size_;
  }
  // Precondition: not empty. Does not release memory.
  void pop_back() { --size_; }

  friend bool operator==(const Table& a, const Table& b)
    requires std::equality_comparable<T>
  {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  // A piece has about 2 KiB, so small programs waste little, and the pointers to pieces take
  // little.
  static constexpr size_t kPieceBytes = size_t{1} << 11;
  static constexpr uint32_t kPiece = std::bit_floor(static_cast<uint32_t>(kPieceBytes / sizeof(T)));

  [[gnu::noinline]] void AddPiece() {
    pieces_.push_back(std::make_unique_for_overwrite<T[]>(kPiece));
  }

  std::vector<std::unique_ptr<T[]>> pieces_;
  uint32_t size_ = 0;
};

// The records `first` to `first + count - 1` of a table. The table must outlive the slice.
template <typename T>
class TableSlice {
 public:
  TableSlice() = default;
  TableSlice(const Table<T>* table, uint32_t first, uint32_t count)
      : table_(table), first_(first), count_(count) {}

  uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  // Precondition: index < size().
  const T& operator[](uint32_t index) const { return (*table_)[first_ + index]; }
  typename Table<T>::Iterator begin() const { return {table_, first_}; }
  typename Table<T>::Iterator end() const { return {table_, first_ + count_}; }
  // Returns the slice without its first record. Precondition: not empty.
  TableSlice Rest() const { return {table_, first_ + 1, count_ - 1}; }

 private:
  const Table<T>* table_ = nullptr;
  uint32_t first_ = 0;
  uint32_t count_ = 0;
};

}  // namespace anecheck::mil
