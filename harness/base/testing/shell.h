// Runs shell commands for tests.
#pragma once

#include <cstdlib>
#include <string>
#include <sys/wait.h>

namespace anecheck::testing {

// Returns the exit code of `command` in /bin/sh.
inline int ExitCodeOf(const std::string& command) {
  const int status = std::system(command.c_str());
  return WEXITSTATUS(status);  // a variable, because the macro of macOS takes its address
}

}  // namespace anecheck::testing
