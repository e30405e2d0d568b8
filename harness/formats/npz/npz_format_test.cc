// Tests the format entry of npz: the JSON form is lossless, and each rule finds its violations.
#include "harness/formats/npz/npz_format.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/formats/npz/npz.h"
#include "harness/formats/npz/zip.h"

namespace anecheck {
namespace {

using npz::ElementType;
using npz::NamedArray;
using npz::ZipArchive;

const Format& F() { return kFormat_npz; }

Bytes Archive(bool compress) {
  const std::vector<NamedArray> arrays = {{"x", {ElementType::kFloat16, {2}, {0, 0x3c, 0, 0}}},
                                          {"y", {ElementType::kInt8, {}, {9}}}};
  return *npz::WriteNpz(arrays, compress);
}

Bytes SingleArray() { return *npz::WriteNpy({ElementType::kFloat16, {2}, {0, 0x3c, 0, 0}}); }

std::vector<std::string_view> BrokenRules(ByteSpan bytes) {
  std::vector<std::string_view> ids;
  const auto violations = F().verify(bytes);
  EXPECT_TRUE(violations.ok());
  for (const Violation& violation : *violations) ids.push_back(violation.rule->id);
  return ids;
}

using Ids = std::vector<std::string_view>;

TEST(NpzFormat, RecognisesItsFiles) {
  EXPECT_EQ(F().recognise(Archive(true), ""), 100);
  EXPECT_EQ(F().recognise(SingleArray(), ""), 100);
  ZipArchive other;
  ASSERT_TRUE(npz::AddToZip(other, "a.txt", Bytes{1}, false).ok());
  ASSERT_TRUE(npz::FinishZip(other).ok());
  EXPECT_LT(F().recognise(npz::WriteZip(other), "a.zip"), 50);
  EXPECT_EQ(F().recognise(npz::WriteZip(other), "a.npz"), 100);
  EXPECT_EQ(F().recognise({}, ""), 0);
  EXPECT_GT(F().recognise({}, "a.npz"), 0);
}

TEST(NpzFormat, NothingIsLostThroughJson) {
  for (const Bytes& bytes : {Archive(false), Archive(true), SingleArray()}) {
    EXPECT_EQ(*F().rewrite(bytes), bytes);
    const auto json = F().to_json(bytes);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ((*json)["format"], "npz");
    const auto back = F().from_json(*json);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, bytes);
    EXPECT_TRUE(BrokenRules(bytes).empty());
  }
}

TEST(NpzFormat, UnusualHeadersAndNamesAreKept) {
  const std::string header = "{\"shape\":(1,),\"descr\":\"<c8\",\"fortran_order\":False}";
  Bytes npy = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, static_cast<uint8_t>(header.size()), 0, 0, 0};
  npy.insert(npy.end(), header.begin(), header.end());
  npy.insert(npy.end(), 8, 0);
  ZipArchive archive;
  ASSERT_TRUE(npz::AddToZip(archive, "\xe9\xff.npy", npy, false).ok());
  ASSERT_TRUE(npz::FinishZip(archive).ok());
  for (const Bytes& bytes : {npy, npz::WriteZip(archive)}) {
    const auto json = F().to_json(bytes);
    ASSERT_TRUE(json.ok());
    const auto back = F().from_json(*json);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, bytes);
  }
}

// Expects that the JSON form, written as UTF-8 text and read again, results in the same file.
void ExpectKeptThroughText(const Bytes& bytes) {
  const auto json = F().to_json(bytes);
  ASSERT_TRUE(json.ok());
  const auto reread = ParseJson(DumpJson(*json), "npz");
  ASSERT_TRUE(reread.ok()) << reread.error().message;
  const auto back = F().from_json(*reread);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, bytes);
}

TEST(NpzFormat, WrongChecksumsAndDamagedHeadersAreKept) {
  ZipArchive archive = *npz::ParseZip(Archive(false));
  for (const bool in_local : {false, true}) {
    ZipArchive wrong = archive;
    (in_local ? wrong.entries[0].local : wrong.entries[0].central).crc32 ^= 0x80;
    ExpectKeptThroughText(npz::WriteZip(wrong));
  }
  // This byte in the element type is not UTF-8. It also makes the checksum wrong.
  Bytes& member = archive.entries[0].data;
  const std::string_view descr = "'<f2'";
  const auto at = std::search(member.begin(), member.end(), descr.begin(), descr.end());
  ASSERT_NE(at, member.end());
  at[2] = 0xef;
  ExpectKeptThroughText(npz::WriteZip(archive));
  ExpectKeptThroughText(member);
}

TEST(NpzFormat, AnyNumberOfSpacesIsKept) {
  for (const size_t spaces : {size_t{0}, size_t{65535}, size_t{65536}, size_t{70000}}) {
    const std::string text =
        npz::HeaderDict("|u1", false, std::vector<uint64_t>{1}) + std::string(spaces, ' ') + '\n';
    Bytes npy = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0};
    for (int i = 0; i < 4; ++i) npy.push_back(static_cast<uint8_t>(text.size() >> (8 * i)));
    npy.insert(npy.end(), text.begin(), text.end());
    npy.push_back(7);
    ExpectKeptThroughText(npy);
  }
  Json json = F().to_json(SingleArray()).value();
  json["array"]["padding"] = 65536;
  EXPECT_EQ(F().from_json(json).error().message,
            "array.padding: must be a number from 0 to 65535 or a \"0x\" string");
}

TEST(NpzFormat, EditsOfTheJsonChangeTheFile) {
  auto json = F().to_json(SingleArray());
  ASSERT_TRUE(json.ok());
  (*json)["array"]["shape"] = {2, 1};
  const auto bytes = F().from_json(*json);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(npz::ReadNpy(*bytes)->shape, (std::vector<uint64_t>{2, 1}));

  auto archive = F().to_json(Archive(false));
  ASSERT_TRUE(archive.ok());
  (*archive)["entries"][0]["array"]["data"] = "ADwAQA==";
  EXPECT_EQ(BrokenRules(*F().from_json(*archive)), (Ids{"content-as-stated"}));
}

TEST(NpzFormat, WrongJsonIsAnErrorThatNamesTheMember) {
  const auto json = F().to_json(Archive(false));
  ASSERT_TRUE(json.ok());
  const auto message = [](const Json& bad) { return F().from_json(bad).error().message; };
  EXPECT_EQ(message(Json()), "document: must be an object");
  Json bad = *json;
  bad["entries"][0]["local"]["method"] = 70000;
  EXPECT_EQ(message(bad),
            "entries[0].local.method: must be a number from 0 to 65535 or a \"0x\" string");
  bad = *json;
  bad["entries"][1]["central"].erase("name");
  EXPECT_EQ(message(bad), "entries[1].central.name: is missing");
  bad = *json;
  bad["comment"] = "?";
  EXPECT_NE(message(bad).find("comment: base64"), std::string::npos);
  bad = *json;
  bad["entries"] = 3;
  EXPECT_EQ(message(bad), "entries: must be an array");
  bad = *json;
  bad["entries"][0]["array"]["shape"] = "x";
  EXPECT_EQ(message(bad), "entries[0].array.shape: must be an array");
  bad = *json;
  bad["entries"][0]["array"]["fortran_order"] = 1;
  EXPECT_EQ(message(bad), "entries[0].array.fortran_order: must be true or false");
}

TEST(NpzFormat, EachRuleFindsItsViolations) {
  const auto archive = npz::ParseZip(Archive(false));
  ASSERT_TRUE(archive.ok());

  ZipArchive changed = *archive;
  changed.entries[0].local.crc32 ^= 1;
  EXPECT_EQ(BrokenRules(npz::WriteZip(changed)), (Ids{"headers-agree"}));

  changed = *archive;
  changed.entries[1].data.back() ^= 1;
  EXPECT_EQ(BrokenRules(npz::WriteZip(changed)), (Ids{"content-as-stated"}));

  changed = *archive;
  changed.entries[1].local.name = changed.entries[1].central.name = "x.npy";
  EXPECT_EQ(BrokenRules(npz::WriteZip(changed)), (Ids{"unique-names"}));

  changed = *archive;
  changed.gap_before_directory = {};
  changed.entries[0].gap_before = {0};
  for (auto& entry : changed.entries) ++entry.local_offset;
  ++changed.directory_offset;
  const Bytes shifted = npz::WriteZip(changed);
  EXPECT_EQ(BrokenRules(shifted), (Ids{"no-gaps"}));
  EXPECT_TRUE(F().verify(shifted)->front().IsWarning());

  ZipArchive text;
  ASSERT_TRUE(npz::AddToZip(text, "a.txt", Bytes{1}, false).ok());
  ASSERT_TRUE(npz::AddToZip(text, "b.npy", Bytes{1}, false).ok());
  ASSERT_TRUE(npz::FinishZip(text).ok());
  EXPECT_EQ(BrokenRules(npz::WriteZip(text)), (Ids{"member-is-array", "member-is-array"}));

  Bytes unaligned = SingleArray();
  unaligned.erase(unaligned.begin() + 100);
  --unaligned[8];
  EXPECT_EQ(BrokenRules(unaligned), (Ids{"elements-aligned"}));
}

TEST(NpzFormat, ListsItsArrays) {
  EXPECT_EQ(*F().print(SingleArray()), "npy array <f2 (2), 4 bytes\n");
  EXPECT_EQ(*F().print(Archive(false)),
            "npz archive, 2 members\n"
            "  x.npy at 0x0: <f2 (2), 4 bytes\n"
            "  y.npy at 0xa7: |i1 (), 1 byte\n");
}

// Returns an array file of version 2.
Bytes ArrayFile(const std::string& header, size_t data) {
  Bytes npy = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0};
  for (int i = 0; i < 4; ++i) npy.push_back(static_cast<uint8_t>(header.size() >> (8 * i)));
  npy.insert(npy.end(), header.begin(), header.end());
  npy.resize(npy.size() + data);
  return npy;
}

Bytes CompressedMember(const Bytes& content) {
  ZipArchive archive;
  EXPECT_TRUE(npz::AddToZip(archive, "x.npy", content, true).ok());
  EXPECT_TRUE(npz::FinishZip(archive).ok());
  return npz::WriteZip(archive);
}

std::string Header(std::string_view descr, uint64_t extent, size_t spaces) {
  return npz::HeaderDict(descr, false, std::vector<uint64_t>{extent}) + std::string(spaces, ' ') +
         '\n';
}

TEST(NpzFormat, CompressedMembersAreCheckedToTheirEnd) {
  constexpr size_t kZeros = 5'000'000;
  const Bytes whole = CompressedMember(
      *npz::WriteNpy({ElementType::kInt8, {kZeros}, std::vector<uint8_t>(kZeros)}));
  ASSERT_LT(whole.size(), 10'000u);
  EXPECT_TRUE(BrokenRules(whole).empty());
  EXPECT_EQ(*F().print(whole),
            "npz archive, 1 member\n  x.npy at 0x0: |i1 (5000000), 5000000 bytes\n");
  const Bytes shorter = CompressedMember(ArrayFile(Header("|i1", kZeros, 20), kZeros - 1));
  EXPECT_EQ(BrokenRules(shorter), (Ids{"member-is-array"}));
  ZipArchive damaged = *npz::ParseZip(whole);
  damaged.entries[0].central.crc32 ^= 1;
  damaged.entries[0].local.crc32 ^= 1;
  EXPECT_EQ(BrokenRules(npz::WriteZip(damaged)), (Ids{"content-as-stated"}));
}

TEST(NpzFormat, LongHeadersOfCompressedMembersAreRefusedWithTheReason) {
  const Bytes longest = CompressedMember(ArrayFile(Header("|i1", 3, 65'400), 3));
  for (const Violation& violation : *F().verify(longest)) {
    EXPECT_EQ(violation.rule->id, "elements-aligned") << violation.message;
  }
  const Bytes longer = CompressedMember(ArrayFile(Header("|i1", 3, 70'000), 3));
  const auto violations = F().verify(longer);
  ASSERT_EQ(violations->size(), 1u);
  EXPECT_EQ(violations->front().rule->id, "member-is-array");
  EXPECT_EQ(violations->front().message,
            "x.npy: npy: the first 65545 bytes of a compressed member are read, and its header has "
            "70058");
}

TEST(NpzFormat, FaultsOfACompressedHeaderHaveAnOffsetInsideTheArchive) {
  const Bytes descr = CompressedMember(ArrayFile(Header(std::string(60'000, 'a'), 3, 0), 3));
  EXPECT_LT(F().print(descr)->size(), descr.size());
  const Bytes late = CompressedMember(ArrayFile(Header("|i1", 3, 60'000) + "?", 3));
  const auto violations = F().verify(late);
  ASSERT_EQ(violations->size(), 1u);
  EXPECT_LT(violations->front().offset, late.size()) << violations->front().message;
}

TEST(NpzFormat, CoverageCountsHeadersAsTyped) {
  const Bytes array = SingleArray();
  const auto single = F().count_bytes(array);
  ASSERT_TRUE(single.ok());
  EXPECT_EQ(single->payload, 4U);
  EXPECT_GT(single->fill, 0U) << "the spaces that align the elements";
  EXPECT_EQ(single->typed + single->fill, array.size() - 4);
  const auto archive = F().count_bytes(Archive(false));
  ASSERT_TRUE(archive.ok());
  EXPECT_EQ(archive->payload, 5U);
  EXPECT_EQ(archive->typed + archive->payload + archive->fill, archive->total);
}

RC_GTEST_PROP(NpzFormat, DamagedFilesThatParseRoundTrip, ()) {
  Bytes bytes =
      *rc::gen::element(0, 1, 2) == 0 ? SingleArray() : Archive(*rc::gen::arbitrary<bool>());
  const auto edits = *rc::gen::container<std::vector<std::pair<uint16_t, uint8_t>>>(
      3, rc::gen::arbitrary<std::pair<uint16_t, uint8_t>>());
  for (const auto& [at, value] : edits) bytes[at % bytes.size()] = value;
  const auto rewritten = F().rewrite(bytes);
  if (!rewritten.ok()) return;
  RC_ASSERT(*rewritten == bytes);
  RC_ASSERT(*F().from_json(*ParseJson(DumpJson(*F().to_json(bytes)), "npz")) == bytes);
  RC_ASSERT(F().verify(bytes).ok());
  RC_ASSERT(F().print(bytes).ok());
  const auto coverage = F().count_bytes(bytes);
  RC_ASSERT(coverage.ok());
  RC_ASSERT(coverage->typed + coverage->payload + coverage->fill <= bytes.size());
}

}  // namespace
}  // namespace anecheck
