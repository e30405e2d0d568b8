// Runs a loop's body on several threads with results that do not depend on how many there are.
// Used for independent work within one process: oracle tiles, exhaustive tests, report queries.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/base/result.h"

namespace anecheck {

// The number of hardware threads, at least 1, the default of `--jobs`.
int DefaultJobs();

// Calls body(begin, end) for [0, chunk), [chunk, 2 * chunk), ... up to `count`, on at most `jobs`
// threads, the calling one among them (jobs below 1 means DefaultJobs()). Chunk borders depend on
// `count` and `chunk` (at least 1) alone, so a body that writes only to its own range or its own
// chunk's slot gives the same result for every `jobs`.
//
// A body fails by its Status or by an exception, which becomes kInternal. The result is the failure
// of the first failing chunk in order, whatever the timing; chunks after it may not have run, every
// chunk before it has. `body` must be callable from several threads at once.
Status ParallelChunks(uint64_t count, uint64_t chunk, int jobs,
                      const std::function<Status(uint64_t begin, uint64_t end)>& body);

// The same for single indices.
Status ParallelFor(uint64_t count, int jobs, const std::function<Status(uint64_t index)>& body);

}  // namespace anecheck
