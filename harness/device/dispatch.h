// The places at which a program is cut into dispatches. All operations between two cuts form one
// dispatch, whatever their depth; an operation that cuts has a dispatch to itself (specification
// 000, dispatch descriptor). Attention cuts: it ends the fused groups before and behind it
// (facts/more/epilogue_slots.csv).
//
// If a cut neither feeds an operation nor reads it, no source tells in which dispatch that
// operation runs. Assumed: the operation runs as early as its operands allow. If no cut before the
// next fused dispatch reads the operation's result, the operation runs in that dispatch instead.
#pragma once

#include "harness/device/executable.h"

namespace anecheck::device {

// Sorts the operations by dispatch, with their earlier order inside a dispatch, and sets the count
// of dispatches.
void CutIntoDispatches(Executable& executable);

}  // namespace anecheck::device
