#include "reports/testing/schema.h"

#include <cstdlib>
#include <sys/wait.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"

namespace anecheck::reports {
namespace {

// Prints the first problem of each line of standard input.
constexpr const char* kScript =
    "import json, jsonschema, sys\n"
    "schema = json.load(open(sys.argv[1]))\n"
    "kind = jsonschema.validators.validator_for(schema)\n"
    "kind.check_schema(schema)\n"
    "validator = kind(schema)\n"
    "for number, line in enumerate(open(sys.argv[2]), 1):\n"
    "  for error in validator.iter_errors(json.loads(line)):\n"
    "    print(f'line {number}: {error.json_path}: {error.message[:300]}')\n"
    "    break\n";

std::string Problem(std::string_view lines, const std::string& schema) {
  if (!HasSchemaValidator()) return "python3-jsonschema is missing: scripts/setup --tests";
  auto folder = TempDirectory::Create("anecheck-schema-");
  if (!folder.ok()) return folder.error().message;
  const std::string script = folder->File("check.py");
  const std::string document = folder->File("document");
  const std::string output = folder->File("output");
  if (!WriteFileAtomic(script, std::string_view(kScript)).ok() ||
      !WriteFileAtomic(document, lines).ok()) {
    return "cannot write";
  }
  const std::string command =
      "python3 '" + script + "' '" + schema + "' '" + document + "' >'" + output + "' 2>&1";
  const int status = std::system(command.c_str());
  const auto text = ReadTextFile(output);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return "the validator failed: " + (text.ok() ? *text : "");
  }
  return text.ok() ? *text : "no output";
}

}  // namespace

bool HasSchemaValidator() {
  static const bool has = std::system("python3 -c 'import jsonschema' 2>/dev/null") == 0;
  return has;
}

std::string SchemaFileProblem(const Json& document, const std::string& path) {
  return Problem(DumpJson(document) + "\n", path);
}

std::string SchemaProblem(const Json& document, std::string_view name) {
  return SchemaProblemOfLines(DumpJson(document) + "\n", name);
}

std::string SchemaProblemOfLines(std::string_view lines, std::string_view name) {
  return Problem(lines, std::string(ANECHECK_SOURCE_DIR "/reports/schemas/") + std::string(name) +
                            ".schema.json");
}

}  // namespace anecheck::reports
