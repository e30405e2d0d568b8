#include "oracles/legality/instance.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "harness/base/half.h"
#include "harness/base/mapped_file.h"
#include "harness/base/real_text.h"
#include "harness/ops/op.h"

namespace anecheck::legality {
namespace {

Error Usage(std::string_view text, std::string_view form) {
  return MakeError(ErrorCode::kInvalid, fmt::format("\"{}\": write {}", text, form));
}

// Returns the two parts of "name=rest". The name must not be empty.
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

// Returns the rules' name for the storage format of the compressed constant that `op` expands
// (facts/more/weight_codecs.csv), or "".
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

// Adds the format and the stored bytes of a kernel that is a compressed constant.
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

// Adds an attribute to the open node.
void AddTo(Graph& graph, int parameter, ParameterKind kind, const Value& value) {
  std::vector<Value> list = value.is(Value::Kind::kList) ? value.list : std::vector<Value>{value};
  std::vector<int64_t> whole;
  std::vector<double> numbers;
  for (const Value& item : list) {
    numbers.push_back(item.number);
    whole.push_back(static_cast<int64_t>(item.number));
  }
  if (list.empty()) return;
  switch (kind) {
    case ParameterKind::kInt:
      return graph.AddInt(parameter, whole.front());
    case ParameterKind::kFloat:
      return graph.AddFloat(parameter, numbers.front());
    case ParameterKind::kBool:
      return graph.AddBool(parameter, value.truth());
    case ParameterKind::kString:
      return graph.AddString(parameter, value.text);
    case ParameterKind::kInts:
      return graph.AddInts(parameter, whole);
    case ParameterKind::kFloats:
      return graph.AddFloats(parameter, numbers);
    case ParameterKind::kBools:
      return graph.AddBools(parameter, whole);
    case ParameterKind::kTensor:
    case ParameterKind::kTensorList:
      return;
  }
}

std::vector<int64_t> ExtentsOf(const Shape& shape) {
  return {shape.dims().begin(), shape.dims().end()};
}

void DescribeResults(const Graph& graph, const Node& node, Instance& instance) {
  for (uint32_t i = 0; i < node.result_count; ++i) {
    const anecheck::Value& value = graph.value(node.first_result + i);
    instance.results.push_back(
        {value.name, std::string(DTypeName(value.type.dtype)), ExtentsOf(value.type.shape), false});
  }
}

// The pages of a constant of at least this many bytes are dropped after it was read.
constexpr size_t kLargeConstant = size_t{1} << 15;

// Returns the value of all elements of an fp16 constant if they are equal, else nothing.
std::optional<double> FilledWith(std::span<const uint8_t> bytes) {
  for (size_t at = 2; at + 1 < bytes.size(); at += 2) {
    if (bytes[at] != bytes[0] || bytes[at + 1] != bytes[1]) return std::nullopt;
  }
  if (bytes.size() < 2) return std::nullopt;
  return HalfToDouble(Half{static_cast<uint16_t>(bytes[0] | bytes[1] << 8)});
}

// Returns the number of consecutive convolutions that end with this convolution.
int ChainOf(const Graph& graph, const Node* node) {
  const std::string_view op = node->schema->name;
  int length = 0;
  while (node->schema->name == op && node->argument_count > 0) {
    ++length;
    const anecheck::Value& x = graph.value(graph.arguments(*node).front().value);
    if (x.kind != ValueKind::kResult) break;
    node = &graph.node(x.producer);
  }
  return length;
}

// Whether a non-linear function reads the result. A square fuses with such a function.
bool FeedsNonLinear(const Graph& graph, const Node& node) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& reader) {
    return DefinitionOf(*reader.schema).op_class == OpClass::kActivation &&
           std::ranges::any_of(graph.arguments(reader), [&](const Argument& argument) {
             return argument.value == node.first_result;
           });
  });
}

void DescribeOperand(const Graph& graph, std::string_view name, ValueId id, Instance& instance) {
  const anecheck::Value& value = graph.value(id);
  Operand operand{std::string(name), std::string(DTypeName(value.type.dtype)),
                  ExtentsOf(value.type.shape), value.kind == ValueKind::kConst};
  if (value.kind == ValueKind::kResult) {
    const Node& producer = graph.node(value.producer);
    operand.constant =
        producer.schema->name.starts_with("constexpr_") || producer.schema->name == "const";
    if (name == "weight") DescribeWeight(graph, producer, instance);
    instance.attributes.insert_or_assign(fmt::format("producer_{}", name),
                                         Value::Text(std::string(producer.schema->name)));
  }
  if (value.kind == ValueKind::kConst && value.type.dtype == DType::kFp16) {
    const std::span<const uint8_t> bytes = graph.ConstData(id);
    const std::optional<double> filled = FilledWith(bytes);
    // The system also maps the pages around a page that is read. Without dropped pages, a split
    // model would be loaded completely.
    if (bytes.size() >= kLargeConstant) DropPages(bytes);
    const bool one = value.type.shape.Elements() == 1;
    const std::string attribute = fmt::format("{}_{}", one ? "value" : "filled", name);
    if (filled) instance.attributes.insert_or_assign(attribute, Value::Number(*filled));
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

void InferResults(const OpSchema& schema, Instance& instance) {
  Graph graph;
  std::vector<std::pair<int, ValueId>> arguments;
  for (const Operand& operand : instance.operands) {
    const std::optional<DType> dtype = DTypeFromName(operand.dtype);
    const int parameter = schema.FindParameter(operand.name);
    const bool whole = std::ranges::all_of(operand.shape, [](int64_t e) { return e >= 0; });
    if (!dtype || parameter < 0 || !whole || operand.shape.size() > Shape::kMaxRank) return;
    arguments.emplace_back(parameter, graph.AddInput({*dtype, Shape::FromSpan(operand.shape)}));
  }
  if (arguments.empty()) return;
  graph.BeginNode(&schema);
  for (const auto& [parameter, value] : arguments) graph.AddArgument(parameter, value);
  for (const auto& [name, value] : instance.attributes) {
    const int parameter = schema.FindParameter(name);
    if (parameter >= 0) AddTo(graph, parameter, schema.parameters[parameter].kind, value);
  }
  const Result<ValueId> first = graph.FinishNode();
  if (first.ok()) DescribeResults(graph, graph.node(0), instance);
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
  // Arguments in a file have any order, but rules count operands in the schema's order.
  const std::span<const Argument> arguments = graph.arguments(node.node());
  for (int parameter = 0; parameter < static_cast<int>(node.schema().parameters.size());
       ++parameter) {
    for (const Argument& argument : arguments) {
      if (argument.parameter != parameter) continue;
      DescribeOperand(graph, node.schema().parameters[parameter].name, argument.value, instance);
    }
  }
  instance.attributes.insert_or_assign("alone", Value::Bool(graph.nodes().size() == 1));
  if (instance.op == "square") {
    instance.attributes.insert_or_assign("consumer_is_nonlinear",
                                         Value::Bool(FeedsNonLinear(graph, node.node())));
  }
  if (instance.op == "conv") {
    instance.attributes.insert_or_assign("chain", Value::Number(ChainOf(graph, &node.node())));
  }
  DescribeResults(graph, node.node(), instance);
  return instance;
}

}  // namespace anecheck::legality
