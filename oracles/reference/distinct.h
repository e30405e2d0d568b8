// The different numbers of a large fp16 tensor. There are at most 65,536 of them, so that a
// function of one variable needs at most as many evaluations.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "oracles/reference/kernel.h"
#include "oracles/reference/table_loops.h"

namespace anecheck::reference {

// Whether it saves time to evaluate each different number once. True for a large tensor of fp16
// points if no departures are active. A departure may leave numbers that fp16 does not have.
bool RepeatsNumbers(const Contract& contract, const BoundedTensor& x);

// Precondition: RepeatsNumbers(contract, x).
class DistinctNumbers {
 public:
  DistinctNumbers(Arena& arena, const BoundedTensor& x);

  // The different numbers of x in the order of their bits, as a point tensor with one axis.
  const BoundedTensor& numbers() const { return numbers_; }
  // `results` holds a function's results for numbers(). Sets `result` to the function's results for
  // the elements of x.
  void Expand(Arena& arena, const BoundedTensor& results, BoundedTensor& result) const;

 private:
  BoundedTensor numbers_;
  const uint16_t* halves_ = nullptr;  // the bits of each element of x
  const uint16_t* found_ = nullptr;   // the bits of each element of numbers_
};

// Whether a table of all fp16 numbers saves time. If not, DistinctNumbers evaluates the numbers of
// each tensor. True only if RepeatsNumbers is true.
bool FillsATable(const Contract& contract, const BoundedTensor& x);

// Every fp16 number in the order of their bits, as a point tensor with one axis.
BoundedTensor AllNumbers(Arena& arena);

// The results of a function for each fp16 number.
class FunctionTable {
 public:
  // `results` are the function's results for AllNumbers().
  explicit FunctionTable(const BoundedTensor& results);

  // Sets `result` to the results for the elements of x. Precondition: FillsATable(contract, x).
  void Expand(Arena& arena, const BoundedTensor& x, BoundedTensor& result) const;

 private:
  // Calls visit(start, halves, count) with the bits of all elements of x, block by block.
  template <typename Visit>
  static void ForHalves(const BoundedTensor& x, const Visit& visit);
  // Calls visit(element, entry) for every element of x.
  template <typename Visit>
  void ForEachEntry(const BoundedTensor& x, const Visit& visit) const;

  std::vector<TableEntry> entries_;
  uint64_t finite_flags_ = 0;  // all flags that entries of finite numbers have
  bool point_ = false;
};

// Everything except the operand that determines the results of a stateless function.
struct TableKey {
  bool ideal = false;
  bool wide = false;
  bool zero_at_zero = false;
  bool steps = false;
  bool follows_table = false;  // the recorded table
  bool ties_away = false;
  int ulp = 0;
  double table_error = 0;
  double table_part = 0;
  double operand_part = 0;
  std::optional<double> digits;
  auto operator<=>(const TableKey&) const = default;
};

// The tables of one function, each made when it is first needed. Thread-safe.
class FunctionTables {
 public:
  template <typename Make>
  const FunctionTable& For(const TableKey& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, table] : tables_) {
      if (known == key) return *table;
    }
    return *tables_.emplace_back(key, std::make_unique<FunctionTable>(make())).second;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<TableKey, std::unique_ptr<FunctionTable>>> tables_;
};

}  // namespace anecheck::reference
