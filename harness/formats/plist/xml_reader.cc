// The reader of XML property lists: one pass that builds the value tree and notes where the pieces
// of the text end; the layout is found afterwards by comparing with the canonical writer.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "harness/base/base64.h"
#include "harness/formats/plist/xml.h"
#include "harness/formats/tree/text.h"

namespace anecheck::plist {

namespace {

using tree::Array;
using tree::Data;
using tree::Dict;
using tree::Entry;
using tree::Value;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<Value> IntegerFromText(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!negative) return Value::Unsigned(magnitude);
  if (magnitude > uint64_t{1} << 63) return std::nullopt;
  return Value::Integer(static_cast<int64_t>(~magnitude + 1));
}

std::optional<Value> RealFromText(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Value::Real(value);
}

struct EntityName {
  std::string_view name;
  char character;
};
constexpr std::array<EntityName, 5> kEntities = {
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  Result<Value> Read() {
    ANECHECK_RETURN_IF_ERROR(ReadProlog());
    ANECHECK_ASSIGN(Value root, ReadValue(0));
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    ANECHECK_RETURN_IF_ERROR(Expect("</plist>"));
    Cut();
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    if (pos_ != text_.size()) return Bad("text after </plist>");
    return root;
  }

  const std::vector<uint32_t>& cuts() const { return cuts_; }

 private:
  Error Bad(std::string_view what) const { return Bad(what, pos_); }
  Error Bad(std::string_view what, size_t at) const {
    const bool end = at >= text_.size();
    return MakeError(end ? ErrorCode::kTruncated : ErrorCode::kMalformed,
                     fmt::format("property list: {} at {:#x}", what, at), at);
  }

  std::string_view Rest() const { return text_.substr(pos_); }
  void Cut() { cuts_.push_back(static_cast<uint32_t>(pos_)); }

  Status Expect(std::string_view token) {
    if (!Rest().starts_with(token)) return Bad(fmt::format("expected {}", token));
    pos_ += token.size();
    return {};
  }

  // Moves behind the next `terminator`.
  Status SkipPast(std::string_view terminator) {
    const size_t found = text_.find(terminator, pos_);
    if (found == std::string_view::npos) {
      return Bad(fmt::format("no {} before the end", terminator), text_.size());
    }
    pos_ = found + terminator.size();
    return {};
  }

  Status ReadTrivia() {
    while (pos_ < text_.size()) {
      if (IsSpace(text_[pos_])) {
        ++pos_;
      } else if (Rest().starts_with("<!--")) {
        pos_ += 4;
        ANECHECK_RETURN_IF_ERROR(SkipPast("-->"));
      } else if (Rest().starts_with("<?")) {
        ANECHECK_RETURN_IF_ERROR(SkipPast("?>"));
      } else {
        break;
      }
    }
    Cut();
    return {};
  }

  Status ReadDeclaration() {
    if (Rest().starts_with("\xef\xbb\xbf")) pos_ += 3;
    Cut();
    if (Rest().starts_with("<?xml ")) {
      const size_t begin = pos_;
      ANECHECK_RETURN_IF_ERROR(SkipPast("?>"));
      std::string_view attributes = text_.substr(begin, pos_ - begin);
      const size_t name = attributes.find("encoding=");
      if (name != std::string_view::npos && attributes.size() > name + 15) {
        std::string encoding(attributes.substr(name + 10, 5));
        for (char& c : encoding) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
        if (encoding != "UTF-8") return Bad("only UTF-8 is read, not this encoding", begin);
      }
    }
    Cut();
    return {};
  }

  Status ReadProlog() {
    ANECHECK_RETURN_IF_ERROR(ReadDeclaration());
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    if (Rest().starts_with("<!DOCTYPE")) {
      const size_t begin = pos_;
      ANECHECK_RETURN_IF_ERROR(SkipPast(">"));
      if (text_.substr(begin, pos_ - begin).find('[') != std::string_view::npos) {
        return Bad("an internal DTD subset is not read", begin);
      }
    }
    Cut();
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    ANECHECK_RETURN_IF_ERROR(Expect("<plist"));
    if (pos_ < text_.size() && !IsSpace(text_[pos_]) && text_[pos_] != '>') {
      return Bad("expected <plist>");
    }
    ANECHECK_RETURN_IF_ERROR(SkipPast(">"));
    if (text_[pos_ - 2] == '/') return Bad("<plist/> holds no value", pos_ - 1);
    Cut();
    return {};
  }

  // Reads "<name>" or "<name/>"; true in `empty` for the second.
  Status ReadOpenTag(std::string& name, bool& empty) {
    if (pos_ >= text_.size()) return Bad("expected an element");
    if (text_[pos_] != '<') return Bad("expected an element, not text");
    size_t at = pos_ + 1;
    while (at < text_.size() && text_[at] >= 'a' && text_[at] <= 'z') ++at;
    name.assign(text_.substr(pos_ + 1, at - pos_ - 1));
    if (name.empty()) return Bad("expected an element");
    while (at < text_.size() && IsSpace(text_[at])) ++at;
    empty = at < text_.size() && text_[at] == '/';
    if (empty) ++at;
    if (at >= text_.size()) return Bad("an element tag is not closed", at);
    if (text_[at] != '>') return Bad("an element tag with attributes or an unknown character", at);
    pos_ = at + 1;
    return {};
  }

  Status ReadCloseTag(std::string_view name) {
    ANECHECK_RETURN_IF_ERROR(Expect(fmt::format("</{}", name)));
    while (pos_ < text_.size() && IsSpace(text_[pos_])) ++pos_;
    return Expect(">");
  }

  Status ReadReference(std::string& out) {
    const size_t begin = pos_;
    const size_t end = text_.substr(pos_, 12).find(';');
    if (end == std::string_view::npos) return Bad("an entity reference without ;");
    const std::string_view name = text_.substr(pos_ + 1, end - 1);
    pos_ += end + 1;
    for (const EntityName& entity : kEntities) {
      if (entity.name == name) {
        out.push_back(entity.character);
        return {};
      }
    }
    if (name.size() > 1 && name[0] == '#') {
      const bool hex = name[1] == 'x';
      const std::string_view digits = name.substr(hex ? 2 : 1);
      uint32_t code_point = 0;
      const auto [last, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), code_point, hex ? 16 : 10);
      if (error == std::errc() && last == digits.data() + digits.size() && code_point != 0 &&
          tree::AppendUtf8(code_point, out)) {
        return {};
      }
    }
    return Bad("an unknown entity reference", begin);
  }

  // Character data up to the next tag, references and CDATA sections resolved.
  Status ReadText(std::string& out) {
    while (pos_ < text_.size()) {
      const size_t stop = text_.find_first_of("<&", pos_);
      if (stop == std::string_view::npos) break;
      out.append(text_.substr(pos_, stop - pos_));
      pos_ = stop;
      if (text_[pos_] == '&') {
        ANECHECK_RETURN_IF_ERROR(ReadReference(out));
      } else if (Rest().starts_with("<![CDATA[")) {
        const size_t begin = pos_ + 9;
        ANECHECK_RETURN_IF_ERROR(SkipPast("]]>"));
        out.append(text_.substr(begin, pos_ - 3 - begin));
      } else {
        return {};
      }
    }
    return Bad("text without a closing tag", text_.size());
  }

  Result<Value> ReadScalar(std::string_view name, bool empty, size_t begin) {
    std::string text;
    if (!empty) {
      ANECHECK_RETURN_IF_ERROR(ReadText(text));
      ANECHECK_RETURN_IF_ERROR(ReadCloseTag(name));
    }
    Cut();
    if (name == "string") return Value::String(text);
    const std::string_view trimmed = Trim(text);
    if (name == "integer" || name == "real") {
      const std::optional<Value> number =
          name == "real" ? RealFromText(trimmed) : IntegerFromText(trimmed);
      if (!number) return Bad(fmt::format("not a number in <{}>", name), begin);
      return *number;
    }
    if (name == "true" || name == "false") {
      if (!trimmed.empty()) return Bad(fmt::format("text in <{}>", name), begin);
      return Value::Bool(name == "true");
    }
    if (name == "data") {
      std::erase_if(text, IsSpace);
      Result<std::vector<uint8_t>> bytes = Base64Decode(text);
      if (!bytes.ok()) return Bad("not base64 in <data>", begin);
      return Value(Data{std::move(bytes).value()});
    }
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("property list: unknown element <{}> at {:#x}", name, begin),
                     begin);
  }

  // Before "</name>": false, consumed, with the closing piece cut. Otherwise true.
  Result<bool> MoreItems(std::string_view name) {
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    if (!Rest().starts_with("</")) return true;
    ANECHECK_RETURN_IF_ERROR(ReadCloseTag(name));
    Cut();
    return false;
  }

  Result<Value> ReadArray(int depth) {
    Array array;
    while (true) {
      ANECHECK_ASSIGN(const bool more, MoreItems("array"));
      if (!more) return Value(std::move(array));
      ANECHECK_ASSIGN(Value item, ReadValueHere(depth + 1));
      array.push_back(std::move(item));
    }
  }

  Result<Value> ReadDict(int depth) {
    Dict dict;
    std::string name;
    while (true) {
      ANECHECK_ASSIGN(const bool more, MoreItems("dict"));
      if (!more) break;
      Entry entry;
      entry.key_offset = static_cast<uint32_t>(pos_);
      bool empty = false;
      ANECHECK_RETURN_IF_ERROR(ReadOpenTag(name, empty));
      if (name != "key") return Bad("expected <key> in <dict>", entry.key_offset);
      if (!empty) {
        ANECHECK_RETURN_IF_ERROR(ReadText(entry.key));
        ANECHECK_RETURN_IF_ERROR(ReadCloseTag("key"));
      }
      Cut();
      ANECHECK_ASSIGN(entry.value, ReadValue(depth + 1));
      dict.entries.push_back(std::move(entry));
    }
    const size_t repeated = tree::FindRepeatedKey(dict.entries);
    if (repeated != dict.entries.size()) {
      return Bad(fmt::format("key {} occurs twice in one <dict>",
                             tree::Quoted(dict.entries[repeated].key)),
                 dict.entries[repeated].key_offset);
    }
    return Value(std::move(dict));
  }

  Result<Value> ReadValue(int depth) {
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    return ReadValueHere(depth);
  }

  Result<Value> ReadValueHere(int depth) {
    if (depth > tree::kMaxDepth) return Bad("nested deeper than 64 levels");
    const size_t begin = pos_;
    std::string name;
    bool empty = false;
    ANECHECK_RETURN_IF_ERROR(ReadOpenTag(name, empty));
    Value value;
    if (name == "dict" || name == "array") {
      Cut();
      if (empty) {
        // An empty element stands for an opening and a closing piece with nothing between.
        Cut();
        Cut();
        value = name == "dict" ? Value(Dict{}) : Value(Array{});
      } else {
        ANECHECK_ASSIGN(value, name == "dict" ? ReadDict(depth) : ReadArray(depth));
      }
    } else {
      ANECHECK_ASSIGN(value, ReadScalar(name, empty, begin));
    }
    value.offset = static_cast<uint32_t>(begin);
    value.size = static_cast<uint32_t>(pos_ - begin);
    return value;
  }

  std::string_view text_;
  size_t pos_ = 0;
  std::vector<uint32_t> cuts_;
};

// The style that leaves the fewest bytes to be kept as changes.
XmlLayout FindLayout(const Value& root, std::string_view text, std::span<const uint32_t> cuts) {
  XmlLayout best;
  uint64_t least = UINT64_MAX;
  for (const std::string_view newline : {"\n", "\r\n"}) {
    if (newline == "\r\n" && text.find("\r\n") == std::string_view::npos) continue;
    for (const std::string_view indent : {"\t", "  ", "    ", ""}) {
      for (const bool indent_root : {false, true}) {
        const XmlLayout layout{std::string(indent), std::string(newline), indent_root, {}};
        tree::PieceComparer comparer(text, cuts, /*keep_changes=*/false);
        EmitXml(root, layout, comparer);
        if (comparer.changed_bytes() < least) {
          least = comparer.changed_bytes();
          best = layout;
        }
        if (least == 0) return best;
      }
    }
  }
  tree::PieceComparer comparer(text, cuts, /*keep_changes=*/true);
  EmitXml(root, best, comparer);
  best.changes = std::move(comparer).TakeChanges();
  return best;
}

}  // namespace

Result<XmlDocument> ParseXml(std::string_view text) {
  if (text.size() >= UINT32_MAX) {
    return MakeError(ErrorCode::kLimit, "property list: texts of 4 GiB and more are not read");
  }
  const size_t invalid = tree::FindInvalidUtf8(text);
  if (invalid != text.size() || text.find('\0') != std::string_view::npos) {
    const size_t at = std::min(invalid, text.find('\0'));
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("property list: not UTF-8 text at {:#x}", at), at);
  }
  XmlReader reader(text);
  ANECHECK_ASSIGN(Value root, reader.Read());
  XmlLayout layout = FindLayout(root, text, reader.cuts());
  return XmlDocument{std::move(root), std::move(layout)};
}

}  // namespace anecheck::plist
