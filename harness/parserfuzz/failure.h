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
  // A signal ended the program, or ended a shell's command according to the shell's exit code (128
  // plus the signal); an uncaught error ended it (uncaught.h); or its exit is a crash by
  // CrashSigns.
  kCrash,
  kSanitizer,  // it printed a sanitizer's report
  kHang,
  kMemory,
  kDisagreement,  // one of two commands accepts the file, the other does not
};
std::string_view FailureKindName(FailureKind kind);

// Signs, other than a signal or an uncaught error, that a parser failed rather than refused a file.
struct CrashSigns {
  std::vector<int> exit_codes;
  std::vector<std::string> texts;  // on standard error
};

struct Failure {
  FailureKind kind = FailureKind::kNone;
  // For display: the kind, then the text of the sanitizer's report (signature.h), or the last line
  // of output without numbers.
  std::string signature = {};
  // The text is equal for failures that are probably one bug of one command. It is the signature,
  // except that all wrong accesses at one place are one bug.
  std::string bug = {};
  // If only the parser's own text distinguishes the failure from others: the part of the signature
  // without that text. Else empty.
  std::string group = {};
  // For a hang whose stack is known: its functions, the outermost first, and the place of each.
  std::vector<std::string> stack = {};
  std::vector<std::string> places = {};
};

// `detail` is the part of a report, or the place, that distinguishes the failure from others.
Failure MakeFailure(FailureKind kind, std::string_view detail);
// As above, but `detail` is only the beginning. The last line of `err` distinguishes the failure
// from others.
Failure MakeFailure(FailureKind kind, std::string_view detail, std::string_view err);

// The failure of one run, or no failure.
Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits,
                 const CrashSigns& signs = {});

// Narrows the stack of the hang `failure` to the outermost functions that it shares with
// `other_stack`, and names the hang by them. A stack of a loop may end in any function that the
// loop calls.
void NarrowHang(Failure& failure, const std::vector<std::string>& other_stack);

// Whether a hang with `stack` is the one that was narrowed to `known`.
bool IsHangOf(const std::vector<std::string>& stack, const std::vector<std::string>& known);

// Whether both are probably one bug. For hangs, only `known` may be narrowed.
bool IsSameBug(const Failure& failure, const Failure& known);

// As IsSameBug, but a hang that is narrowed to the outermost function is only the same as a hang of
// that function: every stack begins with it, also those of other hangs.
bool IsSameNarrowedBug(const Failure& failure, const Failure& known);

}  // namespace anecheck::parserfuzz
