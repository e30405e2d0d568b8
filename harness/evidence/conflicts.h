// Sources that contradict each other: those among given statements, and the known ones that are
// shipped, with every reading, its source and the one that is declared to win.
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
    bool stronger = false;        // the declared winner
    std::optional<bool> reached;  // whether the operation was; nothing where it speaks of neither
  };
  // `subject` is the question on which the sources differ; `cell` the operation or layer of the
  // matrix whose state they decide, empty where they decide none. `targets`: "all" or compiler
  // names with commas.
  std::string id, subject, cell, targets, why;
  std::vector<Reading> readings;

  // Whether it decides the state of an operation on a target.
  bool IsAbout(std::string_view operation, std::string_view target) const;
  // Whether the declared winner says that the operation was reached; nothing where none is
  // declared.
  std::optional<bool> Winner() const;
};
const std::vector<KnownConflict>& KnownConflicts();
// The conflict with a declared winner that decides the state of an operation on a target, or null.
const KnownConflict* DecidingConflict(std::string_view operation, std::string_view target);

// Two statements about one subject and target that cannot both hold: one says it was reached, the
// other that it was refused. Statements of different routes, operating systems or compiler
// versions do not conflict; those are filters.
struct Conflict {
  size_t stronger = 0, weaker = 0;  // indices
  bool decided = false;             // a known conflict names the winner, or one is stronger
  std::string why;
};
std::vector<Conflict> FindConflicts(std::span<const Statement> statements);

// The result of several statements about one operation, target and route.
struct Settled {
  // kCatalogued where no statement decides; kDisputed where equally strong ones contradict each
  // other; else the furthest stage of the strongest.
  Stage stage = Stage::kCatalogued;
  std::vector<uint32_t> by;  // the statements that it rests on, both sides of a dispute
  const KnownConflict* conflict = nullptr;  // the known conflict whose winner decided, or null
};
// `of_cell` are indices in `statements`. The order of statements does not matter.
Settled Settle(std::span<const Statement> statements, std::span<const uint32_t> of_cell);

}  // namespace anecheck::evidence
