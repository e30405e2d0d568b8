// Parsing of JSON whose objects may have any number of members: those that a program of this
// project printed. Used where a file is made from JSON.
#pragma once

#include "harness/base/json_text.h"

namespace anecheck {

// As ParseJson, but without its cap of members: memory and time are proportionate to the text.
Result<Json> ParseLargeJson(std::string_view text, std::string_view name = "json");

}  // namespace anecheck
