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

// Refuses an operand that the operation does not have, and an attribute that it does not have and
// no rule reads. If a verdict silently ignored them, it would answer another question.
Status CheckSaid(const Instance& instance, const OpSchema& schema);

// One line for each layer: its verdict, the reason in the layer's own words, and the source.
std::string VerdictText(const Verdict& verdict, const Target& target);

// {"op", "native_layer", "target", "route", "outcome", "layers": [{"layer", "verdict", "reached",
// "rule", "reason", "source", "others": [{"says", "source"}], "depends_on": [...]}]}.
Json VerdictJson(const Verdict& verdict);

// The rule of the built-in tables with this id, or null.
const Rule* FindRule(std::string_view id);
// The rule's layer, subjects, condition, answer and sources, one line each. Expressions in its
// texts stay in braces, since there is no instance.
std::string RuleText(const Rule& rule);
// {"rule", "layer", "subjects", "tiers", "route", "when", "ruling", "text", "source", "everywhere",
// "others": [{"says", "source"}]}; "route" is null for both routes.
Json RuleJson(const Rule& rule);

}  // namespace anecheck::legality
