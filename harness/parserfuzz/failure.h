// Classifies the failure of a parser on a file, and decides whether two failures are one bug.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/parserfuzz/command.h"

namespace anecheck::parserfuzz {

enum class FailureKind : uint8_t {
  kNone,
  // A signal or an uncaught error (uncaught.h) ended the program, or its exit is a crash by
  // CrashSigns. A shell reports a signal that ended its command by the exit code 128 plus the
  // signal.
  kCrash,
  kSanitizer,  // the program printed a sanitizer's report
  kHang,
  kMemory,
  kDisagreement,  // only one of two commands accepts the file
};
std::string_view FailureKindName(FailureKind kind);

// Signs, other than a signal or an uncaught error, that a parser failed.
struct CrashSigns {
  std::vector<int> exit_codes;
  std::vector<std::string> texts;  // on standard error
};

struct Failure {
  FailureKind kind = FailureKind::kNone;
  // For display: the kind, then the text of the sanitizer's report (signature.h), or the last line
  // of output without numbers.
  std::string signature = {};
  // A text that is equal for failures that are probably one bug of one command. It equals the
  // signature, except that it has the same words for all wrong accesses at one place.
  std::string bug = {};
  // The part of the signature before the parser's own text, if only that text distinguishes the
  // failure from others. Else empty.
  std::string group = {};
  // For a hang with a known stack, its functions, the outermost first, and the place of each.
  std::vector<std::string> stack = {};
  std::vector<std::string> places = {};
};

// Makes a failure. `detail` is the part of a report, or the place, that distinguishes it.
Failure MakeFailure(FailureKind kind, std::string_view detail);
// As above, but `detail` is only the beginning. The last line of `err` distinguishes the failure
// from others.
Failure MakeFailure(FailureKind kind, std::string_view detail, std::string_view err);

// Returns the failure of one run, or a failure of kind kNone.
Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits,
                 const CrashSigns& signs = {});

// Narrows the stack of the hang `failure` to the outermost functions that it shares with
// `other_stack`, and renames the hang accordingly. This is needed because a stack of a loop may end
// in any function that the loop calls.
void NarrowHang(Failure& failure, const std::vector<std::string>& other_stack);

// Whether a hang with `stack` is the hang whose stack was narrowed to `known`.
bool IsHangOf(const std::vector<std::string>& stack, const std::vector<std::string>& known);

// Whether both failures are probably one bug. The stack of a hang may be narrowed only in `known`.
bool IsSameBug(const Failure& failure, const Failure& known);

// As IsSameBug, but a hang whose stack is narrowed to the outermost function equals only a hang
// narrowed to the same function. Every stack begins with the outermost function, so stacks of other
// hangs would match too.
bool IsSameNarrowedBug(const Failure& failure, const Failure& known);

}  // namespace anecheck::parserfuzz
