// Applies the documented defects of the multiply-accumulate path to one accumulated sum. Only
// evaluations with departures switched on use them.
#pragma once

#include <cstddef>

#include "oracles/reference/dot.h"
#include "oracles/reference/sum_readings.h"

namespace anecheck::reference {

// Whether active departures add the products of points differently. If so, DepartFromDot computes a
// sum of known finite products itself, and reads only the accumulator's error of the given sum.
bool AddOtherwise(const Contract& contract);

// Applies the active departures of the multiply-accumulate path. The departures for the lattice,
// the flush and invalid products act together on each product. The departure for the port acts on
// the sum of the products. `finite` says that every end of every operand is known to be finite.
void DepartFromDot(const Contract& contract, const Grid& grid, const Lanes& x, const Lanes& y,
                   size_t count, bool finite, Accumulated& sum);
// As DepartFromDot, for sums without products. Such sums have the full range of the element type
// (facts/numerics.md, paths with full range) and otherwise give the same bytes as products with
// ones.
void DepartFromSum(const Contract& contract, const Grid& grid, const Lanes& x, size_t count,
                   bool finite, Accumulated& sum);

}  // namespace anecheck::reference
