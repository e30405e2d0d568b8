// Routes: the two ways in which a graph is handed to a compiler.
#pragma once

#include <cstdint>

#include "harness/verdict/words.h"

namespace anecheck {

enum class Route : uint8_t {
  kMil,      // conversion: MIL text
  kNetlist,  // direct authoring: a network description
};

template <>
struct Words<Route> {
  static constexpr std::string_view kConcept = "route";
  static constexpr auto kTexts = std::to_array<std::string_view>({"mil", "netlist"});
};

// Some of the routes.
enum class RouteSet : uint8_t { kNone, kMil, kNetlist, kBoth };

template <>
struct Words<RouteSet> {
  static constexpr std::string_view kConcept = "route";
  static constexpr auto kTexts =
      std::to_array<std::string_view>({"none", "mil", "netlist", "both"});
};

constexpr RouteSet SetOf(Route route) {
  return route == Route::kMil ? RouteSet::kMil : RouteSet::kNetlist;
}
constexpr RouteSet operator|(RouteSet a, RouteSet b) {
  return static_cast<RouteSet>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr RouteSet operator&(RouteSet a, RouteSet b) {
  return static_cast<RouteSet>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}
constexpr bool Has(RouteSet set, Route route) { return (set & SetOf(route)) != RouteSet::kNone; }

}  // namespace anecheck
