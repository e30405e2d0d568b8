#include "harness/graph/validate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory_resource>
#include <string_view>
#include <unordered_set>

#include "harness/graph/constant_values.h"

namespace anecheck {
namespace {

Error Invalid(const NodeView& node, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", node.op(), what));
}

bool AttributeFits(ParameterKind wanted, AttributeKind given) {
  switch (wanted) {
    case ParameterKind::kInt:
      return given == AttributeKind::kInt;
    case ParameterKind::kFloat:
      return given == AttributeKind::kFloat;
    case ParameterKind::kBool:
      return given == AttributeKind::kBool;
    case ParameterKind::kString:
      return given == AttributeKind::kString;
    case ParameterKind::kInts:
      return given == AttributeKind::kInts;
    case ParameterKind::kFloats:
      return given == AttributeKind::kFloats;
    case ParameterKind::kBools:
      return given == AttributeKind::kBools;
    case ParameterKind::kTensor:
    case ParameterKind::kTensorList:
      return false;
  }
  return false;
}

Status CheckArguments(const NodeView& node, ConstantValues& constants, uint64_t& seen) {
  const auto parameters = node.schema().parameters;
  int last_list = -1;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    if (argument.parameter >= parameters.size()) {
      return Invalid(node, fmt::format("has no parameter number {}", argument.parameter));
    }
    const Parameter& parameter = parameters[argument.parameter];
    if (!IsTensorKind(parameter.kind)) {
      return Invalid(node,
                     fmt::format("{} is an attribute, but a tensor was given", parameter.name));
    }
    if (argument.value >= node.graph().values().size()) {
      return Invalid(node,
                     fmt::format("{} names a value that is not defined before it", parameter.name));
    }
    const uint64_t bit = uint64_t{1} << argument.parameter;
    const bool again = (seen & bit) != 0;
    if (again &&
        (parameter.kind != ParameterKind::kTensorList || last_list != argument.parameter)) {
      return Invalid(node, fmt::format("{} is given twice", parameter.name));
    }
    last_list = argument.parameter;
    seen |= bit;
    if (parameter.constant && !constants.Contains(argument.value)) {
      return Invalid(node, fmt::format("{} must be a constant", parameter.name));
    }
    const DType dtype = node.graph().type(argument.value).dtype;
    if (!parameter.dtypes.Contains(dtype)) {
      return Invalid(node, fmt::format("{} is {}, must be one of {}", parameter.name,
                                       DTypeName(dtype), parameter.dtypes.ToString()));
    }
  }
  return {};
}

// Integers must fit in int32, as MIL requires. Inference can then add and multiply a few of them in
// 64 bits.
Status CheckIntegers(const NodeView& node, const Attribute& attribute, const Parameter& parameter) {
  const auto check = [&](int64_t value) -> Status {
    if (value == static_cast<int32_t>(value)) return {};
    return Invalid(node, fmt::format("{}: {} is no int32", parameter.name, value));
  };
  if (attribute.kind == AttributeKind::kInt) return check(attribute.integer);
  if (attribute.kind != AttributeKind::kInts) return {};
  for (const int64_t value : node.graph().ints(attribute)) ANECHECK_RETURN_IF_ERROR(check(value));
  return {};
}

Status CheckAttributes(const NodeView& node, uint64_t& seen) {
  const auto parameters = node.schema().parameters;
  for (const Attribute& attribute : node.graph().attributes(node.node())) {
    if (attribute.parameter >= parameters.size()) {
      return Invalid(node, fmt::format("has no parameter number {}", attribute.parameter));
    }
    const Parameter& parameter = parameters[attribute.parameter];
    if (!AttributeFits(parameter.kind, attribute.kind)) {
      return Invalid(
          node, fmt::format("{} must be {}", parameter.name, ParameterKindName(parameter.kind)));
    }
    const uint64_t bit = uint64_t{1} << attribute.parameter;
    if ((seen & bit) != 0) return Invalid(node, fmt::format("{} is given twice", parameter.name));
    seen |= bit;
    ANECHECK_RETURN_IF_ERROR(CheckIntegers(node, attribute, parameter));
    if (attribute.kind != AttributeKind::kString || parameter.choices.empty()) continue;
    const std::string_view text = node.graph().string(attribute);
    if (std::find(parameter.choices.begin(), parameter.choices.end(), text) ==
        parameter.choices.end()) {
      return Invalid(node, fmt::format("{} is \"{}\", must be one of {}", parameter.name, text,
                                       fmt::join(parameter.choices, ", ")));
    }
  }
  return {};
}

bool IsIdentifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Status CheckType(const TensorType& type, std::string_view where) {
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    const int64_t dim = type.shape[axis];
    if (dim < 0) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: extent {} of axis {} is negative", where, dim, axis));
    }
  }
  if (IsHoldable(type.shape)) return {};
  return MakeError(ErrorCode::kLimit,
                   fmt::format("{}: {} has more than 2^31 elements", where, type.ToString()));
}

Status CheckValues(const Graph& graph) {
  std::array<std::byte, 1024> room;  // for the names of a small graph
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::unordered_set<std::string_view> names(&memory);
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(id);
    if (!IsIdentifier(value.name)) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("value {}: \"{}\" is not an identifier (letters, digits and _, "
                                   "no digit first)",
                                   id, value.name));
    }
    if (!names.insert(value.name).second) {
      return MakeError(ErrorCode::kInvalid, fmt::format("name \"{}\" is used twice", value.name));
    }
    ANECHECK_RETURN_IF_ERROR(CheckType(value.type, value.name));
    const bool state = value.kind == ValueKind::kState;
    if ((state || value.kind == ValueKind::kInput) && IsConstOnly(value.type.dtype)) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{} {}: {} is for constants only", state ? "state" : "input",
                                   value.name, DTypeName(value.type.dtype)));
    }
  }
  return {};
}

Error AtNode(const Graph& graph, NodeId id, const Error& error) {
  const Node& node = graph.node(id);
  const std::string_view name =
      node.result_count > 0 ? std::string_view(graph.value(node.first_result).name) : "";
  return MakeError(error.code, fmt::format("ops[{}] \"{}\": {}", id, name, error.message));
}

Status CheckResults(const NodeView& view) {
  ResultTypes types;
  ANECHECK_RETURN_IF_ERROR(view.schema().infer(view, types));
  if (types.size() != view.node().result_count) {
    return Invalid(
        view, fmt::format("has {} results, must have {}", view.node().result_count, types.size()));
  }
  for (uint32_t i = 0; i < types.size(); ++i) {
    if (types[i] == view.ResultType(i)) continue;
    return Invalid(view, fmt::format("result {} is declared {}, its operands give {}", i,
                                     view.ResultType(i).ToString(), types[i].ToString()));
  }
  return {};
}

Error UsedTooEarly(const NodeView& view, const Argument& argument) {
  const auto parameters = view.schema().parameters;
  const std::string_view parameter =
      argument.parameter < parameters.size() ? parameters[argument.parameter].name : "an operand";
  const auto values = view.graph().values();
  if (argument.value >= values.size()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: {} names a value that does not exist",
                                                      view.schema().name, parameter));
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{}: {} is \"{}\", which is defined later", view.schema().name,
                               parameter, values[argument.value].name));
}

Status CheckNode(const NodeView& node, ConstantValues& constants) {
  uint64_t seen = 0;
  ANECHECK_RETURN_IF_ERROR(CheckArguments(node, constants, seen));
  ANECHECK_RETURN_IF_ERROR(CheckAttributes(node, seen));
  const auto parameters = node.schema().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].need == Need::kRequired && (seen >> i & 1) == 0) {
      return Invalid(node, fmt::format("{} is missing", parameters[i].name));
    }
  }
  if (node.node().block_count != node.schema().blocks.size()) {
    return Invalid(node, fmt::format("has {} blocks, must have {}", node.node().block_count,
                                     node.schema().blocks.size()));
  }
  return {};
}

}  // namespace

bool IsHoldable(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim > 0 && elements > kMaxElements / dim) return false;
    elements *= dim > 0 ? dim : 1;
  }
  return true;
}

Status CheckNode(const NodeView& node) {
  ConstantValues constants(node.graph());
  return CheckNode(node, constants);
}

Status ValidateGraph(const Graph& graph) {
  ConstantValues constants(graph);
  ANECHECK_RETURN_IF_ERROR(CheckValues(graph));
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    const NodeView view(graph, node);
    for (const Argument& argument : graph.arguments(node)) {
      if (argument.value < node.first_result) continue;
      return AtNode(graph, id, UsedTooEarly(view, argument));
    }
    if (Status status = CheckNode(view, constants); !status.ok()) {
      return AtNode(graph, id, status.error());
    }
    if (Status status = CheckResults(view); !status.ok()) return AtNode(graph, id, status.error());
    for (const Graph& block : graph.blocks(node)) {
      if (Status status = ValidateGraph(block); !status.ok()) {
        return AtNode(graph, id, status.error());
      }
    }
  }
  if (graph.outputs().empty()) return MakeError(ErrorCode::kInvalid, "the graph has no outputs");
  for (const ValueId output : graph.outputs()) {
    if (output >= graph.values().size()) {
      return MakeError(ErrorCode::kInvalid, fmt::format("output {} does not exist", output));
    }
    if (graph.value(output).kind == ValueKind::kState) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("output {} is a state: to return its content, an operation "
                                   "must read the state",
                                   graph.value(output).name));
    }
  }
  return {};
}

}  // namespace anecheck
