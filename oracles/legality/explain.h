// Prints a verdict as text or JSON: the output of `anecheck explain`.
#pragma once

#include <string>

#include "harness/base/json.h"
#include "harness/graph/schema.h"
#include "harness/targets/target.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/legality.h"

namespace anecheck::legality {

// Refuses an operand that the operation does not have, and an attribute that it does not have and
// no rule reads. If a verdict silently ignored them, it would answer another question.
Status CheckSaid(const Instance& instance, const OpSchema& schema);

// One line for each layer: its verdict, the reason in the layer's own words, and the source.
std::string VerdictText(const Verdict& verdict, const Target& target);

// {"op", "native_layer", "target", "route", "outcome", "layers": [{"layer", "verdict", "reached",
// "rule", "reason", "source", "others": [{"says", "source"}], "depends_on": [...]}]}.
Json VerdictJson(const Verdict& verdict);

}  // namespace anecheck::legality
