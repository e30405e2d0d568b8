// Reads and prints JSON text. It turns the JSON library's exceptions into errors and limits hostile
// input. Every room that reads or prints JSON uses it.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck {

// The cap of nesting: more than any form of the project needs, but safe for recursion over a value.
inline constexpr int kMaxJsonDepth = 256;
// The cap of members: objects keep their members in a list, so that a lookup takes linear time.
inline constexpr int kMaxJsonMembers = 10000;

// Parses one JSON value (RFC 8259, UTF-8). Errors: kMalformed, with the byte offset of the first
// wrong character; kLimit for a text beyond one of the two caps above. Messages begin with `name`,
// such as a path or "graph". Members keep their order; if two have one name, the last value counts.
Result<Json> ParseJson(std::string_view text, std::string_view name = "json");

// As ParseJson, but without the cap of members, for the output of a program of this project. Time
// and memory are proportional to the text.
Result<Json> ParseLargeJson(std::string_view text, std::string_view name = "json");

// Prints a value; equal values in equal order give equal text. Numbers have the fewest digits that
// read back as the same number, bytes that are not UTF-8 become U+FFFD, and NaN and infinity become
// null. An `indent` of -1 gives one line; any other puts that many spaces before a line for each
// level. The text ends without a line break.
std::string DumpJson(const Json& json, int indent = -1);

// The version of the parsing library: "3.11.2".
std::string JsonLibraryVersion();

}  // namespace anecheck
