#include "harness/formats/mil/parser.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "harness/formats/message.h"
#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/symbol_table.h"

namespace anecheck::mil {
namespace {

using lexer_internal::Is;
using lexer_internal::kDigit;
using lexer_internal::kNamePart;

// Recursive descent over the kept text. Every Parse* function returns false after Fail() was
// called once; the cursor stands at the start of a token between calls.
class Parser {
 public:
  Parser(Program& program, uint32_t offset)
      : program_(program),
        begin_(program.text.c_str()),
        end_(begin_ + program.text.size()),
        at_(begin_ + offset) {}

  Status Run() {
    Reserve();
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
  // ---- errors -----------------------------------------------------------------------------------

  std::string Found() const {
    if (at_ == end_) return "the end of the text";
    const auto byte = static_cast<uint8_t>(*at_);
    if (*at_ == '"') return FindStringEnd(at_) == nullptr ? "an unterminated string" : "a string";
    if (byte < 0x20 || byte >= 0x7f) return fmt::format("the byte 0x{:02x}", byte);
    const char* stop = std::max(SkipToken(at_), SkipName(at_));
    stop = std::max(stop, at_ + 1);
    constexpr int kShown = 32;
    if (stop - at_ > kShown) return fmt::format("'{}...'", Escaped({at_, kShown}));
    return fmt::format("'{}'", Escaped({at_, static_cast<size_t>(stop - at_)}));
  }

  bool FailWith(ErrorCode code, std::string_view what) {
    const auto offset = static_cast<uint64_t>(at_ - begin_);
    const LineColumn place = Locate(program_.text, offset);
    error_ = MakeError(
        code, fmt::format("{}:{}: {} (offset 0x{:x})", place.line, place.column, what, offset),
        offset);
    return false;
  }

  [[gnu::cold]] [[gnu::noinline]] bool Fail(std::string_view expected) {
    return FailWith(at_ == end_ ? ErrorCode::kTruncated : ErrorCode::kMalformed,
                    fmt::format("expected {}, found {}", expected, Found()));
  }

  [[gnu::cold]] bool FailDepth(std::string_view what) {
    return FailWith(ErrorCode::kLimit,
                    fmt::format("{} nested deeper than {}; nest less", what, kMaxDepth));
  }

  // ---- tokens -----------------------------------------------------------------------------------

  uint32_t Offset() const { return static_cast<uint32_t>(at_ - begin_); }

  bool At(char c) const { return *at_ == c; }

  bool Accept(char c) {
    if (*at_ != c) return false;
    at_ = SkipTrivia(at_ + 1);
    return true;
  }

  bool Expect(char c, std::string_view what) { return Accept(c) || Fail(what); }

  bool ParseName(Text& name, std::string_view what) {
    if (!IsNameStart(*at_)) return Fail(what);
    const char* stop = SkipName(at_);
    name = {Offset(), static_cast<uint32_t>(stop - at_)};
    at_ = SkipTrivia(stop);
    return true;
  }

  bool ParseWord(std::string_view word, std::string_view what) {
    if (IsNameStart(*at_)) {
      const char* stop = SkipName(at_);
      if (std::string_view(at_, static_cast<size_t>(stop - at_)) == word) {
        at_ = SkipTrivia(stop);
        return true;
      }
    }
    return Fail(what);
  }

  // ---- types ------------------------------------------------------------------------------------

  uint32_t AddType(TypeKind kind) {
    const auto index = static_cast<uint32_t>(program_.types.size());
    program_.types.push_back(
        {.kind = kind, .scalar = DataType::kOther, .first = 0, .count = 0, .end = index + 1});
    return index;
  }

  bool ParseType(uint32_t& index, int depth) {
    if (At('?')) {
      index = AddType(TypeKind::kUnknown);
      program_.types[index].first = Offset();
      program_.types[index].count = 1;
      at_ = SkipTrivia(at_ + 1);
      return true;
    }
    Text name;
    if (!ParseName(name, "a type")) return false;
    return ParseTypeAfterName(name, index, depth);
  }

  bool ParseTypeAfterName(Text name, uint32_t& index, int depth) {
    if (!At('<')) {
      index = AddType(TypeKind::kScalar);
      Type& type = program_.types[index];
      type.scalar = DataTypeFromName(program_.View(name));
      type.first = name.offset;
      type.count = name.length;
      return true;
    }
    if (depth >= kMaxDepth) return FailDepth("types are");
    at_ = SkipTrivia(at_ + 1);
    const std::string_view word = program_.View(name);
    bool ok = false;
    if (word == "tensor") {
      index = AddType(TypeKind::kTensor);
      ok = ParseTensorRest(index, depth);
    } else if (word == "list") {
      index = AddType(TypeKind::kList);
      ok = ParseListRest(index, depth);
    } else if (word == "tuple") {
      index = AddType(TypeKind::kTuple);
      ok = ParseTupleRest(depth);
    } else if (word == "dict") {
      index = AddType(TypeKind::kDict);
      ok = ParseChildType(depth) && Expect(',', "',' after the key type of a dict") &&
           ParseChildType(depth);
    } else if (word == "state") {
      index = AddType(TypeKind::kState);
      ok = ParseChildType(depth);
    } else {
      at_ = begin_ + name.offset;
      return Fail("'tensor', 'list', 'tuple', 'dict' or 'state' before '<'");
    }
    if (!ok || !Expect('>', "'>' at the end of a type")) return false;
    program_.types[index].end = static_cast<uint32_t>(program_.types.size());
    return true;
  }

  bool ParseChildType(int depth) {
    uint32_t child = 0;
    return ParseType(child, depth + 1);
  }

  bool ParseTensorRest(uint32_t index, int depth) {
    if (!ParseChildType(depth)) return false;
    if (!Expect(',', "',' after the element type of a tensor")) return false;
    if (!Expect('[', "'[' before the dimensions of a tensor")) return false;
    const auto first = static_cast<uint32_t>(program_.dimensions.size());
    if (!At(']')) {
      do {
        if (!ParseDimension()) return false;
      } while (Accept(','));
    }
    program_.types[index].first = first;
    program_.types[index].count = static_cast<uint32_t>(program_.dimensions.size()) - first;
    return Expect(']', "',' or ']' after a dimension");
  }

  bool ParseListRest(uint32_t index, int depth) {
    if (!ParseChildType(depth)) return false;
    if (!Expect(',', "',' after the element type of a list")) return false;
    program_.types[index].first = static_cast<uint32_t>(program_.dimensions.size());
    program_.types[index].count = 1;
    return ParseDimension();
  }

  bool ParseTupleRest(int depth) {
    if (At('>')) return true;
    do {
      if (!ParseChildType(depth)) return false;
    } while (Accept(','));
    return true;
  }

  bool ParseDimension() {
    Dimension dimension;
    const char* start = at_;
    if (At('?')) {
      ++at_;
    } else {
      const bool negative = At('-');
      if (negative) ++at_;
      if (!Is(*at_, kDigit)) {
        at_ = start;
        return Fail("a dimension (an integer or '?')");
      }
      int64_t value = 0;
      for (; Is(*at_, kDigit); ++at_) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *at_ - '0', &value)) {
          value = INT64_MAX;
        }
      }
      if (Is(*at_, kNamePart) || At('.')) {
        at_ = start;
        return Fail("a dimension (an integer or '?')");
      }
      // -1 is the mark of `?`; a size that is written negative is out of range whatever it is.
      dimension.value = negative ? std::min<int64_t>(-value, -2) : value;
    }
    dimension.text = {static_cast<uint32_t>(start - begin_), static_cast<uint32_t>(at_ - start)};
    program_.dimensions.push_back(dimension);
    at_ = SkipTrivia(at_);
    return true;
  }

  // ---- values -----------------------------------------------------------------------------------

  bool AddLeaf(ValueKind kind, const char* from, const char* to, uint32_t link = kNone) {
    const auto length = static_cast<uint64_t>(to - from);
    if (length > Value::kMaxLength) [[unlikely]] {
      return FailWith(ErrorCode::kLimit, "a token longer than 16 MiB; split it");
    }
    program_.values.push_back(
        {static_cast<uint32_t>(from - begin_), Value::Pack(kind, length), link});
    return true;
  }

  uint32_t Open(ValueKind kind, uint32_t offset) {
    program_.values.push_back({offset, Value::Pack(kind, 0), kNone});
    return static_cast<uint32_t>(program_.values.size() - 1);
  }
  void Close(uint32_t index) {
    program_.values[index].link = static_cast<uint32_t>(program_.values.size());
  }

  // `literal` inside a typed literal, where inf and nan are numbers and not names.
  bool ParseValue(int depth, bool literal) {
    switch (*at_) {
      case '"':
        return ParseString();
      case '[':
        return ParseSequence(ValueKind::kList, ']', depth, literal);
      case '(':
        return ParseSequence(ValueKind::kTuple, ')', depth, literal);
      case '{':
        return ParseDict(depth, literal);
      case '?':
        return ParseUnknown(depth);
      default:
        break;
    }
    if (IsNameStart(*at_)) return ParseWordValue(depth, literal);
    return ParseNumber();
  }

  bool ParseNumber() {
    const char* stop = SkipNumber(at_);
    if (stop == nullptr) return Fail("a value");
    if (!AddLeaf(ValueKind::kNumber, at_, stop)) return false;
    at_ = SkipTrivia(stop);
    return true;
  }

  bool ParseString() {
    const char* close = FindStringEnd(at_);
    if (close == nullptr) return Fail("a string that ends on its line");
    if (!AddLeaf(ValueKind::kString, at_ + 1, close)) return false;
    at_ = SkipTrivia(close + 1);
    return true;
  }

  bool ParseUnknown(int depth) {
    const char* start = at_;
    at_ = SkipTrivia(at_ + 1);
    if (!At('(')) return AddLeaf(ValueKind::kUnknown, start, start + 1);
    at_ = start;
    const uint32_t index = Open(ValueKind::kTyped, Offset());
    uint32_t type = 0;
    return ParseType(type, depth) && ParseTypedRest(index, type, depth);
  }

  bool ParseWordValue(int depth, bool literal) {
    const char* start = at_;
    const char* stop = SkipName(at_);
    const Text name{Offset(), static_cast<uint32_t>(stop - start)};
    at_ = SkipTrivia(stop);
    const std::string_view word(start, name.length);
    if (At('(') && word == "BLOBFILE") return ParseBlobFile(name.offset, depth);
    if (At('(') || At('<')) {
      const uint32_t index = Open(ValueKind::kTyped, name.offset);
      uint32_t type = 0;
      return ParseTypeAfterName(name, type, depth) && ParseTypedRest(index, type, depth);
    }
    if (word == "true" || word == "false") return AddLeaf(ValueKind::kBool, start, stop);
    if (literal && (word == "inf" || word == "nan"))
      return AddLeaf(ValueKind::kNumber, start, stop);
    const uint32_t binding = symbols_.Find(begin_, word);
    return AddLeaf(ValueKind::kName, start, stop, binding);
  }

  // After the type of type(value); `index` is the open kTyped node.
  bool ParseTypedRest(uint32_t index, uint32_t type, int depth) {
    if (depth >= kMaxDepth) return FailDepth("values are");
    program_.values.push_back(
        {program_.values[index].offset, Value::Pack(ValueKind::kType, 0), type});
    if (!Expect('(', "'(' after the type of a literal")) return false;
    if (!ParseValue(depth + 1, true)) return false;
    if (!Expect(')', "')' at the end of a literal")) return false;
    Close(index);
    return true;
  }

  bool ParseSequence(ValueKind kind, char close, int depth, bool literal) {
    if (depth >= kMaxDepth) return FailDepth("values are");
    const uint32_t index = Open(kind, Offset());
    at_ = SkipTrivia(at_ + 1);
    if (!At(close)) {
      do {
        if (!ParseValue(depth + 1, literal)) return false;
      } while (Accept(','));
    }
    if (!Expect(close, close == ']' ? "',' or ']' in a list" : "',' or ')' in a tuple")) {
      return false;
    }
    Close(index);
    return true;
  }

  bool ParseDict(int depth, bool literal) {
    if (depth >= kMaxDepth) return FailDepth("values are");
    const uint32_t index = Open(ValueKind::kDict, Offset());
    at_ = SkipTrivia(at_ + 1);
    if (!At('}')) {
      do {
        const uint32_t pair = Open(ValueKind::kPair, Offset());
        if (!Expect('{', "'{' before a key of a dict")) return false;
        if (!At('}')) {
          if (!ParseValue(depth + 1, literal)) return false;
          if (!Expect(',', "',' after a key of a dict")) return false;
          if (!ParseValue(depth + 1, literal)) return false;
        }
        if (!Expect('}', "'}' after a value of a dict")) return false;
        Close(pair);
      } while (Accept(','));
    }
    if (!Expect('}', "',' or '}' in a dict")) return false;
    Close(index);
    return true;
  }

  bool ParseBlobFile(uint32_t offset, int depth) {
    if (depth >= kMaxDepth) return FailDepth("values are");
    const uint32_t index = Open(ValueKind::kBlobFile, offset);
    if (!Expect('(', "'(' after BLOBFILE")) return false;
    if (!ParseWord("path", "'path' first in BLOBFILE") || !Expect('=', "'=' after path") ||
        !ParseValue(depth + 1, true)) {
      return false;
    }
    if (!Expect(',', "',' after the path of BLOBFILE")) return false;
    if (!ParseWord("offset", "'offset' second in BLOBFILE") || !Expect('=', "'=' after offset") ||
        !ParseValue(depth + 1, true)) {
      return false;
    }
    if (!Expect(')', "')' after the offset of BLOBFILE")) return false;
    Close(index);
    return true;
  }

  // ---- statements -------------------------------------------------------------------------------

  bool ParseAttributes(Slice& attributes, bool& present) {
    const auto first = static_cast<uint32_t>(program_.arguments.size());
    attributes = {first, 0};
    present = At('[');
    if (!present) return true;
    at_ = SkipTrivia(at_ + 1);
    if (!At(']')) {
      do {
        Argument attribute;
        if (!ParseName(attribute.name, "the name of an attribute")) return false;
        if (!Expect('=', "'=' after the name of an attribute")) return false;
        attribute.value = static_cast<uint32_t>(program_.values.size());
        if (!ParseValue(0, false)) return false;
        program_.arguments.push_back(attribute);
      } while (Accept(','));
    }
    attributes.count = static_cast<uint32_t>(program_.arguments.size()) - first;
    return Expect(']', "',' or ']' after an attribute");
  }

  bool ParseArguments(Slice& arguments) {
    const auto first = static_cast<uint32_t>(program_.arguments.size());
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
        argument.value = static_cast<uint32_t>(program_.values.size());
        if (!ParseValue(0, false)) return false;
        program_.arguments.push_back(argument);
      } while (Accept(','));
    }
    arguments = {first, static_cast<uint32_t>(program_.arguments.size()) - first};
    return Expect(')', "',' or ')' after an argument");
  }

  void Bind(const Binding& binding) {
    const auto index = static_cast<uint32_t>(program_.bindings.size());
    program_.bindings.push_back(binding);
    if (!symbols_.Insert(begin_, binding.name.offset, binding.name.length, index)) {
      program_.duplicates.push_back(index);
    }
  }

  bool ParseParameters(Slice& parameters) {
    const auto first = static_cast<uint32_t>(program_.bindings.size());
    if (!Expect('(', "'(' before the parameters")) return false;
    if (!At(')')) {
      do {
        Binding binding;
        if (!ParseType(binding.type, 0)) return false;
        if (!ParseName(binding.name, "the name of a parameter")) return false;
        Bind(binding);
      } while (Accept(','));
    }
    parameters = {first, static_cast<uint32_t>(program_.bindings.size()) - first};
    return Expect(')', "',' or ')' after a parameter");
  }

  // After '}': -> (names). The names are resolved in the scope of the block.
  bool ParseOutputs(Slice& outputs) {
    if (!At('-') || at_[1] != '>') return Fail("'->' and the outputs after '}'");
    at_ = SkipTrivia(at_ + 2);
    if (!Expect('(', "'(' before the outputs")) return false;
    const auto first = static_cast<uint32_t>(program_.values.size());
    if (!At(')')) {
      do {
        Text name;
        if (!ParseName(name, "the name of an output")) return false;
        const uint32_t binding = symbols_.Find(begin_, program_.View(name));
        const char* from = begin_ + name.offset;
        if (!AddLeaf(ValueKind::kName, from, from + name.length, binding)) return false;
      } while (Accept(','));
    }
    outputs = {first, static_cast<uint32_t>(program_.values.size()) - first};
    return Expect(')', "',' or ')' after an output");
  }

  // Results and '=', if there are any, and the name of the operation. The results are bound after
  // the arguments are read, so that a statement cannot use its own results.
  bool ParseStatementHead(Statement& statement, uint32_t index) {
    Text word;
    if (At('?')) {
      word.length = 0;
    } else if (!ParseName(word, "a statement or '}'")) {
      return false;
    }
    statement.results = {static_cast<uint32_t>(program_.bindings.size()), 0};
    if (word.length != 0 && At('(')) {
      statement.op = word;
      return true;
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
    return ParseName(statement.op, "the name of an operation");
  }

  void BindResults(Slice results) {
    for (uint32_t i = results.first; i < results.first + results.count; ++i) {
      const Text name = program_.bindings[i].name;
      if (!symbols_.Insert(begin_, name.offset, name.length, i)) program_.duplicates.push_back(i);
    }
  }

  bool ParseStatement(int depth) {
    const auto index = static_cast<uint32_t>(program_.statements.size());
    program_.statements.emplace_back();
    Statement statement;
    statement.offset = Offset();
    if (!ParseStatementHead(statement, index)) return false;
    if (!ParseArguments(statement.arguments)) return false;
    if (!ParseAttributes(statement.attributes, statement.has_attributes)) return false;
    statement.block_first = static_cast<uint32_t>(program_.blocks.size());
    while (!At(';')) {
      if (!At('{') && !At('(') && !IsNameStart(*at_)) {
        return Fail(statement.has_attributes ? "';' after a statement"
                                             : "';' or '[' after the arguments");
      }
      if (!ParseNestedBlock(depth + 1)) return false;
    }
    at_ = SkipTrivia(at_ + 1);
    statement.block_end = static_cast<uint32_t>(program_.blocks.size());
    statement.end = static_cast<uint32_t>(program_.statements.size());
    BindResults(statement.results);
    program_.statements[index] = statement;
    return true;
  }

  bool ParseNestedBlock(int depth) {
    if (depth > kMaxDepth) return FailDepth("blocks are");
    const auto index = static_cast<uint32_t>(program_.blocks.size());
    program_.blocks.emplace_back();
    Block block;
    block.offset = Offset();
    const SymbolTable::Mark mark = symbols_.Enter();
    if (IsNameStart(*at_) && !ParseName(block.label, "the label of a block")) return false;
    block.has_parameters = At('(');
    block.parameters = {static_cast<uint32_t>(program_.bindings.size()), 0};
    if (block.has_parameters && !ParseParameters(block.parameters)) return false;
    if (!ParseBody(block, depth)) return false;
    symbols_.Leave(mark);
    block.end = static_cast<uint32_t>(program_.blocks.size());
    program_.blocks[index] = block;
    return true;
  }

  // '{' statements '}' '->' '(' outputs ')'
  bool ParseBody(Block& block, int depth) {
    if (!Expect('{', "'{' before the statements of a block")) return false;
    block.statement_first = static_cast<uint32_t>(program_.statements.size());
    while (!At('}')) {
      if (!ParseStatement(depth)) return false;
    }
    at_ = SkipTrivia(at_ + 1);
    block.statement_end = static_cast<uint32_t>(program_.statements.size());
    return ParseOutputs(block.outputs);
  }

  bool ParseFunction() {
    Function function;
    function.offset = Offset();
    if (!ParseWord("func", "'func' or '}'")) return false;
    if (!ParseName(function.name, "the name of a function")) return false;
    if (Accept('<')) {
      if (!ParseName(function.opset, "an opset, for example ios18")) return false;
      if (!Expect('>', "'>' after the opset")) return false;
    }
    function.block = static_cast<uint32_t>(program_.blocks.size());
    program_.blocks.emplace_back();
    Block block;
    block.offset = function.offset;
    block.has_parameters = true;
    const SymbolTable::Mark mark = symbols_.Enter();
    if (!ParseParameters(block.parameters)) return false;
    if (!ParseAttributes(function.attributes, function.has_attributes)) return false;
    if (!ParseBody(block, 0)) return false;
    if (!Expect(';', "';' after the outputs of a function")) return false;
    symbols_.Leave(mark);
    block.end = static_cast<uint32_t>(program_.blocks.size());
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

  // Sized from the density of real files, so that most programs never grow a table.
  void Reserve() {
    const size_t size = program_.text.size();
    program_.statements.reserve(size / 140 + 4);
    program_.arguments.reserve(size / 45 + 8);
    program_.bindings.reserve(size / 140 + 8);
    program_.values.reserve(size / 16 + 16);
    program_.types.reserve(size / 22 + 16);
    program_.dimensions.reserve(size / 30 + 16);
  }

  Program& program_;
  const char* begin_;
  const char* end_;
  const char* at_;
  SymbolTable symbols_;
  Error error_;
};

}  // namespace

Result<Program> Parse(std::string text) {
  if (text.size() > kMaxTextSize) {
    return MakeError(ErrorCode::kLimit, fmt::format("MIL text of {} bytes; at most {} are read",
                                                    text.size(), kMaxTextSize));
  }
  Program program;
  program.text = std::move(text);
  ANECHECK_RETURN_IF_ERROR(Parser(program, 0).Run());
  return program;
}

Result<uint32_t> ParseTypeAt(Program& program, uint32_t offset) {
  return Parser(program, offset).RunType();
}

}  // namespace anecheck::mil
