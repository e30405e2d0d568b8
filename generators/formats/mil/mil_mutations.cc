#include "generators/formats/mil/mil_mutations.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/formats/mil/text_edit.h"
#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/reader.h"

namespace anecheck {
namespace {

using mil::BindingView;
using mil::DataClass;
using mil::FunctionView;
using mil::Program;
using mil::StatementView;
using mil::Text;
using mil::TypeKind;
using mil::TypeView;
using mil::ValueKind;
using mil::ValueView;

// The places where a mutation can apply. A place is a list of edits. The mutation picks one.
using Places = std::vector<std::vector<TextEdit>>;

TextEdit Replace(Text text, std::string_view by) {
  return {text.offset, text.length, std::string(by)};
}

// Returns the end of the value, statement or other run of tokens that starts at `offset`. The run
// ends before the next `,`, `;` or closing bracket that is not inside brackets of the run.
uint32_t RunEnd(const Program& program, uint32_t offset) {
  const char* begin = program.text.c_str();
  const char* at = begin + offset;
  const char* end = at;
  int depth = 0;
  while (*at != '\0') {
    const bool opens = std::string_view("([{<").find(*at) != std::string_view::npos;
    const bool closes = std::string_view(")]}>").find(*at) != std::string_view::npos;
    if (depth == 0 && (closes || *at == ',' || *at == ';')) break;
    depth += opens ? 1 : closes ? -1 : 0;
    end = mil::SkipToken(at);
    if (end == at) break;  // no token starts here
    at = mil::SkipTrivia(end);
  }
  return static_cast<uint32_t>(end - begin);
}

// Returns the offset at which the value of `name = value` starts.
uint32_t ValueStart(const Program& program, Text name) {
  const char* begin = program.text.c_str();
  const char* equals = mil::SkipTrivia(begin + name.offset + name.length);
  return static_cast<uint32_t>(mil::SkipTrivia(equals + 1) - begin);
}

// Returns the text of a statement from its first byte to its `;`, inclusive.
Text StatementText(const Program& program, StatementView statement) {
  const char* begin = program.text.c_str();
  const char* at = begin + statement.offset();
  int depth = 0;
  for (; *at != '\0'; at = mil::SkipTrivia(mil::SkipToken(at))) {
    if (depth == 0 && *at == ';') break;
    if (*at == '{') ++depth;
    if (*at == '}') --depth;
  }
  const auto offset = static_cast<uint32_t>(statement.offset());
  return {offset, static_cast<uint32_t>(at - begin) + 1 - offset};
}

bool IsStateOp(StatementView statement) {
  return statement.op() == "read_state" || statement.op() == "write_state";
}

// Returns the name of a scalar type or of a tensor's element type. Returns nothing for other types.
std::optional<Text> ElementName(const Program& program, TypeView type) {
  uint32_t index = type.index();
  if (type.kind() == TypeKind::kTensor) ++index;
  if (program.types[index].kind != TypeKind::kScalar) return std::nullopt;
  return Text{program.types[index].first, program.types[index].count};
}

template <typename Visit>
void ForEachStatement(const Program& program, const Visit& visit) {
  for (uint32_t i = 0; i < program.statements.size(); ++i) visit(StatementView(&program, i));
}

template <typename Visit>
void ForEachResultOfOps(const Program& program, const Visit& visit) {
  ForEachStatement(program, [&](StatementView statement) {
    if (statement.op() == "const") return;
    for (const BindingView result : statement.results()) visit(result);
  });
}

// ---- one for each rule --------------------------------------------------------------------------

void ChangeVersion(const Program& program, Places& places) {
  places.push_back({Replace(program.version, "9.9")});
}

void BuildInfoKind(const Program& program, Places& places) {
  for (uint32_t i = 0; i < program.attributes.count; ++i) {
    const Text name = program.arguments[program.attributes.first + i].name;
    if (program.View(name) != "buildInfo") continue;
    const uint32_t start = ValueStart(program, name);
    places.push_back({{start, RunEnd(program, start) - start, "string(\"3520.4.1\")"}});
  }
}

void UnknownOpset(const Program& program, Places& places) {
  for (const mil::Function& function : program.functions) {
    places.push_back({Replace(function.opset, "ios99")});
  }
}

void RepeatFunctionName(const Program& program, Places& places) {
  for (size_t i = 1; i < program.functions.size(); ++i) {
    places.push_back({Replace(program.functions[i].name, program.View(program.functions[0].name))});
  }
}

void RepeatConst(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    if (statement.op() != "const") return;
    const Text text = StatementText(program, statement);
    if (text.length > 2000) return;
    places.push_back({{text.offset + text.length, 0, std::string(program.View(text))}});
  });
}

void UndefineOperand(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    for (const mil::ArgumentView argument : statement.arguments()) {
      if (argument.value().kind() != ValueKind::kName) continue;
      const auto length = static_cast<uint32_t>(argument.value().text().size());
      places.push_back({{argument.value().offset(), length, "never_defined"}});
    }
  });
}

void UndefineOutput(const Program& program, Places& places) {
  for (const mil::Block& block : program.blocks) {
    for (uint32_t i = 0; i < block.outputs.count; ++i) {
      const ValueView output(&program, block.outputs.first + i);
      places.push_back({{output.offset(), output.text().size(), "never_defined"}});
    }
  }
}

void UnknownType(const Program& program, Places& places) {
  ForEachResultOfOps(program, [&](BindingView result) {
    if (const auto name = ElementName(program, result.type())) {
      places.push_back({Replace(*name, "half")});
    }
  });
}

void NegativeDimension(const Program& program, Places& places) {
  ForEachResultOfOps(program, [&](BindingView result) {
    for (const mil::Dimension& dimension : result.type().dimensions()) {
      places.push_back({Replace(dimension.text, "-3")});
    }
  });
}

void RepeatElement(const Program& program, Places& places) {
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const ValueView value(&program, i);
    if (value.kind() != ValueKind::kTyped || value.Inner().kind() != ValueKind::kList) continue;
    const auto dimensions = value.type().dimensions();
    if (value.Inner().children().empty() || dimensions.empty() || dimensions[0].value < 0) continue;
    const auto list = static_cast<uint32_t>(value.Inner().offset());
    const char* first = mil::SkipTrivia(program.text.c_str() + list + 1);
    const auto start = static_cast<uint32_t>(first - program.text.c_str());
    const std::string element(first, RunEnd(program, start) - start);
    places.push_back({{start, 0, element + ", "}});
  }
}

void WrongElement(const Program& program, Places& places) {
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const ValueView value(&program, i);
    if (value.kind() != ValueKind::kTyped) continue;
    ValueView leaf = value.Inner();
    while (leaf.kind() == ValueKind::kList && !leaf.children().empty()) leaf = leaf.children()[0];
    if (leaf.kind() != ValueKind::kNumber && leaf.kind() != ValueKind::kBool) continue;
    if (ElementName(program, value.type()) == std::nullopt) continue;
    const DataClass data_class = mil::DataTypeClass(value.type().data_type());
    const bool integer = data_class == DataClass::kSigned || data_class == DataClass::kUnsigned;
    const std::string_view wrong = integer                           ? "1.5"
                                   : data_class == DataClass::kBool  ? "1"
                                   : data_class == DataClass::kFloat ? "\"1\""
                                                                     : "";
    if (!wrong.empty()) places.push_back({{leaf.offset(), leaf.text().size(), std::string(wrong)}});
  }
}

void RenameVal(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    if (statement.op() != "const") return;
    for (const auto& arguments : {statement.arguments(), statement.attributes()}) {
      for (const mil::ArgumentView argument : arguments) {
        if (argument.name() == "val") places.push_back({{argument.offset(), 3, "value"}});
      }
    }
  });
}

void ChangeConstType(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    if (statement.op() != "const" || statement.results().empty()) return;
    const auto name = ElementName(program, statement.results()[0].type());
    if (!name) return;
    places.push_back({Replace(*name, program.View(*name) == "fp32" ? "fp16" : "fp32")});
  });
}

void BarePath(const Program& program, Places& places) {
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const ValueView value(&program, i);
    if (value.kind() != ValueKind::kBlobFile) continue;
    const auto start = static_cast<uint32_t>(value.path().offset());
    places.push_back({{start, RunEnd(program, start) - start, "\"weight.bin\""}});
  }
}

void MisalignBlob(const Program& program, Places& places) {
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const ValueView value(&program, i);
    if (value.kind() != ValueKind::kBlobFile) continue;
    const ValueView offset = value.blob_offset().Inner();
    places.push_back({{offset.offset() + offset.text().size(), 0, "1"}});
  }
}

void DropKeyword(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    if (statement.op() == "const" || IsStateOp(statement)) return;
    for (const mil::ArgumentView argument : statement.arguments()) {
      const auto offset = static_cast<uint32_t>(argument.offset());
      const Text name{offset, static_cast<uint32_t>(argument.name().size())};
      places.push_back({{offset, ValueStart(program, name) - offset, ""}});
    }
  });
}

void RepeatKeyword(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    if (statement.op() == "const" || IsStateOp(statement)) return;
    const auto arguments = statement.arguments();
    if (arguments.size() < 2) return;
    places.push_back(
        {{arguments[1].offset(), arguments[1].name().size(), std::string(arguments[0].name())}});
  });
}

void NumberForName(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    for (const mil::ArgumentView attribute : statement.attributes()) {
      if (attribute.name() != "name") continue;
      const auto start = static_cast<uint32_t>(attribute.value().offset());
      places.push_back({{start, RunEnd(program, start) - start, "int32(1)"}});
    }
  });
}

void ResultState(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    if (statement.op() == "const" || statement.results().empty()) return;
    const Text name = program.bindings[statement.results()[0].index()].name;
    places.push_back({{statement.offset(), 0, "state<"}, {name.offset, 0, "> "}});
  });
}

void PlainOperandForState(const Program& program, Places& places) {
  for (const FunctionView function : mil::Functions(program)) {
    std::string plain;
    for (const BindingView parameter : function.block().parameters()) {
      if (parameter.type().kind() != TypeKind::kState) plain = parameter.name();
    }
    if (plain.empty()) continue;
    for (const StatementView statement : function.block().statements()) {
      if (!IsStateOp(statement)) continue;
      const auto input = mil::FindValue(statement.arguments(), "input");
      if (input) places.push_back({{input->offset(), input->text().size(), plain}});
    }
  }
}

void ForeignFlexibleShape(const Program& program, Places& places) {
  for (const FunctionView function : mil::Functions(program)) {
    const auto shapes = mil::FindValue(function.attributes(), "FlexibleShapeInformation");
    if (!shapes) continue;
    for (uint32_t i = shapes->index(); i < shapes->next(); ++i) {
      const ValueView pair(&program, i);
      if (pair.kind() != ValueKind::kPair || pair.children().empty()) continue;
      const ValueView key = pair.children()[0];
      places.push_back({{key.offset(), key.text().size(), "no_such_input"}});
    }
  }
}

void AddBlock(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    const Text text = StatementText(program, statement);
    places.push_back({{text.offset + text.length - 1, 0, " {} -> ()"}});
  });
}

// ---- damage -------------------------------------------------------------------------------------

// Returns every token of the text.
std::vector<Text> Tokens(const Program& program) {
  std::vector<Text> tokens;
  const char* begin = program.text.c_str();
  for (const char* at = mil::SkipTrivia(begin); *at != '\0';) {
    const char* stop = mil::SkipToken(at);
    tokens.push_back({static_cast<uint32_t>(at - begin), static_cast<uint32_t>(stop - at)});
    at = mil::SkipTrivia(stop);
  }
  return tokens;
}

void CutToken(const Program& program, Places& places) {
  for (const Text token : Tokens(program)) places.push_back({Replace(token, "")});
}

void RepeatToken(const Program& program, Places& places) {
  for (const Text token : Tokens(program)) {
    places.push_back({{token.offset, 0, std::string(program.View(token).substr(0, 1000)) + " "}});
  }
}

void SwapTokens(const Program& program, Places& places) {
  const std::vector<Text> tokens = Tokens(program);
  for (size_t i = 1; i < tokens.size(); ++i) {
    const std::string a(program.View(tokens[i - 1]));
    const std::string b(program.View(tokens[i]));
    if (a != b) places.push_back({Replace(tokens[i - 1], b), Replace(tokens[i], a)});
  }
}

void CutStatement(const Program& program, Places& places) {
  ForEachStatement(program, [&](StatementView statement) {
    places.push_back({Replace(StatementText(program, statement), "")});
  });
}

void CutTail(const Program& program, Places& places) {
  for (const Text token : Tokens(program)) {
    places.push_back({{token.offset, program.text.size() - token.offset, ""}});
  }
}

void DeepNesting(const Program& program, Places& places) {
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const ValueView value(&program, i);
    if (value.kind() != ValueKind::kNumber) continue;
    places.push_back({{value.offset(), 0, std::string(1000, '[')}});
    places.push_back({{value.offset(), 0, std::string(12, '[')},
                      {value.offset() + value.text().size(), 0, std::string(12, ']')}});
  }
}

void HugeNumber(const Program& program, Places& places) {
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const ValueView value(&program, i);
    if (value.kind() != ValueKind::kNumber) continue;
    for (const char* digits : {"1e999999999999", "-0x1p-99999999999", "0xffffffffffffffffffff"}) {
      places.push_back({{value.offset(), value.text().size(), digits}});
    }
    places.push_back({{value.offset(), value.text().size(), std::string(400, '9')}});
  }
}

void HugeDimension(const Program& program, Places& places) {
  for (const mil::Dimension& dimension : program.dimensions) {
    places.push_back({Replace(dimension.text, "99999999999999999999")});
  }
}

void OpenComment(const Program& program, Places& places) {
  for (const Text token : Tokens(program)) places.push_back({{token.offset, 0, "/* "}});
}

void OddByte(const Program& program, Places& places) {
  for (const Text token : Tokens(program)) {
    places.push_back({{token.offset, 0, std::string(1, '\0')}});
    places.push_back({{token.offset, 0, "\xff"}});
    places.push_back({{token.offset, 0, "\""}});
  }
}

// ---- the table ----------------------------------------------------------------------------------

struct Row {
  std::string_view id;
  std::string_view breaks_rule;
  void (*collect)(const Program& program, Places& places);
};

constexpr auto kRows = std::to_array<Row>({
    {"change-version", "version-known", ChangeVersion},
    {"build-info-kind", "build-info-strings", BuildInfoKind},
    {"unknown-opset", "opset-known", UnknownOpset},
    {"repeat-function-name", "unique-functions", RepeatFunctionName},
    {"repeat-const", "unique-definitions", RepeatConst},
    {"undefine-operand", "defined-before-use", UndefineOperand},
    {"undefine-output", "outputs-defined", UndefineOutput},
    {"unknown-type", "type-known", UnknownType},
    {"negative-dimension", "dimension-range", NegativeDimension},
    {"repeat-element", "literal-shape", RepeatElement},
    {"wrong-element", "literal-element", WrongElement},
    {"rename-val", "const-has-value", RenameVal},
    {"change-const-type", "const-type", ChangeConstType},
    {"bare-path", "blob-place", BarePath},
    {"misalign-blob", "blob-aligned", MisalignBlob},
    {"drop-keyword", "keyword-arguments", DropKeyword},
    {"repeat-keyword", "unique-arguments", RepeatKeyword},
    {"number-for-name", "name-is-string", NumberForName},
    {"result-state", "state-parameters", ResultState},
    {"plain-operand-for-state", "state-operand", PlainOperandForState},
    {"foreign-flexible-shape", "flexible-shape-names", ForeignFlexibleShape},
    {"add-block", "nested-blocks", AddBlock},
    {"cut-token", "", CutToken},
    {"repeat-token", "", RepeatToken},
    {"swap-tokens", "", SwapTokens},
    {"cut-statement", "", CutStatement},
    {"cut-tail", "", CutTail},
    {"deep-nesting", "", DeepNesting},
    {"huge-number", "", HugeNumber},
    {"huge-dimension", "", HugeDimension},
    {"open-comment", "", OpenComment},
    {"odd-byte", "", OddByte},
});
static_assert(kRows.size() == kMilMutationCount);

template <size_t kIndex>
std::optional<Mutation> Propose(ByteSpan bytes, ChoiceStream& choices) {
  const auto program = mil::Parse(std::string(bytes.begin(), bytes.end()));
  if (!program.ok()) return std::nullopt;
  Places places;
  kRows[kIndex].collect(*program, places);
  if (places.empty()) return std::nullopt;
  return MakeTextEdits(kRows[kIndex].id, choices.Pick(places));
}

template <size_t... kIndices>
constexpr std::array<MutationKind, sizeof...(kIndices)> MakeKinds(
    std::index_sequence<kIndices...>) {
  return {MutationKind{kRows[kIndices].id, kRows[kIndices].breaks_rule, Propose<kIndices>,
                       ApplyTextEdits}...};
}

}  // namespace

constinit const std::array<MutationKind, kMilMutationCount> kMilMutations =
    MakeKinds(std::make_index_sequence<kMilMutationCount>());

}  // namespace anecheck
