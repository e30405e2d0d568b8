// The gates of the compiler's validators by direct authoring, for a unit of a network description
// that names no target: rules of the validator layer that are marked "gate". `explain` reads the
// same rules through Judge.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "oracles/legality/instance.h"
#include "oracles/legality/rules.h"

namespace anecheck::legality {

// In the order of the tables.
const std::vector<const Rule*>& Gates();

struct BrokenGate {
  const Rule* rule = nullptr;
  std::string text;  // in the validator's own words
};

// The gates that a unit breaks on every target. A property that the unit leaves open, that no
// source gives or that some target takes breaks none. `unit.op` is a native layer's name or unit
// type; nothing for another name. Thread-safe.
std::vector<BrokenGate> BrokenGates(const Instance& unit);

}  // namespace anecheck::legality
