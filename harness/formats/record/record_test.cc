// Tests records of fixed layout: the JSON form is lossless, and the error for wrong JSON has the
// path of the wrong member.

#include "harness/formats/record/record.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/base/testing/generators.h"

namespace anecheck {
namespace {

constexpr RecordField kFields[] = {
    {"count", 0, 4, RecordKind::kNumber},
    {"address", 8, 8, RecordKind::kHex},
    {"name", 20, 3, RecordKind::kBytes},
};

TEST(Record, JsonHasFieldsByNameAndOtherBytesAsOpaqueRuns) {
  Bytes bytes(32, 0);
  bytes[0] = 7;
  bytes[9] = 0x20;
  bytes[20] = 'a';
  bytes[4] = 0xee;
  bytes[31] = 0x01;
  const Json json = RecordToJson(kFields, bytes);
  EXPECT_EQ(json.dump(),
            "{\"count\":7,\"address\":\"0x2000\",\"name\":\"610000\",\"opaque\":["
            "{\"offset\":\"0x4\",\"bytes\":\"ee\"},{\"offset\":\"0x1f\",\"bytes\":\"01\"}]}");
  EXPECT_EQ(RecordFromJson(kFields, json, 32, "r").value(), bytes);
  EXPECT_EQ(RecordTypedBytes(kFields), 15u);
}

RC_GTEST_PROP(Record, RoundTrips, ()) {
  const Bytes bytes = *testing::BytesOfSize(48);
  const Result<Bytes> back = RecordFromJson(kFields, RecordToJson(kFields, bytes), 48, "r");
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == bytes);
}

constexpr RecordField kSurfaces[] = {{"surfaces", 4, 24, RecordKind::kSparse, 4}};

TEST(Record, SparseFieldsNameTheNumbersThatAreNotZero) {
  Bytes bytes(28, 0);
  bytes[4] = 9;
  bytes[24] = 0x10;
  const Json json = RecordToJson(kSurfaces, bytes);
  EXPECT_EQ(json.dump(), "{\"surfaces\":{\"0\":9,\"5\":16},\"opaque\":[]}");
  EXPECT_EQ(RecordFromJson(kSurfaces, json, 28, "r").value(), bytes);
  for (const char* index : {"6", "-1", "", "1x", "0x1"}) {
    const Json bad = {{"surfaces", {{index, 1}}}, {"opaque", Json::array()}};
    EXPECT_NE(RecordFromJson(kSurfaces, bad, 28, "r").error().message.find("no index below 6"),
              std::string::npos)
        << index;
  }
  const Json wide = {{"surfaces", {{"1", 4294967296}}}, {"opaque", Json::array()}};
  EXPECT_NE(RecordFromJson(kSurfaces, wide, 28, "r").error().message.find("does not fit"),
            std::string::npos);
}

RC_GTEST_PROP(Record, SparseFieldsRoundTrip, ()) {
  const Bytes bytes = *testing::BytesOfSize(28);
  RC_ASSERT(*RecordFromJson(kSurfaces, RecordToJson(kSurfaces, bytes), 28, "r") == bytes);
}

TEST(Record, BadJsonNamesTheMember) {
  const Json good = RecordToJson(kFields, Bytes(32, 0));
  const struct {
    const char* member;
    Json value;
    const char* message;
  } rows[] = {
      {"count", -1, "r.count"},
      {"count", 4294967296, "does not fit in 4 bytes"},
      {"address", "0x", "r.address"},
      {"name", "61", "needs 3 bytes, has 1"},
      {"name", "6100zz", "no hexadecimal digit at character 4"},
      {"name", "61000", "odd number"},
      {"name", 3, "needs hexadecimal digits"},
      {"cuont", 1, "has no member \"cuont\""},
      {"opaque", Json::array({{{"offset", "0x1f"}, {"bytes", "0102"}}}), "leaves the record"},
      {"opaque", Json::array({{{"offset", "0x0"}, {"bytes", "01"}}}), "belongs to a named field"},
      {"opaque", Json::array({5}), "needs objects"},
  };
  for (const auto& row : rows) {
    Json bad = good;
    bad[row.member] = row.value;
    const Result<Bytes> result = RecordFromJson(kFields, bad, 32, "r");
    ASSERT_FALSE(result.ok()) << row.member;
    EXPECT_NE(result.error().message.find(row.message), std::string::npos)
        << result.error().message;
  }
  Json missing = good;
  missing.erase("count");
  EXPECT_EQ(RecordFromJson(kFields, missing, 32, "r").error().message, "r.count: is missing");
  EXPECT_FALSE(RecordFromJson(kFields, Json::array(), 32, "r").ok());
}

}  // namespace
}  // namespace anecheck
