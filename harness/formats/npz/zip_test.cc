#include "harness/formats/npz/zip.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck::npz {
namespace {

constexpr uint64_t kLimit = 1 << 20;
using Buffer = std::vector<uint8_t>;

ZipArchive Sample(bool compress) {
  ZipArchive archive;
  EXPECT_TRUE(AddToZip(archive, "a", Buffer(1000, 7), compress).ok());
  EXPECT_TRUE(AddToZip(archive, "b", Buffer{1, 2, 3}, compress).ok());
  EXPECT_TRUE(FinishZip(archive).ok());
  return archive;
}

RC_GTEST_PROP(Zip, MembersReadBack, ()) {
  const auto contents = *rc::gen::arbitrary<std::vector<Buffer>>();
  const bool compress = *rc::gen::arbitrary<bool>();
  ZipArchive archive;
  for (size_t i = 0; i < contents.size(); ++i) {
    RC_ASSERT(AddToZip(archive, std::to_string(i), contents[i], compress).ok());
  }
  RC_ASSERT(FinishZip(archive).ok());
  const Buffer bytes = WriteZip(archive);
  const auto parsed = ParseZip(bytes);
  RC_ASSERT(parsed.ok());
  RC_ASSERT(parsed->entries.size() == contents.size());
  for (size_t i = 0; i < contents.size(); ++i) {
    RC_ASSERT(parsed->entries[i].central.name == std::to_string(i));
    const auto content = ExtractZip(parsed->entries[i], kLimit);
    RC_ASSERT(content.ok());
    RC_ASSERT(*content == contents[i]);
  }
  RC_ASSERT(WriteZip(*parsed) == bytes);
}

TEST(Zip, EveryFieldAndGapIsKept) {
  ZipArchive archive = Sample(false);
  archive.comment = "about it";
  archive.entries[0].gap_before = {9, 9};
  archive.entries[0].local_offset = 2;
  archive.entries[0].local.extra = {1, 2, 0, 0};
  archive.entries[1].local_offset += 2 + 4;
  archive.entries[1].central.extra = {5, 0, 1, 0, 8};
  archive.entries[1].comment = "second";
  archive.entries[1].central.time = 0x1234;
  archive.entries[1].external_attributes = 0x81a40000;
  archive.gap_before_directory = {3};
  archive.gap_before_end = {4, 5};
  archive.directory_offset += 2 + 4 + 1;
  archive.directory_size += 5 + 6;
  const Buffer bytes = WriteZip(archive);
  const auto parsed = ParseZip(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->comment, "about it");
  EXPECT_EQ(parsed->entries[0].gap_before, (Buffer{9, 9}));
  EXPECT_EQ(parsed->entries[1].central.extra, (Buffer{5, 0, 1, 0, 8}));
  EXPECT_EQ(parsed->gap_before_end, (Buffer{4, 5}));
  EXPECT_EQ(WriteZip(*parsed), bytes);
}

TEST(Zip, DirectoryOrderMayDifferFromFileOrder) {
  ZipArchive archive = Sample(false);
  std::swap(archive.entries[0], archive.entries[1]);
  const Buffer bytes = WriteZip(archive);
  const auto parsed = ParseZip(bytes);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->entries[0].central.name, "b");
  EXPECT_EQ(*ExtractZip(parsed->entries[0], kLimit), (Buffer{1, 2, 3}));
  EXPECT_EQ(WriteZip(*parsed), bytes);
}

TEST(Zip, Zip64SizesComeFromTheExtraField) {
  ZipArchive archive = Sample(false);
  ZipFields& central = archive.entries[1].central;
  central.size = central.compressed_size = 0xffffffff;
  central.extra = {1, 0, 16, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};
  archive.directory_size += 20;
  const auto parsed = ParseZip(WriteZip(archive));
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(*ExtractZip(parsed->entries[1], kLimit), (Buffer{1, 2, 3}));
}

TEST(Zip, OverlappingMembersAreRejected) {
  ZipArchive archive = Sample(false);
  archive.entries[1].local_offset = 0;
  const auto parsed = ParseZip(WriteZip(archive));
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ErrorCode::kMalformed);
  EXPECT_NE(parsed.error().message.find("lies in another record"), std::string::npos);
}

TEST(Zip, RejectsSizesAboveTheLimitOrUnlikeTheStream) {
  ZipArchive archive = Sample(true);
  ZipEntry& entry = archive.entries[0];
  EXPECT_EQ(ExtractZip(entry, 999).error().code, ErrorCode::kLimit);
  entry.full_size = uint64_t{1} << 50;
  EXPECT_EQ(ExtractZip(entry, UINT64_MAX).error().code, ErrorCode::kMalformed);
  entry.full_size = 999;  // the stream is longer
  EXPECT_EQ(ExtractZip(entry, kLimit).error().code, ErrorCode::kMalformed);
  entry.full_size = 1001;  // the stream is shorter
  EXPECT_EQ(ExtractZip(entry, kLimit).error().code, ErrorCode::kMalformed);
  entry.full_size = 1000;
  EXPECT_TRUE(ExtractZip(entry, kLimit).ok());
}

TEST(Zip, ContentComesInPiecesOfBoundedSize) {
  Buffer content(1'000'000);
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<uint8_t>(i * i / 1000);
  ZipArchive archive;
  ASSERT_TRUE(AddToZip(archive, "a", content, true).ok());
  Buffer joined;
  size_t longest = 0;
  const auto take = [&](std::span<const uint8_t> piece) {
    longest = std::max(longest, piece.size());
    joined.insert(joined.end(), piece.begin(), piece.end());
  };
  ASSERT_TRUE(UnpackZip(archive.entries[0], kLimit, take).ok());
  EXPECT_TRUE(joined == content);
  EXPECT_LE(longest, size_t{1} << 16);
  archive.entries[0].central.crc32 ^= 1;
  EXPECT_EQ(UnpackZip(archive.entries[0], kLimit, take).error().code, ErrorCode::kMalformed);
}

TEST(Zip, DamageIsFoundByTheChecksum) {
  ZipArchive archive = Sample(false);
  archive.entries[0].data[500] ^= 1;
  const auto parsed = ParseZip(WriteZip(archive));
  ASSERT_TRUE(parsed.ok());
  const auto content = ExtractZip(parsed->entries[0], kLimit);
  ASSERT_FALSE(content.ok());
  EXPECT_NE(content.error().message.find("a: CRC-32 of the data at 0x1f is"), std::string::npos)
      << content.error().message;
}

TEST(Zip, UnsupportedKindsAreRefusedByName) {
  ZipArchive encrypted = Sample(false);
  encrypted.entries[0].central.flags = 1;
  EXPECT_EQ(ParseZip(WriteZip(encrypted)).error().code, ErrorCode::kUnsupported);

  ZipArchive other = Sample(false);
  other.entries[0].central.method = 12;
  EXPECT_EQ(ExtractZip(other.entries[0], kLimit).error().message,
            "a: compression method 12 is not read; store or deflate the member");

  Buffer disks = WriteZip(Sample(false));
  disks[disks.size() - 18] = 1;
  EXPECT_EQ(ParseZip(disks).error().code, ErrorCode::kUnsupported);

  Buffer zip64 = WriteZip(Sample(false));
  for (size_t i = 3; i < 7; ++i) zip64[zip64.size() - i] = 0xff;
  EXPECT_EQ(ParseZip(zip64).error().code, ErrorCode::kUnsupported);
}

TEST(Zip, EveryTruncationIsAnErrorAndFlippedBitsRoundTripIfTheyParse) {
  const Buffer bytes = WriteZip(Sample(true));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseZip(std::span(bytes).first(size)).ok()) << size;
  }
  int parsed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const uint8_t flip : {0x01, 0x80, 0xff}) {
      Buffer damaged = bytes;
      damaged[i] ^= flip;
      const auto archive = ParseZip(damaged);
      if (!archive.ok()) continue;
      ++parsed;
      for (const ZipEntry& entry : archive->entries) {
        const auto content = ExtractZip(entry, kLimit);
        EXPECT_TRUE(!content.ok() || content->size() <= kLimit);
      }
      EXPECT_EQ(WriteZip(*archive), damaged) << i;
    }
  }
  EXPECT_GT(parsed, 100);
}

RC_GTEST_PROP(Zip, AnyBytesAreAnError, ()) { RC_ASSERT(!ParseZip(*testing::AnyBytes()).ok()); }

}  // namespace
}  // namespace anecheck::npz
