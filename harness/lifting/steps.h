// Comparisons, choices and roundings, which containers compute in several tasks: a table of steps
// takes the difference of two operands; a choice is a sum of two products with 0 or 1; floor and
// ceil correct the whole part of a number by a comparison of its fraction.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "harness/base/result.h"
#include "harness/lifting/builder.h"

namespace anecheck::lifting {

// Recognises these operations in what earlier tasks became. The operations that one of them
// replaces stay in the graph, perhaps unread. The builder must outlive this object. Not
// thread-safe.
class Steps {
 public:
  explicit Steps(Builder& build) : build_(build) {}

  // The bools that a table of steps gives for a value; `truth` is its result below, at and above
  // zero. kNoValue if the table is constant.
  Result<ValueId> OfTable(std::array<bool, 3> truth, ValueId value);
  // x rounded towards zero, and the rest with the sign of x.
  Result<ValueId> Whole(ValueId x);
  Result<ValueId> Fraction(ValueId x);
  // The operation that a + b or, if `difference`, a - b completes; kNoValue if there is none.
  // Precondition: a and b have one shape.
  Result<ValueId> Completed(ValueId a, ValueId b, bool difference);

 private:
  std::optional<NodeId> ProducerOf(ValueId value, OpKind kind) const;
  Result<ValueId> TruthOf(ValueId number);
  bool AreOpposite(ValueId a, ValueId b) const;
  Result<ValueId> Rounded(ValueId whole, ValueId step, bool down);
  Result<ValueId> Chosen(ValueId a, ValueId b);

  Builder& build_;
  std::map<ValueId, ValueId> wholes_;  // of values
};

}  // namespace anecheck::lifting
