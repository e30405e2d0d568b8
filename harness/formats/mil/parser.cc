#include "harness/formats/mil/parser.h"

#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "harness/formats/mil/value_parser.h"

namespace anecheck::mil {
namespace {

// A recursive-descent parser for statements, blocks, functions and the program.
class Parser : private ValueParser {
 public:
  Parser(Program& program, uint32_t offset) : ValueParser(program, offset) {}

  Status Run() {
    at_ = SkipTrivia(at_);
    if (ParseProgram()) return {};
    return std::move(error_);
  }

  Result<uint32_t> RunType() {
    at_ = SkipTrivia(at_);
    uint32_t index = 0;
    if (!ParseType(index, 0)) return std::move(error_);
    if (at_ != end_) {
      Fail("the end of the type");
      return std::move(error_);
    }
    return index;
  }

 private:
  bool ParseAttributes(Slice& attributes, bool& present) {
    const auto first = program_.arguments.size();
    attributes = {first, 0};
    present = At('[');
    if (!present) return true;
    at_ = SkipTrivia(at_ + 1);
    if (!At(']')) {
      do {
        Argument attribute;
        if (!ParseName(attribute.name, "the name of an attribute")) return false;
        if (!Expect('=', "'=' after the name of an attribute")) return false;
        attribute.value = program_.values.size();
        if (!ParseValue(0, false)) return false;
        program_.arguments.push_back(attribute);
      } while (Accept(','));
    }
    attributes.count = program_.arguments.size() - first;
    return Expect(']', "',' or ']' after an attribute");
  }

  bool ParseArguments(Slice& arguments) {
    const auto first = program_.arguments.size();
    if (!Expect('(', "'(' before the arguments")) return false;
    if (!At(')')) {
      do {
        Argument argument;
        if (IsNameStart(*at_)) {
          const char* stop = SkipName(at_);
          const char* next = SkipTrivia(stop);
          if (*next == '=') {
            argument.name = {Offset(), static_cast<uint32_t>(stop - at_)};
            at_ = SkipTrivia(next + 1);
          }
        }
        argument.value = program_.values.size();
        if (!ParseValue(0, false)) return false;
        program_.arguments.push_back(argument);
      } while (Accept(','));
    }
    arguments = {first, program_.arguments.size() - first};
    return Expect(')', "',' or ')' after an argument");
  }

  void Bind(const Binding& binding) {
    const auto index = program_.bindings.size();
    program_.bindings.push_back(binding);
    if (!symbols_.Insert(index)) program_.duplicates.push_back(index);
  }

  bool ParseParameters(Slice& parameters) {
    const auto first = program_.bindings.size();
    if (!Expect('(', "'(' before the parameters")) return false;
    if (!At(')')) {
      do {
        Binding binding;
        if (!ParseType(binding.type, 0)) return false;
        if (!ParseName(binding.name, "the name of a parameter")) return false;
        Bind(binding);
      } while (Accept(','));
    }
    parameters = {first, program_.bindings.size() - first};
    return Expect(')', "',' or ')' after a parameter");
  }

  // Reads `-> (names)` after '}'. The names are resolved in the scope of the block.
  bool ParseOutputs(Slice& outputs) {
    if (!At('-') || at_[1] != '>') return Fail("'->' and the outputs after '}'");
    at_ = SkipTrivia(at_ + 2);
    if (!Expect('(', "'(' before the outputs")) return false;
    const auto first = program_.values.size();
    if (!At(')')) {
      do {
        Text name;
        if (!ParseName(name, "the name of an output")) return false;
        const uint32_t binding = symbols_.Find(program_.View(name));
        const char* from = begin_ + name.offset;
        if (!AddLeaf(ValueKind::kName, from, from + name.length, binding)) return false;
      } while (Accept(','));
    }
    outputs = {first, program_.values.size() - first};
    return Expect(')', "',' or ')' after an output");
  }

  // Reads the results and '=', if any, and the name of the operation. The parser binds the results
  // after it has read the arguments, so that a statement cannot use its own results.
  bool ParseStatementHead(Statement& statement, uint32_t index) {
    Text word;
    if (At('?')) {
      word.length = 0;
    } else if (!ParseName(word, "a statement or '}'")) {
      return false;
    }
    statement.results = {program_.bindings.size(), 0};
    const bool is_operation =
        word.length != 0 && (At('(') || (At('<') && !IsTypeWord(program_.View(word))));
    if (is_operation) {
      statement.op = word;
      return ParseOpset(statement.opset, "an opset, for example ios17");
    }
    bool first = true;
    do {
      Binding binding;
      binding.statement = index;
      const bool parsed = first && word.length != 0 ? ParseTypeAfterName(word, binding.type, 0)
                                                    : ParseType(binding.type, 0);
      if (!parsed || !ParseName(binding.name, "the name of a result")) return false;
      program_.bindings.push_back(binding);
      ++statement.results.count;
      first = false;
    } while (Accept(','));
    if (!Expect('=', "',' or '=' after a result")) return false;
    return ParseName(statement.op, "the name of an operation") &&
           ParseOpset(statement.opset, "an opset, for example ios17");
  }

  // Reads `<opset>` if present.
  bool ParseOpset(Text& opset, std::string_view expected) {
    if (!Accept('<')) return true;
    return ParseName(opset, expected) && Expect('>', "'>' after the opset");
  }

  void BindResults(Slice results) {
    for (uint32_t i = results.first; i < results.first + results.count; ++i) {
      if (!symbols_.Insert(i)) program_.duplicates.push_back(i);
    }
  }

  bool ParseStatement(int depth) {
    const auto index = program_.statements.size();
    program_.statements.push_back({});
    Statement statement;
    statement.offset = Offset();
    if (!ParseStatementHead(statement, index)) return false;
    if (!ParseArguments(statement.arguments)) return false;
    Slice attributes;
    bool has_attributes = false;
    if (!ParseAttributes(attributes, has_attributes)) return false;
    statement.attribute_count = attributes.count;
    statement.has_attributes = has_attributes ? 1 : 0;
    statement.block_first = program_.blocks.size();
    while (!At(';')) {
      if (!At('{') && !At('(') && !IsNameStart(*at_)) {
        return Fail(has_attributes ? "';' after a statement" : "';' or '[' after the arguments");
      }
      if (!ParseNestedBlock(depth + 1)) return false;
    }
    at_ = SkipTrivia(at_ + 1);
    statement.block_end = program_.blocks.size();
    BindResults(statement.results);
    program_.statements[index] = statement;
    return true;
  }

  bool ParseNestedBlock(int depth) {
    if (depth > kMaxDepth) return FailDepth("blocks are");
    const auto index = program_.blocks.size();
    program_.blocks.push_back({});
    Block block;
    block.offset = Offset();
    const SymbolTable::Mark mark = symbols_.Enter();
    if (IsNameStart(*at_) && !ParseName(block.label, "the label of a block")) return false;
    block.has_parameters = At('(');
    block.parameters = {program_.bindings.size(), 0};
    if (block.has_parameters && !ParseParameters(block.parameters)) return false;
    if (!ParseBody(block, depth)) return false;
    symbols_.Leave(mark);
    block.end = program_.blocks.size();
    program_.blocks[index] = block;
    return true;
  }

  // Reads '{' statements '}' '->' '(' outputs ')'.
  bool ParseBody(Block& block, int depth) {
    if (!Expect('{', "'{' before the statements of a block")) return false;
    block.statement_first = program_.statements.size();
    while (!At('}')) {
      if (!ParseStatement(depth)) return false;
    }
    at_ = SkipTrivia(at_ + 1);
    block.statement_end = program_.statements.size();
    return ParseOutputs(block.outputs);
  }

  bool ParseFunction() {
    Function function;
    function.offset = Offset();
    if (!ParseWord("func", "'func' or '}'")) return false;
    if (!ParseName(function.name, "the name of a function")) return false;
    if (!ParseOpset(function.opset, "an opset, for example ios18")) return false;
    function.block = program_.blocks.size();
    program_.blocks.push_back({});
    Block block;
    block.offset = function.offset;
    block.has_parameters = true;
    const SymbolTable::Mark mark = symbols_.Enter();
    if (!ParseParameters(block.parameters)) return false;
    if (!ParseAttributes(function.attributes, function.has_attributes)) return false;
    if (!ParseBody(block, 0)) return false;
    if (!Expect(';', "';' after the outputs of a function")) return false;
    symbols_.Leave(mark);
    block.end = program_.blocks.size();
    program_.blocks[function.block] = block;
    program_.functions.push_back(function);
    return true;
  }

  bool ParseProgram() {
    if (!ParseWord("program", "'program' at the start of the text")) return false;
    if (!Expect('(', "'(' after program")) return false;
    const char* stop = SkipNumber(at_);
    if (stop == nullptr) return Fail("a version, for example 1.3");
    program_.version = {Offset(), static_cast<uint32_t>(stop - at_)};
    at_ = SkipTrivia(stop);
    if (!Expect(')', "')' after the version")) return false;
    if (!ParseAttributes(program_.attributes, program_.has_attributes)) return false;
    if (!Expect('{', program_.has_attributes ? "'{' before the functions"
                                             : "'[' or '{' after program(...)")) {
      return false;
    }
    while (!At('}')) {
      if (!ParseFunction()) return false;
    }
    at_ = SkipTrivia(at_ + 1);
    return at_ == end_ || Fail("nothing after the last '}'");
  }
};

Status CheckSize(uint64_t size) {
  if (size <= kMaxTextSize) return {};
  return MakeError(ErrorCode::kLimit,
                   fmt::format("MIL text of {} bytes; at most {} are read", size, kMaxTextSize));
}

}  // namespace

Result<std::string> TextOfFile(std::span<const uint8_t> bytes) {
  ANECHECK_RETURN_IF_ERROR(CheckSize(bytes.size()));
  return std::string(bytes.begin(), bytes.end());
}

Result<Program> Parse(std::string text) {
  ANECHECK_RETURN_IF_ERROR(CheckSize(text.size()));
  Program program;
  program.text = std::move(text);
  ANECHECK_RETURN_IF_ERROR(Parser(program, 0).Run());
  return program;
}

Result<uint32_t> ParseTypeAt(Program& program, uint32_t offset) {
  return Parser(program, offset).RunType();
}

}  // namespace anecheck::mil
