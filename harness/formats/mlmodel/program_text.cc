#include "harness/formats/mlmodel/program_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/formats/message.h"
#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mlmodel/schema.h"
#include "harness/formats/mlmodel/tensor_text.h"
#include "harness/formats/mlmodel/wire.h"

namespace anecheck::mlmodel {
namespace {

using mil::DataType;

// The maximum size of the text per byte of the file. Real programs have up to 15 bytes of text per
// byte, and the most compact literals have 24.
constexpr size_t kMostExpansion = 64;

struct MapEntry {
  std::string_view key;
  std::string_view value;

  // The sort key. Entries with the same key stay in file order.
  std::pair<std::string_view, const char*> Order() const { return {key, value.data()}; }
};

// Returns the label of an operation's block, as the lowering writes it. No source gives the labels.
std::string_view BlockLabel(std::string_view op, size_t index) {
  if (op == "cond") return index == 0 ? "_true_fn" : "_false_fn";
  if (op == "while_loop") return index == 0 ? "_cond" : "_body";
  return "";
}

Error Unsupported(std::string_view what) {
  return MakeError(ErrorCode::kUnsupported, std::string(what));
}
Error Invalid(std::string_view what) { return MakeError(ErrorCode::kInvalid, std::string(what)); }

class TextBuilder {
 public:
  TextBuilder(size_t file_size, std::span<const InputShapes> inputs)
      : inputs_(inputs),
        limit_(std::min<uint64_t>(mil::kMaxTextSize,
                                  kMostExpansion * file_size + (size_t{1} << 16))) {}

  Result<std::string> Run(std::string_view program) {
    std::vector<MapEntry> functions, attributes;
    ANECHECK_RETURN_IF_ERROR(ForEachField(program, [&](const WireField& field) -> Status {
      if (field.IsBytes(field::kProgramFunctions)) functions.push_back(ReadEntry(field.bytes));
      if (field.IsBytes(field::kProgramAttributes)) attributes.push_back(ReadEntry(field.bytes));
      return {};
    }));
    // A text has one dialect. It is the plain dialect if the opset of any function has the plain
    // dialect.
    plain_ = std::ranges::any_of(functions, [](const MapEntry& function) {
      return IsPlainDialect(OpsetInText(FindBytes(function.value, field::kOpset)));
    });
    out_ = plain_ ? "program(1.3)\n" : "program(1.0)\n";
    if (!attributes.empty()) {
      ANECHECK_RETURN_IF_ERROR(Attributes(attributes));
      out_ += '\n';
    }
    out_ += "{\n";
    for (const MapEntry& function : functions) ANECHECK_RETURN_IF_ERROR(Function(function));
    out_ += '}';
    return std::move(out_);
  }

 private:
  static MapEntry ReadEntry(std::string_view bytes) {
    return {FindBytes(bytes, field::kEntryKey), FindBytes(bytes, field::kEntryValue)};
  }

  Status CheckLimits(int depth) const {
    if (depth > mil::kMaxDepth) {
      return MakeError(ErrorCode::kLimit,
                       fmt::format("messages are nested deeper than {}", mil::kMaxDepth));
    }
    if (out_.size() <= limit_) return {};
    return MakeError(ErrorCode::kLimit,
                     fmt::format("the program's text would have more than {} bytes", limit_));
  }

  // ---- names ----

  Status Name(std::string_view name) {
    const std::string text(name);
    const bool good = mil::IsNameStart(text.c_str()[0]) &&
                      mil::SkipName(text.c_str()) == text.c_str() + text.size();
    if (!good || text == "true" || text == "false") {
      return Invalid(
          fmt::format("{} is no name of MIL (letters, digits and _, no digit first)", Shown(name)));
    }
    out_ += name;
    return {};
  }

  void String(std::string_view text) {
    out_ += '"';
    mil::AppendEscaped(out_, text);
    out_ += '"';
  }

  // ---- types ----

  struct Dimension {
    std::optional<uint64_t> size;  // nothing if it is unknown
  };

  static Result<Dimension> ReadDimension(std::string_view message) {
    Dimension dimension;
    bool known_kind = false;
    ANECHECK_RETURN_IF_ERROR(ForEachField(message, [&](const WireField& field) -> Status {
      if (field.IsBytes(field::kConstant)) {
        known_kind = true;
        dimension.size = 0;
        return ForEachField(field.bytes, [&](const WireField& size) -> Status {
          if (size.IsVarint(field::kSize)) dimension.size = size.varint;
          return {};
        });
      }
      if (!field.IsBytes(field::kUnknown)) return {};
      known_kind = true;
      return ForEachField(field.bytes, [&](const WireField& variadic) -> Status {
        if (!variadic.IsVarint(field::kVariadic) || variadic.varint == 0) return {};
        return Unsupported("a dimension that stands for several is not supported");
      });
    }));
    if (!known_kind) return Invalid("a dimension is neither constant nor unknown");
    return dimension;
  }

  struct TensorType {
    DataType type = DataType::kOther;
    std::vector<Dimension> dimensions;
  };

  static Result<TensorType> ReadTensorType(std::string_view message) {
    TensorType tensor;
    int64_t rank = 0;
    uint64_t number = 0;
    ANECHECK_RETURN_IF_ERROR(ForEachField(message, [&](const WireField& field) -> Status {
      if (field.IsVarint(field::kDataType)) number = field.varint;
      if (field.IsVarint(field::kRank)) rank = static_cast<int64_t>(field.varint);
      if (field.IsBytes(field::kTypeAttributes)) {
        return Unsupported("attributes of a tensor's type are not supported");
      }
      if (!field.IsBytes(field::kDimensions)) return {};
      ANECHECK_ASSIGN(const Dimension dimension, ReadDimension(field.bytes));
      tensor.dimensions.push_back(dimension);
      return {};
    }));
    tensor.type = DataTypeFromNumber(number);
    if (tensor.type == DataType::kOther) {
      return Invalid(fmt::format("data type {} is not known", number));
    }
    if (rank < 0) return Unsupported("a tensor of variable rank is not supported");
    if (static_cast<uint64_t>(rank) != tensor.dimensions.size()) {
      return Invalid(fmt::format("a tensor's rank is {}, and it has {} dimensions", rank,
                                 tensor.dimensions.size()));
    }
    return tensor;
  }

  void Tensor(const TensorType& tensor) {
    const std::string_view name = mil::DataTypeName(tensor.type);
    if (plain_ && tensor.dimensions.empty()) {
      out_ += name;
      return;
    }
    fmt::format_to(std::back_inserter(out_), "tensor<{}, [", name);
    for (size_t i = 0; i < tensor.dimensions.size(); ++i) {
      if (i != 0) out_ += ", ";
      DimensionText(tensor.dimensions[i]);
    }
    out_ += "]>";
  }

  void DimensionText(const Dimension& dimension) {
    if (dimension.size) {
      mil::AppendUnsigned(out_, *dimension.size);
    } else {
      out_ += '?';
    }
  }

  // Returns the field of a message that has exactly one of several possible fields.
  static WireField OneOf(std::string_view message) {
    WireField last;
    static_cast<void>(ForEachField(message, [&](const WireField& field) -> Status {
      if (field.type == protozero::pbf_wire_type::length_delimited) last = field;
      return {};
    }));
    return last;
  }

  Status Type(std::string_view message, int depth) {
    ANECHECK_RETURN_IF_ERROR(CheckLimits(depth));
    const WireField kind = OneOf(message);
    switch (kind.number) {
      case field::kTensorType: {
        ANECHECK_ASSIGN(const TensorType tensor, ReadTensorType(kind.bytes));
        Tensor(tensor);
        return {};
      }
      case field::kListType: {
        out_ += "list<";
        ANECHECK_RETURN_IF_ERROR(Type(FindBytes(kind.bytes, field::kElementType), depth + 1));
        ANECHECK_ASSIGN(const Dimension length,
                        ReadDimension(FindBytes(kind.bytes, field::kLength)));
        out_ += ", ";
        DimensionText(length);
        break;
      }
      case field::kTupleType: {
        out_ += "tuple<";
        bool first = true;
        ANECHECK_RETURN_IF_ERROR(ForEachField(kind.bytes, [&](const WireField& type) -> Status {
          if (!type.IsBytes(field::kTypes)) return {};
          if (!std::exchange(first, false)) out_ += ", ";
          return Type(type.bytes, depth + 1);
        }));
        break;
      }
      case field::kDictionaryType:
        out_ += "dict<";
        ANECHECK_RETURN_IF_ERROR(Type(FindBytes(kind.bytes, field::kKeyType), depth + 1));
        out_ += ", ";
        ANECHECK_RETURN_IF_ERROR(
            Type(FindBytes(kind.bytes, field::kDictionaryValueType), depth + 1));
        break;
      case field::kStateValueType:
        out_ += "state<";
        ANECHECK_RETURN_IF_ERROR(Type(FindBytes(kind.bytes, field::kWrappedType), depth + 1));
        break;
      default:
        return Invalid("a type is none of tensor, list, tuple, dictionary and state");
    }
    out_ += '>';
    return {};
  }

  // ---- values ----

  Status Value(std::string_view message, int depth) {
    ANECHECK_RETURN_IF_ERROR(CheckLimits(depth));
    ANECHECK_RETURN_IF_ERROR(Type(FindBytes(message, field::kValueType), depth));
    out_ += '(';
    const std::string_view file = FindBytes(message, field::kBlobFile);
    ANECHECK_RETURN_IF_ERROR(file.empty() ? Bare(message, depth) : BlobFile(file));
    out_ += ')';
    return {};
  }

  Status BlobFile(std::string_view message) {
    uint64_t offset = 0;
    ANECHECK_RETURN_IF_ERROR(ForEachField(message, [&](const WireField& field) -> Status {
      if (field.IsVarint(field::kOffset)) offset = field.varint;
      return {};
    }));
    out_ += plain_ ? "BLOBFILE(path = string(" : "BLOBFILE(path = tensor<string, []>(";
    String(FindBytes(message, field::kFileName));
    fmt::format_to(std::back_inserter(out_), "), offset = {}({}))",
                   plain_ ? "uint64" : "tensor<uint64, []>", offset);
    return {};
  }

  // Returns whether a kind of value fits a kind of type. Accepts unknown kinds of values, because
  // other code refuses them.
  static bool IsOfType(uint32_t value, uint32_t type) {
    switch (value) {
      case field::kTensor:
        return type == field::kTensorType;
      case field::kTuple:
        return type == field::kTupleType;
      case field::kList:
        return type == field::kListType;
      case field::kDictionary:
        return type == field::kDictionaryType;
      default:
        return true;
    }
  }

  // Writes the text between the parentheses of a literal.
  Status Bare(std::string_view message, int depth) {
    ANECHECK_RETURN_IF_ERROR(CheckLimits(depth));
    if (!FindBytes(message, field::kBlobFile).empty()) {
      return Unsupported("a blob inside of another value is not supported");
    }
    const std::string_view type = FindBytes(message, field::kValueType);
    const WireField kind = OneOf(FindBytes(message, field::kImmediate));
    if (!IsOfType(kind.number, OneOf(type).number)) return Invalid("a value is not of its type");
    switch (kind.number) {
      case field::kTensor: {
        ANECHECK_ASSIGN(const TensorType tensor,
                        ReadTensorType(FindBytes(type, field::kTensorType)));
        std::vector<std::optional<uint64_t>> extents;
        extents.reserve(tensor.dimensions.size());
        for (const Dimension& dimension : tensor.dimensions) extents.push_back(dimension.size);
        ANECHECK_RETURN_IF_ERROR(
            AppendTensor(kind.bytes, tensor.type, std::move(extents), limit_, out_));
        return CheckLimits(depth);
      }
      case field::kTuple:
        return Enclosed('(', kind.bytes, ')', depth);
      case field::kList:
        return Enclosed('[', kind.bytes, ']', depth);
      case field::kDictionary:
        return Dictionary(kind.bytes, depth);
      default:
        return Invalid("a value is none of tensor, tuple, list and dictionary, and no blob");
    }
  }

  Status Enclosed(char open, std::string_view values, char close, int depth) {
    out_ += open;
    bool first = true;
    ANECHECK_RETURN_IF_ERROR(ForEachField(values, [&](const WireField& value) -> Status {
      if (!value.IsBytes(field::kValues)) return {};
      if (!std::exchange(first, false)) out_ += ", ";
      return Bare(value.bytes, depth + 1);
    }));
    out_ += close;
    return {};
  }

  Status Dictionary(std::string_view pairs, int depth) {
    out_ += '{';
    bool first = true;
    const Status read = ForEachField(pairs, [&](const WireField& pair) -> Status {
      if (!pair.IsBytes(field::kValues)) return {};
      if (!std::exchange(first, false)) out_ += ", ";
      out_ += '{';
      ANECHECK_RETURN_IF_ERROR(Bare(FindBytes(pair.bytes, field::kKey), depth + 1));
      out_ += ", ";
      ANECHECK_RETURN_IF_ERROR(Bare(FindBytes(pair.bytes, field::kPairValue), depth + 1));
      out_ += '}';
      return {};
    });
    ANECHECK_RETURN_IF_ERROR(read);
    out_ += '}';
    return {};
  }

  // ---- operations ----

  // Writes the attributes. Adds FlexibleShapeInformation with the value `shapes`, unless `shapes`
  // is empty or `attributes` already has that attribute.
  Status Attributes(std::vector<MapEntry> attributes, std::string shapes = {}) {
    std::ranges::sort(attributes, {}, &MapEntry::Order);
    if (std::ranges::find(attributes, kFlexibleShapes, &MapEntry::key) != attributes.end()) {
      shapes.clear();
    }
    if (attributes.empty() && shapes.empty()) return {};
    out_ += '[';
    if (!shapes.empty()) {
      fmt::format_to(std::back_inserter(out_), "{} = {}", kFlexibleShapes, shapes);
    }
    for (size_t i = 0; i < attributes.size(); ++i) {
      if (i != 0 || !shapes.empty()) out_ += ", ";
      ANECHECK_RETURN_IF_ERROR(Name(attributes[i].key));
      out_ += " = ";
      ANECHECK_RETURN_IF_ERROR(Value(attributes[i].value, 0));
    }
    out_ += ']';
    return {};
  }

  Status Binding(std::string_view message) {
    bool bound = false;
    ANECHECK_RETURN_IF_ERROR(ForEachField(message, [&](const WireField& field) -> Status {
      if (!field.IsBytes(field::kBindingName) && !field.IsBytes(field::kBindingValue)) return {};
      if (std::exchange(bound, true)) return Invalid("an argument is bound twice");
      return field.number == field::kBindingName ? Name(field.bytes) : Value(field.bytes, 0);
    }));
    return bound ? Status() : Invalid("an argument is bound to nothing");
  }

  Status Arguments(std::vector<MapEntry> arguments) {
    std::ranges::sort(arguments, {}, &MapEntry::Order);
    out_ += '(';
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i != 0) out_ += ", ";
      ANECHECK_RETURN_IF_ERROR(Name(arguments[i].key));
      out_ += " = ";
      std::vector<std::string_view> bindings;
      ANECHECK_RETURN_IF_ERROR(
          ForEachField(arguments[i].value, [&](const WireField& field) -> Status {
            if (field.IsBytes(field::kArguments)) bindings.push_back(field.bytes);
            return {};
          }));
      if (bindings.size() != 1) out_ += '(';
      for (size_t k = 0; k < bindings.size(); ++k) {
        if (k != 0) out_ += ", ";
        ANECHECK_RETURN_IF_ERROR(Binding(bindings[k]));
      }
      if (bindings.size() != 1) out_ += ')';
    }
    out_ += ')';
    return {};
  }

  // Writes "type name" for a NamedValueType.
  Status Named(std::string_view message) {
    ANECHECK_RETURN_IF_ERROR(Type(FindBytes(message, field::kType), 0));
    out_ += ' ';
    return Name(FindBytes(message, field::kName));
  }

  Status NamedList(std::span<const std::string_view> names) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (i != 0) out_ += ", ";
      ANECHECK_RETURN_IF_ERROR(Named(names[i]));
    }
    return {};
  }

  Status Operation(std::string_view message, size_t indent, int depth) {
    std::string_view op;
    std::vector<MapEntry> inputs, attributes;
    std::vector<std::string_view> outputs, blocks;
    ANECHECK_RETURN_IF_ERROR(ForEachField(message, [&](const WireField& field) -> Status {
      if (field.IsBytes(field::kOperationType)) op = field.bytes;
      if (field.IsBytes(field::kOperationInputs)) inputs.push_back(ReadEntry(field.bytes));
      if (field.IsBytes(field::kOperationOutputs)) outputs.push_back(field.bytes);
      if (field.IsBytes(field::kOperationBlocks)) blocks.push_back(field.bytes);
      if (field.IsBytes(field::kOperationAttributes)) attributes.push_back(ReadEntry(field.bytes));
      return {};
    }));
    const auto write = [&]() -> Status {
      out_.append(indent, ' ');
      ANECHECK_RETURN_IF_ERROR(NamedList(outputs));
      if (!outputs.empty()) out_ += " = ";
      ANECHECK_RETURN_IF_ERROR(Name(op));
      ANECHECK_RETURN_IF_ERROR(Arguments(std::move(inputs)));
      if (!attributes.empty()) ANECHECK_RETURN_IF_ERROR(Attributes(std::move(attributes)));
      for (size_t i = 0; i < blocks.size(); ++i) {
        out_ += ' ';
        out_ += BlockLabel(op, i);
        ANECHECK_RETURN_IF_ERROR(NestedBlock(blocks[i], indent + 8, depth + 1));
      }
      out_ += ";\n";
      return CheckLimits(depth);
    };
    Status status = write();
    if (status.ok()) return status;
    const std::string_view name =
        outputs.empty() ? std::string_view() : FindBytes(outputs.front(), field::kName);
    return MakeError(status.error().code, fmt::format("operation {} {}: {}", Shown(op), Shown(name),
                                                      status.error().message));
  }

  Status NestedBlock(std::string_view message, size_t indent, int depth) {
    std::vector<std::string_view> inputs;
    ANECHECK_RETURN_IF_ERROR(ForEachField(message, [&](const WireField& field) -> Status {
      if (field.IsBytes(field::kBlockInputs)) inputs.push_back(field.bytes);
      return {};
    }));
    if (!inputs.empty()) {
      out_ += '(';
      ANECHECK_RETURN_IF_ERROR(NamedList(inputs));
      out_ += ") ";
    }
    return Body(message, indent, depth);
  }

  // Writes the part from '{' to the outputs.
  Status Body(std::string_view block, size_t indent, int depth) {
    ANECHECK_RETURN_IF_ERROR(CheckLimits(depth));
    out_ += "{\n";
    std::vector<std::string_view> outputs;
    ANECHECK_RETURN_IF_ERROR(ForEachField(block, [&](const WireField& field) -> Status {
      if (field.IsBytes(field::kBlockOutputs)) outputs.push_back(field.bytes);
      if (field.IsBytes(field::kOperations)) return Operation(field.bytes, indent, depth);
      return {};
    }));
    out_.append(indent - 4, ' ');
    out_ += "} -> (";
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i != 0) out_ += ", ";
      ANECHECK_RETURN_IF_ERROR(Name(outputs[i]));
    }
    out_ += ')';
    return {};
  }

  Status Function(const MapEntry& function) {
    std::string_view opset;
    std::vector<std::string_view> inputs;
    std::vector<MapEntry> blocks, attributes;
    ANECHECK_RETURN_IF_ERROR(ForEachField(function.value, [&](const WireField& field) -> Status {
      if (field.IsBytes(field::kOpset)) opset = field.bytes;
      if (field.IsBytes(field::kFunctionInputs)) inputs.push_back(field.bytes);
      if (field.IsBytes(field::kBlockSpecializations)) blocks.push_back(ReadEntry(field.bytes));
      if (field.IsBytes(field::kFunctionAttributes)) attributes.push_back(ReadEntry(field.bytes));
      return {};
    }));
    const auto body = std::ranges::find(blocks, opset, &MapEntry::key);
    if (body == blocks.end()) {
      return Invalid(fmt::format("function {} has no block of its opset {}", Shown(function.key),
                                 Shown(opset)));
    }
    out_ += "    func ";
    ANECHECK_RETURN_IF_ERROR(Name(function.key));
    out_ += '<';
    ANECHECK_RETURN_IF_ERROR(Name(OpsetInText(opset)));
    out_ += ">(";
    ANECHECK_RETURN_IF_ERROR(NamedList(inputs));
    out_ += ')';
    std::string shapes = FlexibleShapesText(inputs_, function.key, plain_);
    if (!attributes.empty() || !shapes.empty()) {
      out_ += ' ';
      ANECHECK_RETURN_IF_ERROR(Attributes(std::move(attributes), std::move(shapes)));
    }
    out_ += ' ';
    ANECHECK_RETURN_IF_ERROR(Body(body->value, 12, 0));
    out_ += ";\n";
    return {};
  }

  std::span<const InputShapes> inputs_;
  uint64_t limit_;
  bool plain_ = true;
  std::string out_;
};

}  // namespace

Result<std::string> ProgramText(std::string_view program, std::span<const InputShapes> inputs) {
  return CatchWire(program, [&] { return TextBuilder(program.size(), inputs).Run(program); });
}

}  // namespace anecheck::mlmodel
