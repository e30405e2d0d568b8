// Tests kernel format numbers, output-channel-group records, tiles and patching.
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/round_up.h"
#include "harness/base/testing/generators.h"
#include "harness/formats/kernelweights/group_record.h"
#include "harness/formats/kernelweights/kernel_format.h"
#include "harness/formats/kernelweights/tiling.h"

namespace anecheck::kernelweights {
namespace {

TEST(KernelFormat, HasTheRangesOfTheEnumeration) {
  EXPECT_FALSE(IsKernelFormat(0));
  EXPECT_TRUE(IsKernelFormat(31));
  EXPECT_FALSE(IsKernelFormat(32));
  EXPECT_FALSE(IsPaletteFormat(6));
  EXPECT_TRUE(IsPaletteFormat(7));
  EXPECT_TRUE(IsPaletteFormat(27));
  EXPECT_FALSE(IsPaletteFormat(28));
  EXPECT_TRUE(IsUnityFormat(28));
  EXPECT_TRUE(IsUnityFormat(30));
  EXPECT_FALSE(IsUnityFormat(31));
  EXPECT_FALSE(IsPaletteFormat(0));
}

TEST(KernelFormat, KnowsTheLegalPaletteShapes) {
  uint32_t sizes = 0;
  for (uint32_t v = 0; v < 40; ++v) sizes |= IsPaletteVectorSize(v) ? 1U << v : 0U;
  EXPECT_EQ(sizes, 0x36U);
  uint32_t widths = 0;
  uint32_t e4m3_widths = 0;
  for (uint32_t b = 0; b < 16; ++b) {
    widths |= IsPaletteIndexWidth(b) ? 1U << b : 0U;
    e4m3_widths |= IsE4m3PaletteIndexWidth(b) ? 1U << b : 0U;
  }
  EXPECT_EQ(widths, 1U << 2 | 1U << 4 | 1U << 6 | 1U << 8);
  EXPECT_EQ(e4m3_widths, widths | 1U << 1 | 1U << 3);
  EXPECT_EQ(CodebookBytes(4), 32U);
  EXPECT_EQ(CodebookBytes(8), 512U);
}

TEST(KernelFormat, HasTheRouteOfEachGeneration) {
  EXPECT_EQ(RouteOf("int8 affine", Generation::kH13), Route::kFold);
  EXPECT_EQ(RouteOf("int8 affine", Generation::kA14), Route::kStream);
  EXPECT_EQ(RouteOf("int4 table", Generation::kH13), Route::kStream);
  EXPECT_EQ(RouteOf("blockwise affine", Generation::kA14), Route::kFold);
  EXPECT_EQ(RouteOf("blockwise affine", Generation::kA15AndLater), Route::kStream);
  EXPECT_EQ(RouteOf("unheard of", Generation::kA15AndLater), Route::kFold);
  EXPECT_FALSE(EncoderPacksIndexWidth(6, Generation::kH13));
  EXPECT_TRUE(EncoderPacksIndexWidth(6, Generation::kA14));
  EXPECT_EQ(UnitSections().size(), 6U);
  EXPECT_EQ(UnitTypeNumbers().size(), 7U);
}

TEST(GroupRecord, HasFourteenWords) {
  const GroupRecord record = UnloadedGroupRecord(0x200, 4);
  const Bytes bytes = WriteGroupRecords(std::vector{record, record});
  EXPECT_EQ(bytes.size(), 2 * 14U * 4U);
  EXPECT_EQ(bytes[1], 0x02);
  EXPECT_EQ(bytes[8], 0xff);
  EXPECT_EQ(bytes[48], 0x00);
  EXPECT_EQ(ParseGroupRecords(bytes).value(), (std::vector{record, record}));
  EXPECT_FALSE(ParseGroupRecords(ByteSpan(bytes).first(57)).ok());
}

RC_GTEST_PROP(GroupRecord, AnyBytesRoundTrip, ()) {
  const Bytes bytes = *testing::BytesOfSize(kGroupRecordBytes * *rc::gen::inRange<size_t>(0, 5));
  RC_ASSERT(WriteGroupRecords(ParseGroupRecords(bytes).value()) == bytes);
}

TEST(Tiles, HaveThePublishedStridesAndCounts) {
  EXPECT_EQ(PublishedTileStride(WeightKind::kConvolution), 0xC0U);
  EXPECT_EQ(PublishedTileStride(WeightKind::kMatrixMultiply), 0x40U);
  EXPECT_EQ(TileCount(512), 16U);
  EXPECT_EQ(TileCount(3), 3U);
  EXPECT_EQ(TileCountOfSpecification(16), 8U);
}

// Specification 000 has 16 sub-kernels at a stride of 512. 64 of the 8192 bytes are not zero.
TEST(Tiles, MakeTheBankOfTheIdentityLayer) {
  std::vector<Bytes> lanes(16, Bytes(512, 0));
  for (size_t lane = 0; lane < 16; ++lane) {
    for (size_t row = 0; row < 4; ++row) lanes[lane][(row * 64 + lane * 4 + row) * 2 + 1] = 0x3c;
  }
  const Bytes bank = Tile(lanes, 512).value();
  EXPECT_EQ(bank.size(), 8192U);
  EXPECT_EQ(std::ranges::count(bank, 0x3c), 64);
  EXPECT_EQ(std::ranges::count(bank, 0), 8192 - 64);
}

TEST(Tiles, BadRegionsAreRefused) {
  EXPECT_TRUE(CheckRegion({64, 192, 2, 130}, 448).ok());
  EXPECT_FALSE(CheckRegion({64, 192, 2, 130}, 447).ok());
  EXPECT_FALSE(CheckRegion({32, 192, 1, 130}, 4096).ok());
  EXPECT_FALSE(CheckRegion({64, 100, 1, 50}, 4096).ok());
  EXPECT_FALSE(CheckRegion({64, 0, 1, 0}, 4096).ok());
  EXPECT_FALSE(CheckRegion({64, 64, 1, 65}, 4096).ok());
  EXPECT_FALSE(CheckRegion({64, 64, UINT32_MAX, 1}, 4096).ok());
  EXPECT_FALSE(Tile(std::vector<Bytes>{Bytes(3), Bytes(4)}, 64).ok());
  EXPECT_FALSE(Tile(std::vector<Bytes>{Bytes(65)}, 64).ok());
}

RC_GTEST_PROP(Tiles, PatchingChangesTheTilesAndNothingElse, ()) {
  TileRegion region;
  region.offset = 64 * *rc::gen::inRange<uint64_t>(0, 4);
  region.count = *rc::gen::inRange<uint32_t>(1, 17);
  region.tile_bytes = *rc::gen::inRange<uint64_t>(0, 200);
  region.stride = RoundUp(region.tile_bytes, kTileGranule) + 64 * *rc::gen::inRange<uint64_t>(0, 2);
  RC_PRE(region.stride != 0U);
  const Bytes before =
      *testing::BytesOfSize(region.offset + region.Size() + *rc::gen::inRange<size_t>(0, 100));
  std::vector<Bytes> lanes;
  for (uint32_t i = 0; i < region.count; ++i) {
    lanes.push_back(*testing::BytesOfSize(region.tile_bytes));
  }
  Bytes after = before;
  RC_ASSERT(PatchTiles(after, region, lanes).ok());
  RC_ASSERT(Untile(after, region).value() == lanes);
  for (size_t i = 0; i < before.size(); ++i) {
    const bool in_tile = i >= region.offset && i < region.offset + region.Size() &&
                         (i - region.offset) % region.stride < region.tile_bytes;
    if (!in_tile) RC_ASSERT(after[i] == before[i]);
  }
  // PatchTiles with the old bytes restores every byte.
  RC_ASSERT(PatchTiles(after, region, Untile(before, region).value()).ok());
  RC_ASSERT(after == before);
}

RC_GTEST_PROP(Tiles, UntilingInvertsTiling, ()) {
  const auto bytes = *rc::gen::inRange<uint64_t>(1, 300);
  std::vector<Bytes> lanes;
  for (int i = *rc::gen::inRange(1, 17); i > 0; --i) lanes.push_back(*testing::BytesOfSize(bytes));
  const uint64_t stride = RoundUp(bytes, kTileGranule);
  const Bytes bank = Tile(lanes, stride).value();
  const TileRegion region{0, stride, static_cast<uint32_t>(lanes.size()), bytes};
  RC_ASSERT(bank.size() == region.Size());
  RC_ASSERT(Untile(bank, region).value() == lanes);
}

}  // namespace
}  // namespace anecheck::kernelweights
