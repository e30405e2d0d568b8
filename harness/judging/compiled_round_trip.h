// The round trip through the files of a compiled program. A graph cannot be read back from these
// files, so they are compared with the lowering plan instead. Campaigns pass this function to the
// roundtrip runner.
#pragma once

#include <string_view>

#include "harness/graph/graph.h"
#include "harness/runners/roundtrip_runner.h"

namespace anecheck {

// Plans `graph` for the target called `target` by the conversion route, writes both files, reads
// them back and compares them with the plan. Thread-safe.
RoundTrip CompiledRoundTrip(const Graph& graph, std::string_view target);

}  // namespace anecheck
