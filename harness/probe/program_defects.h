// Measures two documented defects that change no value of an output: the compiler writes a setting
// of a task to the wrong place, and a large product times out. The functions are rows of the defect
// probes.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// Compiles a program that pads by reflection. Counts the tasks of its container whose reflection
// setting is at the offset of version 8, although the tasks have version 7 (D38). Returns 0 if
// there is no container or it has another version. Errors: those of a program that fails or a
// container that cannot be read.
Result<double> ReflectionsMisplaced(const E5rtLibrary& engine, std::string_view target);

// Returns 1 if a product of two fp16 matrices of side 2^14 ends with an inference time-out (D39),
// and 0 if it ends with a result or still runs after a wait of 30 seconds. On the simulated engine
// the wait ends when this process has used 20 ms of CPU time, because the engine's time-out is
// immediate and the product would take hours. A program that still runs ends only with the process,
// so the process must not make other measurements. Errors: other messages of the engine.
Result<double> LargeProductTimesOut(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
