#include "harness/formats/message.h"

#include <cstdint>

#include "harness/formats/tree/text.h"

namespace anecheck {
namespace {

void AppendByte(uint8_t byte, std::string& out) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0xf]};
}

// Appends valid UTF-8 with control characters escaped. C1 controls are the bytes c2 80 to c2 9f.
void AppendEscaped(std::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool c1 = byte == 0xc2 && i + 1 < text.size() && static_cast<uint8_t>(text[i + 1]) < 0xa0;
    if (byte < 0x20 || byte == 0x7f) {
      AppendByte(byte, out);
    } else if (c1) {
      AppendByte(byte, out);
      AppendByte(static_cast<uint8_t>(text[++i]), out);
    } else {
      out.push_back(text[i]);
    }
  }
}

// Returns the first `most` bytes of `text`, or up to 3 fewer to split no UTF-8 character.
std::string_view Start(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  size_t cut = most;
  const auto continues = [&](size_t at) { return (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80; };
  while (cut > 0 && most - cut < 3 && continues(cut)) --cut;
  return text.substr(0, continues(cut) ? most : cut);
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t valid = tree::FindInvalidUtf8(text);
    AppendEscaped(text.substr(0, valid), out);
    if (valid == text.size()) break;
    AppendByte(static_cast<uint8_t>(text[valid]), out);
    text.remove_prefix(valid + 1);
  }
  return out;
}

std::string Shown(std::string_view text) {
  const std::string_view start = Start(text, kMostQuoted);
  return Escaped(start) + (start.size() < text.size() ? "..." : "");
}

std::string Quoted(std::string_view text) { return "\"" + Shown(text) + "\""; }

std::string Clipped(std::string_view message) {
  const std::string_view start = Start(message, kMostClipped);
  return Escaped(start) + (start.size() < message.size() ? "..." : "");
}

}  // namespace anecheck
