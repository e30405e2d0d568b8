// Runs an external program on one file, with limits, and reports how it ended. Used by `anecheck
// fuzz`.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::parserfuzz {

// The placeholder for the file's path in a command. It may be a part of a word.
inline constexpr const char* kFileWord = "@@";

// A run that shares the processor may last this many times its time limit by the clock.
inline constexpr int kClockFactor = 4;

struct CommandLimits {
  // A program hangs if it has run for this time by the clock and has also used as much processor
  // time, or if it has run for kClockFactor times as long by the clock. On a system that does not
  // report the processor time of a running process (macOS), it hangs after this time by the clock.
  int timeout_ms = 5000;
  uint64_t max_memory = uint64_t{2} << 30;  // resident bytes; a program that uses more is a finding
  uint64_t max_file = uint64_t{1} << 30;    // maximum bytes of a file that the program writes
  // Whether to get the stack of a program that hangs (hang_stack.h). The stack is then part of
  // CommandOutcome::err.
  bool want_stack = false;
};

struct CommandOutcome {
  int exit_code = 0;  // meaningless if a signal ended the program
  int signal = 0;     // the signal that ended the program; 0: none
  bool timed_out = false;
  bool stack_asked = false;  // the stack was requested; `err` contains it if available
  bool stopped = false;      // the caller stopped the program; other members are meaningless
  uint64_t peak_memory = 0;  // resident bytes
  std::string out = {};      // beginning and end of standard output (captured_output.h)
  std::string err = {};      // beginning and end of standard error
};

// Returns the word with every kFileWord replaced by `path`. `path` may itself contain a kFileWord.
std::string WithPath(std::string word, const std::string& path);

// Runs `command` with every kFileWord replaced by `path`, in a new process group that is killed at
// the limits of time and memory, and when `stop` becomes true. Memory that is allocated and freed
// within a few milliseconds counts only in the peak that the system reports. On Linux this peak
// begins at the peak of this process, so it counts only if it is larger. The function writes
// nothing to files. The error is kNotFound if the program cannot be started.
Result<CommandOutcome> RunCommand(const std::vector<std::string>& command, const std::string& path,
                                  const CommandLimits& limits,
                                  const std::atomic<bool>* stop = nullptr);

}  // namespace anecheck::parserfuzz
