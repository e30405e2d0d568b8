// Applies the documented defects of single operations to a kernel's result. Only evaluations with
// departures switched on use them.
#pragma once

#include <vector>

#include "oracles/reference/kernel.h"
#include "oracles/reference/rounding.h"

namespace anecheck::reference {

// Applies the departures that change a stored result, such as NaN or single values of a function.
void DepartFromResult(KernelContext& context, BoundedTensor& result);
// Applies the departure that changes an input tensor: an engine reads NaN as +infinity.
void DepartFromInput(const Contract& contract, Arena& arena, BoundedTensor& tensor);

// Appends the numbers of the grid to which numbers of [low, high] may be rounded. Returns false if
// `numbers` would then have more than `most` entries.
bool AppendNumbers(const Grid& grid, double low, double high, size_t most,
                   std::vector<double>& numbers);
// Lets `result` admit the values that any of `choices` admits, as sets if they can be listed. All
// `choices` have the type of the result. The value is that of the first choice.
void AdmitAnyOf(KernelContext& context, const std::vector<BoundedTensor>& choices,
                BoundedTensor& result);

}  // namespace anecheck::reference
