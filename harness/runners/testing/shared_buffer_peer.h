// A process that opens the shared buffer of another process by its name.
#pragma once

namespace anecheck::testing {

// This first argument makes the test's executable such a process. The second is the name.
inline constexpr const char* kSharedPeerArgument = "--anecheck-shared-peer";

// Adds one to every byte of the buffer. Returns the exit code.
int SharedPeerMain(const char* name);

}  // namespace anecheck::testing
