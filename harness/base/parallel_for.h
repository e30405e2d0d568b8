// Runs the body of a loop on several threads, with results that do not depend on their number. It
// is for independent work, such as oracle tiles, exhaustive tests and report queries.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/base/result.h"

namespace anecheck {

// The number of hardware threads, or 1 if it is unknown; the default of `--jobs`.
int DefaultJobs();

// Calls body(begin, end) for [0, chunk), [chunk, 2 * chunk), ... up to `count`, on at most `jobs`
// threads, including the calling one. A `jobs` below 1 means DefaultJobs(), and a `chunk` of 0
// means 1. The borders of chunks depend only on `count` and `chunk`, so the result is the same for
// every `jobs` if each call of the body writes only to its own range or chunk.
//
// A body fails by its Status or by an exception, which becomes kInternal. The function returns the
// failure of the lowest failing chunk, whatever the timing is. All lower chunks have run. Higher
// chunks may be skipped. `body` must be callable from several threads at once.
Status ParallelChunks(uint64_t count, uint64_t chunk, int jobs,
                      const std::function<Status(uint64_t begin, uint64_t end)>& body);

// Like ParallelChunks, for single indices.
Status ParallelFor(uint64_t count, int jobs, const std::function<Status(uint64_t index)>& body);

}  // namespace anecheck
