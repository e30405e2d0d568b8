// Runs an external program on one file, with limits, and reports how it ended. Used by `anecheck
// fuzz`.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::parserfuzz {

// Stands for the file's path in a command, also within a word.
inline constexpr const char* kFileWord = "@@";

// A run that has to share the processor may last this many times its time limit by the clock.
inline constexpr int kClockFactor = 4;

struct CommandLimits {
  // The program hangs if it has lasted this long and used as much processor time, or if it has
  // lasted kClockFactor times as long, working or waiting. If the system does not report the
  // processor time of a running process (macOS), only the clock counts, without kClockFactor.
  int timeout_ms = 5000;
  uint64_t max_memory = uint64_t{2} << 30;  // resident bytes; more is a finding
  uint64_t max_file = uint64_t{1} << 30;    // bytes of a file that it writes
  // Makes a program that hangs print its stack, which is then in `err` (hang_stack.h).
  bool want_stack = false;
};

struct CommandOutcome {
  int exit_code = 0;  // meaningless if a signal ended it
  int signal = 0;     // 0: it ended by itself
  bool timed_out = false;
  bool stack_asked = false;  // its stack is in `err`, if available
  bool stopped = false;      // the caller stopped it; other members are meaningless
  uint64_t peak_memory = 0;  // resident bytes
  std::string out = {};      // the beginning of standard output and its end (captured_output.h)
  std::string err = {};      // and of standard error
};

// The word with every kFileWord replaced by `path`, which may itself contain one.
std::string WithPath(std::string word, const std::string& path);

// Runs `command` with every kFileWord replaced by `path`, in a new process group that is killed at
// the limits of time and memory, and when `stop` becomes true. Memory that is allocated and freed
// within a few milliseconds shows in the program's own peak, unless this process itself has used as
// much: Linux counts that as the program's peak. Nothing is written to a file. kNotFound if the
// program cannot be started.
Result<CommandOutcome> RunCommand(const std::vector<std::string>& command, const std::string& path,
                                  const CommandLimits& limits,
                                  const std::atomic<bool>* stop = nullptr);

}  // namespace anecheck::parserfuzz
