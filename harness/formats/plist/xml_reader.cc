// The reader of XML property lists. One pass builds the value tree and records the ends of the
// pieces of the text. Afterwards a comparison with the canonical text gives the layout.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "harness/base/base64.h"
#include "harness/base/real_text.h"
#include "harness/formats/message.h"
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

std::optional<Value> ReadReal(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto value = RealFromText<double>(text);
  // Refuses numbers beyond the range of double. Accepts infinity only without digits ("inf").
  const bool spelt = text.find_first_of("0123456789") == std::string_view::npos;
  if (!value || (std::isinf(*value) && !spelt)) return std::nullopt;
  return Value::Real(*value);
}

struct EntityName {
  std::string_view name;
  char character;
};
constexpr std::array<EntityName, 5> kEntities = {
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

enum class Element : uint8_t {
  kUnknown,
  kArray,
  kData,
  kDate,
  kDict,
  kFalse,
  kInteger,
  kKey,
  kReal,
  kString,
  kTrue,
};

Element ElementOf(std::string_view name) {
  const auto either = [&](std::string_view known, Element element) {
    return name == known ? element : Element::kUnknown;
  };
  switch (name.empty() ? '\0' : name.front()) {
    case 'a':
      return either("array", Element::kArray);
    case 'd':
      if (name == "dict") return Element::kDict;
      return name == "date" ? Element::kDate : either("data", Element::kData);
    case 'f':
      return either("false", Element::kFalse);
    case 'i':
      return either("integer", Element::kInteger);
    case 'k':
      return either("key", Element::kKey);
    case 'r':
      return either("real", Element::kReal);
    case 's':
      return either("string", Element::kString);
    case 't':
      return either("true", Element::kTrue);
    default:
      return Element::kUnknown;
  }
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {
    constexpr size_t kBytesOfPiece = 8;  // approximate, for typical files
    cuts_.reserve(text.size() / kBytesOfPiece);
  }

  Status Read(Value& root) {
    ANECHECK_RETURN_IF_ERROR(ReadProlog());
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    ANECHECK_RETURN_IF_ERROR(ReadValue(0, root));
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    ANECHECK_RETURN_IF_ERROR(Expect("</plist>"));
    Cut();
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    if (pos_ != text_.size()) return Bad("text after </plist>");
    return {};
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
  // Returns whether the character at `pos_ + ahead` is `c`.
  bool At(char c, size_t ahead = 0) const {
    return pos_ + ahead < text_.size() && text_[pos_ + ahead] == c;
  }
  void SkipSpace() {
    while (pos_ < text_.size() && IsSpace(text_[pos_])) ++pos_;
  }

  Status Expect(std::string_view token) {
    if (!Rest().starts_with(token)) return Bad(fmt::format("expected {}", token));
    pos_ += token.size();
    return {};
  }

  // Moves to the position after the next `terminator`.
  Status SkipPast(std::string_view terminator) {
    const size_t found = text_.find(terminator, pos_);
    if (found == std::string_view::npos) {
      return Bad(fmt::format("no {} before the end", terminator), text_.size());
    }
    pos_ = found + terminator.size();
    return {};
  }

  Status ReadTrivia() {
    for (SkipSpace(); At('<'); SkipSpace()) {
      if (At('!', 1) && Rest().starts_with("<!--")) {
        pos_ += 4;
        ANECHECK_RETURN_IF_ERROR(SkipPast("-->"));
      } else if (At('?', 1)) {
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

  // Reads "<name>" or "<name/>". Sets `empty` to true for "<name/>".
  Status ReadOpenTag(std::string_view& name, bool& empty) {
    if (pos_ >= text_.size()) return Bad("expected an element");
    if (text_[pos_] != '<') return Bad("expected an element, not text");
    size_t at = pos_ + 1;
    while (at < text_.size() && text_[at] >= 'a' && text_[at] <= 'z') ++at;
    name = text_.substr(pos_ + 1, at - pos_ - 1);
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
    if (!At('<') || !At('/', 1) || !text_.substr(pos_ + 2).starts_with(name)) {
      return Bad(fmt::format("expected </{}", Shown(name)));
    }
    pos_ += 2 + name.size();
    SkipSpace();
    if (!At('>')) return Bad("expected >");
    ++pos_;
    return {};
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

  // Reads character data up to the next tag. Resolves references and CDATA sections.
  Status ReadText(std::string& out) {
    while (true) {
      const size_t begin = pos_;
      pos_ = tree::FindMark(text_, pos_, "<&");
      out.append(text_.data() + begin, pos_ - begin);
      if (pos_ == text_.size()) return Bad("text without a closing tag", text_.size());
      if (text_[pos_] == '&') {
        ANECHECK_RETURN_IF_ERROR(ReadReference(out));
      } else if (At('!', 1) && Rest().starts_with("<![CDATA[")) {
        const size_t content = pos_ + 9;
        ANECHECK_RETURN_IF_ERROR(SkipPast("]]>"));
        out.append(text_.substr(content, pos_ - 3 - content));
      } else {
        return {};
      }
    }
  }

  Status ReadScalar(std::string_view name, Element element, bool empty, size_t begin,
                    Value& value) {
    std::string own;
    std::string& text = element == Element::kString ? value.data.emplace<std::string>() : own;
    if (!empty) {
      ANECHECK_RETURN_IF_ERROR(ReadText(text));
      ANECHECK_RETURN_IF_ERROR(ReadCloseTag(name));
    }
    Cut();
    switch (element) {
      case Element::kString:
        return {};
      case Element::kInteger:
      case Element::kReal: {
        const std::string_view trimmed = Trim(text);
        const std::optional<Value> number =
            element == Element::kReal ? ReadReal(trimmed) : IntegerFromText(trimmed);
        if (!number) return Bad(fmt::format("not a number in <{}>", Shown(name)), begin);
        value.data = number->data;
        return {};
      }
      case Element::kTrue:
      case Element::kFalse:
        if (!Trim(text).empty()) return Bad(fmt::format("text in <{}>", Shown(name)), begin);
        value.data = element == Element::kTrue;
        return {};
      case Element::kData: {
        std::erase_if(text, IsSpace);
        Result<std::vector<uint8_t>> bytes = Base64Decode(text);
        if (!bytes.ok()) return Bad("not base64 in <data>", begin);
        value.data = Data{std::move(bytes).value()};
        return {};
      }
      case Element::kDate: {
        const std::optional<tree::Date> date = tree::DateFromText(Trim(text));
        if (!date) return Bad("not a moment in UTC in <date>", begin);
        value.data = *date;
        return {};
      }
      default:
        return MakeError(
            ErrorCode::kUnsupported,
            fmt::format("property list: unknown element <{}> at {:#x}", Shown(name), begin), begin);
    }
  }

  // Sets `more` to true if another element follows. If "</name>" follows, sets `more` to false,
  // reads the tag and ends its piece.
  Status ReadMore(std::string_view name, bool& more) {
    ANECHECK_RETURN_IF_ERROR(ReadTrivia());
    more = !(At('<') && At('/', 1));
    if (more) return {};
    ANECHECK_RETURN_IF_ERROR(ReadCloseTag(name));
    Cut();
    return {};
  }

  Status ReadArray(int depth, Array& array) {
    for (bool more = true;;) {
      ANECHECK_RETURN_IF_ERROR(ReadMore("array", more));
      if (!more) return {};
      ANECHECK_RETURN_IF_ERROR(ReadValue(depth + 1, array.emplace_back()));
    }
  }

  Status ReadKey(Entry& entry) {
    entry.key_offset = static_cast<uint32_t>(pos_);
    std::string_view name;
    bool empty = false;
    ANECHECK_RETURN_IF_ERROR(ReadOpenTag(name, empty));
    if (ElementOf(name) != Element::kKey) return Bad("expected <key> in <dict>", entry.key_offset);
    if (!empty) {
      ANECHECK_RETURN_IF_ERROR(ReadText(entry.key));
      ANECHECK_RETURN_IF_ERROR(ReadCloseTag("key"));
    }
    Cut();
    return {};
  }

  Status ReadDict(int depth, Dict& dict) {
    for (bool more = true;;) {
      ANECHECK_RETURN_IF_ERROR(ReadMore("dict", more));
      if (!more) break;
      Entry& entry = dict.entries.emplace_back();
      ANECHECK_RETURN_IF_ERROR(ReadKey(entry));
      ANECHECK_RETURN_IF_ERROR(ReadTrivia());
      ANECHECK_RETURN_IF_ERROR(ReadValue(depth + 1, entry.value));
    }
    const size_t repeated = tree::FindRepeatedKey(dict.entries);
    if (repeated != dict.entries.size()) {
      return Bad(
          fmt::format("key {} occurs twice in one <dict>", Quoted(dict.entries[repeated].key)),
          dict.entries[repeated].key_offset);
    }
    return {};
  }

  // Reads into `value`, because moving the tree at every level would cost more than reading it.
  Status ReadValue(int depth, Value& value) {
    if (depth > tree::kMaxDepth) return Bad("nested deeper than 64 levels");
    const size_t begin = pos_;
    std::string_view name;
    bool empty = false;
    ANECHECK_RETURN_IF_ERROR(ReadOpenTag(name, empty));
    const Element element = ElementOf(name);
    if (element == Element::kDict || element == Element::kArray) {
      Cut();
      if (empty) {
        // An empty element counts as an opening piece and an empty closing piece.
        Cut();
        Cut();
      }
      if (element == Element::kDict) {
        Dict& dict = value.data.emplace<Dict>();
        if (!empty) ANECHECK_RETURN_IF_ERROR(ReadDict(depth, dict));
      } else {
        Array& array = value.data.emplace<Array>();
        if (!empty) ANECHECK_RETURN_IF_ERROR(ReadArray(depth, array));
      }
    } else {
      ANECHECK_RETURN_IF_ERROR(ReadScalar(name, element, empty, begin, value));
    }
    value.offset = static_cast<uint32_t>(begin);
    value.size = static_cast<uint32_t>(pos_ - begin);
    return {};
  }

  std::string_view text_;
  size_t pos_ = 0;
  std::vector<uint32_t> cuts_;
};

struct Style {
  std::string_view newline;
  std::string_view indent;
  bool indent_root = false;
};
constexpr std::array<std::string_view, 2> kNewlines = {"\n", "\r\n"};
constexpr std::array<std::string_view, 4> kIndents = {"\t", "  ", "    ", ""};

// Compares the pieces of a file with the canonical pieces. Find returns the style of its lines.
class LayoutFinder final : public XmlSink {
 public:
  LayoutFinder(std::string_view text, std::span<const uint32_t> cuts)
      : comparer_(text, cuts), has_returns_(text.find('\r') != std::string_view::npos) {}

  void Piece(std::string_view canonical) override { comparer_.Piece(canonical); }
  void OuterLine() override { lines_.push_back({comparer_.LeaveOut(), kOuter}); }
  void Line(uint32_t depth) override { lines_.push_back({comparer_.LeaveOut(), depth}); }

  // Returns the layout with the style that needs the fewest bytes of changes. If several styles
  // need the same number, uses the first of them.
  XmlLayout Find() && {
    Style best{kNewlines[0], kIndents[0], false};
    uint64_t least = UINT64_MAX;
    for (const std::string_view newline : kNewlines) {
      if (newline == "\r\n" && !has_returns_) continue;
      for (const std::string_view indent : kIndents) {
        for (const bool indent_root : {false, true}) {
          if (least == 0) break;
          const Style style{newline, indent, indent_root};
          const uint64_t changed = ChangedBytes(style, least);
          if (changed < least) best = style;
          least = std::min(least, changed);
        }
      }
    }
    return With(best);
  }

 private:
  static constexpr uint32_t kOuter = UINT32_MAX;
  struct LeftOut {
    uint32_t piece = 0;
    uint32_t depth = 0;
  };

  static size_t Levels(const LeftOut& line, const Style& style) {
    if (line.depth == kOuter) return 0;
    return line.depth + (style.indent_root ? 1 : 0);
  }

  static bool Holds(std::string_view actual, const LeftOut& line, const Style& style) {
    const size_t levels = Levels(line, style);
    if (actual.size() != style.newline.size() + levels * style.indent.size()) return false;
    for (size_t i = 0; i < style.newline.size(); ++i) {
      if (actual[i] != style.newline[i]) return false;
    }
    // Each indent consists of one repeated character.
    for (size_t i = style.newline.size(); i < actual.size(); ++i) {
      if (actual[i] != style.indent[0]) return false;
    }
    return true;
  }

  // Returns the number of bytes of changes that the lines need. Stops counting at `limit`.
  uint64_t ChangedBytes(const Style& style, uint64_t limit) const {
    uint64_t changed = 0;
    for (const LeftOut& line : lines_) {
      const auto actual = comparer_.Actual(line.piece);
      // Adds one for the entry itself, so that a wrong piece counts even if it is empty.
      if (actual && !Holds(*actual, line, style)) changed += actual->size() + 1;
      if (changed >= limit) break;
    }
    return changed;
  }

  XmlLayout With(const Style& style) {
    std::string canonical;
    for (const LeftOut& line : lines_) {
      const auto actual = comparer_.Actual(line.piece);
      if (!actual || Holds(*actual, line, style)) continue;
      canonical.assign(style.newline);
      for (size_t i = Levels(line, style); i > 0; --i) canonical.append(style.indent);
      comparer_.Compare(line.piece, canonical);
    }
    return XmlLayout{std::string(style.indent), std::string(style.newline), style.indent_root,
                     std::move(comparer_).TakeChanges()};
  }

  tree::PieceComparer comparer_;
  bool has_returns_;
  std::vector<LeftOut> lines_;
};

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
  XmlDocument document;
  XmlReader reader(text);
  ANECHECK_RETURN_IF_ERROR(reader.Read(document.root));
  LayoutFinder finder(text, reader.cuts());
  EmitXml(document.root, finder);
  document.layout = std::move(finder).Find();
  return document;
}

}  // namespace anecheck::plist
