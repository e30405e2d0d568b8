// The ways in which a planted defect crashes or slows its process, so that a runner must report
// each of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anecheck::device {

[[noreturn]] void CrashOnPurpose();  // a segmentation fault
[[noreturn]] void HangOnPurpose();
void SleepOnPurpose(int64_t milliseconds);
void LeakOnPurpose(size_t bytes);  // touched memory that is never freed
void PrintGarbageOnPurpose();      // prints to standard output

}  // namespace anecheck::device
