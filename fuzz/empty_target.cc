// A target that does nothing: how fast the fuzzing engine itself is in a build. scripts/fuzz-speed
// gives the targets' executions a second as a part of this one's.
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) { return 0; }
