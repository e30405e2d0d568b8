// The kind of a parser's failure on a file, and whether two failures are one bug.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/parserfuzz/command.h"

namespace anecheck::parserfuzz {

enum class FailureKind : uint8_t {
  kNone,
  // A signal ended it, or a shell says by the exit code (128 and the signal) that one ended its
  // command; an error that its language does not let pass ended it (uncaught.h); or its exit is a
  // crash by CrashSigns.
  kCrash,
  kSanitizer,  // it printed a sanitizer's report
  kHang,
  kMemory,
  kDisagreement,  // one of two commands accepts the file, the other does not
};
std::string_view FailureKindName(FailureKind kind);

// Signs other than a signal or an uncaught error by which a parser shows that it has not refused a
// file but failed.
struct CrashSigns {
  std::vector<int> exit_codes;
  std::vector<std::string> texts;  // on standard error
};

struct Failure {
  FailureKind kind = FailureKind::kNone;
  // For people: the kind and the report's words (signature.h), or the last line of the output
  // without numbers.
  std::string signature = {};
  // Equal for failures that are probably one bug of one command: the signature, but that wrong
  // accesses at one place are one, whatever they met there.
  std::string bug = {};
  // The part of the signature that does not depend on the words of the parser, if these alone tell
  // it from others; else empty.
  std::string group = {};
  // For a hang whose stack is known: its functions, the outermost first, and the place of each.
  std::vector<std::string> stack = {};
  std::vector<std::string> places = {};
};

// The part of a report or a place that tells it from others.
Failure MakeFailure(FailureKind kind, std::string_view detail);
// The part of the parser's words, in the last line that it wrote, that tells it from others.
Failure MakeFailure(FailureKind kind, std::string_view detail, std::string_view err);

// How one run ended, as a failure or none.
Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits,
                 const CrashSigns& signs = {});

// The hang `failure`, named by the functions that several of its stacks share from the outermost
// on: a loop is met in any of the functions that it calls.
void NarrowHang(Failure& failure, const std::vector<std::string>& other_stack);

// Whether a hang with `stack` is the one that was narrowed to `known`.
bool IsHangOf(const std::vector<std::string>& stack, const std::vector<std::string>& known);

// Whether both are probably one bug. For hangs, only `known` may be narrowed.
bool IsSameBug(const Failure& failure, const Failure& known);

}  // namespace anecheck::parserfuzz
