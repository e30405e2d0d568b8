#include "harness/campaign/locate.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
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

std::string Joined(const std::set<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

// Judges operations on the values of a tapped run.
class NodeJudge {
 public:
  NodeJudge(const Case& item, const Values& values, bool of_engine, Evaluation& evaluation)
      : item_(item), values_(values), of_engine_(of_engine), evaluation_(evaluation) {}

  JudgedNode Run(NodeId id) {
    const Node& node = item_.graph.node(id);
    // What a state holds at this operation no tap tells.
    for (const Argument& argument : item_.graph.arguments(node)) {
      if (item_.graph.value(argument.value).kind == ValueKind::kState) return {};
    }
    Cut cut(item_.graph, values_);
    cut.Take(id);
    if (cut.graph().outputs().empty()) return {.grade = NodeGrade::kRight};
    const Contract& contract = ConformingContract(item_.target.family);
    if (!evaluation_.Run(cut.graph(), cut.inputs(), contract).ok()) return {};
    JudgedNode judged{.grade = NodeGrade::kRight};
    std::set<std::string> defects;
    size_t output = 0;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const auto actual = values_.find(node.first_result + i);
      if (actual == values_.end()) continue;
      JudgeResult(cut, output++, *actual->second, defects, judged);
      if (judged.grade == NodeGrade::kWrong) return judged;
    }
    judged.defects = Joined(defects);
    return judged;
  }

 private:
  // A result that its bound says little about lies inside all the same: what is wrong further on
  // was not made here.
  void JudgeResult(const Cut& cut, size_t output, const Tensor& actual,
                   std::set<std::string>& defects, JudgedNode& judged) {
    evaluation_.Stored(cut.graph().outputs()[output], expected_);
    const OutputJudgement result =
        Judge(cut.graph(), cut.inputs(), output, expected_, actual, item_.target.family);
    if (result.verdict == Verdict::kKnownDefect) {
      Split(result.known_defect, defects);
      judged.grade = std::max(judged.grade, NodeGrade::kDefect);
    }
    if (result.verdict != Verdict::kWrong) return;
    const std::vector<Term> terms =
        of_engine_ && actual.type == expected_.type
            ? ForbiddingTerms(cut.graph(), cut.inputs(), output, actual, item_.target.family)
            : std::vector<Term>();
    judged.grade = terms.empty() ? NodeGrade::kWrong : NodeGrade::kUnconfirmed;
    judged.terms = TermNames(terms);
  }

  const Case& item_;
  const Values& values_;
  const bool of_engine_;
  Evaluation& evaluation_;
  Estimate expected_;
};

}  // namespace

std::string TermNames(std::span<const Term> terms) {
  std::vector<std::string_view> names;
  for (const Term term : terms) names.push_back(TermFacts()[static_cast<size_t>(term)].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<bool> AnswersForAnEngine(Runner& runner) {
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner.Identify());
  return identity.provenance == Provenance::kSilicon ||
         identity.provenance == Provenance::kReported;
}

Explanation ExplainOutput(const Graph& graph, size_t output, const Location& location) {
  std::vector<bool> needed(graph.values().size(), false);
  needed[graph.outputs()[output]] = true;
  Explanation explanation;
  std::set<std::string> defects, terms;
  for (NodeId id = static_cast<NodeId>(graph.nodes().size()); id-- > 0;) {
    const Node& node = graph.node(id);
    bool used = false;
    for (uint32_t i = 0; i < node.result_count; ++i) used |= needed[node.first_result + i];
    if (!used) continue;
    for (const Argument& argument : graph.arguments(node)) needed[argument.value] = true;
    if (id >= location.nodes.size() || location.nodes[id].grade == NodeGrade::kUnjudged) {
      explanation.complete = false;
      continue;
    }
    Split(location.nodes[id].defects, defects);
    if (!location.nodes[id].terms.empty()) terms.insert(location.nodes[id].terms);
  }
  explanation.defects = Joined(defects);
  explanation.terms = Joined(terms);
  return explanation;
}

Result<Location> Locate(const Case& item, const RunReply& reply, Runner& runner,
                        Evaluation& evaluation) {
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
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  if (replies.front().status != RunStatus::kOk) return location;
  const std::vector<Tensor>& answers = replies.front().outputs;
  if (answers.size() != tapped.outputs().size()) return location;
  for (size_t i = 0; i < reply.outputs.size(); ++i) {
    if (answers[i].bytes != reply.outputs[i].bytes) return location;
  }
  Values values;
  const std::vector<ValueId> inputs = item.graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < inputs.size(); ++i) values[inputs[i]] = &item.inputs[i];
  for (size_t i = 0; i < answers.size(); ++i) values[tapped.outputs()[i]] = &answers[i];
  ANECHECK_ASSIGN(const bool of_engine, AnswersForAnEngine(runner));
  location.judged = true;
  std::set<std::string> defects;
  NodeJudge judge(item, values, of_engine, evaluation);
  for (NodeId node = 0; node < item.graph.nodes().size(); ++node) {
    location.nodes.push_back(judge.Run(node));
    Split(location.nodes.back().defects, defects);
    if (location.nodes.back().grade != NodeGrade::kWrong) continue;
    location.first_wrong = item.graph.node(node).schema->name;
    location.node = item.graph.value(item.graph.node(node).first_result).name;
    break;
  }
  location.known_defect = Joined(defects);
  return location;
}

}  // namespace anecheck
