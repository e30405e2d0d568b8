// Statements about the stage that an operation reached on a target. They come from publications,
// campaigns, and measurements by others. All statements are kept with their sources, even if they
// contradict each other. README.md of this room states the strength of each kind. The rules never
// use statements for predictions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/verdict/provenance.h"
#include "harness/verdict/route.h"
#include "harness/verdict/stage.h"

namespace anecheck::evidence {

// One statement. The CSV form has these columns, in any order; subject, target, stage, provenance
// and source are required. The JSON form is {"version": 1, "statements": [{...}]}, whose members
// have these names and are all texts.
//   subject           a MIL operation or native layer, "conv" or "conv [kernel_depth=2]" for one
//                     instance of it
//   target            compiler name, "h13"
//   route             mil, netlist, or empty if the source does not say
//   stage             no_path, rejected, catalogued, decomposed, attested, compiled, planned,
//                     dispatched, correct, wrong
//   status            the source's own word: "bridge", "reachable_correct"
//   relative_error    numeric class or error, as the source gives it
//   provenance        silicon, simulated, emulated, roundtrip, reported, published
//   basis             the basis of the source: silicon, compiler tables, stated, simulated
//   source, date, tool_version, chip, os, compiler_version, note
struct Statement {
  std::string subject, target;
  std::optional<Route> route;
  Stage stage = Stage::kCatalogued;
  Provenance provenance = Provenance::kReported;
  std::string status, relative_error, basis, source, date, tool_version, chip, os, compiler_version,
      note;

  friend bool operator==(const Statement&, const Statement&) = default;
};

// Reads a user's file in either form, recognised by the first character. Replaces aliases of
// subjects by the canonical names. A user's file contains claims without proof, so a row that
// claims `silicon` or `published` becomes `reported`, with a note. Errors: kMalformed for wrong
// rows; messages begin with `name`.
Result<std::vector<Statement>> ParseStatements(std::string_view text, std::string_view name);
std::string StatementsJson(std::span<const Statement> statements);

// Returns the published tables (facts/op_device_matrix.csv, silicon_sweep_m5.csv,
// known_defects.csv), converted to statements.
const std::vector<Statement>& Published();

// Returns the canonical name of an alias, such as "gelu" for "gelu_exact" or "LRN" for
// "LocalResponseNormalization". Returns other names unchanged.
std::string Canonical(std::string_view subject);

// The strength of a statement, weakest first. A statement's basis can only lower its strength.
// Among the published rows of this project, the basis separates measured rows from derived rows.
enum class Strength : uint8_t {
  kNoEngine,          // a round trip through this project's readers and writers
  kModelled,          // a simulated or an emulated engine
  kStated,            // published, but only derived from tables or stated
  kReported,          // from a user's file or an external program
  kPublishedSilicon,  // published, measured on silicon
  kProvedSilicon,     // this tool's own runner, with a proof that was checked
};
Strength StrengthOf(const Statement& statement);
std::string_view StrengthReason(const Statement& statement);

// Returns whether the statement says that its operation was reached, was refused, or failed. A
// statement about one instance does not decide, and a statement that only lists or admits the
// operation does not decide either.
bool Decides(const Statement& statement);

}  // namespace anecheck::evidence
