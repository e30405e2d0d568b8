// Which operations campaigns draw, by the route of the case, and why they leave the others out.
// Coverage counts the cells of those that are drawn.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/ops/op.h"

namespace anecheck {

// A set of routes of cases (CampaignOptions::route).
enum RouteSet : uint8_t { kNoRoute = 0, kMilRoute = 1, kNetlistRoute = 2 };

// The routes on which cases hold the operation and an engine may run it. Some of kMilRoute stand in
// cases alone that are aimed at them, or of the mode `state`.
uint8_t RoutesOf(const OpDefinition& op);

// Why no route has it; empty where one has. Static text.
std::string_view WhyNotDrawn(const OpDefinition& op);

}  // namespace anecheck
