// Stages: how far an operation got on a target, according to rules, campaigns and sweeps of others.
// Each cell of a matrix shows a stage.
#pragma once

#include <cstdint>

#include "harness/verdict/words.h"

namespace anecheck {

// The order is from least to most informative: refusals, answers of the rules, steps of compiling
// and running in their order, and last observed faults. Among equally strong evidence the greater
// stage counts.
enum class Stage : uint8_t {
  kUnknown,      // the rules rest on a value that no source states
  kDisputed,     // equally strong evidence says both that it was reached and that it was refused
  kNoPath,       // refused on every target
  kRefused,      // a rule refuses it
  kRejected,     // a compiler refused it
  kCatalogued,   // the operation is in a table
  kDecomposed,   // the rules admit it after a rewrite
  kAttested,     // the rules or the maker's tables admit it
  kCompiled,     // a compiler accepted it
  kPlanned,      // the compiled program places it on the engine
  kDispatched,   // ran on the engine
  kCorrect,      // ran, and every value lies inside its interval
  kUnconfirmed,  // ran, and its values are neither right nor proved wrong (Verdict::kUnconfirmed)
  kKnownDefect,  // a documented defect was seen in it
  kFailed,       // a new finding without wrong values: a crash, a hang; it reached nothing
  kWrong,        // ran, and its values are not right
};

template <>
struct Words<Stage> {
  static constexpr std::string_view kConcept = "stage";
  static constexpr auto kTexts = std::to_array<std::string_view>(
      {"unknown", "sources_disagree", "no_path", "refused", "rejected", "catalogued", "decomposed",
       "attested", "compiled", "planned", "dispatched", "correct", "unconfirmed", "known-defect",
       "failed", "wrong"});
};

// Returns whether a compiler or the engine accepted the operation. A table that admits it is not
// enough (specification 003: attested is not reachable).
constexpr bool Reached(Stage stage) { return stage >= Stage::kCompiled && stage != Stage::kFailed; }
// Returns whether the operation was refused.
constexpr bool Denied(Stage stage) { return stage >= Stage::kNoPath && stage <= Stage::kRejected; }

}  // namespace anecheck
