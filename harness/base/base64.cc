#include "harness/base/base64.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "harness/base/counted.h"

namespace anecheck {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNotInAlphabet = 0xff;

constexpr std::array<uint8_t, 256> MakeValues() {
  std::array<uint8_t, 256> values{};
  values.fill(kNotInAlphabet);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return values;
}

constexpr std::array<uint8_t, 256> kValues = MakeValues();

}  // namespace

std::string Base64Encode(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; ++k) {
      text.push_back(k <= count ? kAlphabet[(group >> (18 - 6 * k)) & 63] : '=');
    }
  }
  return text;
}

Result<std::vector<uint8_t>> Base64Decode(std::string_view text) {
  if (text.size() % 4 != 0) {
    return MakeError(
        ErrorCode::kMalformed,
        fmt::format("base64: {}, not a multiple of 4", Counted(text.size(), "character")),
        text.size());
  }
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const size_t used = text.size() - padding;
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  for (size_t i = 0; i < used; ++i) {
    const uint8_t value = kValues[static_cast<uint8_t>(text[i])];
    if (value == kNotInAlphabet) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("base64: character 0x{:02x} at {} is not in the alphabet",
                                   static_cast<uint8_t>(text[i]), i),
                       i);
    }
    // The first character of a group completes no byte. Each of the other three completes one.
    group = group << 6 | value;
    const int spare = 6 - 2 * static_cast<int>(i % 4);
    if (i % 4 != 0) bytes.push_back(static_cast<uint8_t>(group >> spare));
  }
  const uint32_t unused_bits = padding == 2 ? 0xf : padding == 1 ? 0x3 : 0;
  if ((group & unused_bits) != 0) {
    return MakeError(
        ErrorCode::kMalformed,
        fmt::format("base64: unused bits of the last character, at {}, are not zero", used - 1),
        used - 1);
  }
  return bytes;
}

}  // namespace anecheck
