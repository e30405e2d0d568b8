// Tests the files that a run tries, and how the parser's answers affect them.
#include "harness/parserfuzz/schedule.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "generators/formats/td/td_generator.h"
#include "harness/formats/td/td.h"

namespace anecheck::parserfuzz {
namespace {

const Bytes kSeed(64, 3);

Schedule MakeSchedule(std::vector<Bytes> seeds = {kSeed}) {
  return Schedule(
      {.parts = {.format = &kFormat_td, .generator = &kGenerator_td}, .fast_runs = true},
      std::move(seeds));
}

TEST(Schedule, SeedsComeFirstAndOnce) {
  Schedule schedule = MakeSchedule({Bytes(8, 1), Bytes(8, 2)});
  EXPECT_EQ(schedule.Make(schedule.Next()), Bytes(8, 1));
  EXPECT_EQ(schedule.Make(schedule.Next()), Bytes(8, 2));
}

TEST(Schedule, APlanAlwaysMakesTheSameFileAndASeedTheSameOrder) {
  std::vector<Bytes> files[2];
  for (auto& of_one : files) {
    Schedule schedule = MakeSchedule();
    for (int i = 0; i < 200; ++i) {
      const Plan plan = schedule.Next();
      of_one.push_back(schedule.Make(plan));
      EXPECT_EQ(schedule.Make(plan), of_one.back());
      schedule.Learn(plan, of_one.back(), std::vector<Feature>{static_cast<Feature>(i % 7)}, false);
    }
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST(Schedule, AFileIsKeptForANewFeature) {
  Schedule schedule = MakeSchedule();
  const std::vector<Feature> first = {5}, second = {5, 9};
  schedule.Learn(schedule.Next(), kSeed, first, false);
  EXPECT_EQ(schedule.kept(), 1u);
  schedule.Learn(schedule.Next(), Bytes(64, 4), first, false);
  EXPECT_EQ(schedule.kept(), 1u);
  schedule.Learn(schedule.Next(), Bytes(64, 5), second, false);
  EXPECT_EQ(schedule.kept(), 2u);
  schedule.Learn(schedule.Next(), Bytes(64, 6), std::vector<Feature>{11}, true);
  EXPECT_EQ(schedule.kept(), 2u) << "a file that fails is no base for others";
}

// Sweeps apply every edge at every place of a file, one at a time.
TEST(Schedule, SweepsMeetEachEdgeOfASeed) {
  Schedule schedule = MakeSchedule();
  const Plan seed = schedule.Next();
  schedule.Learn(seed, kSeed, {}, false);
  std::set<std::pair<size_t, size_t>> met;
  size_t edges = 0;
  for (const auto& place : boundary::PlacesOf("td", kSeed))
    edges += boundary::EdgeCount(place.role);
  for (int i = 0; i < 60000 && met.size() < edges; ++i) {
    const Plan plan = schedule.Next();
    if (plan.way == Way::kSweep) met.emplace(plan.place, plan.edge);
    schedule.Learn(plan, schedule.Make(plan), {}, false);
  }
  EXPECT_EQ(met.size(), edges);
}

TEST(Schedule, AnEdgeThatChangesNothingAtOnePlaceIsTriedAtAnother) {
  const Bytes seed(64, 3);
  Schedule schedule = MakeSchedule({seed});
  schedule.Learn(schedule.Next(), seed, {}, false);
  int fields = 0;
  for (int i = 0; i < 4000; ++i) {
    const Plan plan = schedule.Next();
    if (plan.way != Way::kField) continue;
    ++fields;
    EXPECT_NE(schedule.Make(plan), seed) << schedule.Describe(plan);
  }
  EXPECT_GT(fields, 50);
}

// A parser may refuse a wrong count alone and a wrong offset alone, but fail on both together.
TEST(Schedule, NeighboursOfAFieldThatShowedANewFeatureAreTriedNext) {
  Schedule schedule = MakeSchedule();
  schedule.Learn(schedule.Next(), kSeed, {}, false);
  Plan plan = schedule.Next();
  while (plan.way != Way::kField || plan.place == 0) plan = schedule.Next();
  const auto places = boundary::PlacesOf("td", kSeed);
  const uint32_t changed = places[plan.place].offset;
  schedule.Learn(plan, schedule.Make(plan), std::vector<Feature>{5}, false);
  ASSERT_EQ(schedule.kept(), 2u);
  int pairs = 0;
  for (int i = 0; i < 2000; ++i) {
    const Plan next = schedule.Next();
    if (next.way != Way::kPair) continue;
    ++pairs;
    EXPECT_EQ(next.parent, 1u);
    EXPECT_LE(std::abs(int(places[next.place].offset) - int(changed)), 16);
  }
  EXPECT_GT(pairs, 0);
}

TEST(Schedule, EachMutationOfTheFormatIsUsed) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  const Bytes valid = kGenerator_td.generate(choices);
  Schedule schedule = MakeSchedule({valid});
  schedule.Learn(schedule.Next(), valid, {}, false);
  std::set<std::string> named;
  for (int i = 0; i < 60000; ++i) {
    const Plan plan = schedule.Next();
    if (plan.way != Way::kNamed) continue;
    named.insert(plan.mutation.kind);
    EXPECT_TRUE(schedule.Describe(plan).ends_with(plan.mutation.kind));
  }
  for (const MutationKind& kind : kGenerator_td.mutations) {
    const bool applies = kind.propose(valid, choices).has_value();
    if (applies) EXPECT_TRUE(named.contains(std::string(kind.id))) << kind.id;
  }
  EXPECT_FALSE(named.empty());
}

TEST(Schedule, MutationsBeginBeforeAllSeedsWereTried) {
  const std::vector<Bytes> seeds(40, kSeed);
  Schedule schedule({.parts = {.format = &kFormat_td, .generator = &kGenerator_td}}, seeds);
  schedule.Learn(schedule.Next(), kSeed, {}, false);
  int of_seeds = 0;
  for (int i = 0; i < 20; ++i) of_seeds += schedule.Next().way == Way::kSeed ? 1 : 0;
  EXPECT_EQ(of_seeds, 5);
}

TEST(Schedule, CountsOfOneOrderOfMagnitudeAreOneFeature) {
  const std::vector<uint8_t> few = {0, 4, 0, 1}, same = {0, 7, 0, 1}, more = {0, 8, 0, 1};
  EXPECT_EQ(FeaturesOfCounters(few), FeaturesOfCounters(same));
  EXPECT_NE(FeaturesOfCounters(few), FeaturesOfCounters(more));
  EXPECT_EQ(FeaturesOfCounters(few).size(), 2u);
}

TEST(Schedule, MessagesAreFeaturesWithoutTheirNumbers) {
  EXPECT_EQ(FeaturesOfWords(1, "", "bad count 7\n"), FeaturesOfWords(1, "", "bad count 12\n"));
  EXPECT_NE(FeaturesOfWords(1, "", "bad count 7\n"), FeaturesOfWords(1, "", "bad size 7\n"));
  EXPECT_NE(FeaturesOfWords(1, "", ""), FeaturesOfWords(2, "", ""));
}

}  // namespace
}  // namespace anecheck::parserfuzz
