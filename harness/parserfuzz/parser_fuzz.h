// Fuzzes a parser that is a command or a persistent driver. Makes files of a format, runs the
// parser on each, and keeps one small file for each way in which the parser fails. `anecheck fuzz`
// is its command line.
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
#include "harness/parserfuzz/failure.h"

namespace anecheck::parserfuzz {

struct ParserFuzzOptions {
  MutatorParts parts;  // the format and its generator, both set
  // "@@" in a word is replaced by the path of the file. Without such a word, the command is a
  // persistent driver (persistent.h).
  std::vector<std::string> command;
  std::vector<std::string>
      second;  // empty, or a command that must accept the same files; with "@@"
  CommandLimits limits;
  CrashSigns crash_signs;  // of both commands
  uint64_t seed = 1;
  uint64_t files = 1000;
  // No run on a new file begins later than this many seconds after the start. 0 means no limit.
  // Findings may still be minimised after this time.
  double max_seconds = 0;
  size_t max_size = 1 << 20;
  std::vector<Bytes> seeds;  // files tried first, in addition to those of the generator
  int minimise_runs = 300;   // maximum number of runs to make one failing file small
  // The maximum seconds for making all findings small, at the end of the run.
  double minimise_seconds = 60;
  int jobs = 1;     // commands that run at the same time; below 1: one per processor
  std::string out;  // folder for the findings
};

struct Finding {
  Failure failure;
  std::string name = {};     // name of its folder (kept_findings.h)
  bool known = false;        // an earlier run kept it in the folder
  bool other_words = false;  // represents all findings of its group after the first kMostOfAGroup
  bool again = true;         // the file failed in this way again; not tested if known
  uint64_t index = 0;        // index of the file that showed it first
  double seconds = 0;        // seconds from the start of the run until that file
  std::string origin = {};   // how that file was made
  uint64_t count = 0;        // files that failed in this way
  uint64_t first_size = 0;
  std::optional<uint64_t> small_size = {};  // nothing if no smaller file was made
  // the reason for no smaller file or for an early end of the search
  std::string not_minimised = {};
  Bytes input = {};       // the first file
  std::string said = {};  // the command's output for that file (Trial)
};

struct ParserFuzzSummary {
  uint64_t files = 0;
  uint64_t accepted = 0;  // by the first command: exit code 0
  uint64_t accepted_by_second = 0;
  uint64_t kept = 0;   // files that showed something new
  double seconds = 0;  // without the time of making findings small
  std::vector<Finding> findings;
  bool interrupted = false;
  std::optional<Error> failed;  // the error that ended the run before its last file
};

struct ParserFuzzProgress {
  uint64_t files = 0;  // tried so far
  uint64_t of_files = 0;
  uint64_t findings = 0;
  uint64_t minimising_runs = 0;  // so far, to make findings small
};

inline constexpr uint64_t kMostOfAGroup = 6;

// Fuzzes until all files are done or `stop` becomes true. When `stop` becomes true, the function
// kills the commands that are running, does not count their files, and does not minimise findings.
// The first files are seeds of the format (generators/formats/corpus) and `seeds`. schedule.h
// describes the other files.
//
// A finding is written at once, to a folder named after its kind and a checksum of its bug. The
// function keeps the files of earlier runs, and does not write their findings of the same commands
// again. Findings that differ only in the text that the parser prints form a group. After the first
// kMostOfAGroup, all further findings of a group count as one finding "with other words". Files are
// minimised at the end, except for findings "with other words" and for findings that do not fail
// again. The summary and the kept files do not depend on `jobs`, unless commands depend on time or
// on each other. `progress` is called after each run of a command, by one thread at a time. The
// exit codes 126 and 127 usually mean that a command cannot be started. They count as a refusal of
// the file, unless each of the first eight files has such a code. Errors: kNotFound if a command
// cannot be started, kInvalid if a driver does not answer, kIo if a folder cannot be written. If
// there were findings before the error, the function returns the summary, which contains the error.
Result<ParserFuzzSummary> FuzzParser(
    const ParserFuzzOptions& options, const std::atomic<bool>* stop = nullptr,
    const std::function<void(const ParserFuzzProgress&)>& progress = nullptr);

// Returns a smaller file for which `fails` is still true, or one of the same size with less
// content. Calls `fails` at most `runs` times, and ends earlier if `enough` becomes true. First
// leaves out parts of the JSON form (elements of arrays and members of objects), then runs of
// bytes.
Bytes Minimise(const Format& format, Bytes file, int runs,
               const std::function<bool(const Bytes&)>& fails, const std::function<bool()>& enough);

}  // namespace anecheck::parserfuzz
