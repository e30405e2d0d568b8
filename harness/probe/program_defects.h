// Measurements of two documented defects that do not show in any output's value: where the compiler
// writes a setting of a task, and whether a large product ends. They are rows of the defect probes.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// Compiles a program that pads by reflection. Counts the tasks of its container whose reflection
// setting is at the offset of version 8, although the tasks have version 7 (D38). 0 if there is no
// container, or one of another version. Errors: those of a program or container that cannot be
// read.
Result<double> ReflectionsMisplaced(const E5rtLibrary& engine, std::string_view target);

// 1 if a product of two fp16 matrices of side 2^14 ends with an inference time-out (D39), 0 if it
// ends with a result or still runs at the end of the wait. The wait is 30 seconds. On the simulated
// engine the wait ends once this process has computed for 20 ms, because the engine's time-out is
// immediate and the product would take hours. A program that still runs ends only with the process,
// so nothing else may be measured in it. Errors: other messages of the engine.
Result<double> LargeProductTimesOut(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
