#include "harness/formats/espresso/json_document.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/planted_bug.h"
#include "harness/base/real_text.h"
#include "harness/formats/message.h"
#include "harness/formats/tree/text.h"

namespace anecheck::espresso {

namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

constexpr uint8_t kFirstPrintable = 0x20;

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {
    constexpr size_t kBytesOfPiece = 4;  // approximate, for typical files
    cuts_.reserve(text.size() / kBytesOfPiece);
  }

  Status Read(Value& root) {
    ReadSpace();
    ANECHECK_RETURN_IF_ERROR(ReadValue(0, root));
    ReadSpace();
    if (pos_ != text_.size()) return Bad("text after the value");
    return {};
  }

  const std::vector<uint32_t>& cuts() const { return cuts_; }

 private:
  Error Bad(std::string_view what) const { return Bad(what, pos_); }
  Error Bad(std::string_view what, size_t at) const {
    return MakeError(at >= text_.size() ? ErrorCode::kTruncated : ErrorCode::kMalformed,
                     fmt::format("espresso JSON: {} at {:#x}", what, at), at);
  }

  void Cut() { cuts_.push_back(static_cast<uint32_t>(pos_)); }
  bool At(char c) const {
    const bool inside = pos_ < text_.size() || IsPlanted(PlantedBug::kEspressoEnd);
    return inside && text_[pos_] == c;
  }

  // Reads the white space up to the next token. It is a separate piece, even if it is empty.
  void ReadSpace() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\n' ||
                                   text_[pos_] == '\t' || text_[pos_] == '\r')) {
      ++pos_;
    }
    Cut();
  }

  Status ReadMark(char mark) {
    if (!At(mark)) return Bad(fmt::format("expected {}", mark));
    ++pos_;
    Cut();
    return {};
  }

  // Reads into `value`, because moving the tree at every level would cost more than reading it.
  Status ReadValue(int depth, Value& value) {
    if (depth > tree::kMaxDepth) return Bad("nested deeper than 64 levels");
    const size_t begin = pos_;
    if (At('{')) {
      ANECHECK_RETURN_IF_ERROR(ReadObject(depth, value.data.emplace<Dict>()));
    } else if (At('[')) {
      ANECHECK_RETURN_IF_ERROR(ReadArray(depth, value.data.emplace<Array>()));
    } else {
      ANECHECK_RETURN_IF_ERROR(ReadScalar(value));
      Cut();
    }
    value.offset = static_cast<uint32_t>(begin);
    value.size = static_cast<uint32_t>(pos_ - begin);
    return {};
  }

  bool Take(std::string_view word) {
    if (!At(word[0]) || !text_.substr(pos_).starts_with(word)) return false;
    pos_ += word.size();
    return true;
  }

  Status ReadScalar(Value& value) {
    if (At('"')) return ReadString(value.data.emplace<std::string>());
    if (Take("true")) {
      value.data = true;
    } else if (Take("false")) {
      value.data = false;
    } else if (!Take("null")) {
      return ReadNumber(value);
    }
    return {};
  }

  // Reads a number in the grammar of RFC 8259, section 6, which has no leading zeros and has digits
  // on both sides of the point.
  Status ReadNumber(Value& value) {
    const size_t begin = pos_;
    const auto digits = [&] {
      const size_t first = pos_;
      while (pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9') ++pos_;
      return pos_ - first;
    };
    if (At('-')) ++pos_;
    const bool zero = At('0');
    const size_t whole = digits();
    if (whole == 0) return Bad("expected a value");
    if (zero && whole > 1) return Bad("a number with a leading zero", begin);
    bool integer = true;
    if (At('.')) {
      integer = false;
      ++pos_;
      if (digits() == 0) return Bad("a number without digits after the point");
    }
    if (At('e') || At('E')) {
      integer = false;
      ++pos_;
      if (At('+') || At('-')) ++pos_;
      if (digits() == 0) return Bad("a number without digits in its exponent");
    }
    value = NumberValue(text_.substr(begin, pos_ - begin), integer);
    return {};
  }

  // Returns the value of a number. An integer beyond 64 bits and a real beyond the range of double
  // become the nearest double.
  static Value NumberValue(std::string_view text, bool integer) {
    if (integer && text != "-0") {
      int64_t small = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), small);
      if (error == std::errc()) return Value::Integer(small);
      uint64_t large = 0;
      if (std::from_chars(text.data(), text.data() + text.size(), large).ec == std::errc()) {
        return Value::Unsigned(large);
      }
    }
    return Value::Real(RealFromText<double>(text).value_or(0));
  }

  Result<uint32_t> ReadHex4() {
    uint32_t unit = 0;
    if (text_.size() - pos_ < 4) return Bad("a cut \\u escape", text_.size());
    const auto [end, error] =
        std::from_chars(text_.data() + pos_, text_.data() + pos_ + 4, unit, 16);
    if (error != std::errc() || end != text_.data() + pos_ + 4) return Bad("a bad \\u escape");
    pos_ += 4;
    return unit;
  }

  Status ReadEscape(std::string& out) {
    const size_t begin = pos_;
    ++pos_;
    if (pos_ >= text_.size()) return Bad("a cut escape");
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
    const char name = text_[pos_++];
    const size_t known = kNames.find(name);
    if (known != std::string_view::npos) {
      out.push_back(kCharacters[known]);
      return {};
    }
    if (name != 'u') return Bad("an unknown escape", begin);
    ANECHECK_ASSIGN(uint32_t code_point, ReadHex4());
    if (code_point >= 0xd800 && code_point < 0xdc00 && text_.substr(pos_).starts_with("\\u")) {
      pos_ += 2;
      ANECHECK_ASSIGN(const uint32_t low, ReadHex4());
      if (low < 0xdc00 || low >= 0xe000) return Bad("an unpaired surrogate", begin);
      code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code_point == 0 || !tree::AppendUtf8(code_point, out)) {
      return Bad("a NUL or an unpaired surrogate", begin);
    }
    return {};
  }

  Status ReadString(std::string& out) {
    const size_t begin = pos_;
    if (!At('"')) return Bad("expected a name in quotation marks");
    ++pos_;
    while (pos_ < text_.size()) {
      const size_t run = pos_;
      pos_ = tree::FindMark(text_, pos_, "\"\\", kFirstPrintable);
      out.append(text_.data() + run, pos_ - run);
      if (At('"')) {
        ++pos_;
        return {};
      }
      if (pos_ < text_.size() && text_[pos_] != '\\') {
        return Bad("a control character in a string");
      }
      if (At('\\')) ANECHECK_RETURN_IF_ERROR(ReadEscape(out));
    }
    return Bad(fmt::format("the string of {:#x} has no end", begin), text_.size());
  }

  // Reads the token after an item. Returns true for ",", and false for the closing bracket.
  Result<bool> MoreItems(char close) {
    ReadSpace();
    if (At(',')) {
      ++pos_;
      Cut();
      return true;
    }
    ANECHECK_RETURN_IF_ERROR(ReadMark(close));
    return false;
  }

  Status ReadArray(int depth, Array& array) {
    ANECHECK_RETURN_IF_ERROR(ReadMark('['));
    ReadSpace();
    bool more = !At(']');
    if (!more) ANECHECK_RETURN_IF_ERROR(ReadMark(']'));
    while (more) {
      ANECHECK_RETURN_IF_ERROR(ReadValue(depth + 1, array.emplace_back()));
      ANECHECK_ASSIGN(more, MoreItems(']'));
      if (more) ReadSpace();
    }
    return {};
  }

  Status ReadObject(int depth, Dict& dict) {
    ANECHECK_RETURN_IF_ERROR(ReadMark('{'));
    ReadSpace();
    bool more = !At('}');
    if (!more) ANECHECK_RETURN_IF_ERROR(ReadMark('}'));
    while (more) {
      Entry& entry = dict.entries.emplace_back();
      entry.key_offset = static_cast<uint32_t>(pos_);
      ANECHECK_RETURN_IF_ERROR(ReadString(entry.key));
      Cut();
      ReadSpace();
      ANECHECK_RETURN_IF_ERROR(ReadMark(':'));
      ReadSpace();
      ANECHECK_RETURN_IF_ERROR(ReadValue(depth + 1, entry.value));
      ANECHECK_ASSIGN(more, MoreItems('}'));
      if (more) ReadSpace();
    }
    const size_t repeated = tree::FindRepeatedKey(dict.entries);
    if (repeated != dict.entries.size()) {
      return Bad("member " + Quoted(dict.entries[repeated].key) + " occurs twice",
                 dict.entries[repeated].key_offset);
    }
    return {};
  }

  std::string_view text_;
  size_t pos_ = 0;
  std::vector<uint32_t> cuts_;
};

void AppendEscape(char c, std::string& out) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
  const size_t known = kCharacters.find(c);
  if (known != std::string_view::npos) {
    out.push_back('\\');
    out.push_back(kNames[known]);
  } else {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

void AppendEscaped(std::string_view text, std::string& out) {
  out.push_back('"');
  for (size_t run = 0; run < text.size();) {
    const size_t end = tree::FindMark(text, run, "\"\\/", kFirstPrintable);
    out.append(text.data() + run, end - run);
    if (end < text.size()) AppendEscape(text[end], out);
    run = end + 1;
  }
  out.push_back('"');
}

class Emitter {
 public:
  explicit Emitter(JsonSink& sink) : sink_(sink) {}

  void Document(const Value& root) {
    sink_.Piece("");
    Emit(root, 0);
    sink_.Piece("");
  }

 private:
  void NewLine(uint32_t depth) {
    buffer_.assign(1, '\n');
    buffer_.append(2 * size_t{depth}, ' ');
    sink_.Piece(buffer_);
  }

  void EmptyContainer(std::string_view open, std::string_view close, uint32_t depth) {
    sink_.Piece(open);
    sink_.InsideEmpty(depth);
    sink_.Piece(close);
  }

  void Emit(const Value& value, uint32_t depth) {
    if (const Dict* dict = value.AsDict()) {
      if (dict->entries.empty()) return EmptyContainer("{", "}", depth);
      for (size_t i = 0; i < dict->entries.size(); ++i) {
        if (i != 0) sink_.Piece("");
        sink_.Piece(i == 0 ? "{" : ",");
        NewLine(depth + 1);
        String(dict->entries[i].key);
        sink_.Piece(" ");
        sink_.Piece(":");
        sink_.Piece(" ");
        Emit(dict->entries[i].value, depth + 1);
      }
      NewLine(depth);
      sink_.Piece("}");
    } else if (const Array* array = value.AsArray()) {
      if (array->empty()) return EmptyContainer("[", "]", depth);
      for (size_t i = 0; i < array->size(); ++i) {
        if (i != 0) sink_.Piece("");
        sink_.Piece(i == 0 ? "[" : ",");
        NewLine(depth + 1);
        Emit((*array)[i], depth + 1);
      }
      NewLine(depth);
      sink_.Piece("]");
    } else {
      Scalar(value);
    }
  }

  void String(std::string_view text) {
    buffer_.clear();
    AppendEscaped(text, buffer_);
    sink_.Piece(buffer_);
  }

  void Scalar(const Value& value) {
    if (const std::string* text = value.AsString()) return String(*text);
    if (const bool* flag = value.AsBool()) return sink_.Piece(*flag ? "true" : "false");
    if (const int64_t* integer = value.AsInteger()) return sink_.Piece(fmt::to_string(*integer));
    if (const auto* large = std::get_if<uint64_t>(&value.data)) {
      return sink_.Piece(fmt::to_string(*large));
    }
    if (const double* real = value.AsReal()) return sink_.Piece(RealText(*real));
    sink_.Piece("null");
  }

  // Returns a real with seventeen digits, as in the real files. A whole number keeps a decimal
  // point, so that it is read as a real again.
  static std::string RealText(double real) {
    if (!std::isfinite(real)) return real < 0 ? "-1e999" : "1e999";
    std::string text = fmt::format("{:.17g}", real);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }

  JsonSink& sink_;
  std::string buffer_;
};

std::string InsideEmptyText(bool spaced, uint32_t depth) {
  return spaced ? "\n\n" + std::string(2 * size_t{depth}, ' ') : std::string();
}

// Writes the inside of empty containers in the style of a layout.
class StyledSink final : public JsonSink {
 public:
  explicit StyledSink(const JsonLayout& layout)
      : spaced_empty_(layout.spaced_empty), writer_(layout.changes) {}

  void Piece(std::string_view canonical) override { writer_.Piece(canonical); }
  void InsideEmpty(uint32_t depth) override {
    writer_.Piece(InsideEmptyText(spaced_empty_, depth));
  }
  std::string Take() && { return std::move(writer_).Take(); }

 private:
  bool spaced_empty_;
  tree::PieceWriter writer_;
};

// Compares the pieces of a file with the canonical pieces. Find returns the file's style.
class LayoutFinder final : public JsonSink {
 public:
  LayoutFinder(std::string_view text, std::span<const uint32_t> cuts) : comparer_(text, cuts) {}

  void Piece(std::string_view canonical) override { comparer_.Piece(canonical); }
  void InsideEmpty(uint32_t depth) override { empty_.push_back({comparer_.LeaveOut(), depth}); }

  // Returns the layout with the style that needs fewer bytes of changes, or the spaced style if
  // both need the same number.
  JsonLayout Find() && {
    JsonLayout layout;
    layout.spaced_empty = ChangedBytes(true) <= ChangedBytes(false);
    for (const auto& [piece, depth] : empty_) {
      comparer_.Compare(piece, InsideEmptyText(layout.spaced_empty, depth));
    }
    layout.changes = std::move(comparer_).TakeChanges();
    return layout;
  }

 private:
  struct LeftOut {
    uint32_t piece = 0;
    uint32_t depth = 0;
  };

  uint64_t ChangedBytes(bool spaced) const {
    uint64_t changed = 0;
    for (const auto& [piece, depth] : empty_) {
      const auto actual = comparer_.Actual(piece);
      // Adds one for the entry itself, so that a wrong piece counts even if it is empty.
      if (actual && *actual != InsideEmptyText(spaced, depth)) changed += actual->size() + 1;
    }
    return changed;
  }

  tree::PieceComparer comparer_;
  std::vector<LeftOut> empty_;
};

}  // namespace

void EmitJson(const Value& root, JsonSink& sink) { Emitter(sink).Document(root); }

Result<JsonDocument> ParseJsonDocument(std::string_view text) {
  if (text.size() >= UINT32_MAX) {
    return MakeError(ErrorCode::kLimit, "espresso JSON: texts of 4 GiB and more are not read");
  }
  const size_t invalid = tree::FindInvalidUtf8(text);
  if (invalid != text.size()) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("espresso JSON: not UTF-8 text at {:#x}", invalid), invalid);
  }
  JsonDocument document;
  JsonReader reader(text);
  ANECHECK_RETURN_IF_ERROR(reader.Read(document.root));
  LayoutFinder finder(text, reader.cuts());
  EmitJson(document.root, finder);
  document.layout = std::move(finder).Find();
  return document;
}

std::string WriteJsonDocument(const Value& root, const JsonLayout& layout) {
  StyledSink sink(layout);
  EmitJson(root, sink);
  return std::move(sink).Take();
}

}  // namespace anecheck::espresso
