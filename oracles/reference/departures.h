// The documented defects of single operations, as changes to what a kernel computed. Only
// evaluations with departures switched on come here.
#pragma once

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Applies departures that act on a stored result: NaN forms, and fixed values of unary operations.
void DepartFromResult(KernelContext& context, BoundedTensor& result);
// Applies departures that act on a tensor as it enters: NaN read as +inf.
void DepartFromInput(const Contract& contract, Arena& arena, BoundedTensor& tensor);

}  // namespace anecheck::reference
