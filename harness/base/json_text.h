// Reads and prints JSON text. It turns the JSON library's exceptions into errors and limits hostile
// input. All code of the project that reads or prints JSON text uses it.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck {

// The limit of nesting. No form of the project needs as much, and recursion over a value is safe.
inline constexpr int kMaxJsonDepth = 256;
// The limit of members of an object. Objects keep members in a list, so a lookup takes linear time.
inline constexpr int kMaxJsonMembers = 10000;

// Parses one JSON value (RFC 8259, UTF-8). Errors: kMalformed, with the byte offset of the first
// wrong character; kLimit beyond one of the two limits above. Messages begin with `name`, such as a
// path or "graph". Members keep their order; if two have one name, the last value counts.
Result<Json> ParseJson(std::string_view text, std::string_view name = "json");

// Like ParseJson, but without the limit of members, for the output of programs of this project.
// Time and memory are proportional to the text.
Result<Json> ParseLargeJson(std::string_view text, std::string_view name = "json");

// Prints a value; equal values in equal order give equal text. Numbers have the fewest digits that
// read back as the same number, bytes that are not UTF-8 become U+FFFD, and NaN and infinity become
// null. An `indent` of -1 gives one line. Any other `indent` is the number of spaces for each
// level. The text ends without a line break.
std::string DumpJson(const Json& json, int indent = -1);

// Returns the version of the parsing library, such as "3.11.2".
std::string JsonLibraryVersion();

}  // namespace anecheck
