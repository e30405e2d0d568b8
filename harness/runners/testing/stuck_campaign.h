// A campaign process whose worker is stuck in a case. A test kills the process.
#pragma once

namespace anecheck::testing {

// The first argument that makes the test's executable such a process.
inline constexpr const char* kStuckArgument = "--anecheck-stuck";

int StuckMain();

}  // namespace anecheck::testing
