#include "harness/lowering/graph_to_mil.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/mapped_file.h"
#include "harness/formats/milweights/weight_file.h"
#include "harness/lowering/pack.h"

namespace anecheck {
namespace {

// Whether the numbers of an operation must have its operand's type. From iOS 17 on the numbers of
// other operations, such as an epsilon or a slope, may be fp32 with an fp16 operand (coremltools,
// iOS17).
bool TakesOneType(std::string_view op) {
  constexpr std::array<std::string_view, 6> kOps = {"clip",   "threshold", "pad",
                                                    "affine", "resample",  "crop_resize"};
  return std::ranges::find(kOps, op) != kOps.end();
}

class Lowering {
 public:
  // `side`, if not null, receives constants of `least` bytes and more.
  Lowering(const Graph& graph, mil::TextWriter& writer,
           milweights::WeightFileWriter* side = nullptr, int64_t least = 0)
      : graph_(graph), writer_(writer), side_(side), least_(least) {
    names_.reserve(graph.values().size());
    for (const Value& value : graph.values()) names_.push_back(value.name);
  }

  Status Run() {
    writer_.BeginProgram();
    writer_.BeginFunction("main");
    for (const Value& value : graph_.values()) {
      if (value.kind == ValueKind::kInput) Parameter(value, false);
    }
    for (const Value& value : graph_.values()) {
      if (value.kind == ValueKind::kState) Parameter(value, true);
    }
    writer_.BeginBody();
    Body();
    writer_.EndFunction(OutputNames());
    writer_.EndProgram();
    return std::move(status_);
  }

 private:
  // Writes constants and statements.
  void Body() {
    for (ValueId id = 0; id < graph_.values().size(); ++id) {
      if (graph_.value(id).kind == ValueKind::kConst) Constant(id);
    }
    for (const Node& node : graph_.nodes()) Statement(node);
  }

  std::vector<std::string_view> OutputNames() const {
    std::vector<std::string_view> outputs;
    for (const ValueId output : graph_.outputs()) outputs.push_back(names_[output]);
    return outputs;
  }

  // Writes a nested block. Captured values keep their outer names. The block's own names begin with
  // the statement's name, so that they hide no outer name.
  void Block(const Node& node, size_t number, std::string_view statement) {
    const NodeView view(graph_, node);
    const Graph& block = graph_.blocks(node)[number];
    Lowering inner(block, writer_, side_, least_);
    const std::string prefix = fmt::format("{}_b{}_", statement, number);
    for (std::string_view& name : inner.names_) {
      name = inner.own_names_.emplace_back(prefix + std::string(name));
    }
    const std::vector<ValueId> inputs = block.ValuesOfKind(ValueKind::kInput);
    const std::vector<ValueId> captures = view.InputList(node.schema->FindParameter("captures"));
    const size_t own = inputs.size() - captures.size();
    writer_.BeginBlock(node.schema->blocks[number]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i < own) {
        const TensorType& type = block.type(inputs[i]);
        writer_.Parameter(ToMilType(type.dtype), type.shape.dims(), inner.names_[inputs[i]]);
      } else {
        inner.names_[inputs[i]] = names_[captures[i - own]];
      }
    }
    writer_.BeginBlockBody();
    inner.Body();
    if (status_.ok()) status_ = std::move(inner.status_);
    writer_.EndBlock(inner.OutputNames());
  }

  // MIL's integers have 32 bits. The first value beyond 32 bits becomes the error of the whole
  // lowering.
  template <typename Integer>
  Integer Narrow(const anecheck::Parameter& parameter, int64_t value) {
    if (!std::in_range<Integer>(value) && status_.ok()) {
      status_ = MakeError(ErrorCode::kInvalid,
                          fmt::format("{}: {} does not fit MIL's {}", parameter.name, value,
                                      std::is_signed_v<Integer> ? "int32" : "uint32"));
    }
    return static_cast<Integer>(value);
  }

  void Parameter(const Value& value, bool state) {
    const mil::DataType type = ToMilType(value.type.dtype);
    if (state) {
      writer_.StateParameter(type, value.type.shape.dims(), value.name);
    } else {
      writer_.Parameter(type, value.type.shape.dims(), value.name);
    }
  }

  void Constant(ValueId id) {
    const Value& value = graph_.value(id);
    const std::string_view name = names_[id];
    const mil::DataType type = ToMilType(value.type.dtype);
    if (side_ != nullptr && value.type.ByteSize() >= least_ && SideConstant(id, type)) return;
    if (DTypeBits(value.type.dtype) >= 8) {
      writer_.ConstTensor(name, type, value.type.shape.dims(), graph_.ConstData(id));
      return;
    }
    const std::vector<uint8_t> bytes = UnpackElements(value.type, graph_.ConstData(id));
    writer_.ConstTensor(name, type, value.type.shape.dims(), bytes);
  }

  // Writes a constant to the weight file. Returns false if weight files lack the type.
  bool SideConstant(ValueId id, mil::DataType type) {
    const Value& value = graph_.value(id);
    const std::span<const uint8_t> data = graph_.ConstData(id);
    const auto bits = static_cast<uint64_t>(value.type.shape.Elements()) *
                      static_cast<uint64_t>(DTypeBits(value.type.dtype));
    const Result<uint64_t> offset = side_->Append(type, data, 8 * data.size() - bits);
    DropPages(data);
    if (!offset.ok()) return false;
    writer_.ConstBlob(names_[id], type, value.type.shape.dims(),
                      fmt::format("@model_path/{}", kMilWeightFile), *offset);
    return true;
  }

  void Statement(const Node& node) {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const Value& result = graph_.value(node.first_result + i);
      writer_.Result(ToMilType(result.type.dtype), result.type.shape.dims(),
                     names_[node.first_result + i]);
    }
    writer_.Op(node.schema->name);
    Arguments(node);
    for (const Attribute& attribute : graph_.attributes(node)) WriteAttribute(node, attribute);
    const std::string_view name = node.result_count > 0 ? names_[node.first_result] : "";
    if (node.block_count == 0) {
      writer_.EndStatement(name);
      return;
    }
    writer_.EndHead(name);
    for (size_t i = 0; i < node.block_count; ++i) Block(node, i, name);
    writer_.EndBlocks();
  }

  void Arguments(const Node& node) {
    const auto arguments = graph_.arguments(node);
    for (size_t i = 0; i < arguments.size();) {
      const uint16_t index = arguments[i].parameter;
      const anecheck::Parameter& parameter = node.schema->parameters[index];
      if (node.block_count > 0 && parameter.name == "captures") {
        ++i;  // the blocks name the captured values directly
        continue;
      }
      if (parameter.kind == ParameterKind::kTensor) {
        writer_.Name(parameter.name, names_[arguments[i].value]);
        ++i;
        continue;
      }
      std::vector<std::string_view> names;
      for (; i < arguments.size() && arguments[i].parameter == index; ++i) {
        names.push_back(names_[arguments[i].value]);
      }
      writer_.Names(parameter.name, names);
    }
  }

  // Whether this float attribute is written as fp16. It is if the first tensor is fp16, and the
  // numbers are exact in fp16 or must have the tensor's type.
  bool IsHalf(const Node& node, const anecheck::Parameter& parameter,
              std::span<const double> numbers) const {
    const Argument* first = nullptr;
    for (const Argument& argument : graph_.arguments(node)) {
      if (first == nullptr || argument.parameter < first->parameter) first = &argument;
    }
    if (!parameter.float_follows_input || first == nullptr ||
        graph_.type(first->value).dtype != DType::kFp16) {
      return false;
    }
    return TakesOneType(node.schema->name) || std::ranges::all_of(numbers, [](double number) {
             return number != number || HalfToDouble(DoubleToHalf(number)) == number;
           });
  }

  // Whether the node is a threshold of an int32 operand. Its number then has that type too.
  bool IsIntegerThreshold(const Node& node) const {
    return node.schema->name == "threshold" &&
           graph_.type(graph_.arguments(node)[0].value).dtype == DType::kInt32;
  }

  void WriteAttribute(const Node& node, const Attribute& attribute) {
    const anecheck::Parameter& parameter = node.schema->parameters[attribute.parameter];
    switch (attribute.kind) {
      case AttributeKind::kInt:
        if (parameter.unsigned_integer) {
          writer_.Unsigned(parameter.name, Narrow<uint32_t>(parameter, attribute.integer));
        } else {
          writer_.Integer(parameter.name, Narrow<int32_t>(parameter, attribute.integer));
        }
        break;
      case AttributeKind::kBool:
        writer_.Bool(parameter.name, attribute.integer != 0);
        break;
      case AttributeKind::kString:
        writer_.String(parameter.name, graph_.string(attribute));
        break;
      case AttributeKind::kFloat:
        if (IsIntegerThreshold(node)) {
          writer_.Integer(parameter.name, static_cast<int32_t>(attribute.number));
        } else if (IsHalf(node, parameter, {&attribute.number, 1})) {
          writer_.Float16(parameter.name, DoubleToHalf(attribute.number));
        } else {
          writer_.Float32(parameter.name, static_cast<float>(attribute.number));
        }
        break;
      case AttributeKind::kInts:
        WriteIntegers(parameter, graph_.ints(attribute));
        break;
      case AttributeKind::kBools: {
        const auto values = graph_.ints(attribute);
        const auto flags = std::make_unique<bool[]>(values.size());
        for (size_t i = 0; i < values.size(); ++i) flags[i] = values[i] != 0;
        const std::span<const bool> span(flags.get(), values.size());
        if (parameter.tuple) {
          writer_.BoolTuple(parameter.name, span);
        } else {
          writer_.Bools(parameter.name, span);
        }
        break;
      }
      case AttributeKind::kFloats:
        WriteFloats(node, parameter, graph_.floats(attribute));
        break;
    }
  }

  void WriteIntegers(const anecheck::Parameter& parameter, std::span<const int64_t> values) {
    if (parameter.unsigned_integers) return WriteUnsigned(parameter, values);
    integers_.clear();
    for (const int64_t value : values) integers_.push_back(Narrow<int32_t>(parameter, value));
    if (parameter.tuple) return writer_.IntegerTuple(parameter.name, integers_);
    if (!parameter.pairs) return writer_.Integers(parameter.name, integers_);
    std::vector<uint8_t> bytes;
    for (const int32_t value : integers_) {
      for (int i = 0; i < 4; ++i) {
        bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(value) >> (8 * i)));
      }
    }
    const std::array<int64_t, 2> dimensions = {static_cast<int64_t>(values.size() / 2), 2};
    writer_.Tensor(parameter.name, mil::DataType::kInt32, dimensions, bytes);
  }

  void WriteUnsigned(const anecheck::Parameter& parameter, std::span<const int64_t> values) {
    std::vector<uint8_t> bytes;
    for (const int64_t value : values) {
      const auto narrow = Narrow<uint32_t>(parameter, value);
      for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(narrow >> (8 * i)));
    }
    const auto count = static_cast<int64_t>(values.size());
    writer_.Tensor(parameter.name, mil::DataType::kUint32, {&count, 1}, bytes);
  }

  void WriteFloats(const Node& node, const anecheck::Parameter& parameter,
                   std::span<const double> values) {
    const bool half = IsHalf(node, parameter, values);
    std::vector<uint8_t> bytes;
    for (const double value : values) {
      const uint32_t bits =
          half ? DoubleToHalf(value).bits : std::bit_cast<uint32_t>(static_cast<float>(value));
      for (int i = 0; i < (half ? 2 : 4); ++i)
        bytes.push_back(static_cast<uint8_t>(bits >> (8 * i)));
    }
    const int64_t count = static_cast<int64_t>(values.size());
    writer_.Tensor(parameter.name, half ? mil::DataType::kFp16 : mil::DataType::kFp32, {&count, 1},
                   bytes);
  }

  const Graph& graph_;
  mil::TextWriter& writer_;
  milweights::WeightFileWriter* side_;
  int64_t least_;
  std::vector<std::string_view> names_;  // each value's name in the text
  std::deque<std::string> own_names_;    // names that the graph lacks
  std::vector<int32_t> integers_;
  Status status_;
};

}  // namespace

Status GraphToMil(const Graph& graph, mil::TextWriter& writer) {
  return Lowering(graph, writer).Run();
}

Result<std::string> GraphToMil(const Graph& graph) {
  // Thread-local only to reuse its memory. It keeps no state between texts.
  thread_local mil::TextWriter writer;
  writer.Clear();
  ANECHECK_RETURN_IF_ERROR(GraphToMil(graph, writer));
  return writer.text();
}

Result<MilProgram> GraphToMilProgram(const Graph& graph, const SideFileLimits& limits) {
  int64_t bytes = 0;
  for (const Value& value : graph.values()) {
    if (value.kind == ValueKind::kConst) bytes += value.type.ByteSize();
  }
  MilProgram program;
  if (bytes <= limits.in_text) {
    ANECHECK_ASSIGN(program.text, GraphToMil(graph));
    return program;
  }
  mil::TextWriter writer;
  milweights::WeightFileWriter side;
  ANECHECK_RETURN_IF_ERROR(Lowering(graph, writer, &side, limits.least).Run());
  program.text = std::move(writer).Take();
  if (side.count() > 0) program.weights = std::move(side).Take();
  return program;
}

Result<SharedBytes> ReadMilBlob(std::span<const uint8_t> file, uint64_t offset,
                                const TensorType& type, std::shared_ptr<const void> owner) {
  ANECHECK_ASSIGN(const ByteSpan data, milweights::ReadBlob(file, offset, ToMilType(type.dtype)));
  const auto used_bits = static_cast<uint64_t>(type.shape.Elements()) *
                         static_cast<uint64_t>(DTypeBits(type.dtype)) % 8;
  if (used_bits == 0 || data.size() != static_cast<size_t>(type.ByteSize())) {
    return SharedBytes{data, std::move(owner)};
  }
  // The file may have any unused bits in the last byte. In a graph they are 0.
  auto own = std::make_shared<std::vector<uint8_t>>(data.begin(), data.end());
  own->back() &= static_cast<uint8_t>((1u << used_bits) - 1);
  return SharedBytes{*own, own};
}

}  // namespace anecheck
