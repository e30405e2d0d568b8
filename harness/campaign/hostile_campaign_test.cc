// A campaign of 5,000 cases in which workers are killed, hang, exhaust memory, write garbage and
// flood their output. No other case loses its result, and each misdeed is recorded with its case.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "harness/base/file.h"
#include "harness/campaign/campaign.h"
#include "harness/results/testing/query_text.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

// A command in the text of a case that hostile_espresso.cc obeys, and the verdict on the case.
struct Misdeed {
  const char* word;
  const char* verdict;
  const char* message;
};
constexpr Misdeed kMisdeeds[] = {
    {"CRASH", "crashed", "the worker was killed by signal 6 (Aborted)"},
    {"EXIT", "crashed", "the worker exited with code 7"},
    {"HANG", "hung", "no answer in 3000 ms"},
    {"EAT", "memory-growth", "the worker was stopped: it holds more than 300 MiB of memory"},
    {"SPOIL", "garbled", "the worker's reply cannot be read: its memory is spoiled"},
    {"STRAY", "garbled", "the worker wrote a message that cannot be read"},
    {"SILENT", "crashed", "the worker closed its channel and was killed"},
    {"FLOOD", "stray-output", "the worker was stopped: it wrote more than 8 MiB of output"},
};
constexpr uint64_t kCases = 5000;
constexpr uint64_t kEvery = 709;

const Misdeed* MisdeedOf(uint64_t index) {
  if (index % kEvery != 17) return nullptr;
  return &kMisdeeds[index / kEvery % std::size(kMisdeeds)];
}

// Replaces the text of every 709th case by the command of a misdeed.
class Provoked final : public Runner {
 public:
  explicit Provoked(const WorkerOptions& options) : runner_(options) {}
  Result<RunnerIdentity> Identify() override { return runner_.Identify(); }
  Status Restart() override { return runner_.Restart(); }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunRequest> changed(requests.begin(), requests.end());
    for (RunRequest& request : changed) {
      if (const Misdeed* misdeed = MisdeedOf(request.id)) request.mil = misdeed->word;
    }
    return runner_.Run(changed);
  }

 private:
  E5rtRunner runner_;
};

TEST(HostileCampaign, MisbehaviourAffectsOnlyItsCase) {
  const auto folder = TempDirectory::Create("anecheck-hostile-");
  ASSERT_TRUE(folder.ok());
  CampaignOptions options;
  options.seed = 4;
  options.cases = kCases;
  options.jobs = 2;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kInteger};
  options.db = folder->File("r.sqlite");
  options.worker.library = ANECHECK_HOSTILE_ESPRESSO;
  options.worker.quirks = {{"all", false}};
  options.worker.case_timeout_ms = 3000;
  options.worker.memory_limit = uint64_t{300} << 20;
  const auto summary = RunCampaign(
      options,
      [&] { return Result<std::unique_ptr<Runner>>(std::make_unique<Provoked>(options.worker)); },
      {});
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->cases, kCases);

  const auto rows = testing::RowsOf(
      options.db, "SELECT case_index, verdict, message FROM cases ORDER BY case_index");
  ASSERT_EQ(rows.size(), kCases);
  std::map<std::string, int64_t> wanted;
  for (uint64_t index = 0; index < kCases; ++index) {
    const std::vector<std::string>& row = rows[index];
    const Misdeed* misdeed = MisdeedOf(index);
    ASSERT_EQ(row[0], std::to_string(index));
    ASSERT_EQ(row[1], misdeed == nullptr ? "pass" : misdeed->verdict)
        << index << ": " << row[2] << (misdeed == nullptr ? "" : misdeed->word);
    if (misdeed == nullptr) continue;
    EXPECT_EQ(row[2], misdeed->message) << misdeed->word;
    ++wanted[std::string(misdeed->verdict) + ": " + misdeed->message];
  }
  // Each misdeed has one finding, with the first case and the number of cases.
  std::map<std::string, int64_t> found;
  for (const FindingRow& finding : summary->list) {
    const Misdeed* misdeed = MisdeedOf(finding.case_index);
    ASSERT_NE(misdeed, nullptr) << finding.case_index;
    EXPECT_EQ(finding.summary, misdeed->message);
    found[fmt::format("{}: {}", finding.verdict, finding.summary)] += finding.occurrences;
  }
  EXPECT_EQ(summary->list.size(), std::size(kMisdeeds));
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
