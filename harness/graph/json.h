// The JSON form of a graph, version 1. It is a public format for people and for external runners.
//
//   {"version": 1, "name": "g",
//    "inputs": [{"name", "dtype", "shape"}], "states": [the same],
//    "consts": [{"name", "dtype", "shape", "data": base64 of the little-endian bytes}],
//    "ops": [{"op", "name", "inputs": {argument: [value names]}, "attrs": {name: value},
//             "outputs": [{"name", "dtype", "shape"}], "blocks": [graphs]}],
//    "outputs": [value names]}
//
// Argument and attribute names are MIL's. The name of an operation is that of its first output, and
// may be left out. Numbers that JSON lacks are the strings "NaN", "Infinity" and "-Infinity".
// "states" and "blocks" are present only if not empty.
#pragma once

#include <string_view>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Precondition: the graph is valid.
Json GraphToJson(const Graph& graph);

// Reads and validates a graph. Unknown keys, unknown operations, another version and every broken
// rule of ValidateGraph are errors. The message of such an error begins with the path, such as
// `ops[3].inputs.weight`.
Result<Graph> GraphFromJson(const Json& json, const Vocabulary& vocabulary);

// Like GraphFromJson, but for a text. It is several times as fast, because it builds no Json value.
// Errors of the text itself are those of ParseJson, which begin with `name`.
Result<Graph> GraphFromText(std::string_view text, const Vocabulary& vocabulary,
                            std::string_view name = "json");

}  // namespace anecheck
