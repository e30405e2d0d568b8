// The places at which a program is cut into dispatches. Everything between two cuts is one dispatch
// whatever its depth, and an operation that cuts has one of its own (specification 000, dispatch
// descriptor). Attention cuts: it ends the fused groups before and behind it
// (facts/more/epilogue_slots.csv).
//
// No source tells in which dispatch an operation runs that a cut neither feeds nor reads. Assumed:
// it runs as early as its operands allow, and if no cut reads it before, with the next operations.
#pragma once

#include "harness/device/executable.h"

namespace anecheck::device {

// Puts the operations in the order of their dispatches, those of one dispatch in the order that
// they had, and sets how many there are.
void CutIntoDispatches(Executable& executable);

}  // namespace anecheck::device
