// Measures of two documented defects that no output's value shows: where the compiler writes a
// setting of a task, and whether a large product ends. Rows of the defect probes.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// Of a program that pads by reflection, how many tasks of its container have the setting that tells
// the reflection where version 8 has its patch settings and not where their own version 7 has them
// (D38). 0 where the compiler leaves no container, or one of another version. Errors: those of a
// program or container that cannot be read.
Result<double> ReflectionsMisplaced(const E5rtLibrary& engine, std::string_view target);

// 1 where a product of two fp16 matrices of side 2^14 ends with an inference time-out (D39), 0
// where it ends with a result or is still running when this stops looking: after 30 seconds or, on
// the simulated engine, whose time-out takes no time and whose product would take hours, once this
// process has computed for 20 ms. A program that is still running ends with the process, so nothing
// else may be measured in it. Errors: other messages of the engine.
Result<double> LargeProductTimesOut(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
