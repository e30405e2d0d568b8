// Verdicts on an engine, from a case, an output, an operation of a graph or a finding.
#pragma once

#include <cstdint>

#include "harness/verdict/words.h"

namespace anecheck {

// Best first. If a case shows several results, the greater verdict counts.
enum class Verdict : uint8_t {
  kPass,          // every element lies inside its interval, or the graph was refused as it must be
  kInconclusive,  // nothing lies outside, and too little was judged to say more
  kKnownDefect,   // documented defects of the family explain the elements outside
  // Only terms never measured on the family forbid the elements outside, or a single element shows
  // a documented defect that runs on other inputs do not confirm.
  kUnconfirmed,
  kOften,          // many results of one operation are unconfirmed; only of findings
  kBiased,         // errors lean one way inside their bounds; only of findings
  kFlaky,          // did not repeat in fresh processes; only of findings
  kDiffers,        // another runner gave other bits (`run --against`), each inside its bound
  kMisplaced,      // ran on another device than the engine
  kSlow,           // compiling took longer than a program of its size may take
  kStrayOutput,    // the engine wrote to the standard output or error of its process
  kMemoryGrowth,   // its process held too much memory, or more with each case
  kSlotLeak,       // a program was not released, or a load failed that succeeds in a fresh process
  kStrayWrite,     // the engine wrote to an input, or past the end of an output
  kAccepted,       // a graph that breaks a rule was not refused
  kRejected,       // the compiler refused a graph that the rules admit
  kFailed,         // accepted, and then it failed to load or run, or its files are not as planned
  kGarbled,        // the answer does not have the required form
  kHung,           // no answer within the time limit
  kCrashed,        // the process died
  kNotRepeatable,  // a second execution of the same program gave other values
  kWrong,          // values lie outside without explanation
};

template <>
struct Words<Verdict> {
  static constexpr std::string_view kConcept = "verdict";
  static constexpr auto kTexts = std::to_array<std::string_view>(
      {"pass",           "inconclusive",  "known-defect", "unconfirmed", "often-unconfirmed",
       "biased",         "flaky",         "differs",      "misplaced",   "slow",
       "stray-output",   "memory-growth", "slot-leak",    "stray-write", "accepted",
       "rejected",       "failed",        "garbled",      "hung",        "crashed",
       "not-repeatable", "wrong"});
};

// Returns whether a verdict makes a row among the findings.
constexpr bool IsSuspect(Verdict verdict) { return verdict > Verdict::kInconclusive; }

// The meaning of a finding's verdict. A lean counts as unconfirmed, because no measurement has
// shown that engines round to nearest.
enum class FindingKind : uint8_t { kNew, kKnownDefect, kUnconfirmed };
constexpr FindingKind KindOfFinding(Verdict verdict) {
  if (verdict == Verdict::kKnownDefect) return FindingKind::kKnownDefect;
  const bool open = verdict == Verdict::kUnconfirmed || verdict == Verdict::kBiased;
  return open ? FindingKind::kUnconfirmed : FindingKind::kNew;
}

// A finding is new unless a documented defect explains it or it is unconfirmed.
constexpr bool IsNewFinding(Verdict verdict) {
  return IsSuspect(verdict) && KindOfFinding(verdict) == FindingKind::kNew;
}

}  // namespace anecheck
