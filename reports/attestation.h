// The matrix of attested and reached operations. For each operation and native layer, on each
// target and by each route, it has the answer of the legality rules and the evidence. `anecheck
// matrix` prints this matrix.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/evidence/cell.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck::reports {

struct AttestationCell : evidence::Cell {
  uint32_t verdict = 0;              // index in Attestation::verdicts
  std::vector<uint32_t> statements;  // indices in Attestation::statements
  bool conflict = false;             // two of the cell's statements contradict each other
  bool fresh = false;                // the stage differs from the baseline
};

struct AttestationRow {
  std::string name, row_class;
  bool native_layer = false;
  // For each route, the arguments of `anecheck run --ops` that test the row. They are the row's
  // name or, for a native layer, the operations whose network description uses the layer. Empty if
  // no case can use the route.
  std::vector<std::string> tested_by[2];
};

// A cell whose stage differs from the baseline.
struct AttestationChange {
  size_t row = 0, target = 0, route = 0;
  std::string before;  // StageText of the baseline; empty if the baseline lacks the cell
};

struct Attestation {
  std::vector<AttestationRow> rows;
  std::vector<const Target*> targets;
  std::vector<Route> routes;
  std::vector<legality::Verdict> verdicts;  // distinct verdicts
  std::vector<evidence::Statement> statements;
  std::vector<evidence::Conflict> conflicts;  // pairs of statements that contradict each other
  std::vector<AttestationCell> cells;         // [row][target][route]
  // The cells for which `fresh` is true. Set by CompareWithBaseline.
  std::optional<std::vector<AttestationChange>> changes;

  const AttestationCell& at(size_t row, size_t target, size_t route) const {
    return cells[(row * targets.size() + target) * routes.size() + route];
  }
};

struct AttestationOptions {
  std::vector<Route> routes = {Route::kMil, Route::kNetlist};
  FamilyOrder order = FamilyOrder::kSpecification;
  // If set, statements of another operating system or compiler version are dropped. Others are
  // kept.
  std::string os, compiler_version;
};

// `targets` must outlive the result.
Result<Attestation> BuildAttestation(std::vector<const Target*> targets,
                                     std::vector<evidence::Statement> statements,
                                     const AttestationOptions& options = {});

// Keeps only the rows with these names, in the order of the matrix.
void KeepRows(std::span<const std::string> names, Attestation& matrix);

// Marks and lists the cells whose stage differs from an earlier AttestationJson. Messages begin
// with `name`. The error is kMalformed if `baseline_json` is not such a document.
Status CompareWithBaseline(std::string_view baseline_json, std::string_view name,
                           Attestation& matrix);

// Form 1, with the members "targets", "routes", "ops", "verdicts", "statements", "known_conflicts"
// and "cells". A cell is [row, target, route, state, kind, verdict, flags, [statements]]. The flags
// are 1 admitted, 2 reached, 4 conflict, 8 silicon with a proof, and 16 new. Each entry of "ops"
// has the arguments of `run --ops` that test it.
Json AttestationJson(const Attestation& matrix);
// The first column is `op`. Each target and route has two columns, the state with its basis and the
// answer of the rules alone.
std::string AttestationCsv(const Attestation& matrix);
// In text and Markdown, the changes since the baseline follow the table, and then the number of
// cells whose campaign results a published statement outranks.
std::string AttestationMarkdown(const Attestation& matrix);
// One section for each target, for a terminal.
std::string AttestationText(const Attestation& matrix, size_t columns = 0);
// The page is one file that needs no network.
std::string AttestationHtml(const Attestation& matrix);

}  // namespace anecheck::reports
