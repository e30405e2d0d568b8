// Cuts a lowered graph into dispatches. Part of PlanLowering.
#pragma once

#include "oracles/plan/plan.h"

namespace anecheck::plan {

// Fills segments, dispatches and descriptor, and each layer's segment, from the fates of the
// layers.
//
// All operations between two cuts are one dispatch, however long their chain is; an operation that
// cuts has its own dispatch (specification 000, dispatch descriptor). Operations that do not depend
// on each other across a cut share the earliest dispatch that they can. Each further sub-layer of
// split weights is one more inference operation. This follows from two statements: splitting raises
// the dispatch count (specification 003, kernel-memory split), and the descriptor tracks that count
// (specification 000). No sample shows this count.
void CutIntoDispatches(Plan& plan);

}  // namespace anecheck::plan
