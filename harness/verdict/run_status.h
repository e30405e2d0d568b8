// How the run of one case ended, before its values are judged.
#pragma once

#include <cstdint>

#include "harness/verdict/verdict.h"
#include "harness/verdict/words.h"

namespace anecheck {

enum class RunStatus : uint8_t {
  kOk,            // it ran and has outputs
  kRejected,      // the compiler refused it
  kFailed,        // it was accepted and then failed to load or run
  kCrashed,       // the worker process died
  kHung,          // no answer within the time limit
  kGarbled,       // the answer was not understood
  kMemoryGrowth,  // the process was stopped: it used more memory than allowed
  kStrayOutput,   // the process was stopped: it wrote without end to a stream that must stay empty
  kNotRun,        // the case was not run: it is too large, or the runner takes none of its forms
};

template <>
struct Words<RunStatus> {
  static constexpr std::string_view kConcept = "status";
  static constexpr auto kTexts =
      std::to_array<std::string_view>({"ok", "rejected", "failed", "crashed", "hung", "garbled",
                                       "memory-growth", "stray-output", "not-run"});
};

// The verdict on a case if nothing else is known about it.
constexpr Verdict VerdictOf(RunStatus status) {
  switch (status) {
    case RunStatus::kOk:
      return Verdict::kPass;
    case RunStatus::kRejected:
      return Verdict::kRejected;
    case RunStatus::kFailed:
      return Verdict::kFailed;
    case RunStatus::kCrashed:
      return Verdict::kCrashed;
    case RunStatus::kHung:
      return Verdict::kHung;
    case RunStatus::kGarbled:
      return Verdict::kGarbled;
    case RunStatus::kMemoryGrowth:
      return Verdict::kMemoryGrowth;
    case RunStatus::kStrayOutput:
      return Verdict::kStrayOutput;
    case RunStatus::kNotRun:
      break;
  }
  return Verdict::kInconclusive;
}

// The step at which a run stopped, in the order in which a program passes them.
enum class Step : uint8_t {
  kNone,      // it did not stop, or the place is unknown
  kParser,    // of the program's text
  kFrontend,  // the six layers of the compiler (oracles/legality)
  kFloor,
  kHal,
  kValidator,
  kCodegen,
  kCompile,  // some step of the compiler
  kLoad,     // there is a program from here on
  kRun,
  kFiles,  // the compiler's files, compared with the plan
  kMil,    // forms of the round trip: MIL text, a network description, a compiled program
  kNetlist,
  kCompiled,
};

template <>
struct Words<Step> {
  static constexpr std::string_view kConcept = "stage";
  static constexpr auto kTexts = std::to_array<std::string_view>(
      {"", "parser", "frontend", "floor", "hal", "validator", "codegen", "compile", "load", "run",
       "files", "mil", "netlist", "compiled"});
};

// Returns whether the compiler had made a program when the run stopped at `step`.
constexpr bool HasProgram(Step step) { return step == Step::kLoad || step == Step::kRun; }

}  // namespace anecheck
