// Contradictions between sources: conflicts among given statements, and the shipped list of known
// conflicts, with each claim ("reading"), its source and the declared winner.
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
        reached;  // whether the operation was reached; nothing if the claim does not say
  };
  // `subject` is the question on which the sources differ. `cell` is the operation or layer of the
  // matrix whose state they decide; it is empty if they decide none. `targets` is "all" or a list
  // of compiler names with commas.
  std::string id, subject, cell, targets, why;
  std::vector<Reading> readings;

  // Returns whether the conflict decides the state of an operation on a target.
  bool IsAbout(std::string_view operation, std::string_view target) const;
  // Returns whether the declared winner states that the operation was reached; nothing if no winner
  // is declared.
  std::optional<bool> Winner() const;
};
const std::vector<KnownConflict>& KnownConflicts();
// Returns the conflict with a declared winner that decides the state of an operation on a target,
// or null.
const KnownConflict* DecidingConflict(std::string_view operation, std::string_view target);

// Two statements about one subject and target that cannot both be true: one states that it was
// reached, the other that it was refused. Statements with different routes, operating systems or
// compiler versions do not conflict, because both can be true.
struct Conflict {
  size_t stronger = 0, weaker = 0;  // indices
  bool decided = false;             // a known conflict names the winner, or one is stronger
  std::string why;
};
std::vector<Conflict> FindConflicts(std::span<const Statement> statements);

// The result of several statements about one operation, target and route.
struct Settled {
  // kCatalogued if no statement decides; kDisputed if equally strong statements contradict each
  // other; else the furthest stage of the strongest statements.
  Stage stage = Stage::kCatalogued;
  std::vector<uint32_t> by;  // indices of the strongest statements, both sides of a dispute
  const KnownConflict* conflict = nullptr;  // the known conflict whose winner decided, or null
};
// `of_cell` are indices in `statements`. The order of statements does not matter.
Settled Settle(std::span<const Statement> statements, std::span<const uint32_t> of_cell);

}  // namespace anecheck::evidence
