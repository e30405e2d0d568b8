// The reference of the operations, which `anecheck ops` prints. It is made from the operation
// table, the reference kernels and the numeric contract.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck::reports {

// For each operation, the share of its bound that the worst engines within the contract reach.
using ReachedShares = std::map<std::string, double, std::less<>>;

// Reads the file that the oracle's adversary_test writes with --gtest_output=json:FILE. Errors,
// which begin with the file's `name`: kMalformed, or kNotFound if the file is of another test.
Result<ReachedShares> ReadReachedShares(std::string_view json, std::string_view name);

// Returns the shares that are compiled into the tool (oracles/reached_shares.h).
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
// "family_floor" is the lowest family, "none" if only the host has the operation, and null for
// operations that are only catalogued. "reach" is null if the public matrix does not list the
// operation, and "legality" is null if no legality table lists it. "tables" is null unless the
// operation's results are those of a recorded table. "reached_share" is null if `shares` lacks the
// operation.
Json OperationReferenceJson(const ReachedShares& shares = SharesOfThisTool());

// Returns one line for each operation, for a terminal.
std::string OperationReferenceText(const Json& reference);
// Returns the description of one operation. It has routes, reach, legality, documented defects and
// arguments. It also states the accuracy that the contract promises, with the number and source of
// each term. Empty if `reference` has no operation called `name`.
std::string OperationSheetText(const Json& reference, std::string_view name);
// Returns the description of one operation as a JSON object, or null if there is no such operation.
Json OperationSheetJson(const Json& reference, std::string_view name);

// Returns one section for each operation, grouped by class. `reference` is the result of
// OperationReferenceJson.
std::string OperationReferenceMarkdown(const Json& reference);
// Returns the reference as one page that needs no network. The page is readable without its script.
// The page's address contains the filters.
std::string OperationReferenceHtml(const Json& reference);

}  // namespace anecheck::reports
