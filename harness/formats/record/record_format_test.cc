// Tests an invented format of five fields. A contributor writes similar code for a new format.
#include "harness/formats/record/record_format.h"

#include <gtest/gtest.h>

#include "harness/formats/testing/format_checks.h"

namespace anecheck {
namespace {

// ---- the format begins here ----
struct Gauge {
  std::array<char, 4> magic = {};
  uint16_t version = 0;
  uint16_t flags = 0;
  Half gain;
  std::array<char, 6> name = {};
};

constexpr auto kGauge = RecordOf<Gauge>(
    "no source", FactEvidence::kAssumed, Field{"magic", &Gauge::magic},
    Field{"version", &Gauge::version}, Field{"flags", &Gauge::flags, RecordKind::kHex},
    Field{"gain", &Gauge::gain}, Field{"name", &Gauge::name});

constexpr auto kRules = RulesOf<Gauge>({
    {"version-one", "The version is 1.", "no source", FactEvidence::kSpecification,
     [](const Gauge& gauge, RuleReport& broken) {
       if (gauge.version != 1) {
         broken(kGauge.OffsetOf("version"), "version {}, must be 1", gauge.version);
       }
     }},
});

constexpr RecordFormat kDefinition = {"gauge", "reading of a gauge", "GAGE", kGauge, kRules};

const Format kFormat_gauge = MakeRecordFormat<kDefinition>();
// ---- the format ends here ----

const Bytes kFile = {'G', 'A', 'G', 'E', 1, 0, 3, 0, 0, 0x3c, 'w', 'e', 's', 't', 0, 0};

TEST(RecordFormat, PassesTheChecksOfEveryFormat) {
  testing::CheckValidFile(kFormat_gauge, kFile, "west.gauge");
  testing::CheckHostileEdits(kFormat_gauge, kFile, "west.gauge");
}

TEST(RecordFormat, ShowsEveryFieldAndItsEvidence) {
  EXPECT_EQ(kFormat_gauge.to_json(kFile)->dump(),
            R"({"format":"gauge","magic":"GAGE","version":1,"flags":"0x3","gain":15360,)"
            R"("name":"west"})");
  EXPECT_EQ(*kFormat_gauge.print(kFile),
            "reading of a gauge\n  magic GAGE, version 1, flags 0x3, gain 15360, name west\n");
  EXPECT_EQ(kFormat_gauge.fields(Json()).size(), 5u);
  EXPECT_EQ(kFormat_gauge.count_bytes(kFile)->typed, kFile.size());
}

TEST(RecordFormat, ABrokenRuleNamesItsPlace) {
  Bytes bytes = kFile;
  bytes[4] = 2;
  const auto broken = kFormat_gauge.verify(bytes);
  ASSERT_EQ(broken->size(), 1u);
  EXPECT_EQ((*broken)[0].message, "version-one: version 2, must be 1");
  EXPECT_EQ((*broken)[0].offset, 4u);
}

TEST(RecordFormat, RefusesOtherLengthsAndMagicNumbers) {
  const Error cut = kFormat_gauge.verify(ByteSpan(kFile).first(9)).error();
  EXPECT_TRUE(cut.message.starts_with("gauge.gain: ")) << cut.message;
  Bytes longer = kFile;
  longer.push_back(0);
  EXPECT_EQ(kFormat_gauge.verify(longer).error().message, "gauge: 17 bytes, must have 16");
  Bytes other = kFile;
  other[0] = 'W';
  EXPECT_EQ(kFormat_gauge.verify(other).error().message, "gauge: must begin with \"GAGE\"");
  EXPECT_EQ(kFormat_gauge.recognise(other, "west.gauge"), 0);
}

}  // namespace
}  // namespace anecheck
