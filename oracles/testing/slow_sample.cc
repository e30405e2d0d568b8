// Computes some elements of a large result, either one by one or by a small node of the same
// operation with only the operands of these elements.

#include "harness/graph/copy_node.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/slow_classes.h"
#include "oracles/testing/slow_operands.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

// A node of the same operation and attributes with other operands.
class SmallNode {
 public:
  explicit SmallNode(const NodeView& node) : node_(node) {}

  void AddOperand(const Shape& shape, std::vector<double> numbers) {
    shapes_.push_back(shape);
    operands_.push_back(std::move(numbers));
  }
  // The slow values of result 0, or nothing if the operation does not accept these operands.
  std::optional<SlowElements> Values() {
    Graph graph;
    const auto arguments = node_.graph().arguments(node_.node());
    std::vector<ValueId> values;
    values.reserve(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const TensorType type{node_.graph().type(arguments[i].value).dtype, shapes_[i]};
      const bool constant = node_.schema().parameters[arguments[i].parameter].constant;
      const std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
      values.push_back(constant ? graph.AddConst(type, bytes) : graph.AddInput(type));
    }
    graph.BeginNode(&node_.schema());
    for (size_t i = 0; i < arguments.size(); ++i) {
      graph.AddArgument(arguments[i].parameter, values[i]);
    }
    CopyAttributes(node_.graph(), node_.node(), graph);
    if (!graph.FinishNode().ok()) return std::nullopt;
    return SlowValues(NodeView(graph, graph.node(0)), operands_);
  }

 private:
  const NodeView& node_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<double>> operands_;
};

// Whether each element of the result is a separate sum of products.
bool IsProduct(const OpSheet& sheet) {
  return sheet.products != Products::kNone && sheet.products != Products::kSpread;
}

std::optional<SlowElements> Elementwise(const NodeView& node, Operands operands,
                                        std::span<const size_t> elements) {
  const Shape& shape = node.ResultType().shape;
  const auto arguments = node.graph().arguments(node.node());
  SmallNode small(node);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& own = node.graph().type(arguments[i].value).shape;
    std::vector<double> numbers;
    numbers.reserve(elements.size());
    for (const size_t at : elements) {
      numbers.push_back(operands[i][BroadcastIndex(own, shape, at)]);
    }
    small.AddOperand({static_cast<int64_t>(elements.size())}, std::move(numbers));
  }
  return small.Values();
}

// Returns the axes along which a result element depends on all entries; empty if there are none.
std::vector<bool> JointAxes(const NodeView& node) {
  const OpKind kind = KindOf(node.schema());
  const OpClass of = DefinitionOf(node.schema()).op_class;
  if (kind != OpKind::kSoftmax && kind != OpKind::kLayerNorm && of != OpClass::kReduction) {
    return {};
  }
  const int rank = node.InputShape(0).rank();
  std::vector<bool> joint(static_cast<size_t>(rank), false);
  const auto name = [&](int64_t axis) {
    joint[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  };
  const int one = node.schema().FindParameter("axis");
  const int several = node.schema().FindParameter("axes");
  if (one >= 0) {
    name(node.Int(one, -1));
  } else if (node.HasAttribute(several)) {
    for (const int64_t axis : node.Ints(several)) name(axis);
  } else {
    joint.assign(joint.size(), true);
  }
  return joint;
}

// Returns one element of a norm or reduction, from the part of x on which it depends. Along the
// other axes this part has one coordinate.
std::optional<double> AlongAxes(const NodeView& node, Operands operands,
                                const std::vector<bool>& joint, size_t element) {
  const Shape& x = node.InputShape(0);
  const Shape& result = node.ResultType().shape;
  const bool keeps = result.rank() == x.rank();
  const Coordinates at = CoordinatesOf(result, element);
  Coordinates from;
  Shape part;
  size_t next = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool together = joint[static_cast<size_t>(axis)];
    part.Append(together ? x[axis] : 1);
    from.push_back(together ? 0 : at[keeps ? static_cast<size_t>(axis) : next]);
    next += together ? 0 : 1;
  }
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(part.Elements()));
  for (size_t i = 0; i < static_cast<size_t>(part.Elements()); ++i) {
    Coordinates place = CoordinatesOf(part, i);
    for (size_t axis = 0; axis < place.size(); ++axis) place[axis] += from[axis];
    numbers.push_back(operands[0][IndexOf(x, place)]);
  }
  SmallNode small(node);
  small.AddOperand(part, std::move(numbers));
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 1; i < arguments.size(); ++i) {
    small.AddOperand(node.graph().type(arguments[i].value).shape, operands[i]);
  }
  const auto values = small.Values();
  if (!values) return std::nullopt;
  // In the result of the part, the element has the same coordinates along the joint axes.
  Coordinates own;
  for (size_t axis = 0; axis < joint.size() && values->size() > 1; ++axis) {
    own.push_back(joint[axis] ? at[axis] : 0);
  }
  return (*values)[own.empty() ? 0 : IndexOf(part, own)];
}

}  // namespace

std::optional<SlowElements> SlowSample(const NodeView& given, Operands operands_given,
                                       uint32_t result, std::span<const size_t> elements) {
  const InSchemaOrder ordered(given, operands_given);
  const NodeView& node = ordered.node();
  const Operands operands = ordered.operands();
  const OpSheet& sheet = DefinitionOf(node.schema());
  SlowElements sample;
  sample.reserve(elements.size());
  if (IsProduct(sheet)) return SlowProducts(node, operands, elements);
  if (IsMovement(node)) {
    for (const size_t at : elements) sample.emplace_back(SlowMoved(node, operands, result, at));
    return sample;
  }
  if (sheet.axes.contains(AxisRule::kPointwise)) return Elementwise(node, operands, elements);
  const std::vector<bool> joint = JointAxes(node);
  if (!joint.empty()) {
    for (const size_t at : elements) sample.push_back(AlongAxes(node, operands, joint, at));
    return sample;
  }
  const auto all = SlowValues(node, operands, result);
  if (!all) return std::nullopt;
  for (const size_t at : elements) sample.push_back((*all)[at]);
  return sample;
}

}  // namespace anecheck::testing
