// Documents against the JSON Schema files of reports/schemas, by Debian's python3-jsonschema.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json.h"

namespace anecheck::reports {

// What is wrong with a document by reports/schemas/<name>.schema.json; empty where nothing is.
// Where the validator is not installed (HasSchemaValidator) that is what is wrong.
std::string SchemaProblem(const Json& document, std::string_view name);
// The same for each line of `lines`.
std::string SchemaProblemOfLines(std::string_view lines, std::string_view name);
// The same against a schema file.
std::string SchemaFileProblem(const Json& document, const std::string& path);

bool HasSchemaValidator();

}  // namespace anecheck::reports
