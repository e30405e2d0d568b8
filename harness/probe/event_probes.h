// Measures when and how often completion events are signalled and completion blocks are called. The
// functions are rows of the runtime probes. Each binds, encodes, submits, waits and releases as in
// specification 001 (sections 2.3 to 2.6). Errors: the step that failed.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// Return the value of a completion event after execute_sync and after submit_async, or its value
// after two seconds if it is not signalled until then.
Result<double> SyncEventValue(const E5rtLibrary& engine, std::string_view target);
Result<double> AsyncEventValue(const E5rtLibrary& engine, std::string_view target);
// Returns how often the engine calls the completion block of one submission.
Result<double> CompletionCalls(const E5rtLibrary& engine, std::string_view target);
// Returns how many of 20 waits for an event ended before the result was written.
Result<double> EarlyEvents(const E5rtLibrary& engine, std::string_view target);
// Returns the largest number of requests in flight while 200 are submitted one after another. A
// request is in flight until it has incremented the counter in the buffer.
Result<double> RequestsInFlight(const E5rtLibrary& engine, std::string_view target);

}  // namespace anecheck
