#include "oracles/metamorphic/alike_axes.h"

#include <algorithm>
#include <array>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using Axes = std::vector<AlikeAxis>;

// The index of the operand at `parameter` among the arguments, or their number if it is absent.
size_t PlaceOf(const NodeView& node, int parameter) {
  const auto arguments = node.graph().arguments(node.node());
  const auto found = std::ranges::find(arguments, parameter, &Argument::parameter);
  return static_cast<size_t>(found - arguments.begin());
}

void SetOperand(const NodeView& node, int parameter, int at, AlikeAxis& axis) {
  const size_t place = PlaceOf(node, parameter);
  if (place < axis.operands.size()) axis.operands[place] = at;
}

struct Tensors {
  explicit Tensors(const NodeView& node) : first(PlaceOf(node, 0)) {
    const Graph& graph = node.graph();
    for (const Argument& argument : graph.arguments(node.node())) {
      operands.push_back(&graph.type(argument.value).shape);
    }
    for (uint32_t i = 0; i < node.node().result_count; ++i) {
      results.push_back(&node.ResultType(i).shape);
    }
  }
  // The operand at parameter 0.
  const Shape& x() const { return *operands[first]; }

  size_t first;
  std::vector<const Shape*> operands, results;
};

// An axis that no operand or result has yet.
AlikeAxis Blank(const Tensors& tensors) {
  return {.operands = std::vector<int>(tensors.operands.size(), -1),
          .results = std::vector<int>(tensors.results.size(), -1)};
}

// Adds axis `operand` of the first operand, which is axis `result` of every result.
void AddOfFirst(const Tensors& tensors, int operand, int result, Axes& axes) {
  AlikeAxis axis = Blank(tensors);
  axis.operands[tensors.first] = operand;
  std::ranges::fill(axis.results, result);
  axes.push_back(std::move(axis));
}

// Adds the same axis of every operand and every result.
void AddOfAll(const Tensors& tensors, int place, Axes& axes) {
  AlikeAxis axis = Blank(tensors);
  std::ranges::fill(axis.operands, place);
  std::ranges::fill(axis.results, place);
  axes.push_back(std::move(axis));
}

// Every axis of the result but the last `spared`; the operands' axes are counted from the last one.
void Broadcast(const NodeView& node, int spared, Axes& axes) {
  const Tensors tensors(node);
  const int rank = tensors.results[0]->rank();
  for (int at = 0; at < rank - spared; ++at) {
    AlikeAxis axis = Blank(tensors);
    for (size_t i = 0; i < tensors.operands.size(); ++i) {
      axis.operands[i] = std::max(-1, at - (rank - tensors.operands[i]->rank()));
    }
    axis.results[0] = at;
    axes.push_back(std::move(axis));
  }
}

// The first `count` axes of the first operand; if `count` is negative, all but the last -count.
void Leading(const NodeView& node, int count, Axes& axes) {
  const Tensors tensors(node);
  const int rank = tensors.x().rank();
  const int end = count < 0 ? rank + count : std::min(count, rank);
  for (int at = 0; at < end; ++at) AddOfFirst(tensors, at, at, axes);
}

// As Leading, for nodes that have no operand but the first.
void LeadingAlone(const NodeView& node, int count, Axes& axes) {
  if (node.graph().arguments(node.node()).size() == 1) Leading(node, count, axes);
}

// The first axis of every operand.
void FirstOfAll(const NodeView& node, int, Axes& axes) { AddOfAll(Tensors(node), 0, axes); }

// Every axis of the first operand but `spared`.
void AllBut(const NodeView& node, int spared, Axes& axes) {
  const Tensors tensors(node);
  for (int at = 0; at < tensors.x().rank(); ++at) {
    if (at != spared) AddOfFirst(tensors, at, at, axes);
  }
}

// The axes that the attribute `parameter` of an operation names, one or a list, as a mask. An
// absent attribute has its default.
uint32_t Named(const NodeView& node, int parameter, int rank) {
  const Parameter& named = node.schema().parameters[static_cast<size_t>(parameter)];
  if (named.kind == ParameterKind::kInts) {
    const Result<uint32_t> mask = AxisMask(node, parameter, rank);
    return mask.ok() ? *mask : ~uint32_t{0};
  }
  const auto axis =
      NormalizeAxis(node.Int(parameter, static_cast<int64_t>(named.fallback.number)), rank);
  return axis ? uint32_t{1} << *axis : ~uint32_t{0};
}

// The parameter that names axes.
int NamingParameter(const NodeView& node) {
  return std::max(node.schema().FindParameter("axes"), node.schema().FindParameter("axis"));
}

bool IsIn(uint32_t mask, int axis) { return (mask >> axis & 1) != 0; }

// The axes of the first operand that the operation does not name. If the result lacks the named
// axes, the remaining axes have lower numbers in the result.
void Unnamed(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  const int rank = tensors.x().rank();
  const uint32_t named = Named(node, NamingParameter(node), rank);
  const bool kept = tensors.results[0]->rank() == rank;
  int place = 0;
  for (int at = 0; at < rank; ++at) {
    if (!IsIn(named, at)) AddOfFirst(tensors, at, place, axes);
    if (kept || !IsIn(named, at)) ++place;
  }
}

// As Unnamed, for every operand.
void UnnamedOfAll(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  const int rank = tensors.x().rank();
  const uint32_t named = Named(node, NamingParameter(node), rank);
  for (int at = 0; at < rank; ++at) {
    if (!IsIn(named, at)) AddOfAll(tensors, at, axes);
  }
}

// The axes that the operation names and that its result has. Only for operations with one operand.
void NamedKept(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  if (tensors.operands.size() != 1) return;
  const int rank = tensors.x().rank();
  const uint32_t named = Named(node, NamingParameter(node), rank);
  for (int at = 0; at < rank; ++at) {
    if (IsIn(named, at)) AddOfFirst(tensors, at, at, axes);
  }
}

// The axes that a reduction removes.
void NamedAway(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  const int rank = tensors.x().rank();
  const uint32_t named = Named(node, NamingParameter(node), rank);
  for (int at = 0; at < rank; ++at) {
    if (IsIn(named, at)) AddOfFirst(tensors, at, -1, axes);
  }
}

void Permuted(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  const auto perm = node.Ints(params::Transpose::kPerm);
  for (size_t to = 0; to < perm.size(); ++to) {
    const auto from = NormalizeAxis(perm[to], tensors.x().rank());
    if (from) AddOfFirst(tensors, *from, static_cast<int>(to), axes);
  }
}

// The axes of every operand that is not a scalar, without the added axes.
void Expanded(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  const int rank = tensors.results[0]->rank();
  const uint32_t added = Named(node, NamingParameter(node), rank);
  int from = 0;
  for (int at = 0; at < rank; ++at) {
    if (IsIn(added, at)) continue;
    AlikeAxis axis = Blank(tensors);
    for (size_t i = 0; i < tensors.operands.size(); ++i) {
      if (tensors.operands[i]->rank() > 0) axis.operands[i] = from;
    }
    ++from;
    axis.results[0] = at;
    axes.push_back(std::move(axis));
  }
}

void Unpadded(const NodeView& node, int, Axes& axes) {
  Leading(node, -static_cast<int>(node.Ints(params::Pad::kPad).size() / 2), axes);
}

void Unresized(const NodeView& node, int, Axes& axes) {
  Leading(node, -static_cast<int>(node.Int(params::Resize::kResizedDims, 0)), axes);
}

void Untiled(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  const auto reps = node.Ints(params::Tile::kReps);
  for (size_t at = 0; at < reps.size(); ++at) {
    if (reps[at] == 1) AddOfFirst(tensors, static_cast<int>(at), static_cast<int>(at), axes);
  }
}

// All axes but the axis of the scales.
void Unscaled(const NodeView& node, int, Axes& axes) {
  const int rank = Tensors(node).x().rank();
  const bool scalar = !node.HasAttribute(params::Quantize::kAxis);
  static_assert(static_cast<int>(params::Quantize::kAxis) == params::Dequantize::kAxis);
  for (int at = 0; at < rank; ++at) {
    const bool scaled = !scalar && IsIn(Named(node, params::Quantize::kAxis, rank), at);
    if (!scaled) AddOfFirst(Tensors(node), at, at, axes);
  }
}

// Without batch axes: the axes of x but the gathered one, and the axes of the indices.
void Gathered(const NodeView& node, int, Axes& axes) {
  using P = params::Gather;
  const int rank = node.InputShape(P::kX).rank();
  const int indices = node.InputShape(P::kIndices).rank();
  const auto axis = NormalizeAxis(node.Int(P::kAxis, 0), rank);
  if (!axis || node.Int(P::kBatchDims, 0) != 0) return;
  const auto add = [&](int parameter, int from, int to) {
    AlikeAxis alike = Blank(Tensors(node));
    SetOperand(node, parameter, from, alike);
    alike.results[0] = to;
    axes.push_back(std::move(alike));
  };
  for (int at = 0; at < rank; ++at) {
    if (at != *axis) add(P::kX, at, at < *axis ? at : at - 1 + indices);
  }
  for (int at = 0; at < indices; ++at) add(P::kIndices, at, *axis + at);
}

// The axes of both matrices: batches, the rows of x and the columns of y.
void Matrices(const NodeView& node, int, Axes& axes) {
  using P = params::Matmul;
  const MatmulShape matrices = MatmulShapeOf(node);
  if (matrices.x_vector || matrices.y_vector) return;
  Broadcast(node, 2, axes);
  const Tensors tensors(node);
  const int rank = tensors.results[0]->rank();
  AlikeAxis rows = Blank(tensors), columns = Blank(tensors);
  SetOperand(node, P::kX, matrices.x.rank() - (matrices.transpose_x ? 1 : 2), rows);
  rows.results[0] = rank - 2;
  SetOperand(node, P::kY, matrices.y.rank() - (matrices.transpose_y ? 2 : 1), columns);
  columns.results[0] = rank - 1;
  axes.push_back(std::move(rows));
  axes.push_back(std::move(columns));
}

void MatricesInner(const NodeView& node, int, Axes& axes) {
  using P = params::Matmul;
  const MatmulShape matrices = MatmulShapeOf(node);
  if (matrices.x_vector || matrices.y_vector) return;
  AlikeAxis inner = Blank(Tensors(node));
  SetOperand(node, P::kX, matrices.x.rank() - (matrices.transpose_x ? 2 : 1), inner);
  SetOperand(node, P::kY, matrices.y.rank() - (matrices.transpose_y ? 1 : 2), inner);
  axes.push_back(std::move(inner));
}

// The letters of an equation without blanks, by operand and result.
struct Equation {
  explicit Equation(const NodeView& node) {
    for (const char c : node.String(params::Einsum::kEquation, "")) {
      if (c == ',' || c == '>') ++part;
      if (c != ' ' && c != ',' && c != '-' && c != '>' && part < 3) parts[part] += c;
    }
  }
  static int Place(const std::string& letters, char letter) {
    const size_t at = letters.find(letter);
    return at == std::string::npos ? -1 : static_cast<int>(at);
  }
  std::array<std::string, 3> parts;  // both operands, the result
  size_t part = 0;
};

void AddLetter(const NodeView& node, const Equation& equation, char letter, Axes& axes) {
  AlikeAxis axis = Blank(Tensors(node));
  for (size_t i = 0; i < 2; ++i) axis.operands[i] = Equation::Place(equation.parts[i], letter);
  axis.results[0] = Equation::Place(equation.parts[2], letter);
  axes.push_back(std::move(axis));
}

void Letters(const NodeView& node, int, Axes& axes) {
  const Equation equation(node);
  for (const char letter : equation.parts[2]) AddLetter(node, equation, letter, axes);
}

void SummedLetters(const NodeView& node, int, Axes& axes) {
  const Equation equation(node);
  for (const char letter : equation.parts[0]) {
    if (Equation::Place(equation.parts[2], letter) < 0) AddLetter(node, equation, letter, axes);
  }
}

// Queries: the last axis but one of query, mask and result.
void Queries(const NodeView& node, int, Axes& axes) {
  using P = params::Attention;
  Broadcast(node, 2, axes);
  const Tensors tensors(node);
  AlikeAxis axis = Blank(tensors);
  SetOperand(node, P::kQuery, node.InputShape(P::kQuery).rank() - 2, axis);
  if (node.HasInput(P::kAttnMask)) {
    SetOperand(node, P::kAttnMask, node.InputShape(P::kAttnMask).rank() - 2, axis);
  }
  axis.results[0] = tensors.results[0]->rank() - 2;
  axes.push_back(std::move(axis));
}

// Keys: the last axis but one of key and value, and the last one of the mask.
void Keys(const NodeView& node, int, Axes& axes) {
  using P = params::Attention;
  AlikeAxis axis = Blank(Tensors(node));
  SetOperand(node, P::kKey, node.InputShape(P::kKey).rank() - 2, axis);
  SetOperand(node, P::kValue, node.InputShape(P::kValue).rank() - 2, axis);
  if (node.HasInput(P::kAttnMask)) {
    SetOperand(node, P::kAttnMask, node.InputShape(P::kAttnMask).rank() - 1, axis);
  }
  axes.push_back(std::move(axis));
}

// Axis 1 of x and of the sequence, axis 0 of the cell's initial and last states.
void Sequences(const NodeView& node, int, Axes& axes) {
  const Tensors tensors(node);
  const auto arguments = node.graph().arguments(node.node());
  AlikeAxis axis = Blank(tensors);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = node.schema().parameters[arguments[i].parameter].name;
    if (name == "x") axis.operands[i] = 1;
    if (name.starts_with("initial_")) axis.operands[i] = 0;
  }
  std::ranges::fill(axis.results, 0);
  axis.results[0] = 1;
  axes.push_back(std::move(axis));
}

constexpr AxisClass kClasses[] = {
    {.rule = AxisRule::kPointwise,
     .name = "pointwise",
     .reason = "an element of the result is a function of the elements at its place",
     .axes = Broadcast},
    {.rule = AxisRule::kChannelConstants,
     .name = "channel constants",
     .reason = "the constants, and the channels that are squared together, lie along axis 1",
     .axes = AllBut,
     .count = 1},
    {.rule = AxisRule::kImages,
     .name = "images",
     .reason = "kernels, statistics and blocks are applied to each image of a batch separately",
     .axes = Leading,
     .count = 1},
    {.rule = AxisRule::kInstances,
     .name = "instances",
     .reason = "without gain and offset each channel of an image is normalised separately",
     .axes = LeadingAlone,
     .count = 2},
    {.rule = AxisRule::kWindows,
     .name = "windows",
     .reason = "a window lies within one channel of one image",
     .axes = Leading,
     .count = 2},
    {.rule = AxisRule::kPlanes,
     .name = "planes",
     .reason = "the last two axes are one plane, and each plane is computed separately",
     .axes = Leading,
     .count = -2},
    {.rule = AxisRule::kSampledImages,
     .name = "sampled images",
     .reason = "each image has its own coordinates or matrix",
     .axes = FirstOfAll},
    {.rule = AxisRule::kLeadingAxes,
     .name = "linear",
     .reason = "each row is multiplied by the same weight",
     .axes = Leading,
     .count = -1},
    {.rule = AxisRule::kImageNorm,
     .name = "norm of an image",
     .reason = "the last three axes share one norm",
     .axes = Leading,
     .count = -3},
    {.rule = AxisRule::kMatrices,
     .name = "matrices",
     .reason = "an element of a product follows from one row and one column",
     .axes = Matrices},
    {.rule = AxisRule::kLetters,
     .name = "equation",
     .reason = "a letter of the result names the same entry wherever it stands",
     .axes = Letters},
    {.rule = AxisRule::kQueries,
     .name = "queries",
     .reason = "each query has its own weights",
     .axes = Queries},
    {.rule = AxisRule::kUnnamedAxes,
     .name = "named axes",
     .reason = "each line along the named axes is computed separately",
     .axes = Unnamed},
    {.rule = AxisRule::kUnnamedOfAll,
     .name = "named axis of all operands",
     .reason = "a line along the named axis is combined only with lines at the same place",
     .axes = UnnamedOfAll},
    {.rule = AxisRule::kPermuted,
     .name = "transpose",
     .reason = "every axis goes to a different place",
     .axes = Permuted},
    {.rule = AxisRule::kUnpadded,
     .name = "padding",
     .reason = "the axes before the padded ones are copied",
     .axes = Unpadded},
    {.rule = AxisRule::kUnresized,
     .name = "resized axes",
     .reason = "the axes before the resized ones are copied",
     .axes = Unresized},
    {.rule = AxisRule::kUntiled,
     .name = "tiles",
     .reason = "an axis that is not repeated is copied",
     .axes = Untiled},
    {.rule = AxisRule::kBesideAdded,
     .name = "added axes",
     .reason = "the operands' axes stay beside those that are added",
     .axes = Expanded},
    {.rule = AxisRule::kBesideScales,
     .name = "scales",
     .reason = "a scale and its zero point lie along one axis, or are the same for all",
     .axes = Unscaled},
    {.rule = AxisRule::kOfIndices,
     .name = "indices",
     .reason = "each index takes only its line of x",
     .axes = Gathered},
    {.rule = AxisRule::kSequences,
     .name = "sequences",
     .reason = "the sequences of a batch share only the weights",
     .axes = Sequences},
    {.rule = AxisRule::kReducedAxes,
     .name = "reduced axes",
     .reason = "sums, products and extrema do not depend on the order of their terms",
     .axes = NamedAway,
     .independent = false},
    {.rule = AxisRule::kSharedSums,
     .name = "shared sums",
     .reason = "the elements along the named axes share sums and are otherwise treated alike",
     .axes = NamedKept,
     .independent = false},
    {.rule = AxisRule::kInnerAxis,
     .name = "inner axis",
     .reason = "a sum of products does not depend on the order of its terms",
     .axes = MatricesInner,
     .independent = false},
    {.rule = AxisRule::kSummedLetters,
     .name = "summed letters",
     .reason = "a sum of products does not depend on the order of its terms",
     .axes = SummedLetters,
     .independent = false},
    {.rule = AxisRule::kKeys,
     .name = "keys",
     .reason = "the weighted sum of values does not depend on the order of the keys",
     .axes = Keys,
     .independent = false},
};

// Sets the extent of the axis. An operand with one entry along the axis uses it for all entries.
// False if the shapes disagree, or if an operand that must be constant would be cut.
bool Settle(const NodeView& node, const Tensors& tensors, AlikeAxis& axis) {
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 0; i < axis.operands.size(); ++i) {
    const Shape& shape = *tensors.operands[i];
    int& at = axis.operands[i];
    if (at >= shape.rank()) return false;
    if (at < 0 || shape[at] == 1) {
      at = -1;
      continue;
    }
    if (axis.extent != 0 && axis.extent != shape[at]) return false;
    if (node.schema().parameters[arguments[i].parameter].constant) return false;
    axis.extent = shape[at];
  }
  for (size_t i = 0; i < axis.results.size(); ++i) {
    const int at = axis.results[i];
    if (at >= tensors.results[i]->rank()) return false;
    if (at >= 0 && (*tensors.results[i])[at] != axis.extent) return false;
  }
  return axis.extent > 1;
}

}  // namespace

std::span<const AxisClass> AxisClasses() { return kClasses; }

std::vector<AlikeAxis> AlikeAxes(const NodeView& node) {
  Axes axes;
  if (node.node().result_count == 0 || node.node().argument_count == 0) return axes;
  const Tensors tensors(node);
  for (const AxisClass& row : kClasses) {
    if (!DefinitionOf(node.schema()).axes.contains(row.rule)) continue;
    Axes told;
    row.axes(node, row.count, told);
    for (AlikeAxis& axis : told) {
      if (!Settle(node, tensors, axis)) continue;
      axis.independent = row.independent;
      axes.push_back(std::move(axis));
    }
  }
  return axes;
}

bool IsPointwise(OpKind op) { return GetOp(op).axes.contains(AxisRule::kPointwise); }

}  // namespace anecheck
