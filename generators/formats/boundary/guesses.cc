// Places of files that no walker knows.
#include <algorithm>
#include <cctype>
#include <string_view>

#include "generators/formats/boundary/places.h"

namespace anecheck::boundary {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsNumberPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
}

class TextWalk {
 public:
  TextWalk(std::string_view text, std::vector<Place>& places) : text_(text), places_(places) {}

  void Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        Quotation(c);
      } else if (IsDigit(c)) {
        Number();
      } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
        while (at_ < text_.size() && IsNumberPart(text_[at_])) ++at_;
      } else if (c == '<' && IsTag()) {
        Tag();
      } else {
        if (c == '[' || c == '{' || c == '(' || c == '<')
          Add(Role::kOpener, at_, at_ + 1, "bracket");
        ++at_;
      }
    }
  }

 private:
  void Add(Role role, size_t begin, size_t end, std::string_view name) {
    places_.push_back({.role = role,
                       .offset = static_cast<uint32_t>(begin),
                       .width = static_cast<uint32_t>(end - begin),
                       .name = name});
  }

  // Names the place by the character before it, so that dimensions, arguments and values have
  // different names.
  std::string_view NameAt(size_t begin) const {
    while (begin > 0 && std::isspace(static_cast<unsigned char>(text_[begin - 1])) != 0) --begin;
    switch (begin == 0 ? ' ' : text_[begin - 1]) {
      case '[':
        return "number behind [";
      case '(':
        return "number behind (";
      case ',':
        return "number behind ,";
      case '=':
        return "number behind =";
      case ':':
        return "number behind :";
      default:
        return "number";
    }
  }

  void Number() {
    size_t begin = at_;
    if (begin > 0 && text_[begin - 1] == '-') --begin;
    while (at_ < text_.size() &&
           (IsNumberPart(text_[at_]) ||
            ((text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] | 0x20) == 'e'))) {
      ++at_;
    }
    Add(Role::kDigits, begin, at_, NameAt(begin));
  }

  void Quotation(char mark) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != mark && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    Add(Role::kQuoted, at_ + 1, end, "quotation");
    at_ = end + 1;
  }

  // Whether the bracket opens a tag. In "tensor<fp16, [1, 64]>" it follows a word and opens no tag,
  // so places are found behind it.
  bool IsTag() const {
    const bool closes = at_ + 1 < text_.size() && text_[at_ + 1] == '/';
    return closes || at_ == 0 || !IsNumberPart(text_[at_ - 1]);
  }

  // Adds the places of a tag. For "<array>" it adds the tag. For "<integer>12</integer>" it adds
  // the tag, the text up to the next tag, and the whole element.
  void Tag() {
    const size_t begin = at_;
    const size_t close = text_.find('>', at_);
    if (close == std::string_view::npos) {
      ++at_;
      return;
    }
    const bool opens = text_[at_ + 1] != '/' && text_[at_ + 1] != '?' && text_[at_ + 1] != '!' &&
                       text_[close - 1] != '/';
    if (opens) Add(Role::kOpener, at_, close + 1, "tag");
    at_ = close + 1;
    if (!opens) return;
    const size_t next = std::min(text_.find('<', at_), text_.size());
    const std::string_view inside = text_.substr(at_, next - at_);
    const size_t first = inside.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return;
    const bool digits = inside.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
    Add(digits ? Role::kDigits : Role::kQuoted, at_, next, digits ? "number" : "text of a tag");
    const size_t end = text_.find('>', next);
    if (text_.substr(next).starts_with("</") && end != std::string_view::npos) {
      Add(Role::kElement, begin, end + 1, "element");
    }
    at_ = next;
  }

  std::string_view text_;
  std::vector<Place>& places_;
  size_t at_ = 0;
};

// Runs of zeros are mostly padding and large integers are mostly data, so both are left out.
constexpr size_t kHead = 256;  // every integer in the first and in the last kHead bytes is a place

bool MayCount(uint64_t value, uint64_t size) { return value > 0 && value <= 2 * size + 64; }

}  // namespace

void WalkText(ByteSpan file, std::vector<Place>& places) {
  TextWalk({reinterpret_cast<const char*>(file.data()), file.size()}, places).Run();
}

void WalkWords(ByteSpan file, std::vector<Place>& places) {
  for (size_t at = 0; at + 4 <= file.size(); at += 4) {
    uint64_t value = 0;
    for (size_t i = 4; i > 0; --i) value = value << 8 | file[at + i - 1];
    const bool at_an_end = at < kHead || file.size() - at <= kHead;
    if (!at_an_end && !MayCount(value, file.size())) continue;
    places.push_back({.offset = static_cast<uint32_t>(at), .width = 4, .name = "word"});
    if (at % 8 == 0 && at + 8 <= file.size() && at_an_end) {
      places.push_back({.offset = static_cast<uint32_t>(at), .width = 8, .name = "double word"});
    }
  }
}

}  // namespace anecheck::boundary
