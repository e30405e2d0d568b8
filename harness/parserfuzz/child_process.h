// Starts a program in a new process group, with limits and the given descriptors.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/base/result.h"
#include "harness/parserfuzz/command.h"

namespace anecheck::parserfuzz {

// Both ends are -1 if no pipe could be made. A program inherits an end only if the end is passed to
// the program. The numbers of the descriptors are above those of the standard streams.
struct PipeEnds {
  int read = -1;
  int write = -1;
};
PipeEnds MakePipe();

// Closes the descriptor if it is open, and sets it to -1.
void CloseDescriptor(int& descriptor);

struct ChildStart {
  std::vector<std::string> words;        // the program and its arguments, looked up in PATH
  int out = -1;                          // its standard output; -1: none
  int err = -1;                          // and standard error
  std::vector<int> inherited = {};       // descriptors that it has under the same numbers
  std::vector<std::string> environment;  // "NAME=value", instead of this process's
};

// The environment of every parser. This environment makes runtimes print a stack on a fatal signal.
// Sanitizers print a stack without symbols if the harness can name the frames (symbolise.h).
std::vector<std::string> ChildEnvironment();

// Starts a process that leads its own process group and dies with this process. Standard input is
// empty. The caller must wait for the process. Errors: kNotFound if the program cannot be started,
// kIo without a pipe.
Result<pid_t> StartChild(const ChildStart& start, const CommandLimits& limits);

}  // namespace anecheck::parserfuzz
