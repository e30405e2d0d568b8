// Statements about how far an operation got on a target: what has been published, what campaigns
// found, what other people's sweeps say. Kept side by side with their sources, also where they
// contradict each other. Read by the matrix; predictions never look here.
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

// One statement. The CSV form has these columns, in any order, of which subject, target, stage,
// provenance and source are needed; the JSON form is {"version": 1, "statements": [{...}]} with the
// same names, all texts.
//   subject           a MIL operation or native layer, "conv" or "conv [kernel_depth=2]" for one
//                     instance of it
//   target            compiler name, "h13"
//   route             mil, netlist, or empty where the source does not say
//   stage             no_path, rejected, catalogued, attested, compiled, dispatched, correct, wrong
//   status            the source's own word: "bridge", "reachable_correct"
//   relative_error    numeric class or error, as the source gives it
//   provenance        silicon, simulated, emulated, roundtrip, reported, published
//   basis             what the source rests on: silicon, compiler tables, stated, simulated
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

// Reads either form, told apart by the first character. Subjects are replaced by their aliases'
// names. `name` begins messages; wrong rows are kMalformed.
Result<std::vector<Statement>> ParseStatements(std::string_view text, std::string_view name);
std::string StatementsJson(std::span<const Statement> statements);

// The published tables (facts/op_device_matrix.csv, silicon_sweep_m5.csv, known_defects.csv),
// converted to the CSV form.
const std::vector<Statement>& Published();

// "gelu_exact" is "gelu", "LocalResponseNormalization" is "LRN"; other names stay.
std::string Canonical(std::string_view subject);

// How far a statement can be trusted against another: silicon, then what others report, then what
// is only stated or derived from tables, then the simulated engine, then a round trip, which asks
// no engine at all. Larger is stronger.
int Strength(const Statement& statement);
std::string_view StrengthReason(const Statement& statement);

// Two statements about one subject and target that cannot both hold: one says it was reached, the
// other that it was refused. Statements of different routes, operating systems or compiler
// versions do not conflict; those are filters.
struct Conflict {
  size_t stronger = 0, weaker = 0;  // indices
  bool decided = false;             // one is stronger than the other
  std::string why;
};
std::vector<Conflict> FindConflicts(std::span<const Statement> statements);

// A conflict between sources that is known and shipped: every reading with its source.
struct KnownConflict {
  struct Reading {
    std::string says, source;
    bool stronger = false;
  };
  std::string id, subject, targets, why;
  std::vector<Reading> readings;
};
const std::vector<KnownConflict>& KnownConflicts();

}  // namespace anecheck::evidence
