#include "reports/text.h"

#include <cstdint>
#include <fmt/format.h>

namespace anecheck::reports {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Returns the length in bytes of the well-formed UTF-8 sequence at the start of `text`, or 0 if
// there is none (Unicode 15, table 3-7).
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) -> uint32_t { return static_cast<uint8_t>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const uint32_t second = byte(1);
  if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
  if (lead == 0xED && second > 0x9F) return 0;  // surrogates
  if (lead == 0xF0 && second < 0x90) return 0;  // overlong
  if (lead == 0xF4 && second > 0x8F) return 0;  // above U+10FFFF
  return length;
}

bool IsNonCharacter(std::string_view sequence) {
  return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::string OneLine(std::string_view text) {
  std::string line = CleanText(text);
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return line;
}

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    const auto lead = static_cast<uint8_t>(sequence[0]);
    const bool control = (lead < 0x20 && lead != '\n' && lead != '\t') || lead == 0x7F;
    clean += length == 0 || control || IsNonCharacter(sequence) ? kReplacement : sequence;
    text.remove_prefix(sequence.size());
  }
  return clean;
}

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : CleanText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      case '\t':
        escaped += "&#9;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string EscapeMarkdown(std::string_view text) {
  std::string escaped;
  for (const char c : OneLine(text)) {
    // As an HTML entity, `<` begins no tag in any renderer.
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '@') {
      escaped += "&#64;";  // mentions nobody in a pull request
    } else {
      if (std::string_view("\\`*_{}[]()#+!|>~$").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string MarkdownCode(std::string_view text) {
  const std::string line = OneLine(text);
  if (line.empty()) return {};
  // The fence must be longer than any run of backticks in the text. `|` is escaped, because it
  // separates cells even in code.
  size_t longest = 0, run = 0;
  std::string content;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = run > longest ? run : longest;
    if (c == '|') content += '\\';
    content += c;
  }
  const std::string fence(longest + 1, '`');
  const bool pad = content.front() == '`' || content.back() == '`';
  return fence + (pad ? " " : "") + content + (pad ? " " : "") + fence;
}

std::string CsvField(std::string_view text) {
  const std::string clean = CleanText(text);
  if (clean.find_first_of(",\"\n") == std::string::npos) return clean;
  std::string quoted = "\"";
  for (const char c : clean) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string EscapeUri(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (IsAlphanumeric(c) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return escaped;
}

}  // namespace anecheck::reports
