// The form of the round trip that graphs cannot be read back from: the files of a compiled program,
// compared with the lowering plan. Given to the roundtrip runner by campaigns.
#pragma once

#include <string_view>

#include "harness/graph/graph.h"
#include "harness/runners/roundtrip_runner.h"

namespace anecheck {

// Plans `graph` for the target called `target` by the conversion route, writes both files and
// compares the files read back with the plan. Thread-safe.
RoundTrip CompiledRoundTrip(const Graph& graph, std::string_view target);

}  // namespace anecheck
