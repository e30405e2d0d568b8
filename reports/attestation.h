// The matrix of attested against reached: for each operation and native layer, on each target and
// by each route, the answer of the legality rules and the evidence. The matrix of
// `anecheck matrix`.
#pragma once

#include <cstdint>
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
  bool conflict = false;             // two of the statements cannot both hold
  bool fresh = false;                // the stage is not the baseline's
};

struct AttestationRow {
  std::string name, row_class;
  bool native_layer = false;
  // The names that `anecheck run --ops` takes to test it, by route: itself, and for a native layer
  // the operations whose network description names it. Empty where no case is made by that route.
  std::vector<std::string> tested_by[2];
};

struct Attestation {
  std::vector<AttestationRow> rows;
  std::vector<const Target*> targets;
  std::vector<Route> routes;
  std::vector<legality::Verdict> verdicts;  // each chain of layers once
  std::vector<evidence::Statement> statements;
  std::vector<evidence::Conflict> conflicts;  // between statements
  std::vector<AttestationCell> cells;         // [row][target][route]

  const AttestationCell& at(size_t row, size_t target, size_t route) const {
    return cells[(row * targets.size() + target) * routes.size() + route];
  }
};

struct AttestationOptions {
  std::vector<Route> routes = {Route::kMil, Route::kNetlist};
  FamilyOrder order = FamilyOrder::kSpecification;
  // Leaves out statements of another operating system or compiler version; those that do not say
  // stay.
  std::string os, compiler_version;
};

// `targets` must outlive the result.
Result<Attestation> BuildAttestation(std::vector<const Target*> targets,
                                     std::vector<evidence::Statement> statements,
                                     const AttestationOptions& options = {});

// Leaves the rows of these names, in the matrix's order.
void KeepRows(std::span<const std::string> names, Attestation& matrix);

// Marks the cells whose stage differs from that in an earlier AttestationJson. `name` begins
// messages. kMalformed for another document.
Status CompareWithBaseline(std::string_view baseline_json, std::string_view name,
                           Attestation& matrix);

// Form 1: "targets", "routes", "ops", "verdicts", "statements", "known_conflicts" and "cells", each
// cell [row, target, route, state, kind, verdict, flags, [statements]] with flags 1 admitted,
// 2 reached, 4 conflict, 8 silicon with a proof, 16 new. Each of "ops" names the argument of
// `run --ops` that tests it.
Json AttestationJson(const Attestation& matrix);
// First column `op`, then two for each target and route: the state with its basis, and the answer
// of the rules alone.
std::string AttestationCsv(const Attestation& matrix);
std::string AttestationMarkdown(const Attestation& matrix);
// A section a target, for a terminal.
std::string AttestationText(const Attestation& matrix, size_t columns = 0);
// The page: one file, no network.
std::string AttestationHtml(const Attestation& matrix);

}  // namespace anecheck::reports
