#include "harness/cases/shape_range.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/cases/rejected_graph.h"
#include "harness/graph/copy_node.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

constexpr int kTries = 8;
constexpr int64_t kMostSteps = 3;
constexpr int64_t kLongestStep = 8;
// The most elements of an input at the end of a range.
constexpr int64_t kMostElements = int64_t{1} << 17;
// Axes may grow to this extent, which is far below every target's limit. Axes of results also have
// this limit, because no legality rule checks the extents of results.
constexpr int64_t kLongestGrown = 4096;
// Marks an open extent.
constexpr int64_t kOpen = -1;

std::vector<std::string> NamesOfResults(const Graph& graph, const Node& node) {
  std::vector<std::string> names;
  names.reserve(node.result_count);
  for (uint32_t i = 0; i < node.result_count; ++i) {
    names.push_back(graph.value(node.first_result + i).name);
  }
  return names;
}

// Copies inputs and constants with the types that `type_of` returns. Returns their new ids.
template <typename TypeOf>
std::vector<ValueId> CopyGiven(const Graph& from, const TypeOf& type_of, Graph& to) {
  std::vector<ValueId> places(from.values().size(), kNoValue);
  to.name = from.name;
  for (ValueId id = 0; id < from.values().size(); ++id) {
    const Value& value = from.value(id);
    if (value.kind == ValueKind::kInput) places[id] = to.AddInput(type_of(id), value.name);
    if (value.kind == ValueKind::kConst) {
      places[id] = to.CopyConst(from, id, value.name);
    }
  }
  return places;
}

void BeginCopy(const Graph& from, const Node& node, std::span<const ValueId> places, Graph& to) {
  to.BeginNode(node.schema);
  for (const Argument& argument : from.arguments(node)) {
    to.AddArgument(argument.parameter, places[argument.value]);
  }
  CopyAttributes(from, node, to);
}

// Returns the further extents of a range that run: both ends, and the first step between them.
std::vector<int64_t> FurtherExtents(const CaseRange& range, int64_t own) {
  std::vector<int64_t> extents = {range.start, range.stop};
  if (range.start + range.step < range.stop) extents.push_back(range.start + range.step);
  std::erase(extents, own);
  std::ranges::sort(extents);
  extents.erase(std::ranges::unique(extents).begin(), extents.end());
  return extents;
}

Result<ValueId> InputOf(const Graph& graph, const CaseRange& range) {
  const auto input = graph.FindValue(range.input);
  const bool known = input && graph.value(*input).kind == ValueKind::kInput && range.axis >= 0 &&
                     range.axis < graph.type(*input).shape.rank();
  if (known) return *input;
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("range: there is no axis {} of {}", range.axis, range.input));
}

// Returns the tensor with another extent along an axis. Its slices repeat cyclically.
Tensor Resized(const Tensor& tensor, int axis, int64_t extent) {
  Tensor resized = {tensor.type, {}};
  resized.type.shape[axis] = extent;
  const int64_t own = tensor.type.shape[axis];
  int64_t outer = 1, inner = DTypeBits(tensor.type.dtype) / 8;
  for (int i = 0; i < tensor.type.shape.rank(); ++i) {
    if (i < axis) outer *= tensor.type.shape[i];
    if (i > axis) inner *= tensor.type.shape[i];
  }
  resized.bytes.reserve(static_cast<size_t>(outer * extent * inner));
  for (int64_t block = 0; block < outer; ++block) {
    for (int64_t at = 0; at < extent; ++at) {
      const auto slice = tensor.bytes.begin() + (block * own + at % own) * inner;
      resized.bytes.insert(resized.bytes.end(), slice, slice + inner);
    }
  }
  return resized;
}

// Returns `type` with an open extent for every axis that differs in `others`.
TensorType OpenType(TensorType type, std::span<const TensorType> others) {
  for (const TensorType& other : others) {
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      if (other.shape[axis] != type.shape[axis]) type.shape[axis] = kOpen;
    }
  }
  return type;
}

// Returns the graph with open extents. The graph is used only to write its text. The graphs of
// `shapes` have the same value names as `graph`.
Graph OpenGraph(const Graph& graph, std::span<const RunShape> shapes) {
  const auto type_of = [&](ValueId id) {
    std::vector<TensorType> others;
    for (const RunShape& shape : shapes) {
      others.push_back(shape.graph.type(*shape.graph.FindValue(graph.value(id).name)));
    }
    return OpenType(graph.type(id), others);
  };
  Graph open;
  std::vector<ValueId> places = CopyGiven(graph, type_of, open);
  for (const Node& node : graph.nodes()) {
    BeginCopy(graph, node, places, open);
    std::vector<TensorType> types;
    types.reserve(node.result_count);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      types.push_back(type_of(node.first_result + i));
    }
    const ValueId first = open.FinishNodeAs(types, NamesOfResults(graph, node));
    for (uint32_t i = 0; i < node.result_count; ++i) places[node.first_result + i] = first + i;
  }
  for (const ValueId output : graph.outputs()) open.AddOutput(places[output]);
  return open;
}

std::string FlexibleShapes(const CaseRange& range, const Shape& shape) {
  std::string extents, ranges;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const char* comma = axis == 0 ? "" : ", ";
    extents += fmt::format("{}{}", comma, shape[axis]);
    ranges += axis == range.axis
                  ? fmt::format("{}[{}, {}, {}]", comma, range.start, range.stop, range.step)
                  : fmt::format("{}[{}, {}, 1]", comma, shape[axis], shape[axis]);
  }
  return fmt::format(
      " [FlexibleShapeInformation = tuple<tuple<string, dict<string, tensor<int32, [?]>>>, "
      "tuple<string, dict<string, list<tensor<int32, [3]>, ?>>>>(((\"DefaultShapes\", {{{{\"{0}\", "
      "[{1}]}}}}), (\"RangeDims\", {{{{\"{0}\", [{2}]}}}})))]",
      range.input, extents, ranges);
}

bool IsPlain(const Graph& graph) {
  return std::ranges::all_of(graph.values(), [](const Value& value) {
    return value.type.dtype == DType::kFp16 && value.kind != ValueKind::kState;
  });
}

// Whether no axis of `made` is longer than kLongestGrown and than the same axis in `graph`.
bool GrowsLittle(const Graph& graph, const Graph& made) {
  return std::ranges::all_of(made.values(), [&](const Value& value) {
    const Shape& own = graph.type(*graph.FindValue(value.name)).shape;
    for (int axis = 0; axis < own.rank(); ++axis) {
      if (value.type.shape[axis] > std::max(own[axis], kLongestGrown)) return false;
    }
    return true;
  });
}

// Whether the graph is valid and legal at that end of the range.
bool TakesEnd(const Graph& graph, const CaseRange& range, int64_t extent, const Target& target) {
  const auto at = GraphAtExtent(graph, range, extent);
  if (!at.ok() || !GrowsLittle(graph, *at)) return false;
  const auto rules = RefusingRules(*at, target);
  return rules.ok() && rules->empty();
}

}  // namespace

Result<Graph> GraphAtExtent(const Graph& graph, const CaseRange& range, int64_t extent) {
  ANECHECK_ASSIGN(const ValueId input, InputOf(graph, range));
  Graph made;
  std::vector<ValueId> places = CopyGiven(
      graph,
      [&](ValueId id) {
        TensorType type = graph.type(id);
        if (id == input) type.shape[range.axis] = extent;
        return type;
      },
      made);
  for (const Node& node : graph.nodes()) {
    BeginCopy(graph, node, places, made);
    ANECHECK_ASSIGN(const ValueId first, made.FinishNode(NamesOfResults(graph, node)));
    for (uint32_t i = 0; i < node.result_count; ++i) {
      if (made.type(first + i).shape.rank() != graph.type(node.first_result + i).shape.rank()) {
        return MakeError(ErrorCode::kInvalid, "range: the rank of a result depends on the extent");
      }
      places[node.first_result + i] = first + i;
    }
  }
  for (const ValueId output : graph.outputs()) made.AddOutput(places[output]);
  return made;
}

std::optional<CaseRange> DrawRange(ChoiceStream& choices, const Graph& graph,
                                   std::string_view target_name) {
  const auto target = FindTarget(target_name);
  const std::vector<ValueId> inputs = graph.ValuesOfKind(ValueKind::kInput);
  if (!target.ok() || inputs.empty() || !IsPlain(graph)) return std::nullopt;
  for (int i = 0; i < kTries; ++i) {
    const ValueId input = choices.Pick(inputs);
    const Shape& shape = graph.type(input).shape;
    CaseRange range;
    range.input = graph.value(input).name;
    range.axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
    range.step = choices.Range(1, kLongestStep);
    const int64_t down = choices.Range(0, kMostSteps);
    const int64_t up = choices.Range(0, kMostSteps);
    if (shape.rank() == 0) continue;
    const int64_t own = shape[range.axis];
    range.start = own - std::min(down, (own - 1) / range.step) * range.step;
    range.stop = own + up * range.step;
    const int64_t most = shape.Elements() / own * range.stop;
    if (range.start == range.stop || most > kMostElements) continue;
    if (TakesEnd(graph, range, range.start, **target) &&
        TakesEnd(graph, range, range.stop, **target)) {
      return range;
    }
  }
  return std::nullopt;
}

Status SpellRange(Case& item) {
  const CaseRange& range = *item.range;
  ANECHECK_ASSIGN(const ValueId input, InputOf(item.graph, range));
  const std::vector<ValueId> inputs = item.graph.ValuesOfKind(ValueKind::kInput);
  const auto place = static_cast<size_t>(std::ranges::find(inputs, input) - inputs.begin());
  if (item.inputs.size() != inputs.size() || item.inputs[place].type != item.graph.type(input)) {
    return MakeError(ErrorCode::kInvalid, "range: the inputs are not those of the graph");
  }
  std::vector<RunShape> shapes;
  for (const int64_t extent : FurtherExtents(range, item.graph.type(input).shape[range.axis])) {
    RunShape shape;
    ANECHECK_ASSIGN(shape.graph, GraphAtExtent(item.graph, range, extent));
    shape.inputs = item.inputs;
    shape.inputs[place] = Resized(item.inputs[place], range.axis, extent);
    shapes.push_back(std::move(shape));
  }
  ANECHECK_ASSIGN(std::string text, GraphToMil(OpenGraph(item.graph, shapes)));
  const size_t body = text.find(") {", text.find("func main<"));
  if (body == std::string::npos) return MakeError(ErrorCode::kInternal, "range: no body");
  text.insert(body + 1, FlexibleShapes(range, item.graph.type(input).shape));
  item.ranged_mil = std::move(text);
  item.further = std::move(shapes);
  return {};
}

}  // namespace anecheck
