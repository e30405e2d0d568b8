// The documented defects of the multiply-accumulate path, as changes to one accumulated sum. Only
// evaluations with departures switched on use them.
#pragma once

#include <cstddef>

#include "oracles/reference/dot.h"
#include "oracles/reference/sum_readings.h"

namespace anecheck::reference {

// Whether active departures add the products of points differently. If so, DepartFromDot reads only
// the accumulator's error of a sum of known finite products.
bool AddOtherwise(const Contract& contract);

// Applies the active departures of the multiply-accumulate path. The lattice, the flush and the
// invalid products act together on each product, the port acts on their sum. `finite`: every end of
// every operand is known to be finite.
void DepartFromDot(const Contract& contract, const Grid& grid, const Lanes& x, const Lanes& y,
                   size_t count, bool finite, Accumulated& sum);
// The same for sums without products, which have the full range of the element type
// (facts/numerics.md, paths with full range) and otherwise have the bytes of a product with ones.
void DepartFromSum(const Contract& contract, const Grid& grid, const Lanes& x, size_t count,
                   bool finite, Accumulated& sum);

}  // namespace anecheck::reference
