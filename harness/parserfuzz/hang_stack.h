// The stack of a process that does not end.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>

namespace anecheck::parserfuzz {

// Makes `pid` print its stack on standard error by a signal that its runtime catches (SIGQUIT of Go
// and Java; SIGSEGV of sanitizers, and of Python with PYTHONFAULTHANDLER), which ends most such
// processes. If the runtime catches no such signal, returns gdb's output, or nothing without gdb.
// `drain` reads the process's output and returns whether there was any. It works on Linux only, and
// does nothing on other systems.
std::string AskForStack(pid_t pid, const std::function<bool()>& drain);

}  // namespace anecheck::parserfuzz
