// Tests that Unpack unpacks streams of the reference encoder and refuses damaged streams.
#include "harness/formats/lzfse/lzfse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "harness/base/base64.h"

namespace anecheck::lzfse {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t kLimit = uint64_t{1} << 20;

// Returns a network of 60 layers. The reference encoder compressed this text.
std::string Network() {
  std::string text =
      "{\"format_version\": 200, \"storage\": \"model.espresso.weights\", \"layers\": [";
  for (int i = 0; i < 60; ++i) {
    text += fmt::format(
        "{}{{\"type\": \"activation\", \"name\": \"layer_{}\", \"bottom\": \"t{}\", \"top\": "
        "\"t{}\", \"mode\": {}, \"alpha\": 0.{:05}}}",
        i == 0 ? "" : ", ", i, i, i + 1, i * 7 % 9, i * i * 7919 % 100000);
  }
  return text + "]}";
}

// kEntropy has the whole text as an entropy block, kLzvn its first 200 bytes as an LZVN block.
constexpr std::string_view kEntropy =
    "YnZ4MosYAADcASAQADQBIPlnADjsGwJAqAAAAD8I0AZnn8BYVQUAAAVUgBzd7HlyBM9EACAJKLiUBSwWfQe+g2Rnpk"
    "MAAAAAABgAAAAAAAAAwCUvAAAAN0w+gsfil/gw/omn4iN4Dn6CB+ECAAAAAAAAACCEwWWSu4wxYV6Mywtu7s4ZYTCY"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADgybGIn5rABaiB2zAC8AbeVwPhrHHe00o/eEJUAd"
    "AyNPDwg6ejcbVVOj4zkur2WPLem0fez7kbuhPA0UEpY37wxSESbiUwy67xmU2fiBukmR3p9pJ1VR6A+m4AExlcmKd2"
    "88itq1uOc+/XVJsgSCpZnEkbszkRacIeTG4C1BQMhu7Hx16CHufP4a1MEPhsCBeozJfhmydvHLK5mIe3l7U0MD/JS5"
    "FdVI6eyd10Mjhur//3a63CtrKHI2QeWnbx3Z659Tssl6RHowr25TOESZkMZHDhQAWO76/qMQbOPfrdEPiVbRiEk8VB"
    "GbjeqpkVxqdQnSemiAzAb+xXdvsFAAAAAAAAAAAAAGAR5lCEIWTOPSlzgTJFQNrhnPMjC5UpAJJvzqlioXYgxXRYLG"
    "ymCMgIYLqzXi6lEEsH5pylmikFWBKYc1ZrpRRgU4AO42VVIIVzyULtlCJs28CcU/mF2xQCQRXmnOVCZQqBpwPoxHK9"
    "lEKsQcCc8/MLlSkA5jDQOcuFUgqxbIFzzkKtlELsJ+CcU+GF2xQCpQvnnOou3KYQSFA456zXSGEpnnPWaqYUYckCc8"
    "4vLlSmAEhpmHNI8QJlioDEh3POeu2WIiw94JxTvYXbFAJJCOnoe4uaKQBSDXPHes2WIiwhcM5ZrtlShKUFzjmLNVuK"
    "sOSYc1ZqpLEUzjlrNVOKsETgnFOVAm2KgekCnZYTapopACQHurNaLqUAmwJ0YqFeCkvhnLNWM6UISwTKOaslEwowdE"
    "DuWSqZUIAhAblntVaZAmAKzCkLlRIYCueetZopRdg9wJyyXjGKMxEMOjy3rFQkLKKBIAb5zq2KlYdyaBqIQd+5Pb3C"
    "QAuNAjEJn3uSCwkXwT4gkPeS81BLBlbQEBDzfuXek9KACTQBxIiv3G9YAqh/4y8GreYW80of8Zl7ZulJ1wrLekaegS"
    "egRZEkSUsq9cCkRvzKP1JBBoO98pzuIIF1r/yiVZzxXFaBEc9hFRjxHFaBEc9hFRjxjOjAJHbnOT2QA9mYBQt1QUUf"
    "CrMwtHCuDthogWQLAKgJvNyCiB5idngk";
constexpr std::string_view kLzvn =
    "YnZ4bsgAAACgAAAA4BB7ImZvcm1hdF92ZXJzaW9uIjogMjAwLCAic3RvcmFnZQAQ4AgibW9kZWwuZXNwcmVzc28ud2"
    "VpZ2h0cyIAJcA3bGF5ACTmW3sidHlwEC7nYWN0aXZhdAhMACLIFm5hbfEQKogTXzDmYm90dG9tCBVQEHTIDXRvcPFO"
    "MQhsAA4IguVhbHBoYQgMiAEuMMhlfSwg8AXiYW0GAAAAAAAAAGJ2eCQ=";

Bytes Decoded(std::string_view base64) { return Base64Decode(base64).value(); }

std::string Unpacked(const Bytes& bytes) {
  const auto unpacked = Unpack(bytes, kLimit);
  if (!unpacked.ok()) return unpacked.error().message;
  return {unpacked->begin(), unpacked->end()};
}

Bytes& Append(Bytes& bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

void AppendBigEndian(Bytes& bytes, uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<uint8_t>(value >> shift));
}

// Makes a frame of chunks. Each chunk states the size of its text.
Bytes Framed(const std::vector<std::pair<std::string, Bytes>>& chunks) {
  Bytes bytes;
  Append(bytes, "pbze");
  AppendBigEndian(bytes, 1 << 16);
  for (const auto& [text, packed] : chunks) {
    AppendBigEndian(bytes, text.size());
    AppendBigEndian(bytes, packed.size());
    bytes.insert(bytes.end(), packed.begin(), packed.end());
  }
  return bytes;
}

TEST(Lzfse, UnpacksStreamsOfTheReferenceEncoder) {
  EXPECT_EQ(FormOf(Decoded(kEntropy)), "bvx2");
  EXPECT_EQ(Unpacked(Decoded(kEntropy)), Network());
  EXPECT_EQ(FormOf(Decoded(kLzvn)), "bvxn");
  EXPECT_EQ(Unpacked(Decoded(kLzvn)), Network().substr(0, 200));
}

TEST(Lzfse, UnpacksPlainBlocksAndFrames) {
  Bytes plain;
  Append(Append(plain, std::string("bvx-\3\0\0\0", 8)), "abcbvx$");
  EXPECT_EQ(Unpacked(plain), "abc");
  EXPECT_EQ(Unpacked(Framed({{Network(), Decoded(kEntropy)}, {"abc", plain}, {"xy", {'x', 'y'}}})),
            Network() + "abcxy");
}

TEST(Lzfse, NamesTheFormsThatItReads) {
  EXPECT_EQ(FormOf(Framed({})), "pbze");
  EXPECT_EQ(FormOf(Bytes{'b', 'v', 'x'}), "");
  EXPECT_EQ(FormOf(Bytes{'{', '"', 'a', '"'}), "");
}

TEST(Lzfse, RefusesBrokenStreamsWithTheirPlace) {
  Bytes longer = Decoded(kEntropy);
  longer.push_back(0);
  EXPECT_NE(Unpacked(longer).find("bytes behind the end of the stream at 0x3c9"), std::string::npos)
      << Unpacked(longer);
  Bytes other = Decoded(kLzvn);
  other[3] = 'z';
  EXPECT_NE(Unpacked(other).find("no block of a known kind at 0x0"), std::string::npos);
  const Bytes wrong = Framed({{"abcd", {'x', 'y'}}});
  EXPECT_NE(Unpacked(wrong).find("a chunk of 4 bytes unpacks to 2"), std::string::npos);
}

TEST(Lzfse, AStreamAboveTheLimitIsRefusedBeforeItIsUnpacked) {
  const auto unpacked = Unpack(Decoded(kEntropy), 1000);
  ASSERT_FALSE(unpacked.ok());
  EXPECT_EQ(unpacked.error().code, ErrorCode::kLimit);
}

TEST(Lzfse, EveryTruncationIsRefused) {
  for (const std::string_view vector : {kEntropy, kLzvn}) {
    const Bytes bytes = Decoded(vector);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(Unpack(std::span(bytes).first(size), kLimit).ok()) << size;
    }
  }
}

// For any damage, Unpack returns without a crash and within the limit.
TEST(Lzfse, DamagedStreamsAreReadOrRefused) {
  for (const std::string_view vector : {kEntropy, kLzvn}) {
    const Bytes bytes = Decoded(vector);
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (const uint8_t byte : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        Bytes damaged = bytes;
        damaged[at] = byte;
        const auto unpacked = Unpack(damaged, kLimit);
        if (unpacked.ok()) {
          EXPECT_LE(unpacked->size(), kLimit);
        }
      }
    }
  }
}

}  // namespace
}  // namespace anecheck::lzfse
