// Contradictions between sources. Finds conflicts among given statements, and has the shipped list
// of known conflicts. A known conflict has each claim ("reading"), its source and the declared
// winner.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/evidence/evidence.h"

namespace anecheck::evidence {

// A conflict between sources that is known and shipped (data/conflicts.csv).
struct KnownConflict {
  struct Reading {
    std::string says, source;
    bool stronger = false;  // the declared winner
    std::optional<bool>
        reached;  // whether the operation was reached; empty if the claim does not say
  };
  // `subject` is the question on which the sources differ. `cell` is the operation or layer of the
  // matrix whose state the conflict decides, or empty if it decides none. `targets` is "all" or a
  // list of compiler names, separated by commas.
  std::string id, subject, cell, targets, why;
  std::vector<Reading> readings;

  // Returns whether the conflict decides the state of an operation on a target.
  bool IsAbout(std::string_view operation, std::string_view target) const;
  // Returns whether the declared winner states that the operation was reached. Empty if no winner
  // is declared or if the winner does not say.
  std::optional<bool> Winner() const;
};
const std::vector<KnownConflict>& KnownConflicts();
// Returns the conflict with a declared winner that decides the state of an operation on a target,
// or null.
const KnownConflict* DecidingConflict(std::string_view operation, std::string_view target);

// Two statements about the same subject and target that cannot both be true. One states that the
// subject was reached, and the other one states that it was refused. Statements with different
// routes, operating systems or compiler versions do not conflict, because both can be true.
struct Conflict {
  size_t stronger = 0, weaker = 0;  // indices
  bool decided = false;  // a known conflict names the winner, or one statement is stronger
  std::string why;
};
std::vector<Conflict> FindConflicts(std::span<const Statement> statements);

// The stage that several statements about one operation, target and route give together.
struct Settled {
  // kCatalogued if no statement decides. kDisputed if equally strong statements contradict each
  // other. Else the furthest stage of the strongest statements.
  Stage stage = Stage::kCatalogued;
  std::vector<uint32_t> by;  // indices of the strongest statements; in a dispute, of both sides
  const KnownConflict* conflict = nullptr;  // the known conflict whose winner decided, or null
};
// `of_cell` are indices in `statements`. The result does not depend on the order of statements.
Settled Settle(std::span<const Statement> statements, std::span<const uint32_t> of_cell);

}  // namespace anecheck::evidence
