// The operations that campaigns draw, by the route of the case, and the reasons for leaving the
// others out. Coverage counts the cells of drawn operations.
#pragma once

#include <bitset>
#include <string>
#include <string_view>

#include "harness/ops/op.h"
#include "harness/verdict/route.h"

namespace anecheck {

// The routes on which cases contain the operation and an engine may run it. Some operations of kMil
// occur only in cases that aim at them, or in the mode `state`.
RouteSet RoutesOf(const OpDefinition& op);

// The reason why no route has the operation; empty if one has. Static text.
std::string_view WhyNotDrawn(const OpDefinition& op);

// The operations that MIL text names: all but the native layers.
const std::bitset<kOpCount>& MilOps();

// Whether a campaign that names the operation draws it on a family by a route. This includes
// operations that the engine refuses and that no other campaign draws.
bool IsDrawnByName(const OpDefinition& op, int family, Route route);

// The reason why a campaign that names the operation does not draw it. Precondition: IsDrawnByName
// is false.
std::string WhyNotDrawnByName(const OpDefinition& op, int family, Route route);

}  // namespace anecheck
