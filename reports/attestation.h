// The matrix of what is attested against what is reached: for each operation and native layer, on
// each target and by each route, what the legality rules admit and what evidence there is. What
// `anecheck matrix` prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/evidence/evidence.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// One cell. `stage` is the furthest that the strongest evidence shows or, without evidence that
// decides, what the rules say: kAttested, kDecomposed, kRefused, kNoPath, kUnknown.
struct AttestationCell {
  uint32_t verdict = 0;  // index in Attestation::verdicts
  Stage stage = Stage::kUnknown;
  std::string kind;                  // of the evidence: silicon, reported, ... ; "rules" for none
  int strength = -1;                 // of the evidence (evidence::Strength); -1 for none
  std::vector<uint32_t> statements;  // indices in Attestation::statements
  bool admitted = false;             // by the rules
  bool reached = false;              // by some statement
  bool conflict = false;             // two of the statements cannot both hold
  bool silicon = false;              // some statement rests on silicon
  bool fresh = false;                // the stage is not the baseline's
};

struct AttestationRow {
  std::string name, row_class;
  bool native_layer = false;
  // What `anecheck run --ops` takes to test it, by route: itself, and for a native layer the
  // operations whose network description names it. Empty where no case is made by that route.
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

// What campaigns found, one statement for each operation, target, route, provenance, chip,
// operating system and compiler version.
std::vector<evidence::Statement> StatementsOf(const ReportData& data);

// Marks the cells whose stage differs from that in an earlier AttestationJson. `name` begins
// messages. kMalformed for another document.
Status CompareWithBaseline(std::string_view baseline_json, std::string_view name,
                           Attestation& matrix);

// How the documents of the matrix call a stage: "no path" where statements have "no_path".
std::string_view StateText(Stage stage);

// Form 1: "targets", "routes", "ops", "verdicts", "statements", "known_conflicts" and "cells", each
// cell [row, target, route, state, kind, verdict, flags, [statements]] with flags 1 admitted,
// 2 reached, 4 conflict, 8 silicon, 16 new. Each of "ops" names what `run --ops` takes to test it.
Json AttestationJson(const Attestation& matrix);
// First column `op`, then one a target: of the routes that evidence reached the one with the
// strongest evidence, else the furthest.
std::string AttestationCsv(const Attestation& matrix);
std::string AttestationMarkdown(const Attestation& matrix);
// The page: one file, no network.
std::string AttestationHtml(const Attestation& matrix);

}  // namespace anecheck::reports
