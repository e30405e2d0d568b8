// Cuts a program into dispatches. All operations between two cuts form one dispatch, whatever their
// depth. An operation that cuts has a dispatch to itself (specification 000, dispatch descriptor).
// Attention is such an operation: it ends the fused groups before and behind it
// (facts/more/epilogue_slots.csv).
//
// No source tells the dispatch of an operation that neither feeds a cut nor reads the result of a
// cut. Assumed: the operation runs as early as its operands allow. If no cut before the next fused
// dispatch reads the operation's result, the operation runs in that next dispatch instead.
#pragma once

#include "harness/device/executable.h"

namespace anecheck::device {

// Sorts the operations by dispatch and sets the count of dispatches. The operations of one dispatch
// keep their order.
void CutIntoDispatches(Executable& executable);

}  // namespace anecheck::device
