// Tests everything that is derived from the definition of a record: bytes, JSON in both directions,
// offsets, print and facts.

#include "harness/formats/record/typed_record.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck {
namespace {

struct Sample {
  std::array<char, 4> name = {};
  uint32_t kind = 0;  // two bytes in the file
  uint32_t count = 0;
  uint32_t end = 0;
  uint64_t address = 0;
  uint32_t flags = 0;
  std::array<uint8_t, 2> tail = {};
};

constexpr auto kSample =
    RecordOf<Sample>("a specification", FactEvidence::kRealFile, Field{"name", &Sample::name},
                     Stored<uint16_t>("kind", &Sample::kind, RecordKind::kNumber),
                     Field{"count", &Sample::count, RecordKind::kNumber, FieldRole::kCounted},
                     Field{"end", &Sample::end, RecordKind::kHex, FieldRole::kFollows},
                     Field{"address", &Sample::address, RecordKind::kHex},
                     Field{"flags", &Sample::flags, RecordKind::kHex, FieldRole::kUnlessZero,
                           FactEvidence::kAssumed, "a guess"},
                     Field{"tail", &Sample::tail, RecordKind::kBytes});
static_assert(kSample.kSize == 28);
static_assert(kSample.OffsetOf("name") == 0 && kSample.OffsetOf("end") == 10);

constexpr Sample kOne = {{'a', 'b'}, 7, 3, 0x20, 0x4000, 0, {1, 2}};

Bytes Written(const Sample& sample) {
  ByteWriter writer;
  kSample.Write(sample, writer);
  return std::move(writer).Take();
}

TEST(TypedRecord, FieldsFollowEachOtherLittleEndian) {
  const Bytes bytes = Written(kOne);
  EXPECT_EQ(HexText(bytes),
            "6162000007000300000020000000004000000000000000000000"
            "0102");
  ByteReader reader(bytes);
  Sample read;
  kSample.Read(reader, read);
  EXPECT_TRUE(reader.ok() && reader.AtEnd());
  EXPECT_EQ(Written(read), bytes);
}

TEST(TypedRecord, AShortRecordNamesTheFieldThatIsCut) {
  const Bytes bytes = Written(kOne);
  ByteReader reader(ByteSpan(bytes).first(12), 0, "sample");
  Sample read;
  kSample.Read(reader, read);
  EXPECT_NE(reader.status().error().message.find("sample.end"), std::string::npos);
}

Json JsonOf(const Sample& sample, const Sample& laid) {
  Json json = Json::object();
  kSample.ToJson(sample, laid, json);
  return json;
}

TEST(TypedRecord, JsonHasFollowingValuesUnderDerived) {
  EXPECT_EQ(JsonOf(kOne, kOne).dump(),
            "{\"name\":\"ab\",\"kind\":7,\"address\":\"0x4000\",\"tail\":\"0102\","
            "\"derived\":{\"count\":3,\"end\":\"0x20\"}}");
  Sample other = kOne;
  other.end = 0x24;
  EXPECT_EQ(JsonOf(other, kOne)["end"], "0x24");
}

RC_GTEST_PROP(TypedRecord, JsonAndFollowingValuesGiveTheRecord, ()) {
  const Bytes bytes = *testing::BytesOfSize(kSample.kSize);
  ByteReader reader(bytes);
  Sample sample;
  kSample.Read(reader, sample);
  Sample laid;
  laid.count = sample.count;
  laid.end = *rc::gen::element(sample.end, 5u);
  const Json json = JsonOf(sample, laid);
  Status status;
  JsonFields fields(json, "", &status);
  Sample back;
  kSample.FromJson(fields, back);
  fields.RefuseOthers();
  kSample.FollowingFromJson(fields, laid, back);
  RC_ASSERT(status.ok());
  RC_ASSERT(Written(back) == bytes);
}

TEST(TypedRecord, BadJsonNamesTheMember) {
  const struct {
    const char* member;
    Json value;
    const char* message;
  } rows[] = {
      {"name", "abcde", "r.name: is longer than 4 bytes"},
      {"kind", 65536, "r.kind: must be a number from 0 to 65535"},
      {"tail", "01", "r.tail: needs 2 bytes, has 1"},
      {"odd", 1, "r.odd: is an unknown member"},
  };
  for (const auto& row : rows) {
    Json json = JsonOf(kOne, kOne);
    json[row.member] = row.value;
    Status status;
    JsonFields fields(json, "r", &status);
    Sample read;
    kSample.FromJson(fields, read);
    fields.RefuseOthers();
    ASSERT_FALSE(status.ok()) << row.member;
    EXPECT_NE(status.error().message.find(row.message), std::string::npos)
        << status.error().message;
  }
}

TEST(TypedRecord, FactsNameEachFieldWithItsOwnSourceOrThatOfTheRecord) {
  std::vector<FieldFact> facts;
  kSample.AddFacts("list[]", FactEvidence::kPublicNotes, facts);
  ASSERT_EQ(facts.size(), 9u);
  EXPECT_EQ(facts[0].path, "list[].name");
  EXPECT_EQ(facts[0].evidence, FactEvidence::kPublicNotes);
  EXPECT_EQ(facts[3].path, "list[].derived.count");
  EXPECT_EQ(facts[7].path, "list[].flags");
  EXPECT_EQ(facts[7].evidence, FactEvidence::kAssumed);
  facts.clear();
  kSample.AddRecordFacts("head", FactEvidence::kRealFile, facts);
  ASSERT_EQ(facts.size(), 2u) << "the field with its own source, and the record";
  EXPECT_EQ(facts[0].path, "head.flags");
  EXPECT_EQ(facts[1].path, "head");
}

TEST(TypedRecord, PrintLeavesOutFieldsThatAreUsuallyZero) {
  EXPECT_EQ(kSample.Print(kOne), "name ab, kind 7, count 3, end 0x20, address 0x4000, tail 0102");
}

}  // namespace
}  // namespace anecheck
