// Recognises comparisons, choices and roundings, which containers compute in several tasks. A
// comparison is a step table applied to the difference of two operands. A choice is a sum of two
// products with 0 or 1. floor and ceil correct a number's whole part by a comparison of its
// fraction.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "harness/base/result.h"
#include "harness/lifting/builder.h"

namespace anecheck::lifting {

// Recognises these operations in the operations of earlier tasks. The replaced operations stay in
// the graph, even if unread. The builder must outlive this object. Not thread-safe.
class Steps {
 public:
  explicit Steps(Builder& build) : build_(build) {}

  // Returns the bools that a step table gives for a value. `truth` is the table's result below, at
  // and above zero. Returns kNoValue if the table is constant.
  Result<ValueId> OfTable(std::array<bool, 3> truth, ValueId value);
  // Whole returns x rounded towards zero. Fraction returns the rest, with the sign of x.
  Result<ValueId> Whole(ValueId x);
  Result<ValueId> Fraction(ValueId x);
  // Returns the result of the operation that a + b (or a - b if `difference`) completes; kNoValue
  // if it completes none. Precondition: a and b have the same shape.
  Result<ValueId> Completed(ValueId a, ValueId b, bool difference);

 private:
  std::optional<NodeId> ProducerOf(ValueId value, OpKind kind) const;
  Result<ValueId> TruthOf(ValueId number);
  bool AreOpposite(ValueId a, ValueId b) const;
  Result<ValueId> Rounded(ValueId whole, ValueId step, bool down);
  Result<ValueId> Chosen(ValueId a, ValueId b);

  Builder& build_;
  std::map<ValueId, ValueId> wholes_;  // results of Whole, by x
};

}  // namespace anecheck::lifting
