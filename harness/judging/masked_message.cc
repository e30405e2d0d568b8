#include "harness/judging/masked_message.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace anecheck {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Returns the number of characters at the start of `text` for which `holds` is true.
template <typename Holds>
size_t Run(std::string_view text, const Holds& holds) {
  return static_cast<size_t>(std::ranges::find_if_not(text, holds) - text.begin());
}

size_t PathLength(std::string_view text) {
  return Run(text, [](char c) { return IsWord(c) || std::string_view("/._-+~@%").contains(c); });
}

// Returns whether `text` begins with a UUID: 8-4-4-4-12 hexadecimal digits.
bool BeginsWithUuid(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() < kForm.size()) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '-' ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return text.size() == kForm.size() || !IsWord(text[kForm.size()]);
}

bool NamesAnAddress(std::string_view word) {
  const bool prefixed = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
  const std::string_view digits = prefixed ? word.substr(2) : word;
  if (!std::ranges::all_of(digits, IsHex)) return false;
  constexpr size_t kLong = 8;
  return prefixed || (word.size() >= kLong && std::ranges::any_of(word, IsDigit));
}

// Returns the length of the part of an absolute path that is removed: the folders, and inside a
// temporary folder also a name without a dot.
size_t FoldersLength(std::string_view path) {
  constexpr std::array<std::string_view, 4> kTemporary = {"/tmp/", "/private/tmp/", "/var/tmp/",
                                                          "/var/folders/"};
  const size_t name = path.rfind('/') + 1;
  const bool temporary = std::ranges::any_of(
      kTemporary, [&](std::string_view folder) { return path.starts_with(folder); });
  return temporary && !path.substr(name).contains('.') ? path.size() : name;
}

class Words {
 public:
  explicit Words(std::string_view message) : left_(message) {}

  std::string Read() {
    while (!left_.empty()) Step();
    return std::move(words_);
  }

 private:
  void Step() {
    const bool begins = !IsWord(before_);
    if (begins && left_.front() == '/' && before_ != '/' && before_ != '.') {
      const std::string_view path = left_.substr(0, PathLength(left_));
      const size_t folders = FoldersLength(path);
      if (folders > 1) return Mask(folders, '/');
    }
    if (begins && BeginsWithUuid(left_)) return Mask(36, '#');
    const size_t word = Run(left_, IsWord);
    if (begins && word > 0 && NamesAnAddress(left_.substr(0, word))) return Mask(word, '#');
    if (IsDigit(left_.front())) return Mask(Run(left_, IsDigit), '#');
    words_ += left_.front();
    Pass(1);
  }

  void Mask(size_t length, char mark) {
    if (words_.empty() || words_.back() != mark) words_ += mark;
    Pass(length);
  }
  void Pass(size_t length) {
    before_ = left_[length - 1];
    left_.remove_prefix(length);
  }

  std::string_view left_;
  char before_ = ' ';
  std::string words_;
};

}  // namespace

std::string MaskedMessage(std::string_view message) { return Words(message).Read(); }

}  // namespace anecheck
