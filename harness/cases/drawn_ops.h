// The operations that campaigns draw, by the route of the case, and the reasons for leaving the
// others out. Coverage counts the cells of those that are drawn.
#pragma once

#include <bitset>
#include <string>
#include <string_view>

#include "harness/ops/op.h"
#include "harness/verdict/route.h"

namespace anecheck {

// The routes on which cases hold the operation and an engine may run it. Some of kMil occur
// only in cases that are aimed at them, or in the mode `state`.
RouteSet RoutesOf(const OpDefinition& op);

// The reason that no route has it; empty if one has. Static text.
std::string_view WhyNotDrawn(const OpDefinition& op);

// The operations that MIL text names: all but the native layers.
const std::bitset<kOpCount>& MilOps();

// Whether a campaign that names the operation draws it on a family by a route: also one that the
// engine refuses, and that no other campaign has.
bool IsDrawnByName(const OpDefinition& op, int family, Route route);

// Why it does not. Precondition: IsDrawnByName does not hold.
std::string WhyNotDrawnByName(const OpDefinition& op, int family, Route route);

}  // namespace anecheck
