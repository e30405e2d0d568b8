#include "harness/formats/npz/npy.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck::npz {
namespace {

constexpr std::array kAllTypes = {
    ElementType::kFloat16, ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt8,
    ElementType::kInt16,   ElementType::kInt32,   ElementType::kInt64,   ElementType::kUint8,
    ElementType::kUint16,  ElementType::kUint32,  ElementType::kUint64,  ElementType::kBool};

std::vector<uint8_t> File(std::string_view header, std::vector<uint8_t> data, uint8_t major = 1) {
  std::vector<uint8_t> bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', major, 0};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    bytes.push_back(static_cast<uint8_t>(header.size() >> (8 * i)));
  }
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

TEST(Npy, TypesHaveNumPysNamesAndSizes) {
  const std::array<std::string_view, 12> names = {"<f2", "<f4", "<f8", "|i1", "<i2", "<i4",
                                                  "<i8", "|u1", "<u2", "<u4", "<u8", "|b1"};
  for (size_t i = 0; i < kAllTypes.size(); ++i) {
    EXPECT_EQ(ElementDescr(kAllTypes[i]), names[i]);
    EXPECT_EQ(ElementSize(kAllTypes[i]), static_cast<uint64_t>(names[i][2] - '0'));
    EXPECT_EQ(ElementTypeOfDescr(names[i]), kAllTypes[i]);
  }
  EXPECT_EQ(ElementTypeOfDescr("=f4"), ElementType::kFloat32);
  EXPECT_EQ(ElementTypeOfDescr(">u1"), ElementType::kUint8);
  EXPECT_EQ(ElementTypeOfDescr("<i1"), ElementType::kInt8);
  for (const std::string_view descr : {">f4", "|f4", "<c8", "<U3", "f4", "", "<f44"}) {
    EXPECT_EQ(ElementTypeOfDescr(descr), std::nullopt) << descr;
  }
}

TEST(Npy, WritesNumPysLayout) {
  const auto bytes = WriteNpy({ElementType::kInt16, {3}, {1, 0, 2, 0, 3, 0}});
  ASSERT_TRUE(bytes.ok());
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');  // 10 bytes before it and a line feed make 128
  EXPECT_EQ(*bytes, File(header + "\n", {1, 0, 2, 0, 3, 0}));
}

RC_GTEST_PROP(Npy, WrittenArraysReadBack, ()) {
  Array array;
  array.type = *rc::gen::elementOf(std::vector(kAllTypes.begin(), kAllTypes.end()));
  array.shape = *rc::gen::resize(
      4, rc::gen::container<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(0, 5)));
  array.data = *testing::BytesOfSize(*ElementCount(array.shape) * ElementSize(array.type));
  const auto bytes = WriteNpy(array);
  RC_ASSERT(bytes.ok());
  RC_ASSERT((bytes->size() - array.data.size()) % 64 == 0U);
  const auto read = ReadNpy(*bytes);
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == array);
}

TEST(Npy, ReadsEveryVersionAndSpelling) {
  for (const uint8_t major : {1, 2, 3}) {
    for (const std::string_view header :
         {"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 1), }   \n",
          "{\"shape\":(2,1),\"descr\":\"<u2\",\"fortran_order\":False}",
          "{'shape': (2L, 1L,), 'fortran_order': False, 'descr': '<u2',}"}) {
      const auto array = ReadNpy(File(header, {1, 2, 3, 4}, major));
      ASSERT_TRUE(array.ok()) << header << ": " << array.error().message;
      EXPECT_EQ(*array, (Array{ElementType::kUint16, {2, 1}, {1, 2, 3, 4}}));
    }
  }
  const auto scalar = ReadNpy(File("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", {1}));
  ASSERT_TRUE(scalar.ok());
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_TRUE(ReadNpy(File("{'descr': '|b1', 'fortran_order': True, 'shape': (1,), }", {1})).ok());
}

TEST(Npy, RejectsWithPlaceAndReason) {
  struct Case {
    std::string_view header;
    ErrorCode code;
    std::string_view message;
  };
  for (const Case& c : {
           Case{"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", ErrorCode::kUnsupported,
                "npy: element type '>f4' is not read; convert it with astype()"},
           Case{"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", ErrorCode::kUnsupported,
                "npy: Fortran order is not read; save numpy.ascontiguousarray() of it"},
           Case{"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
                ErrorCode::kUnsupported, "npy header: structured types are not read"},
           Case{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", ErrorCode::kMalformed,
                "npy: shape (2) of <f4 does not match 4 bytes of data at 0x141"},
           Case{"{'descr': '<f4', 'shape': (1,)}", ErrorCode::kMalformed,
                "npy header: descr, fortran_order and shape must all be there at 0x129"},
           Case{"{'descr': '<f4', 'descr': '<f4'}", ErrorCode::kMalformed,
                "npy header: key 'descr' is not expected at 0x123"},
           Case{"{'de\nscr': '<f4'}", ErrorCode::kMalformed,
                "npy header: key 'de\\x0ascr' is not expected at 0x114"},
           Case{"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", ErrorCode::kMalformed,
                "npy header: fortran_order is neither True nor False at 0x12c"},
           Case{"{'shape': (99999999999999999999,)}", ErrorCode::kMalformed,
                "npy header: a dimension does not fit in 64 bits at 0x129"},
           Case{"{'shape': (-1,)}", ErrorCode::kMalformed,
                "npy header: a dimension is not a number at 0x115"},
           Case{"{'descr': '<f4", ErrorCode::kMalformed,
                "npy header: a string has no end at 0x114"},
           Case{"{descr", ErrorCode::kMalformed, "npy header: a string is missing at 0x10b"},
           Case{"", ErrorCode::kMalformed, "npy header: '{' is missing at 0x10a"},
           Case{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", ErrorCode::kMalformed,
                "npy header: text after the dict at 0x142"},
       }) {
    const auto array = ReadNpy(File(c.header, {0, 0, 0, 0}), 0x100);
    ASSERT_FALSE(array.ok()) << c.header;
    EXPECT_EQ(array.error().message, c.message);
    EXPECT_EQ(array.error().code, c.code);
  }
}

TEST(Npy, RejectsHugeShapesWithoutAllocatingThem) {
  const auto array =
      ReadNpy(File("{'descr': '<f8', 'fortran_order': False, 'shape': "
                   "(4294967296, 4294967296, 16)}",
                   {}));
  ASSERT_FALSE(array.ok());
  EXPECT_EQ(array.error().code, ErrorCode::kMalformed);
  std::string ranks = "{'shape': (";
  for (int i = 0; i < 65; ++i) ranks += "1, ";
  EXPECT_NE(ReadNpy(File(ranks, {})).error().message.find("more than 64 dimensions"),
            std::string::npos);
}

TEST(Npy, RejectsOtherMagicAndVersion) {
  auto bytes = File("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", {1});
  bytes[6] = 4;
  EXPECT_EQ(ReadNpy(bytes).error().message, "npy.version: 4.0 is not 1.0, 2.0 or 3.0");
  bytes[0] = 'x';
  EXPECT_EQ(ReadNpy(bytes).error().message, "npy.magic: not \\x93NUMPY");
  for (size_t size = 0; size < 20; ++size) {
    EXPECT_FALSE(ReadNpy(std::span(bytes).first(size)).ok());
  }
}

TEST(Npy, WritingChecksShapeAgainstData) {
  EXPECT_EQ(WriteNpy({ElementType::kFloat16, {2}, {0, 0}}).error().code, ErrorCode::kInvalid);
  EXPECT_FALSE(WriteNpy({ElementType::kBool, std::vector<uint64_t>(65, 1), {0}}).ok());
  EXPECT_FALSE(WriteNpy({ElementType::kFloat64, {UINT64_MAX, 2}, {}}).ok());
}

}  // namespace
}  // namespace anecheck::npz
