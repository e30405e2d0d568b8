// `anecheck gen --format graph` writes the graphs that a campaign of the same seed draws as files.
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
  bool must_reject = false;  // each graph breaks exactly one rule of the target
};

// Writes the graphs with these indices and manifest.json to `folder`. The graph of index 7 is
// graph_000007.json (harness/graph/json.h). Returns the manifest: {"version", "format": "graph",
// "mode": "valid" or "must-reject", "seed", "target", "count", "files": [{"file", "size", "index",
// "seed", "mode"}]}. A file's entry has "rule" if its graph breaks one. Errors: kInvalid if the
// target does not exist or nothing can be judged on it, kIo.
Result<Json> WriteGraphs(const GraphSet& set, const std::vector<uint64_t>& indices,
                         const std::string& folder);

// Writes the graphs of a manifest again. The user may have removed entries of its list of files.
// Errors: kInvalid, with `name` and the wrong member in the message.
Result<Json> ReplayGraphs(const Json& manifest, const std::string& name, const std::string& folder);

}  // namespace anecheck
