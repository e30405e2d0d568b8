// Gets the stack of a process that hangs.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>

namespace anecheck::parserfuzz {

// Makes `pid` print its stack on standard error, by a signal that its runtime catches. The signal
// is SIGQUIT for Go and Java, and SIGSEGV for sanitizers and for Python with PYTHONFAULTHANDLER. It
// ends most such processes. If the runtime catches no such signal, returns gdb's output, or nothing
// if there is no gdb. `drain` must read the process's output and return whether there was any. The
// function does nothing on systems other than Linux.
std::string AskForStack(pid_t pid, const std::function<bool()>& drain);

}  // namespace anecheck::parserfuzz
