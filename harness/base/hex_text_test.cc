#include "harness/base/hex_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace anecheck {
namespace {

TEST(HexText, SpellsNumbersAndBytes) {
  EXPECT_EQ(HexNumber(0x1f), "0x1f");
  EXPECT_EQ(HexText(std::vector<uint8_t>{0x00, 0xa9}), "00a9");
  EXPECT_EQ(BytesFromHex("aB09").value(), (std::vector<uint8_t>{0xab, 0x09}));
}

TEST(HexText, RejectsWithPlaceAndReason) {
  EXPECT_EQ(BytesFromHex("0a1").error().message, "an odd number of hexadecimal digits");
  for (const auto& [text, at] : {std::pair{"0g", 1U}, {"00/0", 2U}, {"00:0", 2U}, {"0@", 1U}}) {
    const auto bytes = BytesFromHex(text);
    ASSERT_FALSE(bytes.ok()) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(bytes.error().offset, at) << text;
  }
}

RC_GTEST_PROP(HexText, AnyBytesRoundTrip, (const std::vector<uint8_t>& bytes)) {
  RC_ASSERT(BytesFromHex(HexText(bytes)).value() == bytes);
}

}  // namespace
}  // namespace anecheck
