// The documented defects of single operations, as changes to a kernel's result. Only
// evaluations with departures switched on come here.
#pragma once

#include <vector>

#include "oracles/reference/kernel.h"
#include "oracles/reference/rounding.h"

namespace anecheck::reference {

// Applies departures that act on a stored result: NaN forms, and fixed values of unary operations.
void DepartFromResult(KernelContext& context, BoundedTensor& result);
// Applies departures that act on a tensor as it enters: NaN read as +inf.
void DepartFromInput(const Contract& contract, Arena& arena, BoundedTensor& tensor);

// Appends the numbers of the grid that [low, high] may be stored as; false where `numbers` would
// become more than `most`.
bool AppendNumbers(const Grid& grid, double low, double high, size_t most,
                   std::vector<double>& numbers);
// Gives `result` the values that any of `choices` admits, which are results of the same type, as
// sets if they can be listed. The value is that of the first.
void AdmitAnyOf(KernelContext& context, const std::vector<BoundedTensor>& choices,
                BoundedTensor& result);

}  // namespace anecheck::reference
