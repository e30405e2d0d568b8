#include "harness/campaign/locate.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/graph/copy_node.h"
#include "oracles/judge.h"

namespace anecheck {
namespace {

// The values of a tapped run: inputs, and every fp16 result as the engine gave it.
using Values = std::map<ValueId, const Tensor*>;

// One operation cut out of the graph, fed with tapped values. Results that cannot leave the engine
// (integers between two casts) are computed inside.
class Cut {
 public:
  Cut(const Graph& graph, const Values& values) : graph_(graph), values_(values) {}

  void Take(NodeId node) {
    const ValueId first = Include(node);
    for (uint32_t i = 0; i < graph_.node(node).result_count; ++i) {
      if (values_.contains(graph_.node(node).first_result + i)) cut_.AddOutput(first + i);
    }
  }
  const Graph& graph() const { return cut_; }
  std::span<const Tensor> inputs() const { return inputs_; }

 private:
  ValueId Include(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<Argument> arguments;
    for (const Argument& argument : graph_.arguments(node)) {
      arguments.push_back({argument.parameter, Operand(argument.value)});
    }
    cut_.BeginNode(node.schema);
    for (const Graph& block : graph_.blocks(node)) cut_.AddBlock(block);
    for (const Argument& argument : arguments) cut_.AddArgument(argument.parameter, argument.value);
    CopyAttributes(graph_, node, cut_);
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      types.push_back(graph_.type(node.first_result + i));
      names.push_back(graph_.value(node.first_result + i).name);
    }
    const ValueId first = cut_.FinishNodeAs(types, names);
    for (uint32_t i = 0; i < node.result_count; ++i) known_[node.first_result + i] = first + i;
    return first;
  }

  ValueId Operand(ValueId id) {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    const Value& value = graph_.value(id);
    if (value.kind == ValueKind::kConst) {
      return known_[id] = cut_.AddConst(value.type, graph_.ConstData(id), value.name);
    }
    if (const auto tapped = values_.find(id); tapped != values_.end()) {
      inputs_.push_back(*tapped->second);
      return known_[id] = cut_.AddInput(value.type, value.name);
    }
    Include(value.producer);
    return known_[id];
  }

  const Graph& graph_;
  const Values& values_;
  Graph cut_;
  std::vector<Tensor> inputs_;
  std::map<ValueId, ValueId> known_;
};

void Split(const std::string& list, std::set<std::string>& ids) {
  for (size_t from = 0; from < list.size();) {
    const size_t comma = std::min(list.find(',', from), list.size());
    ids.insert(list.substr(from, comma - from));
    from = comma + 1;
  }
}

// Whether the operation's own result is wrong; documented defects go to `ids`.
bool IsWrong(const Case& item, NodeId node, const Values& values, Evaluation& evaluation,
             std::set<std::string>& ids) {
  // What a state holds at this operation no tap tells.
  for (const Argument& argument : item.graph.arguments(item.graph.node(node))) {
    if (item.graph.value(argument.value).kind == ValueKind::kState) return false;
  }
  Cut cut(item.graph, values);
  cut.Take(node);
  if (cut.graph().outputs().empty()) return false;
  if (!evaluation.Run(cut.graph(), cut.inputs(), ConformingContract(item.target.family)).ok()) {
    return false;
  }
  Estimate expected;
  size_t output = 0;
  for (uint32_t i = 0; i < item.graph.node(node).result_count; ++i) {
    const auto actual = values.find(item.graph.node(node).first_result + i);
    if (actual == values.end()) continue;
    evaluation.Stored(cut.graph().outputs()[output], expected);
    const OutputJudgement judged =
        Judge(cut.graph(), cut.inputs(), output++, expected, *actual->second, item.target.family);
    if (judged.verdict == Verdict::kWrong) return true;
    if (judged.verdict == Verdict::kKnownDefect) Split(judged.known_defect, ids);
  }
  return false;
}

}  // namespace

Location Locate(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation) {
  Location location;
  Case probe = {.index = item.index,
                .target = item.target,
                .graph = item.graph,
                .inputs = item.inputs,
                .route = item.route};
  Graph& tapped = probe.graph;
  for (const Node& node : item.graph.nodes()) {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const ValueId id = node.first_result + i;
      const auto outputs = item.graph.outputs();
      const bool is_output = std::find(outputs.begin(), outputs.end(), id) != outputs.end();
      if (!is_output && item.graph.type(id).dtype == DType::kFp16) tapped.AddOutput(id);
    }
  }
  if (!SpellCase(probe).ok()) return location;
  const RunRequest request = RequestOf(probe);
  const auto replies = runner.Run({&request, 1});
  if (!replies.ok() || replies->front().status != RunStatus::kOk) return location;
  const std::vector<Tensor>& answers = replies->front().outputs;
  if (answers.size() != tapped.outputs().size()) return location;
  for (size_t i = 0; i < reply.outputs.size(); ++i) {
    if (answers[i].bytes != reply.outputs[i].bytes) return location;
  }
  Values values;
  const std::vector<ValueId> inputs = item.graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < inputs.size(); ++i) values[inputs[i]] = &item.inputs[i];
  for (size_t i = 0; i < answers.size(); ++i) values[tapped.outputs()[i]] = &answers[i];
  location.judged = true;
  std::set<std::string> ids;
  for (NodeId node = 0; node < item.graph.nodes().size(); ++node) {
    if (!IsWrong(item, node, values, evaluation, ids)) continue;
    location.first_wrong = item.graph.node(node).schema->name;
    location.node = item.graph.value(item.graph.node(node).first_result).name;
    break;
  }
  for (const std::string& id : ids) {
    location.known_defect += (location.known_defect.empty() ? "" : ",") + id;
  }
  return location;
}

}  // namespace anecheck
