#include "harness/cases/execution.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/cases/second_execution.h"

namespace anecheck {
namespace {

bool HasStates(const Graph& graph) { return !graph.ValuesOfKind(ValueKind::kState).empty(); }

}  // namespace

std::vector<Execution> FurtherExecutions(const Case& item, const RunReply& reply) {
  std::vector<Execution> executions;
  if (GivesSecond(RequestOf(item))) executions.push_back({.second = true});
  for (size_t i = 0; i < item.further.size(); ++i) executions.push_back({.shape = i});
  if (executions.size() > reply.further.size()) executions.resize(reply.further.size());
  return executions;
}

std::string WhereIs(const Case& item, const Execution& execution) {
  if (execution.second) {
    return fmt::format("in the second execution{}",
                       item.again.empty() ? "" : ", which took other inputs");
  }
  if (!execution.shape) return "";
  const Graph& graph = item.further[*execution.shape].graph;
  const ValueId input = *graph.FindValue(item.range->input);
  return fmt::format("at {} along axis {} of {}", graph.type(input).shape[item.range->axis],
                     item.range->axis, item.range->input);
}

Case CaseOf(const Case& item, const Execution& execution) {
  Case own = InPlaceOf(item);
  if (execution.shape) {
    own.graph = item.further[*execution.shape].graph;
    own.inputs = item.further[*execution.shape].inputs;
  } else if (execution.second && HasStates(item.graph)) {
    own.graph = ExecutedTwice(item.graph, !item.again.empty());
    own.inputs = InputsOfBoth(item.inputs, item.again);
  } else {
    own.graph = item.graph;
    own.inputs = execution.second ? item.again : item.inputs;
  }
  return own;
}

const std::vector<Tensor>& OutputsOf(const Case& item, const RunReply& reply,
                                     const Execution& execution) {
  if (execution.first()) return reply.outputs;
  const size_t before = GivesSecond(RequestOf(item)) ? 1 : 0;
  return reply.further[execution.shape ? before + *execution.shape : 0];
}

RunReply ReplyOf(const Case& item, const RunReply& reply, const Execution& execution) {
  RunReply own = {.id = reply.id, .status = RunStatus::kOk, .backend = reply.backend};
  own.compile_us = reply.compile_us;
  own.run_us = reply.run_us;
  own.plan = reply.plan;
  own.proof = reply.proof;
  if (execution.first()) own.cpu_outputs = reply.cpu_outputs;
  own.outputs = OutputsOf(item, reply, execution);
  return own;
}

bool HasOwnProgram(const Case& item, const Execution& execution) {
  if (execution.second) return !HasStates(item.graph);
  return item.range.has_value();
}

std::string ReaderOfState(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const bool reads = node.result_count > 0 &&
                       std::ranges::any_of(graph.arguments(node), [&](const Argument& argument) {
                         return graph.value(argument.value).kind == ValueKind::kState;
                       });
    if (reads) return std::string(node.schema->name);
  }
  return "";
}

}  // namespace anecheck
