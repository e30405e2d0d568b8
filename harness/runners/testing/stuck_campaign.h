// A process that waits for ever for a worker which is stuck in a case: a campaign to be killed.
#pragma once

namespace anecheck::testing {

// The first argument that makes the test's executable such a process.
inline constexpr const char* kStuckArgument = "--anecheck-stuck";

int StuckMain();

}  // namespace anecheck::testing
