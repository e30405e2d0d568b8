#include "harness/cli/check_steps.h"

#include <algorithm>
#include <vector>

#include "harness/base/json.h"
#include "harness/check/operation_errors.h"
#include "harness/lowering/state_edges.h"
#include "oracles/oracle.h"
#include "oracles/right_tensor.h"

namespace anecheck {
namespace {

Json StepJson(int step, const std::vector<Tensor>& expected, const std::vector<Tensor>& actual) {
  OperationError worst;
  bool any = false;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!IsFloat(expected[i].type.dtype) || !(actual[i].type == expected[i].type)) continue;
    const OperationError error = MeasureOperation(expected[i], actual[i]);
    worst.ulp = std::max(worst.ulp, error.ulp);
    worst.relative = std::max(worst.relative, error.relative);
    worst.snr_db = any ? std::min(worst.snr_db, error.snr_db) : error.snr_db;
    any = true;
  }
  return {
      {"step", step}, {"ulp", worst.ulp}, {"relative", worst.relative}, {"snr_db", worst.snr_db}};
}

Result<std::vector<Tensor>> Expected(const Graph& graph, std::span<const Tensor> inputs,
                                     int family) {
  ANECHECK_ASSIGN(const std::vector<Estimate> estimates,
                  Evaluate(graph, inputs, ConformingContract(family)));
  std::vector<Tensor> outputs;
  outputs.reserve(estimates.size());
  for (const Estimate& estimate : estimates) outputs.push_back(RightTensor(estimate));
  return outputs;
}

// Replaces the states, which are the last `inputs`, by the last `outputs`, so that the next
// execution continues from them.
void GoOn(const std::vector<Tensor>& outputs, size_t states, std::vector<Tensor>& inputs) {
  std::copy(outputs.end() - static_cast<std::ptrdiff_t>(states), outputs.end(),
            inputs.end() - static_cast<std::ptrdiff_t>(states));
}

}  // namespace

Result<Json> RunSteps(const Case& item, Runner& runner, int steps) {
  const std::vector<ValueId> states = item.graph.ValuesOfKind(ValueKind::kState);
  if (states.empty()) return Json(nullptr);
  Case step = item;
  step.graph = ExposeStates(item.graph, states, states).graph;
  for (const ValueId state : states) {
    const TensorType& type = item.graph.type(state);
    step.inputs.push_back({type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0)});
  }
  std::vector<Tensor> exact = step.inputs;
  Json list = Json::array();
  for (int i = 1; i <= steps; ++i) {
    ANECHECK_ASSIGN(const std::vector<Tensor> expected,
                    Expected(step.graph, exact, item.target.family));
    ANECHECK_RETURN_IF_ERROR(SpellCase(step));
    const RunRequest request = RequestOf(step);
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
    const RunReply& reply = replies[0];
    if (reply.status != RunStatus::kOk || reply.outputs.size() != expected.size()) {
      list.push_back({{"step", i}, {"message", reply.message}});
      return list;
    }
    list.push_back(StepJson(i, expected, reply.outputs));
    GoOn(expected, states.size(), exact);
    GoOn(reply.outputs, states.size(), step.inputs);
  }
  return list;
}

}  // namespace anecheck
