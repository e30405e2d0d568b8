// Checks documents against the JSON Schema files of reports/schemas with Debian's
// python3-jsonschema.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json.h"

namespace anecheck::reports {

// Returns the faults of a document by reports/schemas/<name>.schema.json. Empty if the document is
// valid. A missing validator (HasSchemaValidator) counts as a fault.
std::string SchemaProblem(const Json& document, std::string_view name);
// As SchemaProblem, for each line of `lines`.
std::string SchemaProblemOfLines(std::string_view lines, std::string_view name);
// As SchemaProblem, with the path of a schema file.
std::string SchemaFileProblem(const Json& document, const std::string& path);

bool HasSchemaValidator();

}  // namespace anecheck::reports
