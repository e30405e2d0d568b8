// Starts a program in a new process group, with limits and the given descriptors.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/base/result.h"
#include "harness/parserfuzz/command.h"

namespace anecheck::parserfuzz {

// The ends of a pipe. Both are -1 if no pipe could be made. A program inherits an end only if the
// caller passes it explicitly. The descriptor numbers are larger than those of the standard
// streams.
struct PipeEnds {
  int read = -1;
  int write = -1;
};
PipeEnds MakePipe();

// Closes the descriptor if it is open, and sets it to -1.
void CloseDescriptor(int& descriptor);

struct ChildStart {
  std::vector<std::string> words;   // the program and its arguments, looked up in PATH
  int out = -1;                     // descriptor of its standard output; -1: none
  int err = -1;                     // descriptor of its standard error; -1: none
  std::vector<int> inherited = {};  // other descriptors that it inherits with the same numbers
  // entries "NAME=value"; replaces the environment of this process
  std::vector<std::string> environment;
};

// Returns the environment of every parser. It makes runtimes print a stack on a fatal signal. If
// the harness can name the frames (symbolise.h), sanitizers print a stack without symbols.
std::vector<std::string> ChildEnvironment();

// Starts a process that leads its own process group. On Linux, the system kills the process when
// the thread that started it ends. Standard input is empty. The caller must wait for the process.
// The error is kNotFound if the program cannot be started, and kIo if no pipe can be made.
Result<pid_t> StartChild(const ChildStart& start, const CommandLimits& limits);

}  // namespace anecheck::parserfuzz
