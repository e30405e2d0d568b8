// The stack of a process that does not end.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>

namespace anecheck::parserfuzz {

// Makes `pid` print its stack on standard error by a signal that its runtime catches (SIGQUIT of Go
// and Java; SIGSEGV of sanitizers, and of Python with PYTHONFAULTHANDLER), which ends most of them.
// Returns gdb's words if it catches none, or nothing without gdb. `drain` takes the process's
// output and returns whether that grew. Linux; elsewhere nothing happens.
std::string AskForStack(pid_t pid, const std::function<bool()>& drain);

}  // namespace anecheck::parserfuzz
