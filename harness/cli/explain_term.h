// The output of `anecheck explain earlier_tables`: a term, law or open rule of the numeric
// contract, which findings and `anecheck ops` name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"

namespace anecheck {

// The names of all terms, laws and open rules.
std::vector<std::string> ContractTermNames();

// {"name", "kind": "term" | "law" | "rule", "what", "value", "measured": [families], "inferred":
// [families], "targets", "open", "source", "ops": [names]}; null for a name that the contract does
// not have. `value` is null except for a term, `targets` and `open` are empty except for a law.
// `ops` are the operations whose bounds have the term, or whose results come from recorded tables.
Json ContractTermJson(std::string_view name);
// The JSON of ContractTermJson as lines of text.
std::string ContractTermText(const Json& term);

}  // namespace anecheck
