// A campaign process that waits for ever for a worker stuck in a case, to be killed by a test.
#pragma once

namespace anecheck::testing {

// The first argument that makes the test's executable such a process.
inline constexpr const char* kStuckArgument = "--anecheck-stuck";

int StuckMain();

}  // namespace anecheck::testing
