#include "harness/lowering/boundary_casts.h"

#include <algorithm>

#include "harness/graph/copy_node.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool IsCast(const Node& node) { return node.schema->name == "cast" && node.result_count == 1; }

class Peeler {
 public:
  explicit Peeler(const Graph& from) : from_(from), known_(from.values().size(), kNoValue) {}

  PeeledGraph Run() {
    peeled_.graph.name = from_.name;
    FindInputs();
    FindOutputs();
    AddLeaves();
    for (const Node& node : from_.nodes()) AddNode(node);
    for (const ValueId output : from_.outputs()) peeled_.graph.AddOutput(known_[Given(output)]);
    for (const ValueId output : from_.outputs()) NameOutput(output);
    return std::move(peeled_);
  }

 private:
  TensorType Half(ValueId id) const {
    TensorType type = from_.type(id);
    type.dtype = DType::kFp16;
    return type;
  }

  // Whether the node casts an input that becomes fp16.
  bool IsPeeled(const Node& node) const { return IsCast(node) && narrow_[Source(node)]; }

  // The value that a cast reads.
  ValueId Source(const Node& node) const { return NodeView(from_, node).Input(params::Cast::kX); }

  void FindInputs() {
    narrow_.assign(from_.values().size(), false);
    std::vector<bool> otherwise(from_.values().size(), false);
    for (const Node& node : from_.nodes()) {
      for (const Argument& argument : from_.arguments(node)) {
        const bool to_half = IsCast(node) && from_.type(node.first_result).dtype == DType::kFp16;
        (to_half ? narrow_ : otherwise)[argument.value] = true;
      }
    }
    for (const ValueId output : from_.outputs()) {
      otherwise[output] = true;
      // An input whose cast is an output stays fp32, because an engine does not return an input.
      const Value& value = from_.value(output);
      if (value.kind != ValueKind::kResult) continue;
      const Node& node = from_.node(value.producer);
      if (IsCast(node)) otherwise[Source(node)] = true;
    }
    for (ValueId id = 0; id < from_.values().size(); ++id) {
      const Value& value = from_.value(id);
      narrow_[id] = narrow_[id] && !otherwise[id] && value.kind == ValueKind::kInput &&
                    value.type.dtype == DType::kFp32;
    }
  }

  // Finds the casts whose result is an fp32 output that no operation reads.
  void FindOutputs() {
    std::vector<bool> read(from_.values().size(), false);
    for (const Node& node : from_.nodes()) {
      for (const Argument& argument : from_.arguments(node)) read[argument.value] = true;
    }
    widened_.assign(from_.values().size(), kNoValue);
    for (const ValueId output : from_.outputs()) {
      const Value& value = from_.value(output);
      if (value.kind != ValueKind::kResult || value.type.dtype != DType::kFp32 || read[output]) {
        continue;
      }
      const Node& node = from_.node(value.producer);
      if (!IsCast(node) || from_.type(Source(node)).dtype != DType::kFp16) continue;
      const Value& source = from_.value(Source(node));
      const bool result = source.kind == ValueKind::kResult;
      if (result && !IsPeeled(from_.node(source.producer))) widened_[output] = Source(node);
    }
  }

  // The value that replaces an output.
  ValueId Given(ValueId output) const {
    return widened_[output] == kNoValue ? output : widened_[output];
  }

  void AddLeaves() {
    for (ValueId id = 0; id < from_.values().size(); ++id) {
      if (!narrow_[id]) {
        CopyLeaf(from_, id, known_, peeled_.graph);
        continue;
      }
      const std::string& name = from_.value(id).name;
      known_[id] = peeled_.graph.AddInput(Half(id), name);
      peeled_.inputs.push_back(name);
    }
  }

  void AddNode(const Node& node) {
    if (node.result_count == 1) {
      if (widened_[node.first_result] != kNoValue) return;
      if (IsPeeled(node)) {
        known_[node.first_result] = known_[Source(node)];
        return;
      }
    }
    CopyNode(from_, node, known_, peeled_.graph);
  }

  void NameOutput(ValueId output) {
    const ValueId source = widened_[output];
    if (source == kNoValue) return;
    peeled_.outputs.push_back(from_.value(output).name);
    const auto outputs = peeled_.graph.outputs();
    const bool result = peeled_.graph.value(known_[source]).kind == ValueKind::kResult;
    if (result && std::ranges::count(outputs, known_[source]) == 1) {
      peeled_.graph.Rename(known_[source], from_.value(output).name);
    }
  }

  const Graph& from_;
  PeeledGraph peeled_;
  std::vector<ValueId> known_;
  std::vector<bool> narrow_;      // fp32 inputs that become fp16
  std::vector<ValueId> widened_;  // for each fp32 output, the fp16 value before its cast
};

}  // namespace

PeeledGraph PeelBoundaryCasts(const Graph& graph) { return Peeler(graph).Run(); }

}  // namespace anecheck
