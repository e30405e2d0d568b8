// Each byte counts once. Among its claims, the first kind of ByteKind applies.
#include "harness/formats/bytekinds/byte_kinds.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tuple>

namespace anecheck {
namespace {

// The numbers of payload, typed, fill and opaque bytes.
using Counts = std::array<uint64_t, 4>;
Counts CountsOf(const ByteCounts& counts) {
  return {counts.payload, counts.typed, counts.fill, counts.Opaque()};
}

TEST(ByteKindMap, UnclaimedZeroBytesAreFill) {
  const Bytes bytes = {0, 0, 7, 0, 9};
  EXPECT_EQ(CountsOf(ByteKindMap(bytes).Count()), (Counts{0, 0, 3, 2}));
  ByteKindMap map(bytes);
  map.Claim(ByteKind::kTyped, 0, 3);
  EXPECT_EQ(CountsOf(std::move(map).Count()), (Counts{0, 3, 1, 1}));
}

TEST(ByteKindMap, TheStrongestOfOverlappingClaimsCounts) {
  const Bytes bytes(16, 0);
  ByteKindMap map(bytes);
  map.Claim(ByteKind::kTyped, 0, 12);
  map.Claim(ByteKind::kTyped, 4, 4);  // a second claim of the same kind changes nothing
  map.Claim(ByteKind::kFill, 8, 2);
  map.Claim(ByteKind::kPayload, 9, 4);
  map.Claim(ByteKind::kOpaque, 1, 2);
  EXPECT_EQ(CountsOf(std::move(map).Count()), (Counts{4, 6, 4, 2}));
}

TEST(ByteKindMap, ClaimsPastTheEndAreCutOff) {
  const Bytes bytes(4, 1);
  ByteKindMap map(bytes);
  map.Claim(ByteKind::kTyped, 3, UINT64_MAX);
  map.Claim(ByteKind::kPayload, UINT64_MAX, UINT64_MAX);
  EXPECT_EQ(CountsOf(std::move(map).Count()), (Counts{0, 1, 0, 3}));
}

RC_GTEST_PROP(ByteKindMap, CountsLikeOneFlagPerByte, ()) {
  using Claim = std::tuple<uint8_t, uint8_t, uint8_t>;
  const auto bytes = *rc::gen::container<Bytes>(rc::gen::inRange<uint8_t>(0, 3));
  const auto claims = *rc::gen::container<std::vector<Claim>>(
      rc::gen::tuple(rc::gen::inRange<uint8_t>(0, kByteKinds), rc::gen::inRange<uint8_t>(0, 60),
                     rc::gen::inRange<uint8_t>(0, 30)));
  ByteKindMap map(bytes);
  std::vector<size_t> kinds(bytes.size(), kByteKinds);
  for (const auto& [kind, offset, size] : claims) {
    map.Claim(static_cast<ByteKind>(kind), offset, size);
    for (size_t i = offset; i < size_t{offset} + size && i < kinds.size(); ++i) {
      kinds[i] = std::min<size_t>(kinds[i], kind);
    }
  }
  ByteCounts expected{.total = bytes.size()};
  for (size_t i = 0; i < bytes.size(); ++i) {
    expected.payload += kinds[i] == static_cast<size_t>(ByteKind::kPayload);
    expected.typed += kinds[i] == static_cast<size_t>(ByteKind::kTyped);
    expected.fill += kinds[i] == static_cast<size_t>(ByteKind::kFill) ||
                     (kinds[i] == kByteKinds && bytes[i] == 0);
  }
  const ByteCounts counted = std::move(map).Count();
  RC_ASSERT(counted.total == bytes.size());
  RC_ASSERT(CountsOf(counted) == CountsOf(expected));
}

TEST(TextByteKinds, BytesOfOpaqueRangesCountAsOpaque) {
  // The text is ..==..== and two more bytes. White space (.) and tokens (=) have two bytes each.
  // The bytes 3 and 4 are opaque. The last two bytes belong to no piece and count as typed.
  TextByteKinds text({{3, 5}});
  for (int i = 0; i < 2; ++i) {
    text.Add(ByteKind::kFill, 2);
    text.Add(ByteKind::kTyped, 2);
  }
  EXPECT_EQ(CountsOf(std::move(text).Count(10)), (Counts{0, 5, 3, 2}));
  TextByteKinds comment;
  comment.Add(ByteKind::kOpaque, 4);
  EXPECT_EQ(CountsOf(std::move(comment).Count(4)), (Counts{0, 0, 0, 4}));
}

TEST(ByteCounts, SharesExcludeOrIncludeFill) {
  const ByteCounts counts{.total = 100, .payload = 20, .typed = 30, .fill = 40};
  EXPECT_EQ(counts.Opaque(), 10u);
  EXPECT_DOUBLE_EQ(counts.TypedShare(), 30.0 / 40);
  EXPECT_DOUBLE_EQ(counts.TypedShareWithFill(), 30.0 / 80);
  EXPECT_DOUBLE_EQ(ByteCounts{}.TypedShare(), 1.0);
}

}  // namespace
}  // namespace anecheck
