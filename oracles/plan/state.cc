// Rewrites states that the target does not keep resident. Each state becomes an input and, if it is
// written, also an output; all states share one buffer (specification 000, hardware task
// descriptor; specification 004, table 26.1).
#include <algorithm>
#include <map>

#include "harness/base/round_up.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/legality/instance.h"
#include "oracles/plan/rewrite.h"

namespace anecheck::plan {
namespace {

constexpr std::string_view kSource =
    "specification 000, hardware task descriptor; specification 004, table 26.1";

// The entries [position, position + size) of a ring, modulo its extent.
ValueId ReadRing(const NodeView& node, ValueId state, Builder& out) {
  using P = params::RingRead;
  const Shape& ring = node.InputShape(P::kInput);
  const int axis = *NormalizeAxis(node.Int(P::kAxis, 0), ring.rank());
  const int64_t extent = ring[axis];
  const int64_t first = node.Int(P::kPosition, 0) % extent;
  const int64_t size = node.Int(P::kSize, 1);
  const int64_t head = std::min(size, extent - first);
  std::vector<ValueId> parts = {out.SliceAxis(state, axis, first, head)};
  if (head < size) parts.push_back(out.SliceAxis(state, axis, 0, size - head));
  return out.ok() ? out.Concat(parts, axis) : kNoValue;
}

// The ring with `data` written at its position.
ValueId WriteRing(const NodeView& node, ValueId state, ValueId data, Builder& out) {
  using P = params::RingWrite;
  const Shape& ring = node.InputShape(P::kInput);
  const int axis = *NormalizeAxis(node.Int(P::kAxis, 0), ring.rank());
  const int64_t extent = ring[axis];
  const int64_t first = node.Int(P::kPosition, 0) % extent;
  const int64_t size = node.InputShape(P::kData)[axis];
  const int64_t head = std::min(size, extent - first);
  std::vector<ValueId> parts;
  if (head < size) parts.push_back(out.SliceAxis(data, axis, head, size - head));
  const int64_t before = first - (size - head);
  if (before > 0) parts.push_back(out.SliceAxis(state, axis, size - head, before));
  parts.push_back(head < size ? out.SliceAxis(data, axis, 0, head) : data);
  const int64_t after = extent - first - head;
  if (after > 0) parts.push_back(out.SliceAxis(state, axis, first + head, after));
  return out.ok() ? out.Concat(parts, axis) : kNoValue;
}

// Copies the nodes and tracks the content of each state.
class Sharing {
 public:
  Sharing(const Graph& from, Graph& to, std::set<std::string, std::less<>>& names)
      : from_(from), to_(to), names_(names), places_(from.values().size(), kNoValue) {}

  Status Run(const std::vector<std::string>& origins, std::vector<std::string>& new_origins) {
    AddInputs();
    for (NodeId id = 0; id < from_.nodes().size(); ++id) {
      ANECHECK_RETURN_IF_ERROR(Take(NodeView(from_, id), origins[id]));
      new_origins.resize(to_.nodes().size(), origins[id]);
    }
    for (const ValueId output : from_.outputs()) {
      ANECHECK_RETURN_IF_ERROR(AddOutput(from_.value(output).name, Placed(output)));
      new_origins.resize(to_.nodes().size(), from_.value(output).name);
    }
    for (const ValueId state : written_) to_.AddOutput(current_[state]);
    return {};
  }

 private:
  void AddInputs() {
    for (const ValueId id : from_.ValuesOfKind(ValueKind::kInput)) {
      places_[id] = to_.AddInput(from_.type(id), from_.value(id).name);
    }
    for (const ValueId id : from_.ValuesOfKind(ValueKind::kState)) {
      current_[id] = places_[id] = to_.AddInput(from_.type(id), from_.value(id).name);
    }
  }
  ValueId Placed(ValueId id) {
    if (places_[id] == kNoValue) {
      places_[id] = to_.CopyConst(from_, id, from_.value(id).name);
    }
    return places_[id];
  }
  // Adds an output. An output that reads a state becomes a separate value, so that the output keeps
  // its name.
  Status AddOutput(const std::string& name, ValueId place) {
    if (to_.value(place).name != name) {
      Builder out(to_, names_, name);
      place = out.Add("identity", {{"x", place}});
      ANECHECK_RETURN_IF_ERROR(out.status());
      to_.Rename(place, name);
    }
    to_.AddOutput(place);
    return {};
  }
  // Makes a separate value for the written data, so that it has a name as an output.
  Status Write(ValueId state, ValueId data, Builder& out) {
    current_[state] = out.Add("identity", {{"x", data}});
    if (std::find(written_.begin(), written_.end(), state) == written_.end()) {
      written_.push_back(state);
    }
    return out.status();
  }
  Status Take(const NodeView& node, const std::string& origin) {
    for (const Argument& argument : from_.arguments(node.node())) Placed(argument.value);
    Builder out(to_, names_, origin);
    const ValueId first = node.node().argument_count == 0 ? kNoValue : node.Input(0);
    switch (KindOf(node.schema())) {
      case OpKind::kReadState:
      case OpKind::kTensorBufferToTensor:
        places_[node.Result()] = current_[first];
        return {};
      case OpKind::kWriteState:
      case OpKind::kTensorToTensorBuffer:
        return Write(first, places_[node.Input(params::WriteState::kData)], out);
      case OpKind::kCircularBufferToTensor:
        places_[node.Result()] = ReadRing(node, current_[first], out);
        return out.status();
      case OpKind::kTensorToCircularBuffer: {
        const ValueId data = places_[node.Input(params::RingWrite::kData)];
        const ValueId ring = WriteRing(node, current_[first], data, out);
        return Write(first, ring, out);
      }
      default:
        return Copy(node, out);
    }
  }
  Status Copy(const NodeView& node, Builder& out) {
    std::vector<std::string> names;
    names.reserve(node.node().result_count);
    for (uint32_t i = 0; i < node.node().result_count; ++i) {
      names.push_back(from_.value(node.Result(i)).name);
    }
    const ValueId first = out.Copy(node, places_, names);
    ANECHECK_RETURN_IF_ERROR(out.status());
    for (uint32_t i = 0; i < names.size(); ++i) places_[node.Result(i)] = first + i;
    return {};
  }

  const Graph& from_;
  Graph& to_;
  std::set<std::string, std::less<>>& names_;
  std::vector<ValueId> places_;
  std::map<ValueId, ValueId> current_;
  std::vector<ValueId> written_;
};

}  // namespace

Status Rewriter::ShareStates(std::vector<StateBuffer>& buffers) {
  const std::vector<ValueId> states = graph_.ValuesOfKind(ValueKind::kState);
  if (states.empty()) return {};
  legality::Instance reading;
  reading.op = "read_state";
  ANECHECK_ASSIGN(const legality::Verdict verdict,
                  legality::Judge(reading, target_, Route::kMil, options_.order));
  const legality::LayerVerdict* asked = Decomposing(verdict);
  const bool shared = asked != nullptr && asked->rule == "state_shared_buffer";
  int64_t offset = 0;
  for (const ValueId id : states) {
    const int64_t bytes = graph_.type(id).ByteSize();
    buffers.push_back({graph_.value(id).name, bytes, shared, shared ? offset : 0});
    offset += std::max(kStateStride, RoundUp(bytes, kStateStride));
  }
  if (!shared) return {};
  Graph next;
  next.name = graph_.name;
  std::vector<std::string> origins;
  ANECHECK_RETURN_IF_ERROR(Sharing(graph_, next, names_).Run(origins_, origins));
  for (const StateBuffer& buffer : buffers) {
    rewrites_.push_back({buffer.name,
                         "state",
                         Occasion::kDecompose,
                         asked->rule,
                         asked->reason,
                         "an input and an output over a shared buffer",
                         std::string(kSource),
                         {buffer.name},
                         {}});
  }
  std::vector<std::vector<std::string>> settled(next.nodes().size());
  Take(std::move(next), std::move(origins), std::move(settled));
  return {};
}

}  // namespace anecheck::plan
