// Graphs as files: `anecheck gen --format graph` writes the graphs that a campaign of the same seed
// draws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/json_text.h"
#include "harness/base/result.h"

namespace anecheck {

struct GraphSet {
  uint64_t seed = 1;
  std::string target = "h13";
  bool must_reject = false;  // each breaks one rule of the target; else none
};

// Writes the graphs with these numbers to `folder` (harness/graph/json.h), graph_000007.json the
// eighth, and manifest.json beside them, which it gives: {"version", "format": "graph", "mode":
// "valid" or "must-reject", "seed", "target", "count", "files": [{"file", "size", "index", "seed",
// "mode"}]}, with "rule" the one that a graph breaks. Errors: kInvalid for a target that there is
// not or on which nothing can be judged, kIo.
Result<Json> WriteGraphs(const GraphSet& set, const std::vector<uint64_t>& indices,
                         const std::string& folder);

// The same from a manifest; its list of files may have become shorter. Errors: kInvalid with `name`
// and the member that is wrong.
Result<Json> ReplayGraphs(const Json& manifest, const std::string& name, const std::string& folder);

}  // namespace anecheck
