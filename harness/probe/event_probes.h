// Measurements of completion events and blocks: when they come, and how often. They are rows of the
// runtime probes. Each probe binds, encodes, submits, waits and releases by specification 001
// (sections 2.3 to 2.6). Errors: the step that failed.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// The value of a completion event after execute_sync, and after submit_async. If an event does not
// come within two seconds, its value at that time.
Result<double> SyncEventValue(const E5rtLibrary& engine, std::string_view target);
Result<double> AsyncEventValue(const E5rtLibrary& engine, std::string_view target);
// The number of calls of the completion block of one submission.
Result<double> CompletionCalls(const E5rtLibrary& engine, std::string_view target);
// The number of waits for an event, out of 20 waits, that ended before the result was written.
Result<double> EarlyEvents(const E5rtLibrary& engine, std::string_view target);
// The most requests in flight while 200 are submitted one after another. A request is in flight
// until it has incremented the buffer that counts them.
Result<double> RequestsInFlight(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
