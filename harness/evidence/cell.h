// The one answer to "what is known of this operation on this target by this route": the rules'
// answer, the evidence, and which of the two the cell therefore states. The matrix, the report,
// `explain`, `lower`, `check` and `inspect --verify` all ask here.
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
  // kAttested, kDecomposed, kRefused, kNoPath, kUnknown of the rules alone; kDisputed where sources
  // disagree; else the furthest stage of the strongest evidence.
  Stage stage = Stage::kUnknown;
  // The basis of the stage: "rules", "published tables", or a provenance.
  std::string kind = "rules";
  std::optional<Strength> strength;         // of the evidence that the stage rests on
  std::vector<uint32_t> by;                 // statements that it rests on, both sides of a dispute
  const KnownConflict* conflict = nullptr;  // the known conflict whose winner decided, or null
  bool admitted = false;                    // by the rules
  bool reached = false;                     // the evidence that counts says so
  bool silicon = false;                     // some statement has a proof that was checked
};

// The stage by the rules alone.
Stage StageOfRules(legality::Outcome outcome);
// Whether the rules admit it as it is or after a rewrite.
bool Admits(legality::Outcome outcome);

// `of_cell` are indices in `statements`: those about the operation, target and route
// that the rules judged so.
Cell CellOf(legality::Outcome outcome, std::span<const Statement> statements,
            std::span<const uint32_t> of_cell);

// The words of a cell, as every command writes them: "correct (simulated)", "attested",
// "sources disagree (published)".
std::string CellText(const Cell& cell);
// How documents call a stage: "no path" where statements have "no_path".
std::string StageText(Stage stage);

// The native layer that an operation's network description names, or empty.
std::string_view LayerOf(const OpDefinition& op);
// Whether a statement speaks of the operation or layer `name`: as its subject, or as the layer that
// an operation reached by direct authoring. A case that an operation did not reach says nothing of
// its layer's other uses.
bool SpeaksOf(const Statement& statement, std::string_view name);

// Gives each statement its place: which of the routes of its operation and target it speaks of.
// A statement that names no route speaks of the first one that the rules admit, else of conversion
// or, for a native layer, of direct authoring. `outcomes` are those of the routes, in their order.
size_t RouteOf(const Statement& statement, std::span<const Route> routes,
               std::span<const legality::Outcome> outcomes, bool native_layer);

// The knowledge of one instance: the answer of each layer of the compiler, and the cell.
struct Answer {
  legality::Verdict verdict;
  std::vector<uint32_t> statements;  // indices of those that speak of the cell
  Cell cell;
};
// Statements about an operation say nothing of an instance that the rules judge otherwise than the
// bare operation: the rules speak then. Errors: those of legality::Judge.
Result<Answer> AnswerOf(const legality::Instance& instance, const Target& target, Route route,
                        std::span<const Statement> statements,
                        FamilyOrder order = FamilyOrder::kSpecification);

}  // namespace anecheck::evidence
