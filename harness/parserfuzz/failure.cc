#include "harness/parserfuzz/failure.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <ranges>

#include "harness/parserfuzz/signature.h"
#include "harness/parserfuzz/stack_text.h"
#include "harness/parserfuzz/uncaught.h"

namespace anecheck::parserfuzz {
namespace {

// A sanitizer's names for wrong accesses. The name depends on the bytes at the wrong address, so
// one bug may have several names.
constexpr std::string_view kWrongAccess[] = {"heap-buffer-overflow",
                                             "stack-buffer-overflow",
                                             "stack-buffer-underflow",
                                             "global-buffer-overflow",
                                             "dynamic-stack-buffer-overflow",
                                             "container-overflow",
                                             "heap-use-after-free",
                                             "stack-use-after-return",
                                             "stack-use-after-scope",
                                             "unknown-crash",
                                             "SEGV",
                                             "BUS"};

std::string BugOf(std::string_view signature) {
  constexpr std::string_view kSanitizer = "AddressSanitizer: ";
  const size_t name = signature.find(kSanitizer);
  if (name == std::string_view::npos) return std::string(signature);
  const size_t begin = name + kSanitizer.size();
  const size_t end = std::min(signature.find(' ', begin), signature.size());
  const std::string_view word = signature.substr(begin, end - begin);
  // Without a stack, only the text of the report identifies the bug.
  if (end == signature.size() || std::ranges::find(kWrongAccess, word) == std::end(kWrongAccess)) {
    return std::string(signature);
  }
  return fmt::format("{}wrong access{}", signature.substr(0, begin), signature.substr(end));
}

// Returns the signal that ended the program or, according to the exit code of a shell, the signal
// that ended the shell's command.
int FatalSignal(const CommandOutcome& outcome) {
  constexpr int kFatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
  const int told = outcome.exit_code - 128;
  const bool fatal = std::ranges::find(kFatal, told) != std::end(kFatal);
  return outcome.signal == 0 && fatal ? told : outcome.signal;
}

bool IsTold(const CommandOutcome& outcome, const CrashSigns& signs) {
  const auto said = [&](const std::string& text) {
    return outcome.err.find(text) != std::string::npos;
  };
  return std::ranges::find(signs.exit_codes, outcome.exit_code) != signs.exit_codes.end() ||
         std::ranges::any_of(signs.texts, said);
}

// Returns the crash of the program, or a failure of kind kNone. It is a crash if a signal or an
// uncaught error ended the program, or if its output or exit code reports a crash.
Failure Crash(const CommandOutcome& outcome, const CrashSigns& signs) {
  const int signal = FatalSignal(outcome);
  const int code = signal != 0 ? 128 + signal : outcome.exit_code;
  if (const auto uncaught = UncaughtSignature(outcome.err, code)) {
    return MakeFailure(FailureKind::kCrash, *uncaught);
  }
  if (signal != 0) {
    return MakeFailure(FailureKind::kCrash, fmt::format("signal {} ", signal), outcome.err);
  }
  if (!IsTold(outcome, signs)) return {};
  return MakeFailure(FailureKind::kCrash, fmt::format("exit code {} ", outcome.exit_code),
                     outcome.err);
}

// Names a hang by its innermost function. The line is not part of the bug, because a loop may be at
// a different line in each stack.
void NameHang(Failure& failure) {
  failure.bug = fmt::format("hang {}", failure.stack.back());
  failure.signature = failure.bug;
  if (!failure.places.back().empty()) failure.signature += " " + failure.places.back();
  if (failure.stack.size() > 1) failure.signature += " " + failure.stack[failure.stack.size() - 2];
}

Failure Hang(const CommandOutcome& outcome) {
  if (!outcome.stack_asked) return MakeFailure(FailureKind::kHang, "", outcome.err);
  Failure failure = MakeFailure(FailureKind::kHang, "");
  for (const StackFrame& frame : std::views::reverse(ReadStack(outcome.err))) {
    failure.stack.push_back(frame.function);
    failure.places.push_back(frame.place);
  }
  if (!failure.stack.empty()) NameHang(failure);
  return failure;
}

}  // namespace

std::string_view FailureKindName(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNone:
      return "none";
    case FailureKind::kCrash:
      return "crash";
    case FailureKind::kSanitizer:
      return "sanitizer";
    case FailureKind::kHang:
      return "hang";
    case FailureKind::kMemory:
      return "memory";
    case FailureKind::kDisagreement:
      return "disagreement";
  }
  return "none";
}

Failure MakeFailure(FailureKind kind, std::string_view detail) {
  std::string signature = fmt::format("{} {}", FailureKindName(kind), detail);
  std::string bug = BugOf(signature);
  return {.kind = kind, .signature = std::move(signature), .bug = std::move(bug)};
}

Failure MakeFailure(FailureKind kind, std::string_view detail, std::string_view err) {
  std::string group = fmt::format("{} {}", FailureKindName(kind), detail);
  const std::string signature = group + LastLine(err);
  return {.kind = kind, .signature = signature, .bug = signature, .group = std::move(group)};
}

// A sanitizer's report counts even if the time or memory limit ended the program. Undefined
// behaviour ends a program only with -fno-sanitize-recover. Otherwise the program continues. If it
// crashes later, the crash is the failure. The report of undefined behaviour is the failure only if
// there is no crash.
Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits,
                 const CrashSigns& signs) {
  // The signal that requested the stack caused the report.
  if (outcome.timed_out && outcome.stack_asked) return Hang(outcome);
  if (auto report = ReportSignature(outcome.err)) {
    return MakeFailure(FailureKind::kSanitizer, *report);
  }
  if (outcome.peak_memory > limits.max_memory) {
    return MakeFailure(FailureKind::kMemory, "", outcome.err);
  }
  if (outcome.timed_out) return Hang(outcome);
  const auto undefined = UndefinedSignature(outcome.err);
  const int signal = FatalSignal(outcome);
  const bool ended_for_it =
      undefined && (signal == 0 || signal == SIGABRT) && EndsWithUndefined(outcome.err);
  if (!ended_for_it) {
    Failure crash = Crash(outcome, signs);
    if (crash.kind != FailureKind::kNone) return crash;
  }
  if (undefined) return MakeFailure(FailureKind::kSanitizer, *undefined);
  return {};
}

void NarrowHang(Failure& failure, const std::vector<std::string>& other_stack) {
  const auto end = std::ranges::mismatch(failure.stack, other_stack).in1;
  // If the stacks share no function, the failure is not narrowed.
  if (end == failure.stack.begin()) return;
  failure.stack.erase(end, failure.stack.end());
  failure.places.resize(failure.stack.size());
  NameHang(failure);
}

bool IsHangOf(const std::vector<std::string>& stack, const std::vector<std::string>& known) {
  return !known.empty() && stack.size() >= known.size() &&
         std::equal(known.begin(), known.end(), stack.begin());
}

bool IsSameBug(const Failure& failure, const Failure& known) {
  if (failure.kind != known.kind) return false;
  return failure.bug == known.bug || IsHangOf(failure.stack, known.stack);
}

bool IsSameNarrowedBug(const Failure& failure, const Failure& known) {
  if (known.stack.size() == 1) return failure.kind == known.kind && failure.bug == known.bug;
  return IsSameBug(failure, known);
}

}  // namespace anecheck::parserfuzz
