// Reads the types of MIL text. Used by parser.cc through value_parser.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "harness/formats/mil/cursor.h"

namespace anecheck::mil {

// The fields of tensor_buffer<element, ...>, in order. Source: facts/silicon, analytics_grammar.md.
struct BufferField {
  std::string_view name;
  std::string_view expected;
};
inline constexpr BufferField kBufferFields[] = {
    {"shape", "'shape' first in a tensor_buffer"},
    {"strides", "'strides' second in a tensor_buffer"},
    {"interleave_factors", "'interleave_factors' third in a tensor_buffer"}};

class TypeParser : protected Cursor {
 protected:
  using Cursor::Cursor;

  // Returns whether `word<` begins a type.
  static bool IsTypeWord(std::string_view word) {
    return word == "tensor" || word == "tensor_buffer" || word == "list" || word == "tuple" ||
           word == "dict" || word == "state";
  }

  uint32_t AddType(TypeKind kind) {
    const auto index = program_.types.size();
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
    } else if (word == "tensor_buffer") {
      index = AddType(TypeKind::kBuffer);
      ok = ParseBufferRest(index, depth);
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
      return Fail("'tensor', 'tensor_buffer', 'list', 'tuple', 'dict' or 'state' before '<'");
    }
    if (!ok || !Expect('>', "'>' at the end of a type")) return false;
    program_.types[index].end = program_.types.size();
    return true;
  }

  bool ParseChildType(int depth) {
    uint32_t child = 0;
    return ParseType(child, depth + 1);
  }

  bool ParseTensorRest(uint32_t index, int depth) {
    if (!ParseChildType(depth)) return false;
    if (!Expect(',', "',' after the element type of a tensor")) return false;
    program_.types[index].first = program_.dimensions.size();
    return ParseDimensions(program_.types[index].count);
  }

  // Reads `[`, dimensions, `]`. Returns the number of dimensions.
  bool ParseDimensions(uint32_t& count) {
    if (!Expect('[', "'[' before dimensions")) return false;
    const auto first = program_.dimensions.size();
    if (!At(']')) {
      do {
        if (!ParseDimension()) return false;
      } while (Accept(','));
    }
    count = program_.dimensions.size() - first;
    return Expect(']', "',' or ']' after a dimension");
  }

  bool ParseBufferRest(uint32_t index, int depth) {
    if (!ParseChildType(depth)) return false;
    const auto first = program_.dimensions.size();
    program_.types[index].first = first;
    uint32_t rank = 0;
    for (const BufferField& field : kBufferFields) {
      if (!Expect(',', "',' before a field of a tensor_buffer")) return false;
      if (!ParseWord(field.name, field.expected)) return false;
      uint32_t count = 0;
      if (!Expect('=', "'=' after the name of a field") || !ParseDimensions(count)) return false;
      if (&field == &kBufferFields[0]) rank = count;
      if (count != rank) return Fail("as many strides and factors as the shape has dimensions");
    }
    program_.types[index].count = program_.dimensions.size() - first;
    return true;
  }

  bool ParseListRest(uint32_t index, int depth) {
    if (!ParseChildType(depth)) return false;
    if (!Expect(',', "',' after the element type of a list")) return false;
    program_.types[index].first = program_.dimensions.size();
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
      if (!lexer_internal::Is(*at_, lexer_internal::kDigit)) {
        at_ = start;
        return Fail("a dimension (an integer or '?')");
      }
      int64_t value = 0;
      for (; lexer_internal::Is(*at_, lexer_internal::kDigit); ++at_) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *at_ - '0', &value)) {
          value = INT64_MAX;
        }
      }
      if (lexer_internal::Is(*at_, lexer_internal::kNamePart) || At('.')) {
        at_ = start;
        return Fail("a dimension (an integer or '?')");
      }
      // The value -1 represents `?`, so a -1 in the text is stored as -2. All negative sizes are
      // out of range, so the difference does not matter.
      dimension.value = negative ? std::min<int64_t>(-value, -2) : value;
    }
    dimension.text = {static_cast<uint32_t>(start - begin_), static_cast<uint32_t>(at_ - start)};
    program_.dimensions.push_back(dimension);
    at_ = SkipTrivia(at_);
    return true;
  }
};

}  // namespace anecheck::mil
