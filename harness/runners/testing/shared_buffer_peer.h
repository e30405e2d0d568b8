// Another process that opens a shared buffer by its name.
#pragma once

namespace anecheck::testing {

// The first argument that makes the test's executable such a process; the second is the name.
inline constexpr const char* kSharedPeerArgument = "--anecheck-shared-peer";

// Adds one to every byte of the buffer. Returns the exit code.
int SharedPeerMain(const char* name);

}  // namespace anecheck::testing
