// Fuzzes a parser that is a command: makes files of a format, runs the command on each, and keeps
// one small file for each way in which it fails. What `anecheck fuzz` is a shell around.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generators/formats/mutator/structured_mutator.h"
#include "harness/base/result.h"
#include "harness/parserfuzz/command.h"

namespace anecheck::parserfuzz {

enum class FailureKind : uint8_t {
  kNone,
  // A signal ended it, or a shell says by the exit code (128 and the signal) that one ended what it
  // ran; it panicked (panic.h); or what it ended with is a crash by CrashSigns.
  kCrash,
  kSanitizer,  // it printed a sanitizer's report
  kHang,
  kMemory,
  kDisagreement,  // one of two commands accepts the file, the other does not
};
std::string_view FailureKindName(FailureKind kind);

// By what else than a signal a parser tells that it has not refused a file but failed.
struct CrashSigns {
  std::vector<int> exit_codes;
  std::vector<std::string> texts;  // on standard error
};

struct Failure {
  FailureKind kind = FailureKind::kNone;
  // Equal for failures that are probably one bug of one command: the kind and what the report says
  // (signature.h), or the last line of the output without numbers.
  std::string signature;
  // What of the signature does not depend on the words of the parser, where these alone tell it
  // from others; else empty.
  std::string group;
};

// How one run ended, as a failure or none.
Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits,
                 const CrashSigns& signs = {});

struct ParserFuzzOptions {
  MutatorParts parts;                // the format and its generator, both set
  std::vector<std::string> command;  // "@@" is in a word of it
  std::vector<std::string> second;   // empty, or a command that must accept the same files
  CommandLimits limits;
  CrashSigns crash_signs;  // of both commands
  uint64_t seed = 1;
  uint64_t files = 1000;
  // No file is begun later than so many seconds after the start; 0: no limit.
  double max_seconds = 0;
  size_t max_size = 1 << 20;
  // Runs spent on making one failing file small; it ends earlier when those that hung have taken a
  // minute.
  int minimise_runs = 300;
  int jobs = 1;     // commands at work at once; below 1: one a processor
  std::string out;  // folder for the kept files
};

struct Finding {
  Failure failure;
  std::string file;          // in the folder; a text of what is known of it beside it, with ".txt"
  bool known = false;        // an earlier run kept a file of it in the folder
  bool other_words = false;  // stands for all of its group beyond kMostOfAGroup
  bool again = true;         // it failed so once more; not tried of a known one
  uint64_t index = 0;        // which file showed it first
  uint64_t count = 0;        // files that failed so
  uint64_t first_size = 0;
  uint64_t size = 0;
  std::string said;  // by the command on standard error, of the first file
};

struct ParserFuzzSummary {
  uint64_t files = 0;
  uint64_t accepted = 0;  // by the first command: exit code 0
  uint64_t accepted_by_second = 0;
  std::vector<Finding> findings;
  bool interrupted = false;
  std::optional<Error> failed;  // what ended the run before its last file
};

struct ParserFuzzProgress {
  uint64_t files = 0;  // tried so far
  uint64_t of_files = 0;
  uint64_t findings = 0;
  uint64_t minimising_runs = 0;  // so far, to make findings small
};

// File `index` of the run: valid, mutated, or both parents crossed. The same on every machine.
Bytes MakeFile(const ParserFuzzOptions& options, uint64_t index);

inline constexpr uint64_t kMostOfAGroup = 6;

// Runs until all files are done or `stop` becomes true: commands at work then are killed, their
// files are not counted, and findings are kept as small as they are by then. A finding is kept
// under its kind and a checksum of its signature; what an earlier run kept in the folder stays, and
// what that run found of the same commands is known and not kept again. From kMostOfAGroup findings
// on that nothing but the parser's words tells apart, further ones are one, "with other words",
// whose file is not made small; nor is one that does not fail so once more. The summary and the
// kept files do not depend on `jobs`, but for commands that depend on time or on each other.
// `progress` is called after each run of a command, by one thread at a time. A command whose exit
// code says that it cannot be started (126 and 127) refuses the file, unless it says so of each of
// the first eight. Errors: kNotFound where a command cannot be started, kIo where a folder cannot
// be written; where something was found by then they stand in the summary.
Result<ParserFuzzSummary> FuzzParser(
    const ParserFuzzOptions& options, const std::atomic<bool>* stop = nullptr,
    const std::function<void(const ParserFuzzProgress&)>& progress = nullptr);

// A smaller file for which `fails` still holds, or one of the same size with less in it, after at
// most `runs` calls, or fewer once `enough` holds: parts of the JSON form, elements of arrays and
// members of objects, are left out first, then runs of bytes.
Bytes Minimise(const Format& format, Bytes file, int runs,
               const std::function<bool(const Bytes&)>& fails, const std::function<bool()>& enough);

}  // namespace anecheck::parserfuzz
