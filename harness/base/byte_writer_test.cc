#include "harness/base/byte_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace anecheck {
namespace {

using Buffer = std::vector<uint8_t>;

TEST(ByteWriter, AppendsLittleEndian) {
  ByteWriter writer;
  writer.U8(0x01);
  writer.U16(0x0302);
  writer.U32(0x07060504);
  writer.U64(0x0f0e0d0c0b0a0908);
  writer.I32(-2);
  writer.I64(-1);
  EXPECT_EQ(
      std::move(writer).Take(),
      (Buffer{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e,
              0x0f, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
}

TEST(ByteWriter, AppendsWordsAtOnce) {
  ByteWriter writer;
  writer.U32s({});
  writer.U32s(std::vector<uint32_t>{1, 0x200});
  EXPECT_EQ(std::move(writer).Take(), (std::vector<uint8_t>{1, 0, 0, 0, 0, 2, 0, 0}));
}

TEST(ByteWriter, AppendsTextAndBytes) {
  ByteWriter writer;
  writer.Text("ab");
  writer.CString("c");
  writer.Bytes(Buffer{7, 8});
  writer.Fill(2, 9);
  EXPECT_EQ(std::move(writer).Take(), (Buffer{'a', 'b', 'c', 0, 7, 8, 9, 9}));
}

}  // namespace
}  // namespace anecheck
