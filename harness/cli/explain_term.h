// The output of `anecheck explain earlier_tables`: a term, law or open rule of the numeric
// contract. Findings and `anecheck ops` name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"

namespace anecheck {

// Returns the names of all terms, laws and open rules.
std::vector<std::string> ContractTermNames();

// {"name", "kind": "term" | "law" | "rule", "what", "value", "measured": [families], "inferred":
// [families], "targets", "open", "source", "ops": [names]}; null for a name that the contract does
// not have. Only a term has a `value`, which else is null. Only a law has `targets` and `open`,
// which else are empty. `ops` are the operations whose bounds have the term, or whose results come
// from recorded tables.
Json ContractTermJson(std::string_view name);
// The JSON of ContractTermJson as lines of text.
std::string ContractTermText(const Json& term);

}  // namespace anecheck
