// Prints a verdict as text or JSON: the output of `anecheck explain`.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json.h"
#include "harness/graph/schema.h"
#include "harness/targets/target.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/legality.h"
#include "oracles/legality/rules.h"

namespace anecheck::legality {

// Refuses an operand that the operation does not have. Also refuses an attribute that the operation
// does not have and no rule reads. A verdict that ignored them would answer another question.
Status CheckSaid(const Instance& instance, const OpSchema& schema);

// Prints one line for each layer: its verdict, the reason in the layer's own words, and the source.
std::string VerdictText(const Verdict& verdict, const Target& target);

// {"op", "native_layer", "target", "route", "outcome", "layers": [{"layer", "verdict", "reached",
// "rule", "reason", "source", "others": [{"says", "source"}], "depends_on": [...]}]}.
Json VerdictJson(const Verdict& verdict);

// Returns the rule of the built-in tables with this id, or null.
const Rule* FindRule(std::string_view id);
// Prints the rule's layer, subjects, condition, answer and sources on one line each. Expressions in
// texts stay in braces, because there is no instance to evaluate them.
std::string RuleText(const Rule& rule);
// {"rule", "layer", "subjects", "tiers", "route", "when", "ruling", "text", "source", "everywhere",
// "others": [{"says", "source"}]}; "route" is null for both routes.
Json RuleJson(const Rule& rule);

}  // namespace anecheck::legality
