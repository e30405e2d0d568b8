// The position of the MIL parser in a text. It reads tokens one by one and keeps the error that
// ends the parse. type_parser.h and value_parser.h build on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/message.h"
#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// A reading function returns false if it has called Fail(). Between calls the cursor is at the
// start of a token.
class Cursor {
 protected:
  Cursor(Program& program, uint32_t offset)
      : program_(program),
        begin_(program.text.c_str()),
        end_(begin_ + program.text.size()),
        at_(begin_ + offset) {}

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

  Program& program_;
  const char* begin_;
  const char* end_;
  const char* at_;
  Error error_;
};

}  // namespace anecheck::mil
