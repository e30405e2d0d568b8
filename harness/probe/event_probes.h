// Measures of completion events and blocks: when they come, and how often. Rows of the runtime
// probes. Each binds, encodes, submits, waits and releases as specification 001 says (sections 2.3
// to 2.6). Errors: the step that did not work.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// The value of a completion event after execute_sync, and after submit_async. An event that does
// not come within two seconds has the value that it has then.
Result<double> SyncEventValue(const E5rtLibrary& engine, std::string_view target);
Result<double> AsyncEventValue(const E5rtLibrary& engine, std::string_view target);
// How often the completion block of one submission is called.
Result<double> CompletionCalls(const E5rtLibrary& engine, std::string_view target);
// Of 20 waits for an event, how many were over before the result was there.
Result<double> EarlyEvents(const E5rtLibrary& engine, std::string_view target);
// Of 200 requests submitted one after another, how many were in flight at most: submitted, and not
// yet counted by the buffer that each increments.
Result<double> RequestsInFlight(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
