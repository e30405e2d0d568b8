// Tests queries of results files. Evidence of different kinds is never mixed.
#include "reports/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "harness/base/file.h"
#include "reports/campaign_evidence.h"
#include "reports/finding_detail.h"
#include "reports/testing/sample_results.h"

namespace anecheck::reports {
namespace {

class QueryTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-reports-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    path_ = folder_->File("results.sqlite");
    ASSERT_TRUE(WriteSampleResults(path_).ok());
  }
  std::optional<TempDirectory> folder_;
  std::string path_;
};

TEST_F(QueryTest, CountsCasesByRunAndVerdict) {
  const auto data = ReadReportData({&path_, 1});
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_EQ(data->runs.size(), 2u);
  EXPECT_EQ(data->runs[0].provenance, Provenance::kSimulated);
  EXPECT_EQ(data->runs[0].cases, 4);
  EXPECT_EQ(data->runs[1].cases, 3);
  EXPECT_EQ(data->runs[1].host, kHostile);
  EXPECT_EQ(data->Cases(), 7);
  EXPECT_TRUE(data->AnySimulated());
}

TEST_F(QueryTest, PutsNewFindingsFirst) {
  const auto data = ReadReportData({&path_, 1});
  ASSERT_TRUE(data.ok());
  ASSERT_EQ(data->findings.size(), 6u);
  EXPECT_FALSE(data->findings.back().is_new);
  EXPECT_TRUE(data->findings.front().is_new);
  for (const FindingInfo& finding : data->findings) {
    EXPECT_FALSE(finding.is_new && finding.verdict == Verdict::kKnownDefect) << finding.id;
    EXPECT_FALSE(!finding.is_new && finding.verdict == Verdict::kWrong) << finding.id;
  }
}

// The command was recorded before the file had another run with that id.
TEST_F(QueryTest, CommandsNameTheRunIfSeveralRunsHaveTheId) {
  ASSERT_TRUE(WriteLaterResults(path_).ok());
  auto store = Store::Open(path_);
  ASSERT_TRUE(store.ok());
  RowBatch batch;
  FindingRow& finding = batch.findings.emplace_back();
  finding.id = "f000000000a2";
  finding.op = "add";
  finding.signature = "other";
  finding.replay = "anecheck replay f000000000a2 --db results.sqlite";
  ASSERT_TRUE(store->Append(3, batch).ok());
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "UPDATE findings SET replay = substr(replay, 1, 48)", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(raw);
  const auto data = ReadReportData({&path_, 1});
  ASSERT_TRUE(data.ok());
  int shared = 0;
  for (const FindingInfo& info : data->findings) {
    const std::string& uuid = data->runs[info.run].uuid;
    EXPECT_EQ(info.shares_id, info.id == "f000000000a2");
    EXPECT_EQ(info.replay.find(" --run " + uuid) != std::string::npos, info.shares_id);
    if (!info.shares_id) continue;
    ++shared;
    EXPECT_EQ(info.page, "findings/f000000000a2-" + uuid + ".html");
  }
  EXPECT_EQ(shared, 2);
}

TEST_F(QueryTest, AFindingIsNewKnownOrUnconfirmed) {
  const auto data = ReadReportData({&path_, 1});
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->NewFindings(), 4);
  EXPECT_EQ(data->KnownDefects(), 1);
  EXPECT_EQ(data->Unconfirmed(), 1);
}

TEST_F(QueryTest, ReadsTheSameRunOnce) {
  const std::string copy = folder_->File("copy.sqlite");
  ASSERT_TRUE(WriteSampleResults(copy).ok());
  const std::string paths[] = {path_, copy, path_};
  const auto data = ReadReportData(paths);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->runs.size(), 2u);
  EXPECT_EQ(data->Cases(), 7);
  EXPECT_EQ(data->reach
                .at({"conv", "h13", Route::kMil, Provenance::kSimulated, "simulated", "Linux", "1"})
                .cases,
            4);
}

// Adds a run with 200 outputs of softmax that lean toward zero by a quarter of the bound.
Status AddLeaningRun(const std::string& path, const std::string& uuid, uint64_t seed,
                     const std::string& options) {
  RowBatch batch;
  LeanSums& sums = batch.leans[{"h15", Route::kMil, "softmax"}][static_cast<size_t>(Lean::kToward)];
  for (uint64_t output = 0; output < 200; ++output) sums.Add(output, 0.25);
  ANECHECK_ASSIGN(Store store, Store::Open(path));
  ANECHECK_ASSIGN(const int64_t id, store.BeginRun({.uuid = uuid,
                                                    .command = "run",
                                                    .options = options,
                                                    .seed = seed,
                                                    .provenance = Provenance::kSimulated}));
  ANECHECK_RETURN_IF_ERROR(store.Append(id, batch));
  return store.FinishRun(id, RunState::kFinished, "2026-03-02T03:04:06Z");
}

TEST_F(QueryTest, AddsTheLeansOfDifferentCasesOnly) {
  const std::string path = folder_->File("leans.sqlite");
  const auto outputs = [&] {
    const auto data = ReadReportData({&path, 1});
    EXPECT_TRUE(data.ok()) << data.error().message;
    const auto& leans = data->leans.at({"softmax", "h15", Route::kMil, Provenance::kSimulated});
    return leans[static_cast<size_t>(Lean::kToward)].outputs;
  };
  ASSERT_TRUE(AddLeaningRun(path, "a", 1, "{}").ok());
  EXPECT_EQ(outputs(), 200u);
  ASSERT_TRUE(AddLeaningRun(path, "b", 1, "{}").ok());
  EXPECT_EQ(outputs(), 200u);
  ASSERT_TRUE(AddLeaningRun(path, "c", 2, R"({"shard": [0, 2]})").ok());
  ASSERT_TRUE(AddLeaningRun(path, "d", 2, R"({"shard": [1, 2]})").ok());
  EXPECT_EQ(outputs(), 600u);
  // The cases of the two halves are run again as three thirds. One third has fewer outputs than the
  // halves together, and the three thirds have more.
  ASSERT_TRUE(AddLeaningRun(path, "e", 2, R"({"shard": [0, 3]})").ok());
  EXPECT_EQ(outputs(), 600u);
  ASSERT_TRUE(AddLeaningRun(path, "f", 2, R"({"shard": [1, 3]})").ok());
  ASSERT_TRUE(AddLeaningRun(path, "g", 2, R"({"shard": [2, 3]})").ok());
  EXPECT_EQ(outputs(), 800u);
}

TEST_F(QueryTest, KeepsKindsOfEvidenceApart) {
  const auto data = ReadReportData({&path_, 1});
  ASSERT_TRUE(data.ok());
  EXPECT_TRUE(data->reach.contains(
      {"relu", "h13", Route::kMil, Provenance::kSimulated, "simulated", "Linux", "1"}));
  EXPECT_TRUE(data->reach.contains(
      {"relu", "h17s", Route::kMil, Provenance::kReported, kHostile, kHostile, kHostile}));
  EXPECT_FALSE(data->reach.contains(
      {"relu", "h17s", Route::kMil, Provenance::kSimulated, "simulated", "Linux", "1"}));
  EXPECT_TRUE(data->runs[0].met.contains({"h13", Route::kMil}));
  EXPECT_FALSE(data->runs[0].met.contains({"h17s", Route::kMil}));
  EXPECT_EQ((data->histograms.at({"conv", "h13", Provenance::kSimulated})[0]), 1000u);
}

// A campaign that continues while its report is written does not change the report.
TEST_F(QueryTest, ReadsOneMomentOfARunningCampaign) {
  auto writer = Store::Open(path_);
  ASSERT_TRUE(writer.ok());
  bool written = false;
  const auto data = ReadReportData({&path_, 1}, [&](std::string_view, size_t, size_t) {
    if (written) return;
    written = true;
    RowBatch batch;
    CaseRow late;
    late.index = 900;
    late.verdict = Verdict::kWrong;
    batch.cases = {late};
    FindingRow finding;
    finding.id = "f0000000late";
    finding.verdict = Verdict::kWrong;
    batch.findings = {finding};
    batch.reach[{"h13", Route::kMil, "conv"}] = {.cases = 1};
    EXPECT_TRUE(writer->Append(1, batch).ok());
  });
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_TRUE(written);
  EXPECT_EQ(data->findings.size(), 6u);
  EXPECT_EQ(data->Cases(), 7);
  EXPECT_EQ(data->reach
                .at({"conv", "h13", Route::kMil, Provenance::kSimulated, "simulated", "Linux", "1"})
                .cases,
            4);
  const auto later = ReadReportData({&path_, 1});
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(later->findings.size(), 7u);
}

// A case that ran on this machine's engine counts as silicon if the file contains analytics that
// prove it.
TEST_F(QueryTest, SiliconNeedsAKeptProofThatHolds) {
  const auto provenance_with = [&](const char* name, const char* text) {
    const std::string path = folder_->File(name);
    auto store = Store::Open(path);
    EXPECT_TRUE(store.ok());
    RunRow record;
    record.uuid = "u1";
    record.provenance = Provenance::kSilicon;
    const auto run = store->BeginRun(record);
    RowBatch batch;
    batch.reach[{"h13", Route::kMil, "relu"}] = {.cases = 1, .compiled = 1, .dispatched = 1};
    batch.reach[{"h13", Route::kMil, "sin"}] = {.cases = 1, .rejected = 1};
    if (text != nullptr) {
      batch.proofs.push_back({.case_index = 0,
                              .target = "h13",
                              .route = Route::kMil,
                              .ports = "x\ny",
                              .operations = "relu",
                              .text = text});
    }
    EXPECT_TRUE(store->Append(*run, batch).ok());
    const auto data = ReadReportData({&path, 1});
    EXPECT_TRUE(data.ok());
    EXPECT_TRUE(data->reach.contains({"sin", "h13", Route::kMil, Provenance::kSilicon}))
        << "a refusal leaves no analytics";
    for (const evidence::Statement& statement : StatementsOf(*data)) {
      if (statement.subject == "relu") return statement.provenance;
    }
    return Provenance::kRoundtrip;
  };
  constexpr const char* kProof = "y = relu(x = x)[SelectedBackend = string(\"ane\")];";
  EXPECT_EQ(provenance_with("proof.sqlite", kProof), Provenance::kSilicon);
  EXPECT_EQ(provenance_with("none.sqlite", nullptr), Provenance::kReported);
  EXPECT_EQ(provenance_with("bare.sqlite", "SelectedBackend = string(\"ane\")"),
            Provenance::kReported);
  EXPECT_EQ(provenance_with("other.sqlite", "b = abs(a = a)[SelectedBackend = string(\"ane\")];"),
            Provenance::kReported);
  EXPECT_EQ(provenance_with("cpu.sqlite", "y = relu(x = x)[SelectedBackend = string(\"bnns\")];"),
            Provenance::kReported);
}

// Analytics that a program itself provided show its backend, but not that it ran on a chip.
TEST_F(QueryTest, ProofsThatAProgramGivesItselfDoNotCountAsSilicon) {
  const std::string path = folder_->File("proved.sqlite");
  auto store = Store::Open(path);
  ASSERT_TRUE(store.ok());
  RunRow record;
  record.uuid = "u1";
  record.provenance = Provenance::kReported;
  const auto run = store->BeginRun(record);
  ASSERT_TRUE(run.ok());
  RowBatch batch;
  batch.reach[{"h13", Route::kMil, "relu"}] = {
      .cases = 8, .compiled = 4, .dispatched = 4, .rejected = 4, .unconfirmed = 3};
  batch.reach[{"h13", Route::kMil, "abs"}] = {.cases = 2, .compiled = 2, .dispatched = 2};
  batch.proved_reach[{"h13", Route::kMil, "relu", Provenance::kSilicon}] = {
      .cases = 4, .compiled = 4, .dispatched = 4, .unconfirmed = 2};
  batch.proved_reach[{"h13", Route::kMil, "abs", Provenance::kSilicon}] = {
      .cases = 2, .compiled = 2, .dispatched = 2};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  const auto data = ReadReportData({&path, 1});
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->reach.size(), 2u);
  for (const auto& [key, counts] : data->reach) EXPECT_EQ(key.provenance, Provenance::kReported);
  const ReachCounts& relu = data->reach.at({"relu", "h13", Route::kMil, Provenance::kReported});
  EXPECT_EQ(relu.rejected, 4);
  EXPECT_EQ(relu.dispatched, 4);
  EXPECT_EQ(relu.unconfirmed, 3);
}

// One defect that several shards of a campaign found is one finding of the whole campaign.
TEST_F(QueryTest, ShardsOfOneCampaignShareTheirFindings) {
  const std::string path = folder_->File("shards.sqlite");
  auto store = Store::Open(path);
  ASSERT_TRUE(store.ok());
  const auto add = [&](const char* uuid, const char* options, uint64_t case_index,
                       const char* signature) {
    RunRow run;
    run.uuid = uuid;
    run.seed = 7;
    run.options = options;
    const auto id = store->BeginRun(run);
    ASSERT_TRUE(id.ok());
    FindingRow finding;
    finding.id = std::string("f") + uuid;
    finding.op = "conv";
    finding.target = "h13";
    finding.signature = signature;
    finding.verdict = Verdict::kWrong;
    finding.case_index = case_index;
    finding.occurrences = 2;
    finding.artifact = "{}";
    RowBatch batch;
    batch.findings.push_back(finding);
    ASSERT_TRUE(store->Append(*id, batch).ok());
  };
  add("a", R"({"shard": [0, 2]})", 8, "wrong|conv");
  add("b", R"({"shard": [1, 2]})", 3, "wrong|conv");
  add("c", "{}", 5, "wrong|conv");
  add("d", R"({"shard": [1, 2], "faults": ["other"]})", 9, "wrong|conv");
  const auto data = ReadReportData({&path, 1});
  ASSERT_TRUE(data.ok());
  ASSERT_EQ(data->findings.size(), 3u)
      << "a whole run and a shard with other options keep their own findings";
  const auto shared = std::ranges::find(data->findings, std::string("fb"), &FindingInfo::id);
  ASSERT_NE(shared, data->findings.end()) << "the earliest case stands for all";
  EXPECT_EQ(shared->occurrences, 4);
}

TEST_F(QueryTest, RefusesOtherFiles) {
  const std::string other = folder_->File("other.sqlite");
  ASSERT_TRUE(WriteFileAtomic(other, std::string_view("no database at all, but long enough")).ok());
  EXPECT_FALSE(ReadReportData({&other, 1}).ok());
  const std::string missing = folder_->File("missing.sqlite");
  EXPECT_FALSE(ReadReportData({&missing, 1}).ok());
}

TEST_F(QueryTest, ShowsElementsOutsideFirst) {
  const auto data = ReadReportData({&path_, 1});
  ASSERT_TRUE(data.ok());
  const auto found = std::find_if(data->findings.begin(), data->findings.end(),
                                  [](const auto& item) { return item.id == "f000000000a1"; });
  ASSERT_NE(found, data->findings.end());
  const FindingDetail& detail = found->detail;
  EXPECT_EQ(detail.problem, "");
  EXPECT_THAT(detail.mil, testing::HasSubstr("func main"));
  ASSERT_EQ(detail.inputs.size(), 1u);
  EXPECT_THAT(detail.inputs[0].values, testing::ElementsAre("1", "1"));
  ASSERT_EQ(detail.outputs.size(), 1u);
  EXPECT_EQ(detail.outputs[0].outside, 1);
  ASSERT_EQ(detail.outputs[0].rows.size(), 2u);
  EXPECT_EQ(detail.outputs[0].rows[0].index, 1);
  EXPECT_TRUE(detail.outputs[0].rows[0].outside);
  EXPECT_EQ(detail.outputs[0].rows[0].low, "3");
  EXPECT_EQ(detail.outputs[0].rows[0].high, "4");
  EXPECT_EQ(detail.outputs[0].rows[0].actual, "2");
  EXPECT_FALSE(detail.outputs[0].rows[1].outside);
}

TEST(FindingDetail, SaysWhyAnArtifactCannotBeShown) {
  EXPECT_NE(ReadFindingDetail("").problem, "");
  EXPECT_NE(ReadFindingDetail("[1]").problem, "");
  EXPECT_NE(ReadFindingDetail(kHostile).problem, "");
}

TEST(FindingDetail, AcceptsMembersOfAnyType) {
  for (const char* text :
       {R"({"inputs": 1, "actual": {"a": 2}, "mil": []})", R"({"actual": [1, null, "x"]})",
        R"({"actual": [{"dtype": "fp16", "shape": [-1], "data": ""}], "expected": 4})",
        R"({"actual": [{"dtype": "fp16", "shape": [4611686018427387904, 8], "data": "AAA="}]})",
        R"({"actual": [{"dtype": "fp16", "shape": ["2"], "data": "ADwAPA=="}]})",
        R"({"actual": [{"dtype": "none", "shape": [1], "data": "ADw="}], "expected": [[]]})"}) {
    const FindingDetail detail = ReadFindingDetail(text);
    EXPECT_EQ(detail.problem, "") << text;
    for (const TensorDetail& tensor : detail.outputs) EXPECT_TRUE(tensor.rows.empty()) << text;
  }
}

TEST(FindingDetail, CutsLargeTensorsAndTexts) {
  std::string data(8 * 10, 'A'), mil(kShownMil + 10, 'm');
  const FindingDetail detail = ReadFindingDetail(
      R"({"mil": ")" + mil + R"(", "actual": [{"name": "y", "dtype": "int8", "shape": [60],)" +
      R"( "data": ")" + data + R"("}, {"name": "z", "dtype": "uint1", "shape": [480], "data": ")" +
      data + R"("}]})");
  EXPECT_TRUE(detail.mil_cut);
  EXPECT_EQ(detail.mil.size(), kShownMil);
  ASSERT_EQ(detail.outputs.size(), 2u);
  EXPECT_EQ(detail.outputs[0].rows.size(), 60u);
  EXPECT_EQ(detail.outputs[1].elements, 480);
  EXPECT_EQ(detail.outputs[1].rows.size(), kShownElements);
}

}  // namespace
}  // namespace anecheck::reports
