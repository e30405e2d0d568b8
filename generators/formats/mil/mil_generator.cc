#include "generators/formats/mil/mil_generator.h"

#include <array>
#include <string_view>
#include <vector>

#include "generators/formats/mil/mil_mutations.h"
#include "harness/formats/mil/data_type.h"
#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"

namespace anecheck {
namespace {

using mil::DataClass;
using mil::DataType;

constexpr std::array kConstTypes = {
    DataType::kInt32,     DataType::kFp16,   DataType::kBool,  DataType::kString, DataType::kFp32,
    DataType::kInt8,      DataType::kUint8,  DataType::kInt16, DataType::kUint16, DataType::kUint32,
    DataType::kUint64,    DataType::kInt64,  DataType::kUint4, DataType::kInt4,   DataType::kUint1,
    DataType::kUint2,     DataType::kUint3,  DataType::kUint6, DataType::kBf16,   DataType::kFp64,
    DataType::kFp8E4M3Fn, DataType::kFp8E5M2};

constexpr std::array<std::string_view, 14> kFloats = {
    "0x0p+0", "0x1p+0", "-0x1.8p+1", "0.5", "-3",    "1e-3",      "inf",
    "-inf",   "nan",    "+.25",      "7.",  "6.5E4", "0x1.6ap-2", "0x.8p4"};

constexpr std::array<std::string_view, 6> kStrings = {
    "fp16", "", "custom", "a \\\"quoted\\\" word", "line\\nend", "\xc3\xa9t\xc3\xa9 \\x41"};

constexpr std::array<std::string_view, 8> kUnary = {"relu", "sigmoid", "tanh",     "sqrt",
                                                    "cast", "softmax", "identity", "transpose"};

class TextMaker {
 public:
  explicit TextMaker(ChoiceStream& choices) : choices_(choices), older_(choices.Coin()) {}

  std::string Make() {
    out_ = older_ ? "program(1.0)" : "program(1.3)";
    Header();
    out_ += " {";
    const uint64_t functions = 1 + (choices_.Chance(1, 3) ? choices_.Below(3) : 0);
    for (uint64_t i = 0; i < functions; ++i) {
      Function(i == 0 ? "main" : "helper_" + std::to_string(i));
    }
    out_ += "}";
    return std::move(out_);
  }

 private:
  struct Named {
    std::string name;
    bool state = false;
  };

  std::string Scalar(DataType type) const {
    const std::string name(mil::DataTypeName(type));
    return older_ ? "tensor<" + name + ", []>" : name;
  }

  std::string String(std::string_view raw) const {
    return Scalar(DataType::kString) + "(\"" + std::string(raw) + "\")";
  }

  std::string NewName() { return "v" + std::to_string(next_++) + (older_ ? "_cast_fp16" : ""); }

  // ---- header -----------------------------------------------------------------------------------

  void Header() {
    if (choices_.Chance(1, 8)) return;
    const std::string string = Scalar(DataType::kString);
    out_ += "[buildInfo = dict<" + string + ", " + string + ">({";
    const uint64_t pairs = choices_.Below(4);
    for (uint64_t i = 0; i < pairs; ++i) {
      if (i != 0) out_ += ", ";
      out_ += "{\"coremlc-component-" + std::to_string(i) + "\", \"3520.4.1\"}";
    }
    if (pairs == 0 && choices_.Coin()) out_ += "{}";
    out_ += "})";
    if (choices_.Chance(1, 4)) out_ += ", note = " + String(choices_.Pick(kStrings));
    out_ += "]";
  }

  // ---- types ------------------------------------------------------------------------------------

  std::vector<int64_t> Dimensions(uint64_t max_rank) {
    std::vector<int64_t> dimensions(choices_.Below(max_rank + 1));
    for (int64_t& size : dimensions) size = choices_.Range(0, 3);
    return dimensions;
  }

  static std::string TensorType(DataType type, const std::vector<int64_t>& dimensions) {
    std::string text = "tensor<" + std::string(mil::DataTypeName(type)) + ", [";
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (i != 0) text += ", ";
      text += dimensions[i] < 0 ? "?" : std::to_string(dimensions[i]);
    }
    return text + "]>";
  }

  // Draws the type of a result. It is usually a tensor, and sometimes another kind.
  std::string ResultType() {
    switch (choices_.Below(12)) {
      case 1:
        return Scalar(choices_.Pick(kConstTypes));
      case 2:
        return "?";
      case 3:
        return "list<" + TensorType(DataType::kInt32, {2}) + ", " + (choices_.Coin() ? "?" : "4") +
               ">";
      case 4:
        return "tuple<" + Scalar(DataType::kInt32) + ", " + TensorType(DataType::kFp16, {1}) + ">";
      case 5:
        return "dict<" + Scalar(DataType::kString) + ", " + Scalar(DataType::kFp64) + ">";
      case 6:
        return "tensor<?, [?]>";
      default:
        break;
    }
    std::vector<int64_t> dimensions = Dimensions(5);
    if (!dimensions.empty() && choices_.Chance(1, 4)) dimensions[0] = -1;
    return TensorType(choices_.Pick(kConstTypes), dimensions);
  }

  // ---- literals ---------------------------------------------------------------------------------

  std::string Element(DataType type) {
    const int bits = mil::DataTypeBits(type);
    switch (mil::DataTypeClass(type)) {
      case DataClass::kBool:
        return choices_.Coin() ? "true" : "false";
      case DataClass::kString:
        return "\"" + std::string(choices_.Pick(kStrings)) + "\"";
      case DataClass::kSigned: {
        // Adds to the least value of the type. The size of the range would overflow int64, so the
        // range has only 3/4 of the type's values.
        const uint64_t half = uint64_t{1} << (bits - 2);
        return std::to_string(static_cast<int64_t>(choices_.Below(3 * half + 1) - 2 * half));
      }
      case DataClass::kUnsigned: {
        const uint64_t bound = bits >= 64 ? ~uint64_t{0} : uint64_t{1} << bits;
        const uint64_t value = choices_.Below(bound);
        return std::to_string(value);
      }
      default:
        break;
    }
    if (type != DataType::kFp16 || choices_.Coin()) return std::string(choices_.Pick(kFloats));
    const auto word = static_cast<uint16_t>(choices_.Below(0x10000));
    std::string text;
    if (choices_.Coin()) {
      mil::AppendHalf(text, Half{word});
      return text;
    }
    static constexpr std::string_view kHex = "0123456789abcdef";
    text = "0x";
    for (int shift = 12; shift >= 0; shift -= 4) text += kHex[(word >> shift) & 15];
    return text;
  }

  std::string Elements(DataType type, std::span<const int64_t> dimensions) {
    if (dimensions.empty()) return Element(type);
    std::string text = "[";
    for (int64_t i = 0; i < dimensions[0]; ++i) {
      if (i != 0) text += ", ";
      text += Elements(type, dimensions.subspan(1));
    }
    return text + "]";
  }

  std::string BlobFile() {
    const uint64_t offset = 64 * (1 + choices_.Below(uint64_t{1} << 20));
    return "BLOBFILE(path = " + String("@model_path/weights/weight.bin") +
           ", offset = " + Scalar(DataType::kUint64) + "(" + std::to_string(offset) + "))";
  }

  // Returns a text of the form type(value), and stores the type in `type`.
  std::string Literal(std::string& type) {
    const DataType element = choices_.Pick(kConstTypes);
    if (choices_.Chance(1, 3)) {
      type = Scalar(element);
      return type + "(" + Element(element) + ")";
    }
    const std::vector<int64_t> dimensions = Dimensions(3);
    type = TensorType(element, dimensions);
    const bool blob = element != DataType::kString && choices_.Chance(1, 4);
    return type + "(" + (blob ? BlobFile() : Elements(element, dimensions)) + ")";
  }

  // ---- statements -------------------------------------------------------------------------------

  std::string AnyName() {
    std::vector<std::string> values;
    for (const Named& named : scope_) {
      if (!named.state) values.push_back(named.name);
    }
    return values.empty() ? std::string() : choices_.Pick(values);
  }

  std::string AnyState() {
    for (const Named& named : scope_) {
      if (named.state) return named.name;
    }
    return {};
  }

  // Returns a name in scope or a literal.
  std::string Operand() {
    const std::string name = AnyName();
    std::string type;
    return name.empty() || choices_.Chance(1, 6) ? Literal(type) : name;
  }

  void NameAttribute(const std::string& name) {
    if (choices_.Chance(1, 6)) return;
    out_ += "[name = " + String(name) + "]";
  }

  void Const() {
    const std::string name = NewName();
    std::string type;
    const std::string literal = Literal(type);
    out_ += type + " " + name + " = const(";
    switch (choices_.Below(4)) {
      case 1:
        out_ += "val = " + literal + ")";
        NameAttribute(name);
        break;
      case 2:
        out_ += literal + ")";
        break;
      default:
        out_ += ")[name = " + String(name) + ", val = " + literal + "]";
        break;
    }
    out_ += "; ";
    scope_.push_back({name});
  }

  // Writes the decompression of a weight. The operation has only attributes, as in real files.
  void Decompress() {
    const std::string name = NewName();
    const std::string indices = BlobFile();
    const std::string lut = BlobFile();
    out_ += TensorType(DataType::kFp16, {4}) + " " + name +
            " = constexpr_lut_to_dense()[indices = " + TensorType(DataType::kUint8, {2}) + "(" +
            indices + "), lut = " + TensorType(DataType::kFp16, {16}) + "(" + lut +
            "), name = " + String(name) + ", shape = " + TensorType(DataType::kUint32, {1}) +
            "([4])]; ";
    scope_.push_back({name});
  }

  void Operation() {
    const uint64_t results = choices_.Chance(1, 4) ? 1 + choices_.Below(3) : 1;
    std::vector<std::string> names;
    for (uint64_t i = 0; i < results; ++i) {
      names.push_back(NewName());
      if (i != 0) out_ += ", ";
      out_ += ResultType() + " " + names.back();
    }
    out_ += " = ";
    switch (choices_.Below(4)) {
      case 1: {
        const std::string x = Operand();
        out_ += "add(x = " + x + ", y = " + Operand() + ")";
        break;
      }
      case 2: {
        const std::string first = Operand();
        out_ += "concat(axis = " + Scalar(DataType::kInt32) + "(1), values = (" + first + ", " +
                Operand() + "))";
        break;
      }
      case 3:
        out_ += "range_1d()";
        break;
      default:
        out_ += std::string(choices_.Pick(kUnary)) + "(x = " + Operand() + ")";
        break;
    }
    NameAttribute(names[0]);
    out_ += "; ";
    for (const std::string& name : names) scope_.push_back({name});
  }

  void State() {
    const std::string state = AnyState();
    if (state.empty()) return Operation();
    if (choices_.Coin()) {
      out_ += "write_state(data = " + Operand() + ", input = " + state + ")";
      NameAttribute("write_" + state);
      out_ += "; ";
      return;
    }
    const std::string name = NewName();
    out_ +=
        TensorType(DataType::kFp16, {2}) + " " + name + " = read_state(input = " + state + "); ";
    scope_.push_back({name});
  }

  void NestedBlock(int depth, bool label, bool parameters) {
    const size_t outer = scope_.size();
    out_ += " ";
    if (label) out_ += "block" + std::to_string(next_);
    if (parameters) {
      const std::string name = NewName();
      out_ += "(" + ResultType() + " " + name + ")";
      scope_.push_back({name});
    }
    out_ += "{";
    Statements(depth + 1, 3);
    out_ += "} -> (" + AnyName() + ")";
    scope_.resize(outer);
  }

  void Structured(int depth) {
    const std::string name = NewName();
    const bool loop = choices_.Coin();
    out_ += TensorType(DataType::kFp16, {1}) + " " + name + " = ";
    out_ += loop ? "while_loop(loop_vars = (" + Operand() + "))" : "cond(pred = " + Operand() + ")";
    NameAttribute(name);
    const bool label = choices_.Coin();
    for (int i = 0; i < 2; ++i) NestedBlock(depth, label, loop);
    out_ += "; ";
    scope_.push_back({name});
  }

  void Statements(int depth, uint64_t most) {
    constexpr int kDeepest = 3;
    const uint64_t count = choices_.Below(most + 1);
    for (uint64_t i = 0; i < count; ++i) {
      switch (choices_.Below(10)) {
        case 5:
        case 6:
        case 7:
          Operation();
          break;
        case 8:
          State();
          break;
        case 9:
          if (depth < kDeepest) {
            Structured(depth);
          } else {
            Decompress();
          }
          break;
        case 4:
          Decompress();
          break;
        default:
          Const();
          break;
      }
    }
  }

  // ---- functions --------------------------------------------------------------------------------

  // Writes the allowed shapes of a parameter of rank 1 whose extent is unknown.
  void FlexibleShapes(const std::string& parameter) {
    const std::string string = Scalar(DataType::kString);
    out_ += " [FlexibleShapeInformation = tuple<tuple<" + string + ", dict<" + string +
            ", tensor<int32, [?]>>>, tuple<" + string + ", dict<" + string +
            ", list<tensor<int32, [2]>, ?>>>>(((\"DefaultShapes\", {{\"" + parameter +
            "\", [1]}}), (\"RangeDims\", {{\"" + parameter + "\", [[1, 2048]]}})))]";
  }

  void Function(const std::string& name) {
    static constexpr std::array<std::string_view, 4> kOpsets = {"ios18", "ios17", "ios16", "ios15"};
    scope_.clear();
    out_ += " func " + name + "<" + std::string(choices_.Pick(kOpsets)) + ">(";
    const uint64_t parameters = choices_.Below(4);
    std::string flexible;
    for (uint64_t i = 0; i < parameters; ++i) {
      Named named{"in" + std::to_string(i), choices_.Chance(1, 4)};
      if (i != 0) out_ += ", ";
      if (named.state) {
        out_ += "state<tensor<fp16, [2]>> ";
      } else if (choices_.Chance(1, 3)) {
        out_ += "tensor<fp16, [?]> ";
        flexible = named.name;
      } else {
        out_ += TensorType(DataType::kFp16, Dimensions(5)) + " ";
      }
      out_ += named.name;
      scope_.push_back(named);
    }
    out_ += ")";
    if (!flexible.empty() && choices_.Coin()) {
      FlexibleShapes(flexible);
    } else if (choices_.Chance(1, 8)) {
      out_ += " []";
    }
    out_ += " {";
    Statements(0, 14);
    out_ += "} -> (";
    const uint64_t outputs = AnyName().empty() ? 0 : choices_.Below(3);
    for (uint64_t i = 0; i < outputs; ++i) out_ += (i == 0 ? "" : ", ") + AnyName();
    out_ += ");";
  }

  ChoiceStream& choices_;
  bool older_;
  std::string out_;
  std::vector<Named> scope_;
  uint64_t next_ = 0;
};

// Returns the tokens of `text` with random white space and comments between them.
std::string OddLayout(const std::string& text, ChoiceStream& choices) {
  static constexpr std::array<std::string_view, 8> kGaps = {
      "", " ", "", "\n", "\t ", "/* note */", " // note\n", "\r\n  "};
  std::string out;
  const char* at = mil::SkipTrivia(text.c_str());
  while (*at != '\0') {
    const char* stop = mil::SkipToken(at);
    std::string_view gap = choices.Pick(kGaps);
    const bool words =
        !out.empty() && mil::SkipName(&out.back()) != &out.back() && mil::SkipName(at) != at;
    if (gap.empty() && words) gap = " ";
    out += gap;
    out.append(at, stop);
    at = mil::SkipTrivia(stop);
  }
  out += choices.Pick(kGaps);
  return out;
}

Bytes Generate(ChoiceStream& choices) {
  const std::string text = GenerateMilText(choices);
  return {text.begin(), text.end()};
}

}  // namespace

std::string GenerateMilText(ChoiceStream& choices) {
  const uint64_t layout = choices.Below(4);
  std::string text = TextMaker(choices).Make();
  if (layout == 3) return OddLayout(text, choices);
  const auto program = mil::Parse(text);
  // Generated texts always parse. If one does not, the tests report it.
  if (!program.ok()) return text;
  return mil::Print(*program) + (layout == 1 ? "\n" : "");
}

constinit const DescriptorGenerator kGenerator_mil = {
    .format = "mil", .generate = Generate, .mutations = kMilMutations};

}  // namespace anecheck
