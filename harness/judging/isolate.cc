#include "harness/judging/isolate.h"

#include <algorithm>
#include <fmt/format.h>
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

bool IsOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns whether a message contains the operation's name, and the name is not a plain word: it has
// an underscore, is in quotes, or stands before a colon.
bool NamesOperation(std::string_view message, std::string_view name) {
  constexpr std::string_view kQuotes = "\"'`";
  const bool compound = name.find('_') != std::string_view::npos;
  for (size_t at = 0; (at = message.find(name, at)) != std::string_view::npos; ++at) {
    const char before = at == 0 ? ' ' : message[at - 1];
    const size_t end = at + name.size();
    const char after = end == message.size() ? ' ' : message[end];
    if (IsOfWord(before) || IsOfWord(after)) continue;
    const bool quoted = kQuotes.find(before) != std::string_view::npos && before == after;
    if (compound || quoted || after == ':') return true;
  }
  return false;
}

// Returns the node whose result the message quotes; kNoNode for none, or for several nodes.
NodeId MakerOfQuoted(const Graph& graph, std::string_view message) {
  NodeId maker = kNoNode;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(id);
    if (value.kind != ValueKind::kResult) continue;
    const bool quoted = std::ranges::any_of(std::string_view("\"'`"), [&](char quote) {
      return message.find(fmt::format("{0}{1}{0}", quote, value.name)) != std::string_view::npos;
    });
    if (!quoted) continue;
    if (maker != kNoNode && maker != value.producer) return kNoNode;
    maker = value.producer;
  }
  return maker;
}

// Returns the first node of the only operation that the message names or, if it names none, the
// node whose result it quotes. Returns kNoNode for none, or if the message names several
// operations.
NodeId NamedBy(const Graph& graph, std::string_view message) {
  NodeId named = kNoNode;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const OpSchema* const schema = graph.node(id).schema;
    if (!NamesOperation(message, schema->name)) continue;
    if (named != kNoNode && graph.node(named).schema != schema) return kNoNode;
    if (named == kNoNode) named = id;
  }
  return named == kNoNode ? MakerOfQuoted(graph, message) : named;
}

// Tensors of zeros for all values of a graph, with the values' types.
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
  // Returns whether engines admit the type for inputs and outputs.
  static bool Leaves(const TensorType& type) { return type.dtype == DType::kFp16; }

  std::vector<Tensor> tensors_;
  NodeCut::Values values_;
};

// Returns a case of the operation alone. Returns nothing if no result of the operation can be an
// output, or if the case's form cannot express the operation.
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
  const bool refused = outcome.status == RunStatus::kRejected;
  const NodeId named = refused ? NamedBy(item.graph, outcome.message()) : kNoNode;
  if (named != kNoNode) {
    const Node& node = item.graph.node(named);
    outcome.shown.Charge(std::string(node.schema->name));
    return {};
  }
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
