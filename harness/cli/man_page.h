// Makes the manual page of the tool, in the man macros of roff (man 7 man).
#pragma once

#include <string>

#include "harness/cli/command_description.h"

namespace anecheck {

// Returns a page of section 1. It has no date, so the same tool always makes the same bytes.
std::string ManPage(const CommandDescription& tool);

}  // namespace anecheck
