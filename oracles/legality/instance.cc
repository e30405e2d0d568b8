#include "oracles/legality/instance.h"

#include <charconv>
#include <fmt/format.h>

#include "harness/base/half.h"
#include "harness/base/real_text.h"

namespace anecheck::legality {
namespace {

Error Usage(std::string_view text, std::string_view form) {
  return MakeError(ErrorCode::kInvalid, fmt::format("\"{}\": write {}", text, form));
}

// "name=rest" in its two parts; a name is needed.
Result<std::pair<std::string_view, std::string_view>> Halves(std::string_view text,
                                                             std::string_view form) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return Usage(text, form);
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

Value Scalar(std::string_view text) {
  if (text == "true" || text == "false") return Value::Bool(text == "true");
  if (const auto number = RealFromText<double>(text)) return Value::Number(*number);
  return Value::Text(std::string(text));
}

Operand& Named(std::string_view name, Instance& instance) {
  for (Operand& operand : instance.operands) {
    if (operand.name == name) return operand;
  }
  instance.operands.push_back({std::string(name), "fp16", {}, false});
  return instance.operands.back();
}

Value AttributeValue(const Graph& graph, const Attribute& attribute) {
  std::vector<Value> list;
  switch (attribute.kind) {
    case AttributeKind::kInt:
      return Value::Number(static_cast<double>(attribute.integer));
    case AttributeKind::kBool:
      return Value::Bool(attribute.integer != 0);
    case AttributeKind::kFloat:
      return Value::Number(attribute.number);
    case AttributeKind::kString:
      return Value::Text(std::string(graph.string(attribute)));
    case AttributeKind::kFloats:
      for (const double number : graph.floats(attribute)) list.push_back(Value::Number(number));
      return Value::List(std::move(list));
    default:
      for (const int64_t number : graph.ints(attribute)) {
        list.push_back(Value::Number(static_cast<double>(number)));
      }
      return Value::List(std::move(list));
  }
}

// The form in which a compressed constant is stored, as the rules call it (facts/more/
// weight_codecs.csv); empty where `op` makes none.
std::string_view WeightFormat(std::string_view op) {
  constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"constexpr_affine_dequantize", "int8"},
      {"constexpr_lut_to_dense", "int4 table"},
      {"constexpr_sparse_to_dense", "sparse"},
      {"constexpr_blockwise_shift_scale", "blockwise"},
  };
  for (const auto& [name, format] : kFormats) {
    if (name == op) return format;
  }
  return {};
}

// A kernel that is a compressed constant: its format and the bytes that are stored.
void DescribeWeight(const Graph& graph, const Node& producer, Instance& instance) {
  const std::string_view format = WeightFormat(producer.schema->name);
  if (format.empty()) return;
  int64_t bytes = 0;
  for (const Argument& argument : graph.arguments(producer)) {
    bytes += graph.type(argument.value).ByteSize();
  }
  instance.attributes.insert_or_assign("weight_format", Value::Text(std::string(format)));
  instance.attributes.insert_or_assign("stored_bytes", Value::Number(static_cast<double>(bytes)));
}

void DescribeOperand(const Graph& graph, std::string_view name, ValueId id, Instance& instance) {
  const anecheck::Value& value = graph.value(id);
  Operand operand{std::string(name),
                  std::string(DTypeName(value.type.dtype)),
                  {},
                  value.kind == ValueKind::kConst};
  for (int axis = 0; axis < value.type.shape.rank(); ++axis) {
    operand.shape.push_back(value.type.shape[axis]);
  }
  if (value.kind == ValueKind::kResult) {
    const Node& producer = graph.node(value.producer);
    operand.constant =
        producer.schema->name.starts_with("constexpr_") || producer.schema->name == "const";
    if (name == "weight") DescribeWeight(graph, producer, instance);
    instance.attributes.insert_or_assign(fmt::format("producer_{}", name),
                                         Value::Text(std::string(producer.schema->name)));
  }
  if (value.kind == ValueKind::kConst && value.type.dtype == DType::kFp16 &&
      value.type.shape.Elements() == 1) {
    const std::span<const uint8_t> bytes = graph.ConstData(id);
    const Half half{static_cast<uint16_t>(bytes[0] | bytes[1] << 8)};
    instance.attributes.insert_or_assign(fmt::format("value_{}", name),
                                         Value::Number(HalfToDouble(half)));
  }
  instance.operands.push_back(std::move(operand));
}

}  // namespace

const Operand* Instance::FindOperand(std::string_view name) const {
  for (const Operand& operand : operands) {
    if (operand.name == name) return &operand;
  }
  return nullptr;
}

Status AddAttribute(std::string_view text, Instance& instance) {
  ANECHECK_ASSIGN(const auto halves, Halves(text, "an attribute as name=value"));
  const auto& [name, value] = halves;
  const std::vector<std::string_view> parts = Split(value);
  Value parsed = Scalar(parts[0]);
  if (parts.size() > 1) {
    std::vector<Value> list;
    for (const std::string_view part : parts) {
      if (!part.empty()) list.push_back(Scalar(part));
    }
    parsed = Value::List(std::move(list));
  }
  instance.attributes.insert_or_assign(std::string(name), std::move(parsed));
  return {};
}

Status AddShape(std::string_view text, Instance& instance) {
  constexpr std::string_view kForm = "a shape as name=1,64,56,56 (? for a symbolic extent)";
  ANECHECK_ASSIGN(const auto halves, Halves(text, kForm));
  std::vector<int64_t> shape;
  for (const std::string_view part : Split(halves.second)) {
    int64_t extent = -1;
    if (part != "?") {
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), extent);
      const bool whole = error == std::errc() && end == part.data() + part.size() && extent >= 0;
      if (halves.second.empty()) break;
      if (!whole) return Usage(text, kForm);
    }
    shape.push_back(extent);
  }
  Named(halves.first, instance).shape = std::move(shape);
  return {};
}

Status AddDtype(std::string_view text, Instance& instance) {
  ANECHECK_ASSIGN(const auto halves, Halves(text, "an element type as name=fp16"));
  if (!DTypeFromName(halves.second) && halves.second != "bf16") {
    return Usage(text, "an element type as name=fp16, of MIL's names");
  }
  Named(halves.first, instance).dtype = halves.second;
  return {};
}

Status AddConstant(std::string_view name, Instance& instance) {
  if (name.empty()) return Usage(name, "the name of an operand");
  Named(name, instance).constant = true;
  return {};
}

Instance InstanceOf(const NodeView& node) {
  Instance instance;
  instance.op = node.op();
  const Graph& graph = node.graph();
  for (const Attribute& attribute : graph.attributes(node.node())) {
    instance.attributes.insert_or_assign(
        std::string(node.schema().parameters[attribute.parameter].name),
        AttributeValue(graph, attribute));
  }
  // A file's arguments stand in any order; rules count operands in the schema's.
  const std::span<const Argument> arguments = graph.arguments(node.node());
  for (int parameter = 0; parameter < static_cast<int>(node.schema().parameters.size());
       ++parameter) {
    for (const Argument& argument : arguments) {
      if (argument.parameter != parameter) continue;
      DescribeOperand(graph, node.schema().parameters[parameter].name, argument.value, instance);
    }
  }
  return instance;
}

}  // namespace anecheck::legality
