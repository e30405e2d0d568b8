#include "harness/formats/tree/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace anecheck::tree {

namespace {

// Returns the length of the UTF-8 sequence that starts at `text[at]`, or 0 if it is not valid.
size_t SequenceLength(std::string_view text, size_t at, uint32_t& code_point) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) {
    code_point = lead;
    return 1;
  }
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || text.size() - at < length) return 0;
  static constexpr std::array<uint32_t, 5> kLowest = {0, 0, 0x80, 0x800, 0x10000};
  code_point = lead & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code_point = (code_point << 6) | (byte(i) & 0x3fU);
  }
  if (code_point < kLowest[length] || code_point > 0x10ffff) return 0;
  if (code_point >= 0xd800 && code_point < 0xe000) return 0;
  return length;
}

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kTops = 0x8080808080808080;

// Returns the top bit of each byte of `word` that is 0. Bits above the lowest set bit of the result
// may be wrong.
uint64_t Zeros(uint64_t word) { return (word - kOnes) & ~word & kTops; }

// Returns the top bit of each byte of `word` that is below `limit`. Bits above the lowest set bit
// of the result may be wrong.
uint64_t Below(uint64_t word, uint8_t limit) { return (word - kOnes * limit) & ~word & kTops; }

}  // namespace

size_t FindMark(std::string_view text, size_t from, std::string_view marks, uint8_t below) {
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  for (size_t at = from; at < text.size(); at += sizeof(uint64_t)) {
    uint64_t word = UINT64_MAX;  // bytes after the end match no mark
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    uint64_t found = below == 0 ? 0 : Below(word, below);
    for (const char mark : marks) found |= Zeros(word ^ (kOnes * static_cast<uint8_t>(mark)));
    if (found != 0) return at + static_cast<size_t>(std::countr_zero(found)) / 8;
  }
  return text.size();
}

size_t FindInvalidUtf8(std::string_view text) {
  size_t at = 0;
  uint32_t code_point = 0;
  while (at < text.size()) {
    // Processes eight ASCII bytes at a time, because most documents are almost entirely ASCII.
    uint64_t word = 0;
    if (text.size() - at >= sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const size_t length = SequenceLength(text, at, code_point);
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

bool AppendUtf8(uint32_t code_point, std::string& out) {
  if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000)) return false;
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | ((code_point >> shift) & 0x3f)));
  };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xc0 | (code_point >> 6)));
    tail(0);
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | (code_point >> 12)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | (code_point >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

std::vector<uint16_t> Utf16FromUtf8(std::string_view text) {
  std::vector<uint16_t> units;
  size_t at = 0;
  while (at < text.size()) {
    uint32_t code_point = 0;
    const size_t length = SequenceLength(text, at, code_point);
    if (length == 0) break;
    at += length;
    if (code_point >= 0x10000) {
      units.push_back(static_cast<uint16_t>(0xd800 + ((code_point - 0x10000) >> 10)));
      units.push_back(static_cast<uint16_t>(0xdc00 + ((code_point - 0x10000) & 0x3ff)));
    } else {
      units.push_back(static_cast<uint16_t>(code_point));
    }
  }
  return units;
}

Result<std::string> Utf8FromUtf16(std::span<const uint16_t> units) {
  std::string text;
  for (size_t i = 0; i < units.size(); ++i) {
    uint32_t code_point = units[i];
    const bool high = code_point >= 0xd800 && code_point < 0xdc00;
    if (high && i + 1 < units.size() && units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000) {
      code_point = 0x10000 + ((code_point - 0xd800) << 10) + (units[i + 1] - 0xdc00U);
      ++i;
    }
    if (!AppendUtf8(code_point, text)) {
      return MakeError(ErrorCode::kMalformed, "UTF-16 string: unpaired surrogate");
    }
  }
  return text;
}

}  // namespace anecheck::tree
