#include "generators/shrink/shrink.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "harness/base/hash.h"
#include "harness/graph/fingerprint.h"

namespace anecheck {
namespace {

bool HasWholeBytes(DType dtype) { return DTypeBits(dtype) % 8 == 0; }

// A hash of a candidate. It includes the names, because the predicate may depend on them.
uint64_t KeyOf(const GraphCase& item) {
  uint64_t key = GraphFingerprint(item.graph);
  const auto add = [&key](std::string_view text) {
    key = key * kGoldenRatio64 + std::hash<std::string_view>()(text);
  };
  for (const Value& value : item.graph.values()) add(value.name);
  for (const Tensor& input : item.inputs) {
    add({reinterpret_cast<const char*>(input.bytes.data()), input.bytes.size()});
  }
  return key;
}

class Shrinker {
 public:
  Shrinker(GraphCase item, const Interesting& interesting, const ValueOf& value_of,
           const ShrinkOptions& options)
      : interesting_(interesting), value_of_(value_of), options_(options) {
    result_.smallest = std::move(item);
    size_ = SizeOf(result_.smallest);
  }

  ShrinkResult Run() {
    // Large reductions come first, because a smaller graph makes every later try cheaper.
    for (bool changed = true; changed && !Spent();) {
      changed = Repeat(&Shrinker::FewerOutputs);
      changed |= Repeat(&Shrinker::EarlierOutputs);
      changed |= Repeat(&Shrinker::CutBefore);
      changed |= Repeat(&Shrinker::FewerWrites);
      changed |= Repeat(&Shrinker::Bypass);
      changed |= Repeat(&Shrinker::FewerOperands);
      changed |= Repeat(&Shrinker::ShorterAxes);
      changed |= Repeat(&Shrinker::FewerAxes);
      changed |= Repeat(&Shrinker::PlainerAttributes);
      changed |= Repeat(&Shrinker::PlainerData);
    }
    return std::move(result_);
  }

 private:
  using Pass = bool (Shrinker::*)();

  const GraphCase& best() const { return result_.smallest; }
  const Graph& graph() const { return result_.smallest.graph; }
  bool Spent() const {
    return result_.tries >= options_.max_tries ||
           (options_.stop != nullptr && options_.stop->load());
  }

  bool Repeat(Pass pass) {
    bool any = false;
    while (!Spent() && (this->*pass)()) any = true;
    return any;
  }

  // Applies `edit`, and accepts the result if it is smaller and still interesting. Returns whether
  // it was.
  bool Try(const Edit& edit) {
    if (Spent()) return false;
    std::optional<GraphCase> candidate = Apply(best(), edit);
    // A graph without nodes would compile, but it computes nothing.
    if (!candidate || candidate->graph.nodes().empty()) return false;
    const CaseSize size = SizeOf(*candidate);
    if (!(size < size_)) return false;
    // Several edits may have the same result, and each pass runs again after another pass has
    // succeeded.
    if (!tried_.insert(KeyOf(*candidate)).second) return false;
    ++result_.tries;
    if (!interesting_(*candidate)) return false;
    ++result_.accepted;
    result_.smallest = *std::move(candidate);
    size_ = size;
    return true;
  }

  bool FewerOutputs() {
    if (graph().outputs().size() < 2) return false;
    for (const ValueId output : graph().outputs()) {
      if (Try({.outputs = {output}})) return true;
    }
    // Removes one output at a time, for behaviour that needs two or more outputs.
    for (size_t i = 0; i < graph().outputs().size() && graph().outputs().size() > 2; ++i) {
      std::vector<ValueId> left(graph().outputs().begin(), graph().outputs().end());
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      if (Try({.outputs = std::move(left)})) return true;
    }
    return false;
  }

  // Makes an intermediate result the only output, which drops later nodes.
  bool EarlierOutputs() {
    for (const Value& value : graph().values()) {
      if (value.kind != ValueKind::kResult) continue;
      const auto id = static_cast<ValueId>(&value - graph().values().data());
      if (Try({.outputs = {id}})) return true;
    }
    return false;
  }

  // Makes an intermediate result an input, which drops earlier nodes. Tries later results first.
  bool CutBefore() {
    for (auto id = static_cast<ValueId>(graph().values().size()); id-- > 0;) {
      if (graph().value(id).kind != ValueKind::kResult) continue;
      if (std::ranges::find(graph().outputs(), id) != graph().outputs().end()) continue;
      std::optional<Tensor> tensor = value_of_(best(), id);
      if (!tensor) continue;
      Edit edit;
      edit.to_input.emplace(id, *std::move(tensor));
      if (Try(edit)) return true;
    }
    return false;
  }

  // Drops writes that follow a read of their state. It affects at most the next execution.
  bool FewerWrites() {
    std::set<ValueId> read;
    for (NodeId id = 0; id < graph().nodes().size(); ++id) {
      const Node& node = graph().node(id);
      for (const Argument& argument : graph().arguments(node)) {
        if (graph().value(argument.value).kind != ValueKind::kState) continue;
        if (node.result_count != 0) read.insert(argument.value);
        if (node.result_count == 0 && read.contains(argument.value) && Try({.write = id})) {
          return true;
        }
      }
    }
    return false;
  }

  // Replaces a node's result by an operand of the same type. If the operand is a state, replaces
  // the result by the value written into the state.
  bool Bypass() {
    for (const Node& node : graph().nodes()) {
      if (node.result_count == 0) continue;
      for (const Argument& argument : graph().arguments(node)) {
        const bool state = graph().value(argument.value).kind == ValueKind::kState;
        if (state ? BypassState(node, argument.value) : Replace(node, argument.value)) return true;
      }
    }
    return false;
  }

  bool Replace(const Node& node, ValueId operand) {
    return graph().type(operand) == graph().type(node.first_result) &&
           Try({.redirect = {{node.first_result, operand}}});
  }

  bool BypassState(const Node& reader, ValueId state) {
    for (const Node& writer : graph().nodes()) {
      if (&writer == &reader) break;
      const auto arguments = graph().arguments(writer);
      const bool writes = writer.result_count == 0 &&
                          std::ranges::find(arguments, state, &Argument::value) != arguments.end();
      if (!writes) continue;
      for (const Argument& argument : arguments) {
        if (graph().value(argument.value).kind == ValueKind::kState) continue;
        if (Replace(reader, argument.value)) return true;
      }
    }
    return false;
  }

  // Removes an operand that may be absent, or one operand of a list.
  bool FewerOperands() {
    for (NodeId id = 0; id < graph().nodes().size(); ++id) {
      const Node& node = graph().node(id);
      const auto arguments = graph().arguments(node);
      for (size_t i = 0; i < arguments.size(); ++i) {
        const auto parameter = arguments[i].parameter;
        const bool another = std::ranges::count(arguments, parameter, &Argument::parameter) > 1;
        const bool needed = node.schema->parameters[parameter].need == Need::kRequired;
        if ((another || !needed) && Try({.operand = {{.node = id, .argument = i}}})) return true;
      }
    }
    return false;
  }

  // Inputs and constants whose shapes may be changed freely.
  std::vector<ValueId> Leaves() const {
    std::vector<ValueId> leaves;
    for (ValueId id = 0; id < graph().values().size(); ++id) {
      const ValueKind kind = graph().value(id).kind;
      const bool ours = kind == ValueKind::kInput || kind == ValueKind::kConst;
      if (ours && HasWholeBytes(graph().type(id).dtype)) leaves.push_back(id);
    }
    return leaves;
  }

  bool ShorterAxes() {
    std::set<int64_t, std::greater<>> extents;
    for (const ValueId id : Leaves()) {
      for (const int64_t extent : graph().type(id).shape.dims()) {
        if (extent > 1) extents.insert(extent);
      }
    }
    for (const int64_t from : extents) {
      for (const int64_t to : std::array<int64_t, 3>{1, from / 2, from - 1}) {
        if (to < 1 || to >= from) continue;
        if (ShortenEverywhere(from, to) || ShortenOne(from, to)) return true;
      }
    }
    return false;
  }

  // Shortens every axis of extent `from`, because data, weights and bias must agree in channels.
  bool ShortenEverywhere(int64_t from, int64_t to) {
    Edit edit;
    for (const ValueId id : Leaves()) {
      Tensor tensor = best().DataOf(id);
      bool changed = false;
      for (int axis = 0; axis < tensor.type.shape.rank(); ++axis) {
        if (tensor.type.shape[axis] != from) continue;
        tensor = TakeAlong(tensor, axis, to);
        changed = true;
      }
      if (changed) edit.data.emplace(id, std::move(tensor));
    }
    return Try(edit);
  }

  bool ShortenOne(int64_t from, int64_t to) {
    for (const ValueId id : Leaves()) {
      const Shape shape = graph().type(id).shape;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] != from) continue;
        Edit edit;
        edit.data.emplace(id, TakeAlong(best().DataOf(id), axis, to));
        if (Try(edit)) return true;
      }
    }
    return false;
  }

  // Removes a leading axis of extent 1 from one input or constant, or from all inputs and constants
  // of one rank.
  bool FewerAxes() {
    int most = 0;
    for (const ValueId id : Leaves()) most = std::max(most, graph().type(id).shape.rank());
    for (int rank = most; rank > 1; --rank) {
      Edit all;
      for (const ValueId id : Leaves()) {
        const Shape& shape = graph().type(id).shape;
        if (shape.rank() != rank || shape[0] != 1) continue;
        Tensor tensor = best().DataOf(id);
        tensor.type.shape = Shape::FromSpan(shape.dims().subspan(1));
        if (Try({.data = {{id, tensor}}})) return true;
        all.data.emplace(id, std::move(tensor));
      }
      if (all.data.size() > 1 && Try(all)) return true;
    }
    return false;
  }

  bool PlainerAttributes() {
    for (NodeId node = 0; node < graph().nodes().size(); ++node) {
      for (const Attribute& attribute : graph().attributes(graph().node(node))) {
        if (PlainerAttribute(node, attribute)) return true;
      }
    }
    return false;
  }

  bool PlainerAttribute(NodeId node, const Attribute& attribute) {
    AttributeEdit edit = {.node = node, .parameter = attribute.parameter};
    if (Try({.attribute = edit})) return true;
    switch (attribute.kind) {
      case AttributeKind::kInt:
        return PlainerInt(attribute.integer, edit);
      case AttributeKind::kFloat:
        return PlainerFloat(attribute.number, edit);
      case AttributeKind::kBool:
        edit.kind = AttributeEdit::Kind::kBool;
        return attribute.integer != 0 && Try({.attribute = edit});
      case AttributeKind::kInts:
        return PlainerInts(graph().ints(attribute), edit);
      default:
        return false;
    }
  }

  bool PlainerInt(int64_t before, AttributeEdit edit) {
    edit.kind = AttributeEdit::Kind::kInt;
    for (const int64_t value : {int64_t{0}, int64_t{1}, before / 2}) {
      edit.integer = value;
      if (value != before && Try({.attribute = edit})) return true;
    }
    return false;
  }

  bool PlainerFloat(double before, AttributeEdit edit) {
    edit.kind = AttributeEdit::Kind::kFloat;
    for (const double value : {0.0, 1.0, std::trunc(before)}) {
      edit.number = value;
      if (value != before && Try({.attribute = edit})) return true;
    }
    return false;
  }

  bool PlainerInts(std::span<const int64_t> list, AttributeEdit edit) {
    edit.kind = AttributeEdit::Kind::kInts;
    const std::vector<int64_t> before(list.begin(), list.end());
    for (size_t i = 0; i < before.size(); ++i) {
      edit.integers = before;
      edit.integers.erase(edit.integers.begin() + static_cast<std::ptrdiff_t>(i));
      // Some operations treat an empty list as an absent attribute.
      if (!edit.integers.empty() && Try({.attribute = edit})) return true;
      edit.integers = before;
      for (const int64_t value : {int64_t{0}, int64_t{1}, before[i] / 2, before[i] - 1}) {
        edit.integers[i] = value;
        if (value != before[i] && Try({.attribute = edit})) return true;
      }
    }
    return false;
  }

  bool PlainerData() {
    for (const ValueId id : Leaves()) {
      if (PlainerTensor(id)) return true;
    }
    for (const ValueId id : graph().ValuesOfKind(ValueKind::kConst)) {
      if (!HasWholeBytes(graph().type(id).dtype) && ZeroBytes(id)) return true;
    }
    return false;
  }

  // Sets bytes to zero in a tensor whose elements share bytes.
  bool ZeroBytes(ValueId id) {
    const Tensor tensor = best().DataOf(id);
    const size_t count = tensor.bytes.size();
    for (size_t block = count; block >= 1; block /= 2) {
      for (size_t begin = 0; begin < count; begin += block) {
        Tensor zeroed = tensor;
        std::ranges::fill(std::span(zeroed.bytes).subspan(begin, std::min(block, count - begin)),
                          uint8_t{0});
        if (zeroed.bytes != tensor.bytes && Try({.data = {{id, std::move(zeroed)}}})) return true;
        if (Spent()) return false;
      }
    }
    return false;
  }

  // Returns `tensor` with the elements [begin, end) replaced by `element`.
  static Tensor Filled(Tensor tensor, uint64_t begin, uint64_t end,
                       std::span<const uint8_t> element) {
    for (uint64_t i = begin; i < end; ++i) {
      std::ranges::copy(element,
                        tensor.bytes.begin() + static_cast<std::ptrdiff_t>(i * element.size()));
    }
    return tensor;
  }

  // Simple values of an element type, simplest first. They are 0, 1 and, for fp16, `element`
  // without the lower half of its fraction.
  static std::vector<std::vector<uint8_t>> PlainElements(DType dtype,
                                                         std::span<const uint8_t> element) {
    std::vector<std::vector<uint8_t>> plain(1, std::vector<uint8_t>(element.size(), 0));
    if (dtype == DType::kFp16) {
      plain.push_back({0x00, 0x3c});
      plain.push_back({0x00, element[1]});
      plain.push_back({static_cast<uint8_t>(element[0] & 0xf0), element[1]});
    } else if (!IsFloat(dtype)) {
      plain.push_back(plain[0]);
      plain.back()[0] = 1;
    }
    return plain;
  }

  bool PlainerTensor(ValueId id) {
    const Tensor tensor = best().DataOf(id);
    const auto width = static_cast<size_t>(DTypeBits(tensor.type.dtype) / 8);
    const uint64_t count = tensor.bytes.size() / width;
    for (uint64_t block = count; block >= 1; block /= 2) {
      for (uint64_t begin = 0; begin < count; begin += block) {
        const uint64_t end = std::min(count, begin + block);
        const auto first = std::span(tensor.bytes).subspan(begin * width, width);
        for (const auto& element : PlainElements(tensor.type.dtype, first)) {
          Edit edit;
          edit.data.emplace(id, Filled(tensor, begin, end, element));
          if (edit.data.begin()->second.bytes != tensor.bytes && Try(edit)) return true;
          if (Spent()) return false;
        }
      }
    }
    return false;
  }

  const Interesting& interesting_;
  const ValueOf& value_of_;
  const ShrinkOptions& options_;
  ShrinkResult result_;
  CaseSize size_;
  std::unordered_set<uint64_t> tried_;  // keys of candidates
};

uint64_t CountBits(std::span<const uint8_t> bytes) {
  uint64_t bits = 0;
  for (const uint8_t byte : bytes) bits += static_cast<uint64_t>(std::popcount(byte));
  return bits;
}

void AddLeaf(const Tensor& tensor, CaseSize& size) {
  size.elements += static_cast<uint64_t>(tensor.type.shape.Elements());
  size.attributes += static_cast<uint64_t>(tensor.type.shape.rank());
  size.bits += CountBits(tensor.bytes);
}

uint64_t SizeOfInt(int64_t value) {
  return value < 0 ? 1 + static_cast<uint64_t>(-(value + 1)) + 1 : static_cast<uint64_t>(value);
}

// Returns a smaller number for a simpler value. The order is 0, 1, integers, others.
uint64_t SizeOfFloat(double value) {
  if (value == 0 || value == 1) return value == 0 ? 0 : 1;
  return value == std::trunc(value) ? 2 : 3;
}

uint64_t AttributeSize(const Graph& graph, const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kInt:
    case AttributeKind::kBool:
      return 1 + SizeOfInt(attribute.integer);
    case AttributeKind::kFloat:
      return 1 + SizeOfFloat(attribute.number);
    case AttributeKind::kInts: {
      uint64_t size = 1;
      for (const int64_t value : graph.ints(attribute)) size += 1 + SizeOfInt(value);
      return size;
    }
    default:
      return 1;
  }
}

}  // namespace

CaseSize SizeOf(const GraphCase& item) {
  CaseSize size;
  size.nodes = item.graph.nodes().size();
  size.outputs = item.graph.outputs().size();
  for (const Tensor& input : item.inputs) AddLeaf(input, size);
  for (const ValueId id : item.graph.ValuesOfKind(ValueKind::kConst)) {
    AddLeaf(item.DataOf(id), size);
  }
  for (const Node& node : item.graph.nodes()) {
    size.attributes += node.argument_count;
    for (const Attribute& attribute : item.graph.attributes(node)) {
      size.attributes += AttributeSize(item.graph, attribute);
    }
  }
  return size;
}

ShrinkResult Shrink(GraphCase item, const Interesting& interesting, const ValueOf& value_of,
                    const ShrinkOptions& options) {
  return Shrinker(std::move(item), interesting, value_of, options).Run();
}

}  // namespace anecheck
