#include "harness/formats/mil/text_writer.h"

#include <array>
#include <bit>

#include "harness/base/little_endian.h"
#include "harness/formats/mil/number.h"

namespace anecheck::mil {
namespace {

constexpr size_t kBodyIndent = 12;   // spaces before the statements of a function
constexpr size_t kBlockIndent = 8;   // added for the statements of a nested block
constexpr size_t kBraceOutdent = 4;  // subtracted for the brace that ends the statements

constexpr std::string_view kHeader18 =
    "program(1.3)\n[buildInfo = dict<string, string>({{\"coremlc-component-MIL\", \"3520.4.1\"}, "
    "{\"coremlc-version\", \"3520.5.1\"}})]\n{";
constexpr std::string_view kHeader16 =
    "program(1.0)\n[buildInfo = dict<tensor<string, []>, tensor<string, []>>("
    "{{\"coremlc-component-MIL\", \"3520.4.1\"}, {\"coremlc-version\", \"3520.5.1\"}})]\n{";

void AppendRaw(std::string& out, uint64_t word, size_t bytes) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += "0x";
  for (size_t i = 2 * bytes; i-- > 0;) out += kHex[(word >> (4 * i)) & 15];
}

}  // namespace

void TextWriter::Type(DataType type, Dimensions dimensions) {
  if (dimensions.empty() && dialect_ == Dialect::kIos18) {
    text_ += DataTypeName(type);
    return;
  }
  text_ += "tensor<";
  text_ += DataTypeName(type);
  text_ += ", [";
  bool first = true;
  for (const int64_t size : dimensions) {
    if (!first) text_ += ", ";
    first = false;
    if (size < 0) {
      text_ += '?';
    } else {
      AppendInteger(text_, size);
    }
  }
  text_ += "]>";
}

void TextWriter::OpenScalar(DataType type) {
  Type(type, {});
  text_ += '(';
}

void TextWriter::Quoted(std::string_view raw) {
  text_ += '"';
  AppendEscaped(text_, raw);
  text_ += '"';
}

void TextWriter::BeginProgram() { text_ += dialect_ == Dialect::kIos18 ? kHeader18 : kHeader16; }

void TextWriter::BeginFunction(std::string_view name) {
  text_ += "\n    func ";
  text_ += name;
  text_ += dialect_ == Dialect::kIos18 ? "<ios18>(" : "<ios16>(";
  first_ = true;
}

void TextWriter::Parameter(DataType type, Dimensions dimensions, std::string_view name) {
  if (!first_) text_ += ", ";
  first_ = false;
  Type(type, dimensions);
  text_ += ' ';
  text_ += name;
}

void TextWriter::StateParameter(DataType type, Dimensions dimensions, std::string_view name) {
  if (!first_) text_ += ", ";
  first_ = false;
  text_ += "state<";
  Type(type, dimensions);
  text_ += "> ";
  text_ += name;
}

void TextWriter::BeginBody() { text_ += ") {"; }

void TextWriter::StartStatement() {
  text_ += '\n';
  text_.append(kBodyIndent + depth_ * kBlockIndent, ' ');
}

void TextWriter::Result(DataType type, Dimensions dimensions, std::string_view name) {
  if (statement_) {
    text_ += ", ";
  } else {
    StartStatement();
  }
  statement_ = true;
  Type(type, dimensions);
  text_ += ' ';
  text_ += name;
}

void TextWriter::Op(std::string_view op) {
  if (statement_) {
    text_ += " = ";
  } else {
    StartStatement();
  }
  statement_ = false;
  attributes_ = false;
  text_ += op;
  text_ += '(';
  first_ = true;
}

void TextWriter::BeginArgument(std::string_view name) {
  if (!first_) text_ += ", ";
  first_ = false;
  text_ += name;
  text_ += " = ";
}

void TextWriter::Name(std::string_view argument, std::string_view value) {
  BeginArgument(argument);
  text_ += value;
}

void TextWriter::Names(std::string_view argument, std::span<const std::string_view> values) {
  BeginArgument(argument);
  text_ += '(';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text_ += ", ";
    text_ += values[i];
  }
  text_ += ')';
}

void TextWriter::Integer(std::string_view argument, int32_t value) {
  BeginArgument(argument);
  OpenScalar(DataType::kInt32);
  AppendInteger(text_, value);
  text_ += ')';
}

void TextWriter::Integers(std::string_view argument, std::span<const int32_t> values) {
  BeginArgument(argument);
  const std::array<int64_t, 1> dimensions = {static_cast<int64_t>(values.size())};
  Type(DataType::kInt32, dimensions);
  text_ += "([";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text_ += ", ";
    AppendInteger(text_, values[i]);
  }
  text_ += "])";
}

void TextWriter::Unsigned(std::string_view argument, uint32_t value) {
  BeginArgument(argument);
  OpenScalar(DataType::kUint32);
  AppendInteger(text_, value);
  text_ += ')';
}

void TextWriter::IntegerTuple(std::string_view argument, std::span<const int32_t> values) {
  BeginArgument(argument);
  text_ += '(';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text_ += ", ";
    OpenScalar(DataType::kInt32);
    AppendInteger(text_, values[i]);
    text_ += ')';
  }
  text_ += ')';
}

void TextWriter::BoolTuple(std::string_view argument, std::span<const bool> values) {
  BeginArgument(argument);
  text_ += '(';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text_ += ", ";
    OpenScalar(DataType::kBool);
    text_ += values[i] ? "true)" : "false)";
  }
  text_ += ')';
}

void TextWriter::Bool(std::string_view argument, bool value) {
  BeginArgument(argument);
  OpenScalar(DataType::kBool);
  text_ += value ? "true)" : "false)";
}

void TextWriter::Bools(std::string_view argument, std::span<const bool> values) {
  BeginArgument(argument);
  const std::array<int64_t, 1> dimensions = {static_cast<int64_t>(values.size())};
  Type(DataType::kBool, dimensions);
  text_ += "([";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text_ += ", ";
    text_ += values[i] ? "true" : "false";
  }
  text_ += "])";
}

void TextWriter::String(std::string_view argument, std::string_view value) {
  BeginArgument(argument);
  OpenScalar(DataType::kString);
  Quoted(value);
  text_ += ')';
}

void TextWriter::Float16(std::string_view argument, Half value) {
  BeginArgument(argument);
  OpenScalar(DataType::kFp16);
  AppendHalf(text_, value);
  text_ += ')';
}

void TextWriter::Float32(std::string_view argument, float value) {
  BeginArgument(argument);
  OpenScalar(DataType::kFp32);
  AppendFloat(text_, value);
  text_ += ')';
}

void TextWriter::Element(DataType type, std::span<const uint8_t>& elements) {
  const auto bytes = static_cast<size_t>((DataTypeBits(type) + 7) / 8);
  const uint64_t word = LoadLittle(elements, 0, bytes);
  elements = elements.subspan(bytes);
  switch (DataTypeClass(type)) {
    case DataClass::kBool:
      text_ += word != 0 ? "true" : "false";
      return;
    case DataClass::kSigned:
      return AppendInteger(text_, SignExtend(word, bytes));
    case DataClass::kUnsigned:
      return AppendUnsigned(text_, word);
    default:
      break;
  }
  if (type == DataType::kFp16) return AppendHalf(text_, Half{static_cast<uint16_t>(word)});
  if (type == DataType::kFp32) {
    return AppendFloat(text_, std::bit_cast<float>(static_cast<uint32_t>(word)));
  }
  if (type == DataType::kFp64) return AppendDouble(text_, std::bit_cast<double>(word));
  AppendRaw(text_, word, bytes);
}

void TextWriter::Elements(DataType type, Dimensions dimensions,
                          std::span<const uint8_t>& elements) {
  if (dimensions.empty()) return Element(type, elements);
  text_ += '[';
  for (int64_t i = 0; i < dimensions[0]; ++i) {
    if (i != 0) text_ += ", ";
    Elements(type, dimensions.subspan(1), elements);
  }
  text_ += ']';
}

void TextWriter::Tensor(std::string_view argument, DataType type, Dimensions dimensions,
                        std::span<const uint8_t> elements) {
  BeginArgument(argument);
  Type(type, dimensions);
  text_ += '(';
  Elements(type, dimensions, elements);
  text_ += ')';
}

void TextWriter::BlobFile(std::string_view path, uint64_t offset) {
  text_ += "(BLOBFILE(path = ";
  OpenScalar(DataType::kString);
  Quoted(path);
  text_ += "), offset = ";
  OpenScalar(DataType::kUint64);
  AppendUnsigned(text_, offset);
  text_ += ")))";
}

void TextWriter::Blob(std::string_view argument, DataType type, Dimensions dimensions,
                      std::string_view path, uint64_t offset) {
  BeginArgument(argument);
  Type(type, dimensions);
  BlobFile(path, offset);
}

void TextWriter::BeginAttributes() {
  text_ += ")[";
  first_ = true;
  attributes_ = true;
}

void TextWriter::EndHead(std::string_view name) {
  if (!name.empty()) {
    if (!attributes_) BeginAttributes();
    String("name", name);
  }
  text_ += attributes_ ? ']' : ')';
  attributes_ = false;
}

void TextWriter::EndStatement(std::string_view name) {
  EndHead(name);
  text_ += ';';
}

void TextWriter::BeginBlock(std::string_view label) {
  text_ += ' ';
  text_ += label;
  text_ += '(';
  first_ = true;
  ++depth_;
}

void TextWriter::BeginBlockBody() { text_ += ") {"; }

void TextWriter::EndBlock(std::span<const std::string_view> outputs) {
  text_ += '\n';
  text_.append(kBodyIndent + depth_ * kBlockIndent - kBraceOutdent, ' ');
  text_ += "} -> (";
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i != 0) text_ += ", ";
    text_ += outputs[i];
  }
  text_ += ')';
  --depth_;
}

void TextWriter::BeginConst(DataType type, Dimensions dimensions, std::string_view name) {
  Result(type, dimensions, name);
  Op("const");
  BeginAttributes();
  String("name", name);
}

void TextWriter::ConstInteger(std::string_view name, int32_t value) {
  BeginConst(DataType::kInt32, {}, name);
  Integer("val", value);
  EndStatement({});
}

void TextWriter::ConstIntegers(std::string_view name, std::span<const int32_t> values) {
  const std::array<int64_t, 1> dimensions = {static_cast<int64_t>(values.size())};
  BeginConst(DataType::kInt32, dimensions, name);
  Integers("val", values);
  EndStatement({});
}

void TextWriter::ConstBool(std::string_view name, bool value) {
  BeginConst(DataType::kBool, {}, name);
  Bool("val", value);
  EndStatement({});
}

void TextWriter::ConstBools(std::string_view name, std::span<const bool> values) {
  const std::array<int64_t, 1> dimensions = {static_cast<int64_t>(values.size())};
  BeginConst(DataType::kBool, dimensions, name);
  Bools("val", values);
  EndStatement({});
}

void TextWriter::ConstString(std::string_view name, std::string_view value) {
  BeginConst(DataType::kString, {}, name);
  String("val", value);
  EndStatement({});
}

void TextWriter::ConstFloat16(std::string_view name, Half value) {
  BeginConst(DataType::kFp16, {}, name);
  Float16("val", value);
  EndStatement({});
}

void TextWriter::ConstFloat32(std::string_view name, float value) {
  BeginConst(DataType::kFp32, {}, name);
  Float32("val", value);
  EndStatement({});
}

void TextWriter::ConstTensor(std::string_view name, DataType type, Dimensions dimensions,
                             std::span<const uint8_t> elements) {
  BeginConst(type, dimensions, name);
  Tensor("val", type, dimensions, elements);
  EndStatement({});
}

void TextWriter::ConstBlob(std::string_view name, DataType type, Dimensions dimensions,
                           std::string_view path, uint64_t offset) {
  BeginConst(type, dimensions, name);
  Blob("val", type, dimensions, path, offset);
  EndStatement({});
}

void TextWriter::EndFunction(std::span<const std::string_view> outputs) {
  text_ += "\n        } -> (";
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i != 0) text_ += ", ";
    text_ += outputs[i];
  }
  text_ += ");";
}

void TextWriter::EndProgram() { text_ += "\n}"; }

}  // namespace anecheck::mil
