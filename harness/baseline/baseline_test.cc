// The classes of a comparison, the JSON form, and bisection, on entries made by hand.
#include "harness/baseline/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/baseline/blame.h"
#include "harness/baseline/compare.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using testing::HasSubstr;

constexpr CaseFate kOld = {.bits = 0x0011223344556677};
constexpr CaseFate kNew = {.bits = 0x8899aabbccddeeff};
constexpr CaseFate kRejected = {.status = RunStatus::kRejected};
constexpr CaseFate kCrashed = {.status = RunStatus::kCrashed};
constexpr CaseFate kFailed = {.status = RunStatus::kFailed};
constexpr CaseFate kMisplaced = {.misplaced = true};

// An entry of 100 elements with errors of `ulps` each.
BaselineEntry Entry(std::vector<CaseFate> cases, uint64_t ulps = 1) {
  BaselineEntry entry;
  entry.op = "exp";
  entry.configuration = "float";
  entry.target = "h13";
  entry.route = Route::kMil;
  entry.question = "aa";
  entry.cases = std::move(cases);
  entry.histogram[ulps] = 100;
  entry.errors.elements = entry.errors.relative_elements = 100;
  entry.errors.max_ulp = ulps;
  entry.errors.sum_ulp = 100 * ulps;
  entry.errors.sum_relative = 0.05 * static_cast<double>(ulps);
  entry.errors.by_exponent[-4] = {100, 100 * ulps, ulps};
  return entry;
}

CampaignOptions Exponentials(uint64_t cases) {
  CampaignOptions options;
  options.cases = cases;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kFloat};
  options.ops.reset();
  options.ops.set(FindOp("exp")->schema.id);
  return options;
}

Drift Compare(const BaselineEntry& before, const BaselineEntry& after,
              const DriftThresholds& thresholds = {}) {
  return CompareEntry(before, after, thresholds).drift;
}

TEST(CompareEntry, SameBitsAreIdentical) {
  EXPECT_EQ(Compare(Entry({kOld, kRejected}), Entry({kOld, kRejected})), Drift::kIdentical);
}

TEST(CompareEntry, OtherBitsWithAsGoodStatisticsHaveDrifted) {
  EXPECT_EQ(Compare(Entry({kOld}), Entry({kNew})), Drift::kDrifted);
  EXPECT_EQ(Compare(Entry({kOld}, 2), Entry({kNew}, 1)), Drift::kDrifted)
      << "smaller errors are no worse class";
}

TEST(CompareEntry, EachStatisticHasItsThreshold) {
  const BaselineEntry before = Entry({kOld});
  const auto risen = [&](auto&& change) {
    BaselineEntry after = Entry({kNew});
    change(after.errors);
    return after;
  };
  const BaselineEntry mean = risen([](OutputErrors& errors) { errors.sum_ulp += 7; });
  const BaselineEntry bias = risen([](OutputErrors& errors) { errors.sum_signed_ulp = -3; });
  const BaselineEntry most = risen([](OutputErrors& errors) { errors.max_ulp = 2; });
  const BaselineEntry relative = risen([](OutputErrors& errors) { errors.sum_relative *= 1.1; });
  for (const BaselineEntry& after : {mean, bias, most, relative}) {
    EXPECT_EQ(Compare(before, after), Drift::kWorse);
    DriftThresholds wide;
    wide.share = 1;
    wide.mean_ulp = wide.bias_ulp = wide.max_ulp = 1;
    EXPECT_EQ(Compare(before, after, wide), Drift::kDrifted);
  }
  EXPECT_THAT(CompareEntry(before, mean, {}).detail, HasSubstr("mean ulp 1.07, 1 before"));
  EXPECT_THAT(CompareEntry(before, bias, {}).detail, HasSubstr("bias 0.03, 0 before"));
}

TEST(CompareEntry, MoreElementsOutsideAreOutOfBound) {
  BaselineEntry after = Entry({kNew});
  after.outside = 3;
  EXPECT_EQ(Compare(Entry({kOld}), after), Drift::kOutOfBound);
  DriftThresholds thresholds;
  thresholds.outside = 3;
  EXPECT_EQ(Compare(Entry({kOld}), after, thresholds), Drift::kDrifted);
}

TEST(CompareEntry, FewerElementsOutsideAreBetter) {
  BaselineEntry before = Entry({kOld, kOld});
  before.outside = 3;
  const BaselineEntry after = Entry({kNew, kNew});
  EXPECT_EQ(Compare(before, after), Drift::kBetter);
  EXPECT_THAT(CompareEntry(before, after, {}).detail,
              HasSubstr("0 elements outside of the interval, 3 before"));
  DriftThresholds thresholds;
  thresholds.outside = 3;
  EXPECT_EQ(Compare(before, after, thresholds), Drift::kDrifted);
  EXPECT_EQ(Compare(before, Entry({kNew, kNew}, 2)), Drift::kWorse) << "a statistic rose";
  EXPECT_EQ(Compare(before, Entry({kNew, kRejected})), Drift::kNowRejected)
      << "a case that does not run has no elements outside";
  Baseline old_one, new_one;
  old_one.entries = {before};
  new_one.entries = {after};
  const Json json = ComparisonToJson(CompareBaselines(old_one, new_one, {}));
  EXPECT_EQ(json["summary"]["better"], 1);
  EXPECT_EQ(json["entries"][0]["class"], "better");
}

TEST(CompareEntry, DistinguishesTheStages) {
  const auto drift = [](std::vector<CaseFate> before, std::vector<CaseFate> after) {
    return Compare(Entry(std::move(before)), Entry(std::move(after)));
  };
  EXPECT_EQ(drift({kOld, kOld}, {kOld, kRejected}), Drift::kNowRejected);
  EXPECT_EQ(drift({kOld}, {kCrashed}), Drift::kNowRejected);
  EXPECT_EQ(drift({kOld}, {kMisplaced}), Drift::kNowRejected);
  EXPECT_EQ(drift({kRejected}, {kCrashed}), Drift::kNowRejected);
  EXPECT_EQ(drift({kOld, kRejected}, {kOld, kNew}), Drift::kNewlyAccepted);
  EXPECT_EQ(drift({kRejected}, {kFailed}), Drift::kNewlyAccepted);
  EXPECT_EQ(drift({kRejected, kRejected}, {kRejected, kNew}), Drift::kNewlyReached);
  EXPECT_EQ(drift({kMisplaced}, {kNew}), Drift::kNewlyReached);
  EXPECT_EQ(drift({kRejected, kOld}, {kNew, kRejected}), Drift::kNowRejected)
      << "the worse of two classes counts";
}

TEST(CompareEntry, OtherCasesCannotBeCompared) {
  BaselineEntry after = Entry({kNew});
  after.question = "bb";
  EXPECT_EQ(Compare(Entry({kOld}), after), Drift::kNotComparable);
  EXPECT_EQ(Compare(Entry({kOld}), Entry({kOld, kOld})), Drift::kNotComparable);
}

TEST(CompareBaselines, EntriesOfOneSideAreListed) {
  Baseline before, after;
  before.entries = {Entry({kOld}), Entry({kOld})};
  before.entries[1].op = "gone";
  after.entries = {Entry({kOld}), Entry({kOld})};
  after.entries[1].op = "fresh";
  const BaselineComparison comparison = CompareBaselines(before, after, {});
  ASSERT_EQ(comparison.entries.size(), 3u);
  EXPECT_EQ(comparison.counts[static_cast<size_t>(Drift::kIdentical)], 1u);
  EXPECT_EQ(comparison.counts[static_cast<size_t>(Drift::kNotComparable)], 2u);
  const auto json = ComparisonToJson(comparison);
  EXPECT_EQ(json["summary"]["not-comparable"], 2);
  ASSERT_EQ(json["entries"].size(), 2u);
  EXPECT_EQ(json["entries"][0]["op"], "gone");
  EXPECT_EQ(json["entries"][1]["detail"], "was not there before");
}

TEST(DriftName, NamesReadBack) {
  for (size_t i = 0; i < kDriftCount; ++i) {
    const auto drift = static_cast<Drift>(i);
    EXPECT_EQ(DriftFromName(DriftName(drift)), drift);
  }
  EXPECT_FALSE(DriftFromName("nothing").has_value());
}

RC_GTEST_PROP(BaselineJson, ReadsItsOwnText, ()) {
  Baseline baseline;
  baseline.recorded = "2026-01-02T03:04:05Z";
  baseline.engine = *rc::gen::container<std::string>(rc::gen::inRange(' ', '~'));
  baseline.seed = *rc::gen::arbitrary<uint64_t>();
  baseline.cases = *rc::gen::inRange<uint64_t>(1, 100);
  const auto count = *rc::gen::inRange<size_t>(0, 5);
  for (size_t i = 0; i < count; ++i) {
    BaselineEntry entry = Entry({kOld, kRejected}, *rc::gen::inRange<uint64_t>(0, 17));
    entry.op = "op" + std::to_string(i);
    entry.outside = *rc::gen::inRange<uint64_t>(0, 1000);
    entry.errors.sum_signed_ulp = *rc::gen::inRange<int64_t>(-100, 100);
    baseline.entries.push_back(entry);
  }
  const auto kept = DrawBaselineCases(Exponentials(*rc::gen::inRange<uint64_t>(0, 3)));
  RC_ASSERT(kept.ok());
  baseline.stored = *kept;
  const std::string text = BaselineToJson(baseline);
  const auto read = BaselineFromJson(text, "x.json");
  RC_ASSERT(read.ok());
  RC_ASSERT(read->stored.size() == kept->size());
  RC_ASSERT(BaselineToJson(*read) == text);
  RC_ASSERT(read->seed == baseline.seed);
  RC_ASSERT(read->engine == baseline.engine);
  for (const EntryDrift& entry : CompareBaselines(baseline, *read, {}).entries) {
    RC_ASSERT(entry.drift == Drift::kIdentical);
    RC_ASSERT(entry.before.outside == entry.after.outside);
    RC_ASSERT(entry.before.histogram == entry.after.histogram);
    RC_ASSERT(entry.before.errors.sum_signed_ulp == entry.after.errors.sum_signed_ulp);
  }
}

TEST(BaselineJson, NamesTheFault) {
  const auto message = [](const std::string& text) {
    const auto read = BaselineFromJson(text, "x.json");
    return read.ok() ? "" : read.error().message;
  };
  EXPECT_THAT(message("nonsense"), HasSubstr("x.json"));
  EXPECT_THAT(message("{}"), HasSubstr("x.json: is no baseline"));
  EXPECT_THAT(message(R"({"format": "anecheck-baseline", "version": 9})"),
              HasSubstr("has version 9, this tool reads 1"));
  Baseline baseline;
  baseline.entries = {Entry({kOld})};
  const std::string text = BaselineToJson(baseline);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return message(changed);
  };
  EXPECT_THAT(with("\"op\":\"exp\",", ""), HasSubstr("x.json: entries[0]: needs a string \"op\""));
  EXPECT_THAT(with("\"mean_ulp\":1.0", "\"mean_ulp\":-1"), HasSubstr("out of range"));
  EXPECT_THAT(with("[[-4,", "[[-99,"), HasSubstr("an exponent must be"));
  const auto kept = DrawBaselineCases(Exponentials(1));
  ASSERT_TRUE(kept.ok());
  baseline.stored = *kept;
  baseline.stored[0].inputs.clear();
  EXPECT_THAT(message(BaselineToJson(baseline)),
              HasSubstr("x.json: stored[0]: has 0 inputs, the graph takes 1"));
  baseline.stored = *kept;
  baseline.stored[0].inputs[0].bytes.pop_back();
  EXPECT_THAT(message(BaselineToJson(baseline)), HasSubstr("x.json: stored[0]: input 0 has"));
  EXPECT_THAT(with("\"outside\":0", "\"outside\":\"no\""), HasSubstr("outside"));
}

// A history of files: entry `e` changes its bits at file `changes[e]`, and file `hole` has no
// entries.
struct History {
  std::vector<size_t> changes;
  size_t count = 0;
  size_t hole = ~size_t{0};
  size_t loads = 0;

  Result<Baseline> Load(size_t index) {
    ++loads;
    Baseline baseline;
    baseline.recorded = "day " + std::to_string(index);
    if (index == hole) return baseline;
    for (size_t e = 0; e < changes.size(); ++e) {
      BaselineEntry entry = Entry({index < changes[e] ? kOld : kNew});
      entry.op = "op" + std::to_string(e);
      baseline.entries.push_back(entry);
    }
    return baseline;
  }
};

RC_GTEST_PROP(Blame, FindsTheFirstFileWithEachChange, ()) {
  History history;
  history.count = *rc::gen::inRange<size_t>(2, 40);
  history.changes =
      *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(1, history.count + 5));
  const auto report =
      BlameDrifts(history.count, [&](size_t index) { return history.Load(index); }, {});
  RC_ASSERT(report.ok());
  RC_ASSERT(history.loads == report->files_read);
  size_t changed = 0;
  for (size_t e = 0; e < history.changes.size(); ++e) {
    if (history.changes[e] >= history.count) continue;
    const Blame& blame = report->entries.at(changed++);
    RC_ASSERT(blame.drift.before.op == "op" + std::to_string(e));
    RC_ASSERT(blame.first_after == history.changes[e]);
    RC_ASSERT(blame.last_before == history.changes[e] - 1);
    RC_ASSERT(blame.first_drift == Drift::kDrifted);
  }
  RC_ASSERT(report->entries.size() == changed);
}

// The first deviation is of a milder class than the newest.
TEST(Blame, NamesTheFirstFileWithTheNewestClass) {
  const auto load = [](size_t index) -> Result<Baseline> {
    BaselineEntry entry = Entry({index < 2 ? kOld : kNew});
    if (index >= 5) ++entry.outside;
    Baseline baseline;
    baseline.entries = {entry};
    return baseline;
  };
  const auto at = [&](size_t count) { return BlameDrifts(count, load, {})->entries.at(0); };
  EXPECT_EQ(at(9).first_drift, Drift::kOutOfBound);
  EXPECT_EQ(at(9).first_after, 5u);
  EXPECT_EQ(at(9).last_before, 4u);
  EXPECT_EQ(at(5).first_drift, Drift::kDrifted) << "there is no worse class yet";
  EXPECT_EQ(at(5).first_after, 2u);
}

TEST(Blame, ReadsFewFilesAndSkipsThoseThatCannotBeCompared) {
  History history{.changes = {33}, .count = 64};
  auto load = [&](size_t index) { return history.Load(index); };
  auto report = BlameDrifts(history.count, load, {});
  ASSERT_TRUE(report.ok());
  EXPECT_LE(report->files_read, 2u + 6u);
  history.hole = 33;
  report = BlameDrifts(history.count, load, {});
  ASSERT_EQ(report->entries.size(), 1u);
  EXPECT_EQ(report->entries[0].last_before, 32u);
  EXPECT_EQ(report->entries[0].first_after, 34u);
  std::vector<std::string> files;
  for (size_t i = 0; i < history.count; ++i) files.push_back("f" + std::to_string(i));
  const auto json = BlameToJson(*report, files);
  EXPECT_EQ(json["entries"][0]["first_after"]["file"], "f34");
  EXPECT_EQ(json["entries"][0]["first_after"]["recorded"], "day 34");
}

TEST(Blame, NeedsTwoFilesAndPassesErrorsOn) {
  History history{.changes = {1}, .count = 1};
  EXPECT_FALSE(BlameDrifts(1, [&](size_t index) { return history.Load(index); }, {}).ok());
  const auto fails = [](size_t) -> Result<Baseline> {
    return MakeError(ErrorCode::kNotFound, "f0: cannot be opened");
  };
  EXPECT_EQ(BlameDrifts(3, fails, {}).error().message, "f0: cannot be opened");
}

}  // namespace
}  // namespace anecheck
