// Measures whether the compiler refuses programs that every compiler of the engine must refuse. The
// functions are rows of the runtime probes. Errors: the step that failed.
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
// Compiles an operation that the compiler refuses with mask 4 (the engine alone) with mask 7.
// Returns 1 if the compiler refuses it again, and 0 if the analytics show that it placed the
// operation on another backend. A compiled program alone does not prove that.
Result<double> FallbackRefused(const E5rtLibrary& engine, std::string_view target);
// Returns 1 if the message that refuses rank 6 mentions the rank, otherwise 0.
Result<double> RefusalNamesReason(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
