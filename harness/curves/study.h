// How near a curve comes to its function, over every fp16 number, and whether the bounds of a
// family's contract admit it.
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
  double exact = 0;  // NaN where the curve names no function
  // Between `stored` and the exact value as fp16; none where one of them is NaN.
  std::optional<uint32_t> ulp;
};

Point PointAt(const Curve& curve, double x, Rounding stores = Rounding::kNearestEven);

// Over the finite fp16 numbers at which the function is finite as fp16.
struct Study {
  uint64_t inputs = 0;
  uint64_t nearest = 0;  // results that are the fp16 number nearest to the exact value
  double mean_ulp = 0;
  Point farthest;  // in ulp; the first of equals, from the least argument on
  Point largest;   // the largest absolute error
  double largest_error = 0;
};

// Precondition: the curve names a function.
Study StudyOf(const Curve& curve);

// Compares the curve's values, stored as the family stores, with the contract: the operation on
// every finite fp16 number at which the function is defined, with an epsilon of 0.
struct Admission {
  std::string contract;
  uint64_t inputs = 0;
  uint64_t outside = 0;         // stored values that the contract does not admit
  std::optional<double> first;  // the least argument among them
  double widest = 0;            // the widest interval that is finite
  double widest_at = 0;
};

// Errors: those of the oracle. Precondition: the curve is a named one.
Result<Admission> AdmittedBy(const Curve& curve, const Contract& contract);

}  // namespace anecheck::curves
