// Measures how near a curve comes to its function over all fp16 numbers, and whether the bounds of
// a family's contract admit the curve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/half.h"
#include "harness/curves/curve.h"
#include "oracles/contract.h"

namespace anecheck::curves {

struct Point {
  double x = 0;
  Half stored;       // the curve's value as fp16
  double exact = 0;  // NaN if the curve names no function
  // The distance in ulp between `stored` and the exact value rounded to fp16; none if one of them
  // is NaN.
  std::optional<uint32_t> ulp;
};

Point PointAt(const Curve& curve, double x, Rounding stores = Rounding::kNearestEven);

// Statistics over the finite fp16 numbers whose exact value is finite after it is rounded to fp16.
struct Study {
  uint64_t inputs = 0;
  uint64_t nearest = 0;  // results that are the fp16 number nearest to the exact value
  double mean_ulp = 0;
  Point farthest;  // the largest error in ulp; among equal ones, the least argument
  Point largest;   // the largest absolute error
  double largest_error = 0;
};

// Precondition: the curve names a function.
Study StudyOf(const Curve& curve);

// The result of AdmittedBy, which compares the curve's values, rounded as the family stores them,
// with the contract of the operation, on every finite fp16 number at which the function is defined.
// The operation's epsilon, if it has one, counts as 0.
struct Admission {
  std::string contract;
  uint64_t inputs = 0;
  uint64_t outside = 0;         // stored values that the contract does not admit
  std::optional<double> first;  // the least argument among them
  double widest = 0;            // the widest interval that is finite
  double widest_at = 0;
};

// Errors: those of the oracle. Precondition: the curve is a named curve.
Result<Admission> AdmittedBy(const Curve& curve, const Contract& contract);

}  // namespace anecheck::curves
