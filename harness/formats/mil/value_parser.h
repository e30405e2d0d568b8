// Reads the values of MIL text and resolves the names in them. Used by parser.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/formats/mil/symbol_table.h"
#include "harness/formats/mil/type_parser.h"

namespace anecheck::mil {

class ValueParser : protected TypeParser {
 protected:
  ValueParser(Program& program, uint32_t offset) : TypeParser(program, offset), symbols_(program) {}

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
    return program_.values.size() - 1;
  }
  void Close(uint32_t index) { program_.values[index].link = program_.values.size(); }

  // Inside a typed literal `literal` is true, and inf and nan are numbers instead of names.
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
    const uint32_t binding = symbols_.Find(word);
    return AddLeaf(ValueKind::kName, start, stop, binding);
  }

  // Reads the rest of type(value) after its type. `index` is the kTyped node to complete.
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

  SymbolTable symbols_;
};

}  // namespace anecheck::mil
