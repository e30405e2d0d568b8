// Tests HAL tables as files: reads at described offsets only, writes of one field, the tables of
// the targets, and the differences between several tables.

#include "harness/formats/hal/hal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/base/testing/generators.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

using ::testing::HasSubstr;

HalBlob Blob(Bytes bytes = Bytes(kHalSize, 0)) { return HalBlob::Parse(bytes).value(); }

TEST(HalBlob, HasExactly0x938Bytes) {
  for (const size_t size : {0u, 0x348u, 0x937u, 0x939u}) {
    const Result<HalBlob> blob = HalBlob::Parse(Bytes(size));
    ASSERT_FALSE(blob.ok()) << size;
    EXPECT_THAT(blob.error().message, HasSubstr("table-size"));
  }
  EXPECT_TRUE(HalBlob::Parse(Bytes(kHalSize)).ok());
}

TEST(HalBlob, ReadsScalarsAtTheirWidth) {
  Bytes bytes(kHalSize, 0);
  StoreLittle(bytes, 0x238, 8, 0x1122334455667788);
  StoreLittle(bytes, 0x00c, 8, 0x1122334455667788);
  const HalBlob blob = Blob(bytes);
  EXPECT_EQ(blob.Scalar(0x238).value(), 0x1122334455667788u);
  EXPECT_EQ(blob.Scalar(0x00c).value(), 0x55667788u) << "four bytes wide";
}

// Flag accepts only named flags and unnamed capability bytes. Scalar accepts only the first byte of
// scalars and values.
TEST(HalBlob, RefusesReadsOfTheWrongKindOrPlace) {
  const HalBlob blob = Blob();
  const struct {
    uint32_t offset;
    bool flag;
    const char* why;
  } rows[] = {
      {0x600, true, "cost block"},
      {0x238, true, "belongs to num_nes"},
      {0x748, true, "pointer"},
      {0x54c, true, "value"},
      {0x938, true, "ends at 0x938"},
      {0xa30, true, "zeroed memory"},
      {0x81d, false, "texture_engine, a flag"},
      {0x239, false, "belongs to num_nes"},
      {0x940, false, "ends at 0x938"},
      {0x678, false, "nested object"},
      {0x020, false, "no source describes it"},
      {0xcf8, false, "read-only constant"},
  };
  for (const auto& row : rows) {
    const std::string message =
        row.flag ? blob.Flag(row.offset).error().message : blob.Scalar(row.offset).error().message;
    EXPECT_THAT(message, HasSubstr(row.why)) << std::hex << row.offset;
  }
  EXPECT_TRUE(blob.Flag(0x680).ok()) << "the Winograd bit is a flag inside the cost block";
  EXPECT_TRUE(blob.Flag(0x490).ok()) << "an unnamed capability byte";
}

RC_GTEST_PROP(HalBlob, WritingAFieldChangesOnlyItsBytes, ()) {
  const Bytes before = *testing::BytesOfSize(kHalSize);
  const auto fields = HalLayout::Get().fields();
  const HalField& field = fields[*rc::gen::inRange<size_t>(0, fields.size())];
  const uint64_t value = *rc::gen::arbitrary<uint64_t>();
  HalBlob blob = Blob(before);
  if (field.kind == HalKind::kScalar || field.kind == HalKind::kValue) {
    const uint64_t fits = field.width == 8 ? value : value & ((1ull << (8 * field.width)) - 1);
    RC_ASSERT(blob.SetScalar(field.offset, fits).ok());
    RC_ASSERT(blob.Scalar(field.offset).value() == fits);
  } else {
    RC_ASSERT(!blob.SetScalar(field.offset, value).ok());
  }
  for (uint32_t i = 0; i < kHalSize; ++i) {
    if (i < field.offset || i >= field.offset + field.width) {
      RC_ASSERT(blob.bytes()[i] == before[i]);
    }
  }
}

TEST(HalBlob, RefusesValuesThatDoNotFit) {
  HalBlob blob = Blob();
  EXPECT_THAT(blob.SetScalar(0x29c, 1ull << 32).error().message, HasSubstr("does not fit"));
}

RC_GTEST_PROP(HalFormat, RoundTripsAnyTable, ()) {
  const Bytes bytes = *testing::BytesOfSize(kHalSize);
  const Result<Json> json = kFormat_hal.to_json(bytes);
  RC_ASSERT(json.ok());
  const Result<Bytes> back = kFormat_hal.from_json(*json);
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == bytes);
  RC_ASSERT(*kFormat_hal.rewrite(bytes) == bytes);
}

TEST(HalImage, HoldsKnownBytesAndMarksTheRest) {
  const HalImage h13 = HalImageOf(**FindTarget("h13"));
  EXPECT_EQ(LoadLittle(h13.bytes, 0x238, 8), 4u);
  EXPECT_TRUE(h13.known[0x238]);
  EXPECT_TRUE(h13.known[0x23f]);
  EXPECT_FALSE(h13.known[0x818]) << "no source gives range normalization";
  EXPECT_FALSE(h13.known[0x748]);
  EXPECT_FALSE(h13.known[0x020]);
}

TEST(DiffHal, ComparesByteByByteAndSkipsUnknownBytes) {
  const HalImage images[] = {HalImageOf(**FindTarget("h13")), HalImageOf(**FindTarget("h14")),
                             HalImageOf(**FindTarget("u1"))};
  bool texture = false;
  for (const HalDifference& difference : DiffHal(images)) {
    ASSERT_EQ(difference.values.size(), 3u);
    EXPECT_NE(difference.field, nullptr);
    if (difference.offset == 0x81d) {
      texture = true;
      EXPECT_EQ(difference.values[0], 0);
      EXPECT_EQ(difference.values[1], 1);
      EXPECT_FALSE(difference.values[2].has_value());
    }
    EXPECT_NE(difference.offset, 0x818u);
  }
  EXPECT_TRUE(texture);
  const std::string text = DiffHalText(images);
  EXPECT_THAT(text, HasSubstr("instruction_alignment[0]"));
  EXPECT_THAT(text, HasSubstr("unknown"));
}

RC_GTEST_PROP(DiffHal, FindsExactlyTheBytesThatDiffer, ()) {
  const Bytes a = *testing::BytesOfSize(kHalSize);
  Bytes b = a;
  const auto at =
      *rc::gen::container<std::vector<size_t>>(5, rc::gen::inRange<size_t>(0, kHalSize));
  for (const size_t i : at) b[i] = static_cast<uint8_t>(b[i] + 1);
  const HalImage images[] = {HalImageOf(Blob(a), "a"), HalImageOf(Blob(b), "b")};
  size_t count = 0;
  for (size_t i = 0; i < kHalSize; ++i) count += a[i] != b[i] ? 1 : 0;
  const std::vector<HalDifference> differences = DiffHal(images);
  RC_ASSERT(differences.size() == count);
  for (const HalDifference& difference : differences) {
    RC_ASSERT(a[difference.offset] != b[difference.offset]);
  }
}

TEST(DiffHal, OfOneOrNoTableIsEmpty) {
  EXPECT_TRUE(DiffHal({}).empty());
  const HalImage one[] = {HalImageOf(**FindTarget("h13"))};
  EXPECT_TRUE(DiffHal(one).empty());
}

TEST(HalFormat, RecognisesBySizeAndConstants) {
  Bytes bytes(kHalSize, 0);
  EXPECT_EQ(kFormat_hal.recognise(bytes, "x.bin"), 0);
  EXPECT_GT(kFormat_hal.recognise(bytes, "x.hal"), 0);
  StoreLittle(bytes, 0x1c8, 8, 64);
  StoreLittle(bytes, 0x200, 8, 65536);
  EXPECT_GT(kFormat_hal.recognise(bytes, ""), 0);
  bytes.pop_back();
  EXPECT_EQ(kFormat_hal.recognise(bytes, "x.hal"), 0);
}

TEST(HalFormat, PrintNamesFieldsAndTheTargetsThatAgree) {
  HalImage image = HalImageOf(**FindTarget("h13"));
  image.bytes[0x490] = 1;
  image.bytes[0x81e] = 3;
  const std::string text = kFormat_hal.print(image.bytes).value();
  EXPECT_THAT(text, HasSubstr("agrees with every known value of: H13"));
  EXPECT_THAT(text, HasSubstr("0x238 scalar  8  num_nes"));
  EXPECT_THAT(text, HasSubstr("(dead: not read through the table)"));
  EXPECT_THAT(text, HasSubstr("unnamed capability bytes not 0: 0x490 0x81e"));
}

}  // namespace
}  // namespace anecheck
