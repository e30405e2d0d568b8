#include "harness/check/model_parts.h"

#include <algorithm>
#include <set>

#include "harness/judging/node_cut.h"

namespace anecheck {
namespace {

constexpr size_t kOutside = ~size_t{0};

// The types that an engine's program can return, and fp32, whose casts are left out
// (boundary_casts.h).
bool CanLeaveAnEngine(DType dtype) {
  return dtype == DType::kFp16 || dtype == DType::kUint8 || dtype == DType::kFp32;
}

}  // namespace

class ModelParts::Cutter {
 public:
  Cutter(const Graph& graph, std::span<const Tensor> inputs, const ModelValues& values)
      : graph_(graph), values_(values) {
    const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
    for (size_t i = 0; i < ids.size(); ++i) at_inputs_[ids[i]] = &inputs[i];
    FindConstants();
  }

  // Marks every operation except `node` and the operations on constants alone.
  std::vector<bool> AllBut(NodeId node) const {
    std::vector<bool> outside;
    for (const Node& other : graph_.nodes()) {
      outside.push_back(other.result_count == 0 || !constant_[other.first_result]);
    }
    outside[node] = false;
    return outside;
  }

  std::vector<ModelPart> Run(const std::vector<bool>& outside, uint64_t most_weights) {
    PlaceNodes(outside, most_weights);
    FindReaders();
    std::vector<ModelPart> parts;
    for (size_t number = 0; number < count_; ++number) {
      ModelPart part = PartOf(number);
      if (!part.nodes.empty()) parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  void FindConstants() {
    for (const Value& value : graph_.values()) {
      constant_.push_back(value.kind == ValueKind::kConst);
    }
    for (const Node& node : graph_.nodes()) {
      const bool constant = std::ranges::all_of(
          graph_.arguments(node),
          [&](const Argument& argument) { return static_cast<bool>(constant_[argument.value]); });
      for (uint32_t i = 0; i < node.result_count; ++i) constant_[node.first_result + i] = constant;
    }
  }

  // Returns whether a part may pass a value to other parts. A value made of constants alone is not
  // passed, because the other part computes it again.
  bool CanBeHandedOn(ValueId id) const {
    return !constant_[id] && CanLeaveAnEngine(graph_.type(id).dtype);
  }

  // `known_from` has, for each value, the first part that can use it. For a value of a part, it is
  // that part. For a value of an operation outside, it is the part after the last part whose values
  // the operation reads.
  void PlaceNodes(const std::vector<bool>& outside, uint64_t most_weights) {
    part_.clear();
    count_ = 0;
    weights_.clear();
    std::vector<size_t> known_from(graph_.values().size(), 0);
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      const Node& node = graph_.node(id);
      size_t number = 0;
      for (const Argument& argument : graph_.arguments(node)) {
        number = std::max(number, known_from[argument.value]);
      }
      if (!outside[id]) number = PartWithRoom(node, number, most_weights);
      count_ = std::max(count_, number + 1);
      part_.push_back(outside[id] ? kOutside : number);
      const size_t from = outside[id] ? number + 1 : number;
      for (uint32_t i = 0; i < node.result_count; ++i) known_from[node.first_result + i] = from;
      for (const Argument& argument : graph_.arguments(node)) {
        // The content of a state depends on every earlier operation that has the state as operand.
        if (graph_.value(argument.value).kind == ValueKind::kState) {
          known_from[argument.value] = from;
        }
      }
    }
  }

  // Returns the first part from `number` on that has room for the constants of an operation, and
  // adds them to it.
  size_t PartWithRoom(const Node& node, size_t number, uint64_t most_weights) {
    for (;; ++number) {
      if (weights_.size() <= number) weights_.resize(number + 1);
      Weights& weights = weights_[number];
      uint64_t more = 0;
      for (const Argument& argument : graph_.arguments(node)) {
        const Value& value = graph_.value(argument.value);
        if (value.kind != ValueKind::kConst || weights.values.contains(argument.value)) continue;
        more += static_cast<uint64_t>(value.type.ByteSize());
      }
      if (weights.bytes != 0 && more > 0 && weights.bytes + more > most_weights) continue;
      weights.bytes += more;
      for (const Argument& argument : graph_.arguments(node)) weights.values.insert(argument.value);
      return number;
    }
  }

  void FindReaders() {
    read_elsewhere_.assign(graph_.values().size(), false);
    for (const ValueId output : graph_.outputs()) read_elsewhere_[output] = true;
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      for (const Argument& argument : graph_.arguments(graph_.node(id))) {
        const Value& value = graph_.value(argument.value);
        if (value.kind != ValueKind::kResult) continue;
        if (part_[value.producer] != part_[id]) read_elsewhere_[argument.value] = true;
      }
    }
  }

  // The values that a part may take as inputs: results of operations outside, and values of other
  // parts that can leave those parts.
  NodeCut::Values ValuesFor(size_t number) {
    NodeCut::Values known = at_inputs_;
    for (ValueId id = 0; id < graph_.values().size(); ++id) {
      const Value& value = graph_.value(id);
      if (value.kind != ValueKind::kResult || !read_elsewhere_[id]) continue;
      const size_t made_in = part_[value.producer];
      if (made_in == number) continue;
      if (made_in == kOutside || CanBeHandedOn(id)) known[id] = &values_[id];
    }
    return known;
  }

  ModelPart PartOf(size_t number) {
    ModelPart part;
    std::vector<ValueId>& outputs = part.outputs;
    std::vector<NodeId> ends;
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      if (part_[id] != number) continue;
      const Node& node = graph_.node(id);
      const size_t before = outputs.size();
      for (uint32_t i = 0; i < node.result_count; ++i) {
        const ValueId result = node.first_result + i;
        if (read_elsewhere_[result] && CanBeHandedOn(result)) outputs.push_back(result);
      }
      if (outputs.size() > before || node.result_count == 0) ends.push_back(id);
    }
    if (outputs.empty()) return part;
    const NodeCut::Values known = ValuesFor(number);
    NodeCut cut(graph_, known);
    cut.TakeAll(ends, outputs);
    part.graph = cut.graph();
    part.inputs.assign(cut.inputs().begin(), cut.inputs().end());
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      if (part_[id] == number && cut.Has(id)) part.nodes.push_back(id);
    }
    return part;
  }

  const Graph& graph_;
  const ModelValues& values_;
  NodeCut::Values at_inputs_;
  struct Weights {
    uint64_t bytes = 0;
    std::set<ValueId> values;  // including constants, each of which counts once
  };
  std::vector<Weights> weights_;  // the weights of each part
  std::vector<size_t> part_;      // the part of each operation
  std::vector<bool> constant_;    // by value: it depends on nothing that is given at run time
  size_t count_ = 0;
  std::vector<bool> read_elsewhere_;  // by value: it is an output, or another part reads it
};

ModelParts::ModelParts(const Graph& graph, std::span<const Tensor> inputs,
                       const ModelValues& values)
    : cutter_(std::make_unique<Cutter>(graph, inputs, values)) {}

ModelParts::~ModelParts() = default;

std::vector<ModelPart> ModelParts::Around(const std::vector<bool>& outside, uint64_t most_weights) {
  return cutter_->Run(outside, most_weights);
}

std::optional<ModelPart> ModelParts::Alone(NodeId node) {
  std::vector<ModelPart> parts = cutter_->Run(cutter_->AllBut(node), kAnyWeights);
  if (parts.empty()) return std::nullopt;
  parts.front().nodes = {node};
  return std::move(parts.front());
}

}  // namespace anecheck
