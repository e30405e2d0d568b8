// A subcommand of the tool is a function that adds its options to the command line. Each subcommand
// has its own file, and commands.def lists them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// Exit codes of every subcommand.
inline constexpr int kExitClean = 0;
inline constexpr int kExitFindings = 1;  // new findings
inline constexpr int kExitUsage = 2;     // bad usage or input
inline constexpr int kExitHarness = 3;   // the harness failed or was interrupted

// The chosen subcommand sets this to the function that does its work and returns the exit code.
using Selected = std::function<int()>;

// Prints "anecheck: error: ..." on standard error and returns the exit code for it.
int Fail(const Error& error);

// Writes text to standard output, and a line break if the text does not end with one.
void Print(std::string_view text);

// Writes text for people to standard output. On a terminal it folds lines to the terminal's width;
// elsewhere it writes them unchanged.
void PrintText(std::string_view text);

}  // namespace anecheck
