// Cuts a lowered graph into dispatches. Part of PlanLowering.
#pragma once

#include "oracles/plan/plan.h"

namespace anecheck::plan {

// Fills segments, dispatches and descriptor, and each layer's segment, from the fates of the
// layers.
//
// Everything between two cuts is one dispatch whatever its depth; an operation that cuts has one of
// its own (specification 000, dispatch descriptor). Operations that do not depend on each other
// across a cut share the earliest dispatch that they can. That a further sub-layer of split weights
// is one more inference operation follows from two statements, that splitting raises the dispatch
// count (specification 003, kernel-memory split) and that the descriptor tracks it (specification
// 000); no sample shows it.
void CutIntoDispatches(Plan& plan);

}  // namespace anecheck::plan
