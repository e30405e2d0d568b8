// A verdict for people and for programs. The output of `anecheck explain`.
#pragma once

#include <string>

#include "harness/base/json.h"
#include "harness/graph/schema.h"
#include "harness/targets/target.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/legality.h"

namespace anecheck::legality {

// Refuses an attribute that the operation does not have and no rule reads, and an operand that it
// does not have: a verdict that passes over a word of the question in silence answers another one.
Status CheckSaid(const Instance& instance, const OpSchema& schema);

// One line per layer: its verdict, its reason in its own words, and the source.
std::string VerdictText(const Verdict& verdict, const Target& target);

// {"op", "native_layer", "target", "route", "outcome", "layers": [{"layer", "verdict", "reached",
// "rule", "reason", "source", "others": [{"says", "source"}], "depends_on": [...]}]}.
Json VerdictJson(const Verdict& verdict);

}  // namespace anecheck::legality
