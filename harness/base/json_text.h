// JSON text in and out: here the JSON library's exceptions become errors, and hostile input is
// limited. Every room that reads or prints JSON goes through it.
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

// Parses one JSON value (RFC 8259, UTF-8). kMalformed with the byte offset of the first wrong
// character; kLimit beyond the two caps above. `name` begins the message: a path, "graph", ...
// Members keep their order; if two have one name, the last value counts.
Result<Json> ParseJson(std::string_view text, std::string_view name = "json");

// The same without the cap of members, for the output of a program of this project. Time and memory
// are proportional to the text.
Result<Json> ParseLargeJson(std::string_view text, std::string_view name = "json");

// Deterministic text: members in their order, shortest numbers that read back the same, bytes that
// are not UTF-8 as U+FFFD, NaN and infinity as null. indent -1 gives one line, else that many
// spaces for each level, and no line break at the end.
std::string DumpJson(const Json& json, int indent = -1);

// The version of the parsing library: "3.11.2".
std::string JsonLibraryVersion();

}  // namespace anecheck
