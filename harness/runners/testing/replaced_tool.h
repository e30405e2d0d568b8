// A process whose own executable is removed before it starts its workers.
#pragma once

namespace anecheck::testing {

// The first argument that makes the test's executable such a process. The process removes the file
// from which it was started, so that file must be a copy.
inline constexpr const char* kReplacedArgument = "--anecheck-replaced";

// Returns 0 if workers and the process of a probe could still be started.
int ReplacedMain();

}  // namespace anecheck::testing
