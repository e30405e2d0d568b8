// A verdict for people and for programs. What `anecheck explain` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/targets/target.h"
#include "oracles/legality/legality.h"

namespace anecheck::legality {

// One line a layer: its verdict, its reason in its own words, and the source.
std::string VerdictText(const Verdict& verdict, const Target& target);

// {"op", "native_layer", "target", "route", "outcome", "layers": [{"layer", "verdict", "reached",
// "rule", "reason", "source", "others": [{"says", "source"}], "depends_on": [...]}]}.
nlohmann::ordered_json VerdictJson(const Verdict& verdict);

}  // namespace anecheck::legality
