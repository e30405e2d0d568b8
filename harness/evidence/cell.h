// The knowledge about an operation on a target by a route. It has the rules' answer, the evidence,
// and a cell that states one of the two. The matrix, the report, `explain`, `lower`, `check` and
// `inspect --verify` all use these functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/evidence/conflicts.h"
#include "harness/ops/op.h"
#include "harness/targets/target.h"
#include "oracles/legality/legality.h"

namespace anecheck::evidence {

struct Cell {
  // If only the rules decide, one of kAttested, kDecomposed, kRefused, kNoPath and kUnknown. If
  // sources disagree, kDisputed. Else the furthest stage of the strongest evidence.
  Stage stage = Stage::kUnknown;
  // The basis of the stage: "rules", "published tables", or a provenance.
  std::string kind = "rules";
  std::optional<Strength> strength;  // of the evidence for the stage
  std::vector<uint32_t> by;  // indices of the statements for the stage; of both sides in a dispute
  const KnownConflict* conflict = nullptr;  // the known conflict whose winner decided, or null
  bool admitted = false;                    // the rules admit the operation
  bool reached = false;                     // evidence states that the operation was reached
  bool silicon = false;                     // a statement has a proof that was checked
};

// Returns the stage that the rules alone give.
Stage StageOfRules(legality::Outcome outcome);
// Returns whether the rules admit the operation, unchanged or after a rewrite.
bool Admits(legality::Outcome outcome);

// Returns the cell of one operation, target and route. `outcome` is the rules' answer; `of_cell`
// are the indices of the statements about it.
Cell CellOf(legality::Outcome outcome, std::span<const Statement> statements,
            std::span<const uint32_t> of_cell);

// Returns the text of a cell, as every command writes it, such as "correct (simulated)", "attested"
// or "sources disagree (published)".
std::string CellText(const Cell& cell);
// Returns the name of a stage in documents, such as "no path" for the "no_path" of statements.
std::string StageText(Stage stage);

// Returns the native layer that an operation's network description names, or an empty text.
std::string_view LayerOf(const OpDefinition& op);
// Returns whether a statement is about the operation or layer `name`. It is if `name` is its
// subject, or the layer of its subject and the subject was reached by direct authoring. If the
// subject was not reached, the statement is not about its layer.
bool SpeaksOf(const Statement& statement, std::string_view name);

// Returns the index of the route that a statement is about. A statement without a route is about
// the first route that the rules admit, else about conversion or, for a native layer, direct
// authoring. `outcomes` are the rules' outcomes, in the order of `routes`.
size_t RouteOf(const Statement& statement, std::span<const Route> routes,
               std::span<const legality::Outcome> outcomes, bool native_layer);

// The answer about one instance: the verdict of each layer of the compiler, and the cell.
struct Answer {
  legality::Verdict verdict;
  std::vector<uint32_t> statements;  // indices of the statements about the cell
  Cell cell;
};
// Answers about one instance. If the rules judge the instance differently from the operation in
// general, statements do not apply to it, and only the rules decide. Errors: those of
// legality::Judge.
Result<Answer> AnswerOf(const legality::Instance& instance, const Target& target, Route route,
                        std::span<const Statement> statements,
                        FamilyOrder order = FamilyOrder::kSpecification);

}  // namespace anecheck::evidence
