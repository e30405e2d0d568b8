// A chip has the targets that the table of the facts states, or none. Answers of its engine are
// evidence only about these targets.
#include "harness/runners/chip_target.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

using Targets = std::vector<std::string>;

TEST(ChipTarget, FollowsTheTable) {
  EXPECT_EQ(TargetOfChip("Apple M1"), "h13");
  EXPECT_EQ(TargetOfChip("Apple M1 Max"), "h13g");
  EXPECT_EQ(TargetOfChip("Apple M2"), "h14g") << "the device itself reports h14g";
  EXPECT_EQ(TargetOfChip("Apple M4 Pro"), "h16g");
  EXPECT_EQ(TargetOfChip("Apple M5"), "h17");
  EXPECT_EQ(TargetOfChip("M1"), "h13") << "external programs leave out Apple";
}

TEST(ChipTarget, HasEveryTargetThatSourcesName) {
  EXPECT_EQ(TargetsOfChip("Apple M5 Pro"), (Targets{"h17g", "h17s"}));
  EXPECT_EQ(TargetsOfChip("Apple M5 Max"), Targets{"h17g"});
  EXPECT_EQ(TargetsOfChip("Apple A17 Pro"), Targets{"h16"});
}

TEST(ChipTarget, UnknownChipsHaveNone) {
  for (const char* chip : {"", "Apple", "Apple M9 Max", "Apple M2 Ultra", "Apple M1 (Virtual)",
                           "Intel(R) Core(TM) i7"}) {
    EXPECT_EQ(TargetOfChip(chip), "") << chip;
  }
}

RunnerIdentity Machine(Provenance provenance, std::string chip) {
  return {.runner = "e5rt", .provenance = provenance, .chip = std::move(chip)};
}

TEST(OwnTarget, AChipAnswersOnlyForItsOwnTargets) {
  const RunnerIdentity m4 = Machine(Provenance::kSilicon, "Apple M4");
  EXPECT_TRUE(CheckOwnTarget(m4, "h16").ok());
  const Status other = CheckOwnTarget(m4, "h13");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kInvalid) << "the tool reports bad usage, exit code 2";
  EXPECT_EQ(other.error().message,
            "target h13: this machine's chip, \"Apple M4\", has h16g or h16, and its engine's "
            "answers are "
            "evidence of no other; name --targets h16g, or an engine with --espresso-lib");
  const RunnerIdentity m5_pro = Machine(Provenance::kSilicon, "Apple M5 Pro");
  EXPECT_TRUE(CheckOwnTarget(m5_pro, "h17g").ok());
  EXPECT_TRUE(CheckOwnTarget(m5_pro, "h17s").ok());
  EXPECT_FALSE(CheckOwnTarget(m5_pro, "h17").ok());
}

TEST(OwnTarget, AnUnknownChipAnswersForNone) {
  for (const char* chip : {"", "Apple M77"}) {
    const Status status = CheckOwnTarget(Machine(Provenance::kSilicon, chip), "h13");
    ASSERT_FALSE(status.ok()) << chip;
    EXPECT_NE(status.error().message.find("is unknown, so that"), std::string::npos);
  }
}

TEST(OwnTarget, OtherEnginesTakeEveryTarget) {
  for (const Provenance provenance :
       {Provenance::kSimulated, Provenance::kRoundtrip, Provenance::kReported}) {
    EXPECT_TRUE(CheckOwnTarget(Machine(provenance, "Apple M4"), "h13").ok());
  }
}

TEST(OwnTarget, AProofCountsOnlyForTargetsOfTheRunnersChip) {
  RunnerIdentity program = Machine(Provenance::kReported, "M1");
  EXPECT_EQ(ProvedOn(program, "h13"), std::nullopt);
  program.proved = Provenance::kSilicon;
  EXPECT_EQ(ProvedOn(program, "h13"), Provenance::kSilicon);
  EXPECT_EQ(ProvedOn(program, "h17s"), std::nullopt) << "the chip is of another family";
  program.chip = "a chip";
  EXPECT_EQ(ProvedOn(program, "h13"), std::nullopt);
}

}  // namespace
}  // namespace anecheck
