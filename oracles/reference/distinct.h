// The different numbers of a large fp16 tensor. There are at most 65,536 of them, so that functions
// of one variable need no more evaluations than that.
#pragma once

#include <cstdint>

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Whether evaluating each number once is worth while: a large tensor of fp16 points. Departures may
// leave numbers that fp16 does not have.
bool RepeatsNumbers(const Contract& contract, const BoundedTensor& x);

// Precondition: RepeatsNumbers(contract, x).
class DistinctNumbers {
 public:
  DistinctNumbers(Arena& arena, const BoundedTensor& x);

  // Each number of x once, in the order of their bits, a point tensor of one axis.
  const BoundedTensor& numbers() const { return numbers_; }
  // `results` holds a function of each of numbers(); gives `result` those of x's elements.
  void Expand(Arena& arena, const BoundedTensor& results, BoundedTensor& result) const;

 private:
  BoundedTensor numbers_;
  const uint16_t* halves_ = nullptr;  // the bits of each element of x
  const uint16_t* found_ = nullptr;   // of each of numbers_
};

}  // namespace anecheck::reference
