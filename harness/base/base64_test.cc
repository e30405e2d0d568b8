// Base64, with the vectors of RFC 4648, section 10.
#include "harness/base/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck {
namespace {

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Base64, MatchesThePublishedVectors) {
  const std::pair<std::string_view, std::string_view> vectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(Base64Encode(Bytes(plain)), encoded);
    const auto decoded = Base64Decode(encoded);
    ASSERT_TRUE(decoded.ok()) << encoded;
    EXPECT_EQ(*decoded, Bytes(plain));
  }
  EXPECT_EQ(Base64Encode(std::vector<uint8_t>{0xfb, 0xff}), "+/8=");
}

TEST(Base64, RejectsNoncanonicalText) {
  struct Case {
    std::string_view text;
    uint64_t offset;
    std::string_view message;
  };
  for (const Case& c : {
           Case{"Zg=", 3, "base64: 3 characters, not a multiple of 4"},
           Case{"Z g=", 1, "base64: character 0x20 at 1 is not in the alphabet"},
           Case{"Zg==Zg==", 2, "base64: character 0x3d at 2 is not in the alphabet"},
           Case{"Z===", 1, "base64: character 0x3d at 1 is not in the alphabet"},
           Case{"====", 0, "base64: character 0x3d at 0 is not in the alphabet"},
           Case{"Zh==", 1, "base64: unused bits of the last character, at 1, are not zero"},
           Case{"Zm9=", 2, "base64: unused bits of the last character, at 2, are not zero"},
       }) {
    const auto decoded = Base64Decode(c.text);
    ASSERT_FALSE(decoded.ok()) << c.text;
    EXPECT_EQ(decoded.error().message, c.message);
    EXPECT_EQ(decoded.error().offset, c.offset);
    EXPECT_EQ(decoded.error().code, ErrorCode::kMalformed);
  }
}

RC_GTEST_PROP(Base64, DecodingInvertsEncoding, ()) {
  const auto bytes = *testing::AnyBytes();
  const auto decoded = Base64Decode(Base64Encode(bytes));
  RC_ASSERT(decoded.ok());
  RC_ASSERT(*decoded == bytes);
}

RC_GTEST_PROP(Base64, AcceptsOnlyTheEncodingOfTheDecodedBytes, ()) {
  const auto text =
      *rc::gen::container<std::string>(8, rc::gen::elementOf(std::string("AQgwZ09+/=")));
  const auto decoded = Base64Decode(text);
  if (decoded.ok()) RC_ASSERT(Base64Encode(*decoded) == text);
}

}  // namespace
}  // namespace anecheck
