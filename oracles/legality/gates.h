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
  std::string text;  // the validator's message
};

// Returns the gates that a unit breaks on every target. A property breaks no gate if the unit does
// not state it, if no source gives it, or if some target accepts it. `unit.op` is the name or unit
// type of a native layer. For any other name the result is empty. Thread-safe.
std::vector<BrokenGate> BrokenGates(const Instance& unit);

}  // namespace anecheck::legality
