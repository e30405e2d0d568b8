// Functions with which a planted defect crashes or slows its process, or leaks memory, so that a
// runner must report each of these events.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anecheck::device {

[[noreturn]] void CrashOnPurpose();  // a segmentation fault
[[noreturn]] void HangOnPurpose();
void SleepOnPurpose(int64_t milliseconds);
void LeakOnPurpose(size_t bytes);  // writes to memory that it never frees
void PrintGarbageOnPurpose();      // prints to standard output

}  // namespace anecheck::device
