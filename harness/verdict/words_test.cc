#include "harness/verdict/words.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "harness/verdict/case_mode.h"
#include "harness/verdict/provenance.h"
#include "harness/verdict/route.h"
#include "harness/verdict/run_status.h"
#include "harness/verdict/stage.h"
#include "harness/verdict/verdict.h"

namespace anecheck {
namespace {

template <typename E>
class WordsOf : public testing::Test {};
using Enumerations =
    testing::Types<Verdict, RunStatus, Step, Stage, Route, RouteSet, Provenance, CaseMode>;
TYPED_TEST_SUITE(WordsOf, Enumerations);

TYPED_TEST(WordsOf, TextsAreDistinctAndReadBack) {
  std::set<std::string_view> texts;
  for (const TypeParam word : AllWords<TypeParam>()) {
    EXPECT_TRUE(texts.insert(ToText(word)).second) << ToText(word);
    const auto back = FromText<TypeParam>(ToText(word));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, word);
  }
}

TYPED_TEST(WordsOf, RefuseEveryOtherText) {
  for (const std::string_view text : {"no such word", "PASS", "mil ", "ok\n", "none of these"}) {
    const auto word = FromText<TypeParam>(text);
    ASSERT_FALSE(word.ok()) << text;
    EXPECT_EQ(word.error().code, ErrorCode::kInvalid);
    EXPECT_NE(word.error().message.find(text), std::string::npos);
    EXPECT_NE(word.error().message.find(Words<TypeParam>::kTexts.back()), std::string::npos);
    EXPECT_EQ(FindWord<TypeParam>(text), std::nullopt);
  }
}

TEST(Words, LastEnumeratorHasTheLastText) {
  EXPECT_EQ(ToText(Verdict::kWrong), "wrong");
  EXPECT_EQ(ToText(RunStatus::kNotRun), "not-run");
  EXPECT_EQ(ToText(Step::kCompiled), "compiled");
  EXPECT_EQ(ToText(Stage::kWrong), "wrong");
  EXPECT_EQ(ToText(Route::kNetlist), "netlist");
  EXPECT_EQ(ToText(RouteSet::kBoth), "both");
  EXPECT_EQ(ToText(Provenance::kSimulated), "simulated");
  EXPECT_EQ(ToText(CaseMode::kMetamorphic), "metamorphic");
}

TEST(Words, AreFormattedAsTheirText) {
  EXPECT_EQ(fmt::format("{} by {}", Verdict::kKnownDefect, Route::kMil), "known-defect by mil");
}

TEST(Verdict, AllButPassAndInconclusiveAreSuspects) {
  for (const Verdict verdict : AllWords<Verdict>()) {
    const bool fine = verdict == Verdict::kPass || verdict == Verdict::kInconclusive;
    EXPECT_EQ(IsSuspect(verdict), !fine) << verdict;
  }
}

TEST(Verdict, FindingsAreNewUnlessKnownOrNeverMeasured) {
  EXPECT_EQ(KindOfFinding(Verdict::kKnownDefect), FindingKind::kKnownDefect);
  EXPECT_EQ(KindOfFinding(Verdict::kUnconfirmed), FindingKind::kUnconfirmed);
  EXPECT_EQ(KindOfFinding(Verdict::kBiased), FindingKind::kUnconfirmed);
  for (const Verdict verdict : {Verdict::kFlaky, Verdict::kMisplaced, Verdict::kWrong}) {
    EXPECT_TRUE(IsNewFinding(verdict)) << verdict;
  }
  EXPECT_FALSE(IsNewFinding(Verdict::kPass));
}

TEST(RunStatus, EveryFailureHasTheVerdictOfItsName) {
  for (const RunStatus status : AllWords<RunStatus>()) {
    if (status == RunStatus::kOk || status == RunStatus::kNotRun) continue;
    EXPECT_EQ(ToText(VerdictOf(status)), ToText(status));
  }
  EXPECT_EQ(VerdictOf(RunStatus::kOk), Verdict::kPass);
  EXPECT_EQ(VerdictOf(RunStatus::kNotRun), Verdict::kInconclusive);
}

TEST(Stage, PlannedLiesBetweenCompiledAndDispatched) {
  EXPECT_LT(Stage::kCompiled, Stage::kPlanned);
  EXPECT_LT(Stage::kPlanned, Stage::kDispatched);
}

TEST(Stage, NoStageIsBothReachedAndDenied) {
  for (const Stage stage : AllWords<Stage>()) EXPECT_FALSE(Reached(stage) && Denied(stage));
  EXPECT_FALSE(Denied(Stage::kUnknown));
  EXPECT_TRUE(Denied(Stage::kRejected));
  EXPECT_FALSE(Reached(Stage::kAttested));
  EXPECT_TRUE(Reached(Stage::kCompiled));
}

TEST(RouteSet, HasTheRoutesItIsMadeOf) {
  for (const Route route : AllWords<Route>()) {
    EXPECT_TRUE(Has(SetOf(route), route));
    EXPECT_TRUE(Has(RouteSet::kBoth, route));
    EXPECT_FALSE(Has(RouteSet::kNone, route));
  }
  EXPECT_FALSE(Has(RouteSet::kMil, Route::kNetlist));
  EXPECT_EQ(RouteSet::kMil | RouteSet::kNetlist, RouteSet::kBoth);
}

}  // namespace
}  // namespace anecheck
