// Tests which side effects of an engine a worker reports, and which are no misconduct.
#include "harness/runners/worker_conduct.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/runners/process_memory.h"

namespace anecheck {
namespace {

class OutputOfAFile : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder_.ok());
    file_ = open(folder_->File("out").c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
    ASSERT_GE(file_, 0);
  }
  void TearDown() override { close(file_); }
  void Print(std::string_view text) const {
    ASSERT_EQ(write(file_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-conduct-");
  int file_ = -1;
};

TEST_F(OutputOfAFile, IsReportedOnceWithItsFirstLine) {
  OutputWatch watch(file_, "standard output");
  EXPECT_FALSE(watch.Take());
  Print("{\"v\": 1}\x01\nmore\n");
  const auto written = watch.Take();
  ASSERT_TRUE(written);
  EXPECT_EQ(written->verdict, Verdict::kStrayOutput);
  EXPECT_EQ(written->message, "wrote 15 bytes to standard output: {\"v\": 1}?");
  EXPECT_FALSE(watch.Take()) << "output is reported once";
  Print("x");
  EXPECT_EQ(watch.Take()->message, "wrote 1 bytes to standard output: x");
}

TEST(OutputWatch, ADescriptorThatIsNoFileReportsNothing) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  ASSERT_EQ(write(pipes[1], "x", 1), 1);
  EXPECT_FALSE(OutputWatch(pipes[0], "standard output").Take());
  close(pipes[0]);
  close(pipes[1]);
}

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Returns the number of reports in `cases` cases, each of which adds `step` bytes to the memory.
int Rows(GrowthWatch& watch, uint64_t& held, int cases, uint64_t step) {
  int rows = 0;
  for (int i = 0; i < cases; ++i) {
    held += step;
    rows += watch.Note(held).has_value() ? 1 : 0;
  }
  return rows;
}

TEST(GrowthWatch, GrowthWithEachCaseIsReportedOncePerSeries) {
  GrowthWatch watch(kFastGrowth);
  uint64_t held = 100 * kMiB;
  EXPECT_FALSE(watch.Note(held)) << "the first case only sets the starting point";
  EXPECT_EQ(Rows(watch, held, kFastGrowth.blocks - 1, kMiB), 0);
  held += kMiB;
  const auto grown = watch.Note(held);
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->verdict, Verdict::kMemoryGrowth);
  EXPECT_EQ(grown->message, "the process grew with each of 64 cases in turn, by 64 MiB in all");
  EXPECT_EQ(Rows(watch, held, 2 * kFastGrowth.blocks, kMiB), 2);
}

TEST(GrowthWatch, CasesWithoutGrowthInBetweenAreNoGrowth) {
  GrowthWatch watch(kFastGrowth);
  uint64_t held = 100 * kMiB;
  for (int i = 0; i < 1000; ++i) {
    if (i % 7 != 0) held += kMiB;
    EXPECT_FALSE(watch.Note(held)) << i;
  }
  EXPECT_EQ(Rows(watch, held, 1000, kFastGrowth.step / 2), 0)
      << "growth below the step is rounding of the system";
}

TEST(GrowthWatch, MemoryThatComesAndGoesIsNoGrowth) {
  GrowthWatch watch(kFastGrowth);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(watch.Note((i % 2 == 0 ? 100 : 500) * kMiB)) << i;
  }
}

TEST(GrowthWatch, SlowGrowthIsReportedFromTheSecondSeriesOn) {
  GrowthWatch watch(kSlowGrowth);
  uint64_t held = 100 * kMiB;
  const int row = kSlowGrowth.cases * kSlowGrowth.blocks;
  EXPECT_EQ(Rows(watch, held, 3 * row, 96 << 10), 2)
      << "the first series has no earlier one to compare with";
  EXPECT_EQ(Rows(watch, held, 10 * row, 32 << 10), 0);
  for (int i = 0; i < 10 * row; ++i) {
    const uint64_t large = i % 40 == 0 ? 200 * kMiB : 0;
    held += 96 << 10;
    EXPECT_FALSE(watch.Note(std::max(held, large)) && held < 200 * kMiB)
        << "a single larger case hides slow growth";
  }
}

TEST(OwnResidentBytes, RisesWithTouchedMemory) {
  const uint64_t before = OwnResidentBytes();
  ASSERT_GT(before, 0u);
  const std::string touched(64 * kMiB, 'x');
  EXPECT_GE(OwnResidentBytes(), before + 48 * kMiB);
  EXPECT_EQ(touched.back(), 'x');
}

}  // namespace
}  // namespace anecheck
