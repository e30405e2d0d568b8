// Where a graph goes wrong: every intermediate is made an output, and each operation is judged on
// the values that the engine itself fed it. An error is then charged to the operation that made it,
// and a chain of documented defects is recognised link by link.
#pragma once

#include <string>

#include "harness/campaign/campaign.h"
#include "harness/runners/runner.h"
#include "oracles/oracle.h"

namespace anecheck {

struct Location {
  // False where the tapped graph did not run, or its outputs differ from the original's: nothing
  // can then be said about single operations.
  bool judged = false;
  std::string
      first_wrong;   // the first operation in order whose own result is wrong; empty for none
  std::string node;  // that operation's place in the graph: the name of its first result
  std::string known_defect;  // documented defects of the operations before it or, if none is wrong,
                             // of all: "D01,D03"
};

// Runs the tapped graph once on `runner`. `reply` is what the original graph gave.
Location Locate(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation);

}  // namespace anecheck
