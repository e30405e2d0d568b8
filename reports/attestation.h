// The matrix of attested against reached: for each operation and native layer, on each target and
// by each route, the answer of the legality rules and the evidence. `anecheck matrix` prints this
// matrix.
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
  bool conflict = false;             // two of the statements contradict each other
  bool fresh = false;                // the stage is not the baseline's
};

struct AttestationRow {
  std::string name, row_class;
  bool native_layer = false;
  // The arguments of `anecheck run --ops` that test the row, by route: its own name, or for a
  // native layer the operations whose network description names the layer. Empty if no case can use
  // that route.
  std::vector<std::string> tested_by[2];
};

// A cell whose stage is not the baseline's.
struct AttestationChange {
  size_t row = 0, target = 0, route = 0;
  std::string before;  // StageText of the baseline; empty if the baseline lacks the cell
};

struct Attestation {
  std::vector<AttestationRow> rows;
  std::vector<const Target*> targets;
  std::vector<Route> routes;
  std::vector<legality::Verdict> verdicts;  // each chain of layers once
  std::vector<evidence::Statement> statements;
  std::vector<evidence::Conflict> conflicts;  // between statements
  std::vector<AttestationCell> cells;         // [row][target][route]
  // The cells with `fresh`; set by CompareWithBaseline.
  std::optional<std::vector<AttestationChange>> changes;

  const AttestationCell& at(size_t row, size_t target, size_t route) const {
    return cells[(row * targets.size() + target) * routes.size() + route];
  }
};

struct AttestationOptions {
  std::vector<Route> routes = {Route::kMil, Route::kNetlist};
  FamilyOrder order = FamilyOrder::kSpecification;
  // Drops statements of another operating system or compiler version; keeps statements that name
  // none.
  std::string os, compiler_version;
};

// `targets` must outlive the result.
Result<Attestation> BuildAttestation(std::vector<const Target*> targets,
                                     std::vector<evidence::Statement> statements,
                                     const AttestationOptions& options = {});

// Keeps only the rows with these names, in the order of the matrix.
void KeepRows(std::span<const std::string> names, Attestation& matrix);

// Marks and lists the cells whose stage differs from an earlier AttestationJson. Messages begin
// with `name`. kMalformed for any other document.
Status CompareWithBaseline(std::string_view baseline_json, std::string_view name,
                           Attestation& matrix);

// Form 1: "targets", "routes", "ops", "verdicts", "statements", "known_conflicts" and "cells", each
// cell [row, target, route, state, kind, verdict, flags, [statements]] with flags 1 admitted, 2
// reached, 4 conflict, 8 silicon with a proof, 16 new. Each entry of "ops" has the arguments of
// `run --ops` that test it.
Json AttestationJson(const Attestation& matrix);
// The first column is `op`; each target and route has two more: the state with its basis, and the
// answer of the rules alone.
std::string AttestationCsv(const Attestation& matrix);
// Below the table of text and Markdown stand the changes since the baseline, and the number of
// cells whose campaign results a published statement outranks.
std::string AttestationMarkdown(const Attestation& matrix);
// One section for each target, for a terminal.
std::string AttestationText(const Attestation& matrix, size_t columns = 0);
// The page: one file that needs no network.
std::string AttestationHtml(const Attestation& matrix);

}  // namespace anecheck::reports
