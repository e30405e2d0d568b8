#include "harness/judging/judge_nodes.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "harness/base/parallel_for.h"
#include "harness/ops/params.h"
#include "oracles/catalogue.h"
#include "oracles/judge.h"

namespace anecheck {
namespace {

// Returns an operation's documented defects that depend on the producers of its operands.
DefectSet DefectsOfOrigin(const OpSchema& schema, int family) {
  DefectSet defects;
  for (const Departure& row : KnownDepartures()) {
    const bool here = (row.families >> family & 1) != 0 && row.op == schema.name;
    if (here && LooksAtOrigin(row.effect)) defects.Add(row.id);
  }
  return defects;
}

// Returns the bool operand by which an operation chooses, or which it converts or inverts. No tap
// shows this operand. Returns kNoValue if there is none.
ValueId FlagsOf(const NodeView& node) {
  switch (static_cast<OpKind>(node.schema().id)) {
    case OpKind::kCast:
      return node.Input(params::Cast::kX);
    case OpKind::kSelect:
      return node.Input(params::Select::kCond);
    case OpKind::kLogicalNot:
      return node.Input(params::Unary::kX);
    default:
      return kNoValue;
  }
}

// Returns the index of the element of `from` that broadcasting repeats as element `index` of `to`.
size_t PlaceIn(const Shape& from, const Shape& to, size_t index) {
  size_t place = 0;
  size_t step = 1;
  for (int axis = to.rank() - 1, own = from.rank() - 1; own >= 0; --axis, --own) {
    const auto extent = static_cast<size_t>(to[axis]);
    const auto stored = static_cast<size_t>(from[own]);
    if (stored != 1) place += index % extent * step;
    index /= extent;
    step *= stored;
  }
  return place;
}

// Judges one operation on the values of a tapped run.
class NodeJudge {
 public:
  NodeJudge(const Case& item, const NodeCut::Values& values, bool of_engine, NodeId node,
            Evaluation& evaluation)
      : item_(item),
        values_(values),
        of_engine_(of_engine),
        judged_(node),
        evaluation_(evaluation) {}

  NodeJudgement Run() {
    NodeJudgement judgement;
    judgement.judged = JudgeResults();
    if (judgement.judged.verdict != Verdict::kWrong) return judgement;
    judgement.message = std::move(message_);
    judgement.deviation = deviation_;
    judgement.flags_alone = flags_alone_;
    return judgement;
  }

 private:
  JudgedNode JudgeResults() {
    const NodeId id = judged_;
    const Node& node = item_.graph.node(id);
    NodeCut cut(item_.graph, values_);
    cut.Take(id);
    if (cut.graph().outputs().empty()) return {.verdict = Verdict::kPass};
    const Contract& contract = ConformingContract(item_.target.family);
    if (!evaluation_.Run(cut.graph(), cut.inputs(), contract).ok()) return {};
    JudgedNode judged{.verdict = Verdict::kPass};
    size_t output = 0;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const auto actual = values_.find(node.first_result + i);
      if (actual == values_.end()) continue;
      JudgeResult(cut, output++, *actual->second, judged);
      if (judged.verdict != Verdict::kWrong) continue;
      judged.defects.clear();
      return WithOrigin(node, judged);
    }
    return judged;
  }

  // If an operation is wrong alone and a documented defect depends on the producers of its
  // operands, judges it again, together with these producers. If that defect explains the result,
  // the verdict is a known defect.
  JudgedNode WithOrigin(const Node& node, const JudgedNode& alone) {
    const DefectSet wanted = DefectsOfOrigin(*node.schema, item_.target.family);
    if (wanted.empty() || node.result_count != 1) return alone;
    NodeCut::Values before = values_;
    for (const Argument& argument : item_.graph.arguments(node)) {
      if (item_.graph.value(argument.value).kind == ValueKind::kResult)
        before.erase(argument.value);
    }
    NodeCut cut(item_.graph, before);
    cut.Take(item_.graph.value(node.first_result).producer);
    const Contract& contract = ConformingContract(item_.target.family);
    if (!evaluation_.Run(cut.graph(), cut.inputs(), contract).ok()) return alone;
    evaluation_.Stored(cut.graph().outputs()[0], expected_);
    const OutputJudgement result =
        Judge(cut.graph(), cut.inputs(), 0, expected_, *values_.at(node.first_result),
              item_.target.family, evaluation_.threads());
    if (result.vague || !result.defects.HasOneOf(wanted)) return alone;
    return {
        .verdict = Verdict::kKnownDefect, .defects = result.defects, .explained = result.outside};
  }

  // A result inside a wide bound counts as right. Its operation is not to blame for later errors.
  void JudgeResult(const NodeCut& cut, size_t output, const Tensor& actual, JudgedNode& judged) {
    evaluation_.Stored(cut.graph().outputs()[output], expected_);
    const OutputJudgement result = Judge(cut.graph(), cut.inputs(), output, expected_, actual,
                                         item_.target.family, evaluation_.threads());
    if (result.verdict == Verdict::kKnownDefect) {
      judged.defects.Add(result.defects);
      judged.explained += result.outside;
      judged.verdict = std::max(judged.verdict, Verdict::kKnownDefect);
    }
    if (result.verdict != Verdict::kWrong) return;
    judged.terms =
        of_engine_ && actual.type == expected_.type
            ? NeverMeasured(cut.graph(), cut.inputs(), output, actual, item_.target.family)
            : std::string();
    judged.verdict = judged.terms.empty() ? Verdict::kWrong : Verdict::kUnconfirmed;
    message_ = result.reason;
    flags_alone_ = actual.type == expected_.type && WouldBeByOtherFlags(actual);
    deviation_ = DeviationName(result.deviation);
  }

  // Whether opposite flags explain every element that lies outside.
  bool WouldBeByOtherFlags(const Tensor& actual) const {
    const NodeView node(item_.graph, item_.graph.node(judged_));
    std::vector<double> elements(expected_.value.size());
    DecodeElements(actual.type.dtype, actual.bytes, elements);
    std::vector<std::vector<double>> choices;
    if (static_cast<OpKind>(node.schema().id) == OpKind::kSelect) {
      for (const int parameter : {params::Select::kA, params::Select::kB}) {
        choices.push_back(OperandAt(node.Input(parameter), expected_.type.shape));
        if (choices.back().empty()) return false;
      }
    } else {
      choices = {{0}, {1}};
    }
    for (size_t i = 0; i < elements.size(); ++i) {
      if (Admits(expected_, i, elements[i])) continue;
      // An element that equals both choices, as a zero equals 0 and -0, shows no wrong choice.
      const auto chosen = std::ranges::count_if(choices, [&](const std::vector<double>& choice) {
        return choice[choice.size() == 1 ? 0 : i] == elements[i];
      });
      if (chosen != 1) return false;
    }
    return true;
  }
  // Returns the elements of a value that is known or constant, broadcast to `shape`. Returns an
  // empty list for any other value.
  std::vector<double> OperandAt(ValueId id, const Shape& shape) const {
    const auto fed = values_.find(id);
    const bool constant = item_.graph.value(id).kind == ValueKind::kConst;
    if (fed == values_.end() && !constant) return {};
    const std::span<const uint8_t> bytes =
        constant ? item_.graph.ConstData(id) : std::span<const uint8_t>(fed->second->bytes);
    const TensorType& type = item_.graph.type(id);
    std::vector<double> elements(static_cast<size_t>(type.shape.Elements()));
    DecodeElements(type.dtype, bytes, elements);
    std::vector<double> all(static_cast<size_t>(shape.Elements()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = elements[PlaceIn(type.shape, shape, i)];
    return all;
  }

  const Case& item_;
  const NodeCut::Values& values_;
  const bool of_engine_;
  const NodeId judged_;
  Evaluation& evaluation_;
  Estimate expected_;
  std::string message_;
  std::string_view deviation_;
  bool flags_alone_ = false;
};

// Limits the operations judged at a time, because evaluating a large one takes some 100 MB.
constexpr int kMostJudgedTogether = 4;

void LowerTo(std::atomic<uint64_t>& number, uint64_t bound) {
  uint64_t seen = number;
  while (bound < seen && !number.compare_exchange_weak(seen, bound)) {
  }
}

}  // namespace

NodeId Culprit(const Graph& graph, const NodeCut::Values& values, NodeId id, bool flags_alone) {
  if (!flags_alone) return id;
  for (NodeId at = id;;) {
    const ValueId flags = FlagsOf(NodeView(graph, graph.node(at)));
    const bool hidden = flags != kNoValue && !values.contains(flags) &&
                        graph.type(flags).dtype == DType::kBool &&
                        graph.value(flags).kind == ValueKind::kResult;
    if (!hidden) return at;
    at = graph.value(flags).producer;
  }
}

Result<NodeJudgement> JudgedInOrder::At(NodeId id) {
  if (!judged_[id]) ANECHECK_RETURN_IF_ERROR(JudgeFrom(id));
  return *std::exchange(judged_[id], std::nullopt);
}

Status JudgedInOrder::JudgeFrom(NodeId first) {
  const uint64_t left = judged_.size() - first;
  const int together = static_cast<int>(std::min<uint64_t>(
      left, static_cast<uint64_t>(std::min(evaluation_.threads(), kMostJudgedTogether))));
  if (together <= 1) {
    Tell(first);
    judged_[first] = Judge(first, evaluation_);
    return {};
  }
  std::atomic<uint64_t> wrong = left;
  std::atomic<uint64_t> done = first;
  return ParallelFor(left, together, [&](uint64_t place) -> Status {
    const auto node = static_cast<NodeId>(first + place);
    if (place > wrong || judged_[node]) return {};
    Tell(done++);
    Evaluation own;
    own.UseThreads(evaluation_.threads() / together);
    judged_[node] = Judge(node, own);
    if (judged_[node]->judged.verdict == Verdict::kWrong) LowerTo(wrong, place);
    return {};
  });
}

NodeJudgement JudgedInOrder::Judge(NodeId id, Evaluation& evaluation) const {
  return NodeJudge(item_, values_, of_engine_, id, evaluation).Run();
}

}  // namespace anecheck
