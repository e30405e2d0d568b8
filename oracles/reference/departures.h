// The documented defects of the multiply-accumulate path and of single operations, as changes to
// what a kernel computed. Only evaluations with departures switched on come here.
#pragma once

#include <cstddef>

#include "oracles/reference/dot.h"

namespace anecheck::reference {

// Applies the active departures of the multiply-accumulate path to one accumulated sum.
void DepartFromDot(const Contract& contract, const Grid& grid, const Lanes& x, const Lanes& y,
                   size_t count, Accumulated& sum);

// The sum of products inside tiles of `tile` lanes, in order, both addends truncated toward zero
// to a multiple of 2^(E - bits), where 2^E is the smallest power of two above the larger
// magnitude; tiles add exactly (facts/numerics.md, first reduction stage).
double TileLatticeSum(const Grid& grid, const double* x, const double* y, size_t count, int tile,
                      int bits, bool round_products, bool pad_tiles);

// Applies departures that act on a stored result: NaN forms, and fixed values of unary operations.
void DepartFromResult(KernelContext& context, BoundedTensor& result);
// Applies departures that act on a tensor as it enters: NaN read as +inf.
void DepartFromInput(const Contract& contract, Arena& arena, BoundedTensor& tensor);

}  // namespace anecheck::reference
