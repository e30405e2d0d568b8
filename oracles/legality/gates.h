// The gates of the compiler's validators on the direct route: rules of the validator layer that are
// marked "gate". They judge a unit of a network description without a target. `explain` reads the
// same rules through Judge.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "oracles/legality/instance.h"
#include "oracles/legality/rules.h"

namespace anecheck::legality {

// All gates, in the order of the tables.
const std::vector<const Rule*>& Gates();

struct BrokenGate {
  const Rule* rule = nullptr;
  std::string text;  // in the validator's own words
};

// The gates that a unit breaks on every target. A property breaks no gate if the unit does not
// state it, no source gives it, or some target accepts it. `unit.op` is a native layer's name or
// unit type; for any other name the result is empty. Thread-safe.
std::vector<BrokenGate> BrokenGates(const Instance& unit);

}  // namespace anecheck::legality
