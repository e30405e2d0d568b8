// The reference of the operations, made from the operation table, the reference kernels and the
// numeric contract, printed by `anecheck ops`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck::reports {

// The share of an operation's bound that the worst engines within the contract reach.
using ReachedShares = std::map<std::string, double, std::less<>>;

// Reads the file that the oracle's adversary_test writes with --gtest_output=json:FILE. Errors,
// which begin with the file's `name`: kMalformed, or kNotFound if the file is of another test.
Result<ReachedShares> ReadReachedShares(std::string_view json, std::string_view name);

// The shares that are part of the tool (oracles/reached_shares.h).
ReachedShares SharesOfThisTool();

// {"ops": [{"name", "class", "route", "netlist_unit", "family_floor", "reach": {family: mark},
//           "capability", "legality": {"native_layer", "below_floor", "floor_source", "note",
//           "source", "rules": [ids]}, "reference", "reason", "parameters": [{"name", "kind",
//           "required", "dtypes", "constant", "choices", "default"}], "blocks": [names], "terms":
//           [names], "tables": {"law", "measured": [families], "inferred": [families], "source"},
//           "reached_share"}],
//  "terms": [{"name", "value", "measured": [families], "source"}],
//  "departures": [{"id", "effect", "op", "families", "what", "source"}]}
// "ops" ends with the native layers that no operation computes, each with the reason.
// family_floor is the lowest family, "none" if only the host has the operation, and null for
// operations that are catalogued only; reach is null for operations that the public matrix does not
// list, legality for those that no legality table lists, tables for those whose results are not
// those of a recorded table, reached_share if `shares` has none.
Json OperationReferenceJson(const ReachedShares& shares = SharesOfThisTool());

// One line per operation, for a terminal.
std::string OperationReferenceText(const Json& reference);
// The description of one operation: routes, reach, legality, the accuracy that the contract
// promises with each term's number and source, documented defects, arguments. Empty if `reference`
// has no operation called `name`.
std::string OperationSheetText(const Json& reference, std::string_view name);
// The description of one operation as a JSON object; null if there is no such operation.
Json OperationSheetJson(const Json& reference, std::string_view name);

// One section for each operation, by class. `reference` is the result of OperationReferenceJson.
std::string OperationReferenceMarkdown(const Json& reference);
// The reference as one page that needs no network. The page is readable without a script; its
// address holds the filters.
std::string OperationReferenceHtml(const Json& reference);

}  // namespace anecheck::reports
