#include "oracles/testing/slow_operands.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/graph/copy_node.h"

namespace anecheck::testing {

const std::vector<double>* OperandAt(const NodeView& node,
                                     std::span<const std::vector<double>> operands, int parameter) {
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].parameter == parameter) return &operands[i];
  }
  return nullptr;
}

InSchemaOrder::InSchemaOrder(const NodeView& node, std::span<const std::vector<double>> operands)
    : node_(node), operands_(operands) {
  const Graph& graph = node.graph();
  const auto arguments = graph.arguments(node.node());
  if (std::ranges::is_sorted(arguments, {}, &Argument::parameter)) return;
  std::vector<size_t> order(arguments.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // The elements of a list have one parameter and keep their order.
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(arguments[i].parameter, i); });
  std::vector<ValueId> values;
  values.reserve(order.size());
  moved_.reserve(order.size());
  for (const size_t i : order) {
    values.push_back(copy_.AddInput(graph.type(arguments[i].value)));
    moved_.push_back(operands[i]);
  }
  copy_.BeginNode(&node.schema());
  for (size_t k = 0; k < order.size(); ++k) {
    copy_.AddArgument(arguments[order[k]].parameter, values[k]);
  }
  CopyAttributes(graph, node.node(), copy_);
  std::vector<TensorType> types;
  types.reserve(node.node().result_count);
  for (uint32_t i = 0; i < node.node().result_count; ++i) types.push_back(node.ResultType(i));
  copy_.FinishNodeAs(types, {});
  node_ = NodeView(copy_, NodeId{0});
  operands_ = moved_;
}

}  // namespace anecheck::testing
