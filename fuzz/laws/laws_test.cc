// Tests the laws that fuzz targets check. A broken law ends the process and is named, each check is
// counted, and all laws are checked on a file of a format.
#include "fuzz/laws/laws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/law_report.h"
#include "harness/base/json.h"
#include "harness/formats/td/td.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = MoreLaws(kErrorLaws, "two is two", "three is three");
using Laws = LawBook<kLaws>;

TEST(Laws, CountsEachCheck) {
  CountLaws();
  Laws::Require(true, "two is two");
  Laws::Require(true, "two is two", [] { return std::string("not told"); });
  EXPECT_EQ(LawCounts().at("two is two"), 2u);
  EXPECT_FALSE(LawCounts().contains("three is three"));
  CountLaws();
  EXPECT_TRUE(LawCounts().empty());
}

TEST(LawsDeathTest, ABrokenLawIsNamedWithItsDetail) {
  EXPECT_DEATH(Laws::Require(false, "two is two", "it is 3"), "law broken: two is two: it is 3");
  EXPECT_DEATH(Laws::Require(false, "two is two", [] { return std::string("it is 4"); }),
               "law broken: two is two: it is 4");
}

TEST(LawsDeathTest, ABrokenLawIsReportedWithItsTarget) {
  EXPECT_DEATH(
      {
        TellTarget("toy");
        Laws::Require(false, "two is two", "it is 3");
      },
      "law broken: two is two \\[toy\\]: it is 3");
}

TEST(Laws, RecordTheLawsThatAnExecutionMet) {
  laws_met = {};
  RequireGoodError(MakeError(ErrorCode::kMalformed, "a"), 1);
  EXPECT_FALSE(laws_met.compared);
  Laws::Require(true, "two is two");
  EXPECT_TRUE(laws_met.compared);
  EXPECT_FALSE(laws_met.read_again);
  EXPECT_TRUE(MeetsTextLaws(Bytes{1}));  // without sampling, laws are checked on every input
  EXPECT_TRUE(laws_met.as_text);
}

TEST(LawsDeathTest, ErrorsHaveOneLineAndAPlaceInTheInput) {
  RequireGoodError(MakeError(ErrorCode::kMalformed, "td: bad word", 3), 4);
  EXPECT_DEATH(RequireGoodError(MakeError(ErrorCode::kMalformed, ""), 4), "errors have a message");
  EXPECT_DEATH(RequireGoodError(MakeError(ErrorCode::kMalformed, "a\nb"), 4), "are one line");
  EXPECT_DEATH(RequireGoodError(MakeError(ErrorCode::kMalformed, "a", 5), 4), "into the input");
  EXPECT_DEATH(RequireGoodError(MakeError(ErrorCode::kInternal, "a"), 4), "never an internal");
}

TEST(FormatLaws, AParsedFileMeetsTheLawsOfFilesAndARefusedOneThoseOfErrors) {
  td::Chain chain;
  chain.generation = &td::Generations()[0];
  chain.header_words = chain.generation->header_words;
  chain.tasks.emplace_back().Write(chain.generation->blocks[0].byte_address,
                                   std::vector<uint32_t>{1, 2});
  td::Layout(chain);
  CountLaws();
  EXPECT_TRUE(CheckFormatLaws(kFormat_td, td::Encode(chain).value()));
  EXPECT_EQ(LawCounts().at("write(parse(x)) is x"), 1u);
  EXPECT_GT(LawCounts().at("coverage adds up"), 0u);
  EXPECT_EQ(LawCounts().at("encode(inspect(x)) is x"), 1u);
  EXPECT_FALSE(LawCounts().contains("errors have a message"));
  CountLaws();
  EXPECT_FALSE(CheckFormatLaws(kFormat_td, Bytes{1}));
  EXPECT_GT(LawCounts().at("errors have a message"), 0u);
  EXPECT_FALSE(LawCounts().contains("encode(inspect(x)) is x"));
}

// A format whose JSON form is one object with as many members as the file has bytes.
constexpr Format kWide = {
    .name = "wide",
    .title = "",
    .rules = {},
    .fields = [](const Json&) { return std::span<const FieldFact>(); },
    .recognise = [](ByteSpan, std::string_view) { return 0; },
    .to_json = [](ByteSpan bytes) -> Result<Json> {
      Json json = Json::object();
      for (const uint8_t byte : bytes) {
        json.members().emplace_back(fmt::format("{}", json.size()), byte);
      }
      return json;
    },
    .from_json = [](const Json& json) -> Result<Bytes> {
      Bytes bytes;
      for (const Json& byte : json) bytes.push_back(byte.get<uint8_t>());
      return bytes;
    },
    .rewrite = [](ByteSpan bytes) -> Result<Bytes> { return Bytes(bytes.begin(), bytes.end()); },
    .verify = [](ByteSpan) -> Result<std::vector<Violation>> { return std::vector<Violation>(); },
    .print = [](ByteSpan) -> Result<std::string> { return std::string(); },
    .count_bytes = [](ByteSpan bytes) -> Result<ByteCounts> {
      return ByteCounts{.total = bytes.size(), .typed = bytes.size()};
    },
};

TEST(FormatLaws, AJsonFormWithManyMembersIsReadBack) {
  EXPECT_TRUE(CheckFormatLaws(kWide, Bytes(20'000, 7)));
}

TEST(LawFaults, NameUncheckedLawsAndUnexpectedChecks) {
  const FuzzTarget target = {.name = "toy", .check = nullptr, .laws = kLaws};
  CountLaws();
  RequireGoodError(MakeError(ErrorCode::kMalformed, "a"), 1);
  Laws::Require(true, "two is two");
  ASSERT_EQ(LawFaults(target).size(), 1u);
  EXPECT_EQ(LawFaults(target)[0], "toy: three is three: was not checked by any of the inputs");
  EXPECT_NE(LawReport(target).find("1  two is two\n"), std::string::npos);
  const FuzzTarget without_errors = {.name = "netweights", .check = nullptr, .laws = kErrorLaws};
  EXPECT_EQ(LawFaults(without_errors).size(), kErrorLaws.size());
  CountLaws();
  EXPECT_TRUE(LawFaults(without_errors).empty());
}

TEST(FuzzTargets, EachStatesItsLaws) {
  ASSERT_FALSE(AllTargets().empty());
  for (const FuzzTarget* target : AllTargets()) EXPECT_FALSE(target->laws.empty()) << target->name;
}

}  // namespace
}  // namespace anecheck::fuzz
