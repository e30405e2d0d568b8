// Tests byte order, bounds, absolute offsets and messages, and that the first error stays.
#include "harness/base/byte_reader.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "harness/base/byte_writer.h"
#include "harness/base/testing/generators.h"

namespace anecheck {
namespace {

constexpr std::array<uint8_t, 16> kBytes = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88,
                                            0xff, 0xff, 0xff, 0xff, 'a',  'b',  0x00, 'c'};

TEST(ByteReader, ReadsLittleEndianInOrder) {
  ByteReader reader(kBytes);
  EXPECT_EQ(reader.U8("a"), 0x01);
  EXPECT_EQ(reader.U16("b"), 0x0302);
  EXPECT_EQ(reader.U32("c"), 0x07060504U);
  EXPECT_EQ(reader.position(), 7U);
  EXPECT_EQ(reader.remaining(), 9U);
  reader.Seek(0, "start");
  EXPECT_EQ(reader.U64("d"), 0x8807060504030201U);
  EXPECT_EQ(reader.I32("e"), -1);
  EXPECT_EQ(reader.CString("f"), "ab");
  EXPECT_EQ(reader.U8("g"), 'c');
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.status().ok());
}

TEST(ByteReader, ReadsAllWordsOrNone) {
  const std::vector<uint8_t> bytes = {1, 0, 0, 0, 0, 2, 0, 0, 3};
  std::vector<uint32_t> words(2);
  ByteReader reader(bytes);
  reader.U32s(words, "words");
  EXPECT_EQ(words, (std::vector<uint32_t>{1, 0x200}));
  EXPECT_EQ(reader.position(), 8u);
  reader.U32s(words, "words");
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(words, (std::vector<uint32_t>{1, 0x200}));
}

TEST(ByteReader, ReadsSigned64) {
  ByteReader reader(kBytes);
  EXPECT_EQ(reader.I64("a"), static_cast<int64_t>(0x8807060504030201U));
}

TEST(ByteReader, BytesAreAViewOfTheInput) {
  ByteReader reader(kBytes);
  reader.Skip(2, "lead");
  const auto bytes = reader.Bytes(3, "body");
  EXPECT_EQ(bytes.data(), kBytes.data() + 2);
  EXPECT_EQ(bytes.size(), 3U);
  EXPECT_EQ(reader.position(), 5U);
  EXPECT_EQ(reader.all().data(), kBytes.data());
  EXPECT_EQ(reader.size(), kBytes.size());
}

TEST(ByteReader, ShortReadNamesFieldNeedAndAbsoluteOffset) {
  const std::vector<uint8_t> bytes(0x1fc);
  ByteReader file(bytes);
  ByteReader segment = file.Sub(0x1c0, 0x3c, "segment", 2);
  EXPECT_EQ(segment.base(), 0x1c0U);
  segment.Skip(0x38, "lead");
  EXPECT_EQ(segment.offset(), 0x1f8U);
  EXPECT_EQ(segment.U64("fileoff"), 0U);
  EXPECT_EQ(segment.status().error().message, "segment[2].fileoff: need 8 bytes at 0x1f8, 4 left");
  EXPECT_EQ(segment.status().error().offset, 0x1f8U);
  EXPECT_EQ(segment.status().error().code, ErrorCode::kTruncated);
  EXPECT_TRUE(file.ok()) << "a failed read of a part does not fail the whole";
}

TEST(ByteReader, ContextWithoutIndexIsAPlainPrefix) {
  ByteReader reader({}, 0x40, "header");
  reader.U8("magic");
  EXPECT_EQ(reader.status().error().message, "header.magic: need 1 byte at 0x40, 0 left");
}

TEST(ByteReader, TheFirstErrorStays) {
  ByteReader reader(kBytes);
  reader.Skip(15, "lead");
  EXPECT_EQ(reader.U16("first"), 0);
  const std::string message = reader.status().error().message;
  EXPECT_EQ(reader.U8("second"), 0) << "one byte is left, but the reader has failed";
  EXPECT_TRUE(reader.Bytes(0, "third").empty());
  EXPECT_TRUE(reader.CString("fourth").empty());
  reader.Seek(0, "fifth");
  EXPECT_FALSE(reader.CheckCount(0, 1, "sixth"));
  reader.Fail(ErrorCode::kMalformed, "seventh", "late");
  EXPECT_FALSE(reader.Sub(0, 1, "eighth").ok());
  EXPECT_EQ(reader.position(), 15U);
  EXPECT_EQ(reader.status().error().message, message);
  EXPECT_EQ(message, "first: need 2 bytes at 0xf, 1 left");
}

TEST(ByteReader, CStringNeedsATerminatingNul) {
  ByteReader endless(std::span<const uint8_t>(kBytes).subspan(15));
  EXPECT_EQ(endless.CString("name"), "");
  EXPECT_EQ(endless.status().error().message, "name: no NUL in 1 byte");
  EXPECT_EQ(endless.status().error().code, ErrorCode::kTruncated);

  ByteReader limited(std::span<const uint8_t>(kBytes).subspan(12));
  EXPECT_EQ(limited.CString("name", 2), "");
  EXPECT_EQ(limited.status().error().code, ErrorCode::kMalformed);

  ByteReader exact(std::span<const uint8_t>(kBytes).subspan(12));
  EXPECT_EQ(exact.CString("name", 3), "ab");
  EXPECT_EQ(exact.position(), 3U);

  ByteReader empty(std::span<const uint8_t>{});
  EXPECT_EQ(empty.CString("name"), "");
  EXPECT_FALSE(empty.ok());
}

TEST(ByteReader, SeekAllowsTheEndAndNothingBeyond) {
  ByteReader reader(kBytes, 0x100);
  reader.Seek(16, "end");
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.AtEnd());
  reader.Seek(17, "strings");
  EXPECT_EQ(reader.status().error().message, "strings: points to 0x111, past the end at 0x110");
}

TEST(ByteReader, SubKeepsTheBaseAndStaysInside) {
  ByteReader reader(kBytes, 0x100);
  ByteReader part = reader.Sub(12, 4, "tail");
  EXPECT_EQ(part.offset(), 0x10cU);
  EXPECT_EQ(part.CString("text"), "ab");
  EXPECT_EQ(reader.position(), 0U);

  ByteReader outside = reader.Sub(12, 5, "tail");
  EXPECT_FALSE(outside.ok());
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.status().error().message, "tail: range 0x10c + 0x5 ends past 0x110");
  EXPECT_EQ(outside.status().error().message, reader.status().error().message);
  EXPECT_EQ(outside.size(), 0U);
}

TEST(ByteReader, SubCannotWrapAround) {
  ByteReader reader(kBytes);
  EXPECT_FALSE(reader.Sub(8, UINT64_MAX - 4, "wrap").ok());
  ByteReader other(kBytes);
  EXPECT_FALSE(other.Sub(UINT64_MAX, 2, "wrap").ok());
}

TEST(ByteReader, CountsAreCappedByTheBytesLeft) {
  ByteReader reader(kBytes);
  EXPECT_TRUE(reader.CheckCount(4, 4, "records"));
  EXPECT_TRUE(reader.CheckCount(UINT64_MAX, 0, "empty records"));
  EXPECT_FALSE(reader.CheckCount(uint64_t{1} << 62, 4, "records"));
  EXPECT_EQ(reader.status().error().message,
            "records: 4611686018427387904 records of 4 bytes at 0x0, 16 bytes left");
}

TEST(ByteReader, FailReportsTheMessageOfTheFormat) {
  ByteReader reader(kBytes, 0x20, "command", 3);
  reader.U32("kind");
  reader.Fail(ErrorCode::kUnsupported, "kind", "unknown kind 0x4030201");
  EXPECT_EQ(reader.status().error().message, "command[3].kind: unknown kind 0x4030201");
  EXPECT_EQ(reader.status().error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(reader.status().error().offset, 0x24U);
}

RC_GTEST_PROP(ByteReader, ReadsBackTheOutputOfTheWriter, ()) {
  const auto a = *rc::gen::arbitrary<uint8_t>();
  const auto b = *rc::gen::arbitrary<uint16_t>();
  const auto c = *rc::gen::arbitrary<uint32_t>();
  const auto d = *rc::gen::arbitrary<uint64_t>();
  const auto e = *rc::gen::arbitrary<int32_t>();
  const auto f = *rc::gen::arbitrary<int64_t>();
  const auto g = *testing::AnyBytes();
  ByteWriter writer;
  writer.U8(a);
  writer.U16(b);
  writer.U32(c);
  writer.U64(d);
  writer.I32(e);
  writer.I64(f);
  writer.Bytes(g);
  ByteReader reader(writer.bytes());
  RC_ASSERT(reader.U8("a") == a);
  RC_ASSERT(reader.U16("b") == b);
  RC_ASSERT(reader.U32("c") == c);
  RC_ASSERT(reader.U64("d") == d);
  RC_ASSERT(reader.I32("e") == e);
  RC_ASSERT(reader.I64("f") == f);
  const auto rest = reader.Bytes(g.size(), "g");
  RC_ASSERT(std::equal(rest.begin(), rest.end(), g.begin(), g.end()));
  RC_ASSERT(reader.AtEnd() && reader.ok());
}

RC_GTEST_PROP(ByteReader, StaysInsideItsBytes, ()) {
  const auto bytes = *testing::AnyBytes();
  const auto steps = *rc::gen::arbitrary<std::vector<std::pair<uint8_t, uint16_t>>>();
  ByteReader reader(bytes, 1000);
  for (const auto& [kind, amount] : steps) {
    const bool was_ok = reader.ok();
    const uint64_t before = reader.position();
    switch (kind % 6) {
      case 0:
        reader.U32("field");
        break;
      case 1:
        reader.Bytes(amount, "field");
        break;
      case 2:
        reader.CString("field", amount);
        break;
      case 3:
        reader.Seek(amount, "field");
        break;
      case 4:
        reader.Sub(amount % 64, amount / 64, "field").U8("inner");
        break;
      default:
        reader.U64("field");
        break;
    }
    RC_ASSERT(reader.position() <= bytes.size());
    RC_ASSERT(reader.offset() == 1000 + reader.position());
    RC_ASSERT(was_ok || (!reader.ok() && reader.position() == before));
  }
}

}  // namespace
}  // namespace anecheck
