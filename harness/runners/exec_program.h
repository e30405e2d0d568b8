// A program that answers requests of the exec protocol with an engine behind the e5rt calls. With
// the simulated engine it is used to measure how well the harness judges external programs.
#pragma once

#include <iosfwd>

#include "harness/runners/e5rt_engine.h"

namespace anecheck {

// Answers each line of `in` on `out` until `in` ends. Returns the exit code: 0, or 2 for a line
// that is no request, with the reason on standard error. Operations without a kernel are
// `unsupported`.
int ServeExec(std::istream& in, std::ostream& out, E5rtEngine& engine);

}  // namespace anecheck
