// Elements of one byte and of two bytes in the same memory.
#include "harness/lifting/element_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace anecheck::lifting {
namespace {

using ::testing::HasSubstr;

constexpr ValueId kBools = 3, kNumbers = 4;
constexpr Surface kL2 = {.l2 = true};

class BytesAndHalves : public ::testing::Test {
 protected:
  static emulator::Pattern At(uint64_t base, uint32_t width) {
    return {.base = base, .element = width};
  }
  Status Write(uint64_t base, uint32_t width, const Element& element) {
    return elements_.Write(kL2, At(base, width), {}, {&element, 1}, "it");
  }
  Result<Elements> Read(uint64_t base, uint32_t width) {
    return elements_.Read(kL2, At(base, width), {}, "it");
  }
  void ExpectTorn(uint64_t base, uint32_t width) {
    const auto read = Read(base, width);
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(read.error().message, HasSubstr("belongs to an element of another width"));
  }

  emulator::Memory memory_;
  ElementMemory elements_{memory_};
};

TEST_F(BytesAndHalves, KeepTheirElements) {
  ASSERT_TRUE(Write(4, 2, {kNumbers, 7}).ok());
  ASSERT_TRUE(Write(9, 1, {kBools, 5}).ok());
  EXPECT_EQ(Read(4, 2).value(), (Elements{{kNumbers, 7}}));
  EXPECT_EQ(Read(9, 1).value(), (Elements{{kBools, 5}}));
}

TEST_F(BytesAndHalves, ConvertNumbers) {
  constexpr uint32_t kOne = 0x3c00, kHalf = 0x3800;
  ASSERT_TRUE(Write(1, 1, {kNoValue, kOne}).ok());
  EXPECT_EQ(Read(1, 1).value(), (Elements{{kNoValue, kOne}}));
  EXPECT_EQ(Read(0, 2).value(), (Elements{{kNoValue, 0x0100}}));
  EXPECT_FALSE(Write(1, 1, {kNoValue, kHalf}).ok());
}

TEST_F(BytesAndHalves, AreNotReadInAnotherWidth) {
  ASSERT_TRUE(Write(4, 2, {kNumbers, 7}).ok());
  ASSERT_TRUE(Write(9, 1, {kBools, 5}).ok());
  ExpectTorn(4, 1);
  ExpectTorn(5, 1);
  ExpectTorn(8, 2);
}

TEST_F(BytesAndHalves, AreLostWhereAnotherWidthCoversAPart) {
  ASSERT_TRUE(Write(4, 2, {kNumbers, 7}).ok());
  ASSERT_TRUE(Write(5, 1, {kBools, 5}).ok());
  ExpectTorn(4, 2);
  ASSERT_TRUE(Write(10, 2, {kNumbers, 7}).ok());
  ASSERT_TRUE(Write(9, 2, {kNumbers, 8}).ok());
  EXPECT_EQ(Read(9, 2).value(), (Elements{{kNumbers, 8}}));
  ExpectTorn(11, 1);
}

}  // namespace
}  // namespace anecheck::lifting
