#include "harness/judging/isolate.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/judging/node_cut.h"

namespace anecheck {
namespace {

bool IsIsolated(const Case& item, const CaseOutcome& outcome) {
  const RunStatus status = outcome.status;
  const bool ended = status == RunStatus::kRejected || status == RunStatus::kFailed ||
                     status == RunStatus::kCrashed;
  const size_t nodes = item.graph.nodes().size();
  return ended && item.mode != CaseMode::kMustReject && nodes > 1 && nodes <= kMostIsolated;
}

// One zero for every value, of its type.
class Zeros {
 public:
  explicit Zeros(const Graph& graph) {
    tensors_.reserve(graph.values().size());
    for (ValueId id = 0; id < graph.values().size(); ++id) {
      const TensorType& type = graph.type(id);
      tensors_.push_back({type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))});
    }
    for (ValueId id = 0; id < graph.values().size(); ++id) {
      const ValueKind kind = graph.value(id).kind;
      if (kind == ValueKind::kInput || (kind == ValueKind::kResult && Leaves(graph.type(id)))) {
        values_.emplace(id, &tensors_[id]);
      }
    }
  }
  const NodeCut::Values& values() const { return values_; }

 private:
  // Of the types that an engine takes and gives.
  static bool Leaves(const TensorType& type) { return type.dtype == DType::kFp16; }

  std::vector<Tensor> tensors_;
  NodeCut::Values values_;
};

// The operation alone as a case; nothing where it has no output of its own or cannot be spelt.
std::optional<Case> Alone(const Case& item, NodeId node, const Zeros& zeros) {
  NodeCut cut(item.graph, zeros.values());
  cut.Take(node);
  if (cut.graph().outputs().empty()) return std::nullopt;
  Case alone = InPlaceOf(item);
  alone.graph = cut.graph();
  alone.inputs.assign(cut.inputs().begin(), cut.inputs().end());
  if (!SpellCase(alone).ok()) return std::nullopt;
  return alone;
}

}  // namespace

Status Isolate(const Case& item, Runner& runner, CaseOutcome& outcome) {
  if (!IsIsolated(item, outcome)) return {};
  const Zeros zeros(item.graph);
  for (NodeId id = 0; id < item.graph.nodes().size(); ++id) {
    const std::optional<Case> alone = Alone(item, id, zeros);
    if (!alone) continue;
    RunRequest request = RequestOf(*alone);
    request.settings.repeat = false;
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
    if (replies.front().status != outcome.status) continue;
    const Node& node = item.graph.node(id);
    outcome.shown.Charge(std::string(node.schema->name), item.graph.value(node.first_result).name);
    return {};
  }
  return {};
}

}  // namespace anecheck
