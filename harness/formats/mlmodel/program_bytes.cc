#include "harness/formats/mlmodel/program_bytes.h"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>
#include <string_view>
#include <vector>

#include "harness/base/counted.h"
#include "harness/formats/message.h"
#include "harness/formats/mil/reader.h"
#include "harness/formats/mlmodel/schema.h"
#include "harness/formats/mlmodel/submessage.h"

namespace anecheck::mlmodel {
namespace {

using mil::DataType;
using mil::TypeKind;
using mil::TypeView;
using mil::ValueKind;
using mil::ValueView;
using protozero::pbf_writer;

Error At(ErrorCode code, uint64_t offset, std::string_view what) {
  return MakeError(code, fmt::format("{} (offset 0x{:x})", what, offset), offset);
}

// Returns the number of an element type in the message. `offset` is the offset of the value with
// that type, for the error.
Result<uint32_t> NumberOf(TypeView type, uint64_t offset) {
  const auto number = DataTypeNumber(type.data_type());
  if (number) return *number;
  return At(ErrorCode::kUnsupported, offset,
            fmt::format("element type {} has no number in a model file", Shown(type.spelling())));
}

void WriteDimension(pbf_writer& parent, uint32_t number, int64_t size) {
  Submessage dimension(parent, number);
  const bool known = size >= 0;
  Submessage kind(dimension, known ? field::kConstant : field::kUnknown);
  if (known && size > 0) kind.add_uint64(field::kSize, static_cast<uint64_t>(size));
}

Status WriteType(pbf_writer& parent, uint32_t number, TypeView type, uint64_t offset);

Status WriteTensorType(pbf_writer& parent, TypeView type, uint64_t offset) {
  const TypeView element = type.kind() == TypeKind::kTensor ? type.element() : type;
  ANECHECK_ASSIGN(const uint32_t number, NumberOf(element, offset));
  Submessage tensor(parent, field::kTensorType);
  tensor.add_enum(field::kDataType, static_cast<int32_t>(number));
  const auto dimensions = type.dimensions();
  if (!dimensions.empty()) tensor.add_int64(field::kRank, dimensions.size());
  for (const mil::Dimension& dimension : dimensions) {
    WriteDimension(tensor, field::kDimensions, dimension.value);
  }
  return {};
}

Status WriteTypeKind(pbf_writer& value_type, TypeView type, uint64_t offset) {
  switch (type.kind()) {
    case TypeKind::kScalar:
    case TypeKind::kTensor:
      return WriteTensorType(value_type, type, offset);
    case TypeKind::kList: {
      Submessage list(value_type, field::kListType);
      ANECHECK_RETURN_IF_ERROR(WriteType(list, field::kElementType, type.element(), offset));
      WriteDimension(list, field::kLength, type.dimensions()[0].value);
      return {};
    }
    case TypeKind::kTuple: {
      Submessage tuple(value_type, field::kTupleType);
      for (const TypeView child : type.children()) {
        ANECHECK_RETURN_IF_ERROR(WriteType(tuple, field::kTypes, child, offset));
      }
      return {};
    }
    case TypeKind::kDict: {
      Submessage dictionary(value_type, field::kDictionaryType);
      ANECHECK_RETURN_IF_ERROR(WriteType(dictionary, field::kKeyType, type.children()[0], offset));
      return WriteType(dictionary, field::kDictionaryValueType, type.children()[1], offset);
    }
    case TypeKind::kState: {
      Submessage state(value_type, field::kStateValueType);
      return WriteType(state, field::kWrappedType, type.element(), offset);
    }
    case TypeKind::kBuffer:
    case TypeKind::kUnknown:
      break;
  }
  return At(ErrorCode::kUnsupported, offset, "a model file has no buffer types and no type `?`");
}

Status WriteType(pbf_writer& parent, uint32_t number, TypeView type, uint64_t offset) {
  Submessage value_type(parent, number);
  return WriteTypeKind(value_type, type, offset);
}

// ---- values -------------------------------------------------------------------------------------

// Calls `use` for each leaf under nested lists, in order.
template <typename Use>
Status ForEachLeaf(ValueView value, Use&& use) {
  const uint32_t end = value.next();
  for (uint32_t at = value.index(); at != end;) {
    const ValueView leaf(value.program(), at);
    if (leaf.kind() == ValueKind::kList) {
      ++at;
      continue;
    }
    ANECHECK_RETURN_IF_ERROR(use(leaf));
    at = leaf.next();
  }
  return {};
}

// Returns the elements of a tensor. Packs them into bytes if their type is narrower than a byte.
std::string PackedBytes(const std::vector<uint8_t>& bytes, DataType type) {
  const int bits = mil::DataTypeBits(type);
  if (bits >= 8) return {bytes.begin(), bytes.end()};
  const auto width = static_cast<size_t>(bits);
  std::string packed((bytes.size() * width + 7) / 8, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned word = (bytes[i] & ((1u << bits) - 1)) << (i * width % 8);
    char& low = packed[i * width / 8];
    low = static_cast<char>(static_cast<uint8_t>(low) | word);
    if (word <= 0xff) continue;
    char& high = packed[i * width / 8 + 1];
    high = static_cast<char>(static_cast<uint8_t>(high) | word >> 8);
  }
  return packed;
}

uint64_t WordAt(const std::vector<uint8_t>& bytes, size_t at, size_t size) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) word |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
  return word;
}

Status CheckCount(TypeView type, ValueView value, uint64_t held) {
  const auto count = mil::ElementCount(type);
  if (!count || *count == held) return {};
  return At(
      ErrorCode::kInvalid, value.offset(),
      fmt::format("the type requires {}, the literal has {}", Counted(*count, "element"), held));
}

Status WriteStrings(pbf_writer& tensor, TypeView type, ValueView value) {
  Submessage strings(tensor, field::kStrings);
  uint64_t held = 0;
  ANECHECK_RETURN_IF_ERROR(ForEachLeaf(value, [&](ValueView leaf) -> Status {
    ANECHECK_ASSIGN(const std::string text, mil::ReadString(leaf));
    strings.add_string(field::kValues, text);
    ++held;
    return {};
  }));
  return CheckCount(type, value, held);
}

Status WriteTensor(pbf_writer& parent, TypeView type, ValueView value) {
  const DataType element = type.data_type();
  Submessage tensor(parent, field::kTensor);
  if (element == DataType::kString) return WriteStrings(tensor, type, value);
  ANECHECK_RETURN_IF_ERROR(NumberOf(type, value.offset()));
  ANECHECK_ASSIGN(const std::vector<uint8_t> bytes, mil::ReadElementsAs(value, element));
  const auto size = static_cast<size_t>((mil::DataTypeBits(element) + 7) / 8);
  ANECHECK_RETURN_IF_ERROR(CheckCount(type, value, bytes.size() / size));
  const field::TensorValue where = ValueFieldOf(element);
  Submessage list(tensor, where);
  if (where == field::kBytes) {
    list.add_bytes(field::kValues, PackedBytes(bytes, element));
    return {};
  }
  if (where == field::kFloats || where == field::kDoubles) {
    // A packed list of floats has little-endian words, and so have the elements.
    if (!bytes.empty()) {
      list.add_bytes(field::kValues, reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return {};
  }
  if (bytes.empty()) return {};
  const bool is_signed = mil::DataTypeClass(element) == mil::DataClass::kSigned;
  protozero::packed_field_int64 packed(list, field::kValues);
  for (size_t at = 0; at < bytes.size(); at += size) {
    const int unused = static_cast<int>(64 - 8 * size);
    const uint64_t word = WordAt(bytes, at, size) << unused;
    packed.add_element(is_signed ? static_cast<int64_t>(word) >> unused
                                 : static_cast<int64_t>(word >> unused));
  }
  return {};
}

Status WriteImmediate(pbf_writer& parent, TypeView type, ValueView value);

// Writes a value of `type`. The value is written with or without its own type in the text.
Status WriteMember(pbf_writer& parent, uint32_t number, TypeView type, ValueView value) {
  Submessage member(parent, number);
  const TypeView own = value.kind() == ValueKind::kTyped ? value.type() : type;
  ANECHECK_RETURN_IF_ERROR(WriteType(member, field::kValueType, own, value.offset()));
  return WriteImmediate(member, own, value.Inner());
}

Status WriteDictionary(pbf_writer& parent, TypeView type, ValueView value) {
  Submessage dictionary(parent, field::kDictionary);
  for (const ValueView pair : value.children()) {
    if (pair.children().empty()) continue;
    Submessage entry(dictionary, field::kValues);
    ANECHECK_RETURN_IF_ERROR(
        WriteMember(entry, field::kKey, type.children()[0], pair.children()[0]));
    ANECHECK_RETURN_IF_ERROR(
        WriteMember(entry, field::kPairValue, type.children()[1], pair.children()[1]));
  }
  return {};
}

Status WriteTuple(pbf_writer& parent, TypeView type, ValueView value) {
  const auto types = type.children();
  if (types.size() != value.children().size()) {
    return At(ErrorCode::kInvalid, value.offset(), "a tuple has not as many values as its type");
  }
  Submessage tuple(parent, field::kTuple);
  uint32_t i = 0;
  for (const ValueView child : value.children()) {
    ANECHECK_RETURN_IF_ERROR(WriteMember(tuple, field::kValues, types[i++], child));
  }
  return {};
}

Status WriteList(pbf_writer& parent, TypeView type, ValueView value) {
  Submessage list(parent, field::kList);
  for (const ValueView child : value.children()) {
    ANECHECK_RETURN_IF_ERROR(WriteMember(list, field::kValues, type.element(), child));
  }
  return {};
}

Status WriteImmediateKind(pbf_writer& immediate, TypeView type, ValueView value) {
  switch (type.kind()) {
    case TypeKind::kScalar:
    case TypeKind::kTensor:
      return WriteTensor(immediate, type, value);
    case TypeKind::kList:
      if (value.kind() == ValueKind::kList) return WriteList(immediate, type, value);
      break;
    case TypeKind::kTuple:
      if (value.kind() == ValueKind::kTuple) return WriteTuple(immediate, type, value);
      break;
    case TypeKind::kDict:
      if (value.kind() == ValueKind::kDict) return WriteDictionary(immediate, type, value);
      break;
    default:
      return At(ErrorCode::kUnsupported, value.offset(), "a model file has no values of this type");
  }
  return At(ErrorCode::kInvalid, value.offset(), "the value is not of its type");
}

Status WriteImmediate(pbf_writer& parent, TypeView type, ValueView value) {
  Submessage immediate(parent, field::kImmediate);
  return WriteImmediateKind(immediate, type, value);
}

Status WriteValue(pbf_writer& parent, uint32_t number, ValueView literal) {
  if (literal.kind() != ValueKind::kTyped) {
    return At(ErrorCode::kUnsupported, literal.offset(),
              "a model file has no values without a type: write type(value)");
  }
  Submessage value(parent, number);
  ANECHECK_RETURN_IF_ERROR(WriteType(value, field::kValueType, literal.type(), literal.offset()));
  ANECHECK_ASSIGN(const auto blob, mil::ReadBlobReference(literal));
  if (!blob) return WriteImmediate(value, literal.type(), literal.Inner());
  Submessage file(value, field::kBlobFile);
  file.add_string(field::kFileName, blob->path);
  file.add_uint64(field::kOffset, blob->offset);
  return {};
}

// ---- operations ---------------------------------------------------------------------------------

// Writes the attributes as entries of a map.
Status WriteAttributes(pbf_writer& parent, uint32_t number,
                       mil::Sequence<mil::ArgumentView> attributes,
                       std::string_view left_out = {}) {
  for (const mil::ArgumentView attribute : attributes) {
    if (!left_out.empty() && attribute.name() == left_out) continue;
    Submessage entry(parent, number);
    entry.add_string(field::kEntryKey, std::string(attribute.name()));
    ANECHECK_RETURN_IF_ERROR(WriteValue(entry, field::kEntryValue, attribute.value()));
  }
  return {};
}

Status WriteBinding(pbf_writer& argument, ValueView value) {
  Submessage binding(argument, field::kArguments);
  if (value.kind() == ValueKind::kName) {
    binding.add_string(field::kBindingName, std::string(value.text()));
    return {};
  }
  return WriteValue(binding, field::kBindingValue, value);
}

Status WriteArguments(pbf_writer& operation, mil::Sequence<mil::ArgumentView> arguments) {
  for (const mil::ArgumentView argument : arguments) {
    if (argument.name().empty()) {
      return At(ErrorCode::kUnsupported, argument.offset(),
                "a model file has no arguments without a name");
    }
    Submessage entry(operation, field::kOperationInputs);
    entry.add_string(field::kEntryKey, std::string(argument.name()));
    Submessage bindings(entry, field::kEntryValue);
    for (const ValueView value : mil::TupleOrOne(argument.value())) {
      ANECHECK_RETURN_IF_ERROR(WriteBinding(bindings, value));
    }
  }
  return {};
}

Status WriteNamed(pbf_writer& parent, uint32_t number, mil::BindingView binding, uint64_t offset) {
  Submessage named(parent, number);
  named.add_string(field::kName, std::string(binding.name()));
  return WriteType(named, field::kType, binding.type(), offset);
}

Status WriteBlock(pbf_writer& block, mil::BlockView view);

Status WriteOperation(pbf_writer& block, mil::StatementView statement) {
  if (!statement.opset().empty()) {
    return At(ErrorCode::kUnsupported, statement.offset(),
              "a model file has no opsets of single operations");
  }
  Submessage operation(block, field::kOperations);
  operation.add_string(field::kOperationType, std::string(statement.op()));
  ANECHECK_RETURN_IF_ERROR(WriteArguments(operation, statement.arguments()));
  for (const mil::BindingView result : statement.results()) {
    ANECHECK_RETURN_IF_ERROR(
        WriteNamed(operation, field::kOperationOutputs, result, statement.offset()));
  }
  for (const mil::BlockView nested : statement.blocks()) {
    Submessage inner(operation, field::kOperationBlocks);
    for (const mil::BindingView parameter : nested.parameters()) {
      ANECHECK_RETURN_IF_ERROR(WriteNamed(inner, field::kBlockInputs, parameter, nested.offset()));
    }
    ANECHECK_RETURN_IF_ERROR(WriteBlock(inner, nested));
  }
  return WriteAttributes(operation, field::kOperationAttributes, statement.attributes());
}

// Writes outputs and operations. The caller writes the inputs, because the inputs of a function are
// fields of the function's own message.
Status WriteBlock(pbf_writer& block, mil::BlockView view) {
  for (const ValueView output : view.outputs()) {
    block.add_string(field::kBlockOutputs, std::string(output.text()));
  }
  for (const mil::StatementView statement : view.statements()) {
    ANECHECK_RETURN_IF_ERROR(WriteOperation(block, statement));
  }
  return {};
}

Status WriteFunction(pbf_writer& program, mil::FunctionView view, std::string_view left_out) {
  Submessage entry(program, field::kProgramFunctions);
  entry.add_string(field::kEntryKey, std::string(view.name()));
  Submessage function(entry, field::kEntryValue);
  for (const mil::BindingView parameter : view.block().parameters()) {
    ANECHECK_RETURN_IF_ERROR(
        WriteNamed(function, field::kFunctionInputs, parameter, view.offset()));
  }
  const std::string opset(OpsetInModel(view.opset()));
  function.add_string(field::kOpset, opset);
  {
    Submessage specialization(function, field::kBlockSpecializations);
    specialization.add_string(field::kEntryKey, opset);
    Submessage block(specialization, field::kEntryValue);
    ANECHECK_RETURN_IF_ERROR(WriteBlock(block, view.block()));
  }
  return WriteAttributes(function, field::kFunctionAttributes, view.attributes(), left_out);
}

}  // namespace

Result<std::string> ProgramBytes(const mil::Program& program, std::string_view left_out) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int64(field::kVersion, 1);
  for (const mil::FunctionView function : mil::Functions(program)) {
    ANECHECK_RETURN_IF_ERROR(WriteFunction(writer, function, left_out));
  }
  ANECHECK_RETURN_IF_ERROR(
      WriteAttributes(writer, field::kProgramAttributes, mil::ProgramAttributes(program)));
  return bytes;
}

}  // namespace anecheck::mlmodel
