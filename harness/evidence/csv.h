// Comma-separated tables with a header row (RFC 4180), read as rows of named fields.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::evidence {

using CsvRow = std::map<std::string, std::string, std::less<>>;

// Returns the rows after the header, each with every column. Skips empty lines. Errors: kMalformed,
// with `name` and the line number, for an open quote or a wrong number of fields.
Result<std::vector<CsvRow>> ParseCsv(std::string_view text, std::string_view name);

// Reads a table that is embedded in the tool. An error in the table ends the program.
std::vector<CsvRow> EmbeddedCsv(std::string_view text, std::string_view name);

}  // namespace anecheck::evidence
