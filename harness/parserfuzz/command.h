// Runs a program of somebody else's on one file, with limits, and tells how it ended. Used by
// `anecheck fuzz`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::parserfuzz {

// The word that stands for the file's path in a command.
inline constexpr const char* kFileWord = "@@";

struct CommandLimits {
  int timeout_ms = 5000;
  uint64_t max_memory = uint64_t{2} << 30;  // resident bytes; more is a finding
};

struct CommandOutcome {
  int exit_code = 0;  // meaningless where a signal ended it
  int signal = 0;     // 0: it ended by itself
  bool timed_out = false;
  uint64_t peak_memory = 0;  // resident bytes
  std::string out;           // the first 64 KiB of standard output
  std::string err;           // and of standard error
};

// Runs `command` with every kFileWord replaced by `path`, in a process group of its own that is
// killed at the time limit. `folder` takes the output while it runs. kNotFound where the program
// cannot be started.
Result<CommandOutcome> RunCommand(const std::vector<std::string>& command, const std::string& path,
                                  const std::string& folder, const CommandLimits& limits);

}  // namespace anecheck::parserfuzz
