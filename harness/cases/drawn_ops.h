// The operations that campaigns draw on each route, and the reasons why they do not draw the
// others. Coverage counts the cells of drawn operations.
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

// Returns the reason why no route has the operation; empty if a route has it. The text is static.
std::string_view WhyNotDrawn(const OpDefinition& op);

// Returns the operations that MIL text can name, which are all operations except the native layers.
const std::bitset<kOpCount>& MilOps();

// Whether a campaign that names the operation draws it on a family by a route. This includes
// operations that the engine refuses and that no other campaign draws.
bool IsDrawnByName(const OpDefinition& op, int family, Route route);

// Returns the reason why IsDrawnByName is false. Precondition: it is false.
std::string WhyNotDrawnByName(const OpDefinition& op, int family, Route route);

}  // namespace anecheck
