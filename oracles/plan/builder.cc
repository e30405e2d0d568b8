#include "oracles/plan/builder.h"

#include <cmath>
#include <fmt/format.h>

#include "harness/base/half.h"
#include "harness/graph/copy_node.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck::plan {
namespace {

double Rounded(DType dtype, double number) {
  if (dtype == DType::kFp16) return HalfToDouble(DoubleToHalf(number));
  if (dtype == DType::kFp32) return static_cast<double>(static_cast<float>(number));
  return std::nearbyint(number);
}

}  // namespace

std::vector<double> ConstantNumbers(const Graph& graph, ValueId id) {
  std::vector<double> numbers(static_cast<size_t>(graph.type(id).shape.Elements()));
  DecodeElements(graph.type(id).dtype, graph.ConstData(id), numbers);
  return numbers;
}

std::vector<uint8_t> RoundedBytes(DType dtype, std::span<const double> numbers) {
  std::vector<double> rounded(numbers.begin(), numbers.end());
  for (double& number : rounded) number = Rounded(dtype, number);
  const TensorType type{dtype, {static_cast<int64_t>(numbers.size())}};
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  EncodeElements(dtype, rounded, bytes);
  return bytes;
}

void Builder::Fail(Error error) {
  if (!error_) error_ = std::move(error);
}

std::string Builder::NewName() {
  std::string name;
  do {
    name = fmt::format("{}_{}", prefix_, ++count_);
  } while (!taken_.insert(name).second);
  return name;
}

bool Builder::Begin(std::string_view op) {
  const OpDefinition* definition = FindOp(op);
  if (definition == nullptr) {
    Fail(MakeError(ErrorCode::kInternal, fmt::format("no operation {}", op)));
  }
  if (error_) return false;
  schema_ = &definition->schema;
  graph_.BeginNode(schema_);
  return true;
}

void Builder::Set(const Setting& setting) {
  const int parameter = schema_->FindParameter(setting.name);
  if (const bool* flag = std::get_if<bool>(&setting.value)) {
    graph_.AddBool(parameter, *flag);
  } else if (const int64_t* integer = std::get_if<int64_t>(&setting.value)) {
    graph_.AddInt(parameter, *integer);
  } else if (const double* number = std::get_if<double>(&setting.value)) {
    graph_.AddFloat(parameter, *number);
  } else if (const std::string_view* text = std::get_if<std::string_view>(&setting.value)) {
    graph_.AddString(parameter, *text);
  } else {
    graph_.AddInts(parameter, *std::get_if<std::vector<int64_t>>(&setting.value));
  }
}

ValueId Builder::Finish(std::initializer_list<Setting> settings) {
  for (const Setting& setting : settings) Set(setting);
  const std::string name = NewName();
  const auto result = graph_.FinishNode({&name, 1});
  if (!result.ok()) {
    Fail(result.error());
    return kNoValue;
  }
  return *result;
}

ValueId Builder::Add(std::string_view op, Operands operands,
                     std::initializer_list<Setting> settings) {
  if (!Begin(op)) return kNoValue;
  for (const auto& [name, value] : operands) {
    if (value != kNoValue) graph_.AddArgument(schema_->FindParameter(name), value);
  }
  return Finish(settings);
}

ValueId Builder::AddOfList(std::string_view op, std::string_view parameter,
                           std::span<const ValueId> values,
                           std::initializer_list<Setting> settings) {
  if (!Begin(op)) return kNoValue;
  for (const ValueId value : values) {
    graph_.AddArgument(schema_->FindParameter(parameter), value);
  }
  return Finish(settings);
}

ValueId Builder::Copy(const NodeView& node, std::span<const ValueId> places,
                      std::span<const std::string> names) {
  if (error_) return kNoValue;
  const Graph& from = node.graph();
  graph_.BeginNode(&node.schema());
  for (const Argument& argument : from.arguments(node.node())) {
    graph_.AddArgument(argument.parameter, places[argument.value]);
  }
  CopyAttributes(from, node.node(), graph_);
  auto result = graph_.FinishNode(names);
  if (!result.ok()) Fail(result.error());
  return result.ok() ? *result : kNoValue;
}

ValueId Builder::Constant(const TensorType& type, std::span<const double> numbers) {
  if (error_) return kNoValue;
  return graph_.AddConst(type, RoundedBytes(type.dtype, numbers), NewName());
}

ValueId Builder::Scalar(DType dtype, double number) { return Constant({dtype, {}}, {&number, 1}); }

ValueId Builder::CopyConstant(const Graph& from, ValueId id) {
  if (error_) return kNoValue;
  return graph_.CopyConst(from, id, NewName());
}

ValueId Builder::CopyConstantRows(const Graph& from, ValueId id, int64_t first, int64_t count) {
  if (error_) return kNoValue;
  return graph_.CopyConstRows(from, id, first, count, NewName());
}

ValueId Builder::Reshape(ValueId x, const Shape& shape) {
  const auto dims = shape.dims();
  return Add("reshape", {{"x", x}}, {{"shape", std::vector<int64_t>(dims.begin(), dims.end())}});
}

ValueId Builder::Transpose(ValueId x, std::span<const int64_t> perm) {
  return Add("transpose", {{"x", x}}, {{"perm", std::vector<int64_t>(perm.begin(), perm.end())}});
}

ValueId Builder::Slice(ValueId x, std::span<const int64_t> begin, std::span<const int64_t> size) {
  return Add("slice_by_size", {{"x", x}},
             {{"begin", std::vector<int64_t>(begin.begin(), begin.end())},
              {"size", std::vector<int64_t>(size.begin(), size.end())}});
}

ValueId Builder::SliceAxis(ValueId x, int axis, int64_t first, int64_t count) {
  if (error_) return kNoValue;
  const Shape& shape = type(x).shape;
  std::vector<int64_t> begin(static_cast<size_t>(shape.rank()), 0);
  std::vector<int64_t> size(shape.dims().begin(), shape.dims().end());
  begin[static_cast<size_t>(axis)] = first;
  size[static_cast<size_t>(axis)] = count;
  return Slice(x, begin, size);
}

ValueId Builder::Concat(std::span<const ValueId> values, int axis) {
  if (values.size() == 1) return values[0];
  return AddOfList("concat", "values", values, {{"axis", int64_t{axis}}});
}

ValueId Builder::Cast(ValueId x, DType dtype) {
  return Add("cast", {{"x", x}}, {{"dtype", DTypeName(dtype)}});
}

}  // namespace anecheck::plan
