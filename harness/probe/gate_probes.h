// Measurements of the compiler's gates: programs that every compiler of the engine must refuse.
// They are rows of the runtime probes. Errors: the step that failed.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// Each function returns 1 if the compiler refuses its program, otherwise 0.
Result<double> RankSixRefused(const E5rtLibrary& engine, std::string_view target);
Result<double> WideAxisRefused(const E5rtLibrary& engine, std::string_view target);
Result<double> WideKernelRefused(const E5rtLibrary& engine, std::string_view target);
Result<double> IntegerInputRefused(const E5rtLibrary& engine, std::string_view target);
Result<double> UnknownTargetRefused(const E5rtLibrary& engine, std::string_view target);
// 1 if the compiler refuses an operation under mask 7 that it refuses under mask 4 (the engine
// alone), 0 if it places the operation on another backend. A compiled program proves nothing by
// itself: the analytics must name another backend.
Result<double> FallbackRefused(const E5rtLibrary& engine, std::string_view target);
// 1 if the refusal of rank 6 names the rank, otherwise 0.
Result<double> RefusalNamesReason(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
