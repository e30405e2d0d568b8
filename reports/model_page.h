// The answer of `anecheck check` for a model as a page that needs no network. It shows the model's
// graph, coloured by each operation's placement, and a table of the same facts.
#pragma once

#include <span>
#include <string>

#include "harness/base/json.h"
#include "harness/graph/graph.h"

namespace anecheck::reports {

// One function of the model: the answer of `check --json` and the graph to which it refers.
struct CheckedFunction {
  const Json* answer = nullptr;
  const Graph* graph = nullptr;
};

std::string ModelHtml(std::span<const CheckedFunction> functions);

}  // namespace anecheck::reports
