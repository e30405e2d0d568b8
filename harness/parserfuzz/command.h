// Runs an external program on one file, with limits, and tells how it ended. Used by
// `anecheck fuzz`.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::parserfuzz {

// Stands for the file's path in a command, also within a word.
inline constexpr const char* kFileWord = "@@";

// A run that loses the processor to others gets this many times its limit by the clock.
inline constexpr int kClockFactor = 4;

struct CommandLimits {
  // It hangs if it has lasted so long and used as much processor time, and if it has lasted
  // kClockFactor times as long, working or waiting. The clock counts alone, without the factor, if
  // the system does not tell the processor time of a process that runs (macOS).
  int timeout_ms = 5000;
  uint64_t max_memory = uint64_t{2} << 30;  // resident bytes; more is a finding
  uint64_t max_file = uint64_t{1} << 30;    // bytes of a file that it writes
  // A program that hangs is asked for its stack, which is then in `err` (hang_stack.h).
  bool want_stack = false;
};

struct CommandOutcome {
  int exit_code = 0;  // meaningless where a signal ended it
  int signal = 0;     // 0: it ended by itself
  bool timed_out = false;
  bool stack_asked = false;  // its stack stands in `err` if it could be had
  bool stopped = false;      // the caller wanted no more of it; nothing else here says anything
  uint64_t peak_memory = 0;  // resident bytes
  std::string out = {};      // the beginning of standard output and its end (captured_output.h)
  std::string err = {};      // and of standard error
};

// Runs `command` with every kFileWord replaced by `path`, in a process group of its own that is
// killed at the limits of time and memory, and when `stop` becomes true. Memory that was taken and
// given back within a few milliseconds is seen in the program's own peak, unless this process has
// held as much itself: Linux counts that as the program's. Nothing is written to a file.
// kNotFound where the program cannot be started.
Result<CommandOutcome> RunCommand(const std::vector<std::string>& command, const std::string& path,
                                  const CommandLimits& limits,
                                  const std::atomic<bool>* stop = nullptr);

}  // namespace anecheck::parserfuzz
