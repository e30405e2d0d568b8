// Joining results files is idempotent, commutative and associative, for any files.
#include "harness/results/merge.h"

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <rapidcheck.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/testing/unprivileged.h"
#include "harness/results/store.h"
#include "harness/results/testing/query_text.h"

namespace anecheck {
namespace {

class MergeTest : public ::testing::Test {
 protected:
  std::string Path() { return folder_->File("f" + std::to_string(++files_) + ".sqlite"); }

  // Adds a run of `cases` cases to the file. Its rows contain `salt`.
  static void AddRun(Store& store, const std::string& uuid, uint64_t cases, const std::string& salt,
                     RunState state = RunState::kFinished) {
    RunRow run;
    run.uuid = uuid;
    run.options = "{}";
    run.provenance = Provenance::kSilicon;
    run.chip = "M1";
    const auto id = store.BeginRun(run);
    ASSERT_TRUE(id.ok());
    RowBatch batch;
    for (uint64_t i = 0; i < cases; ++i) {
      CaseRow record;
      record.index = i;
      record.target = "h13";
      record.route = Route::kMil;
      record.verdict = Verdict::kPass;
      record.message = salt;
      record.outputs.push_back({"conv", Verdict::kPass, 10, 0, i, {}, ""});
      batch.cases.push_back(record);
    }
    if (cases > 0) {
      FindingRow finding;
      finding.id = "f" + salt;
      finding.signature = "wrong|conv";
      finding.artifact = "{}";
      batch.findings.push_back(finding);
      batch.reach[{"h13", Route::kMil, "conv"}] = {.cases = static_cast<int64_t>(cases)};
      batch.ulp[{"h13", "conv"}][2] = cases;
    }
    ASSERT_TRUE(store.Append(*id, batch).ok());
    ASSERT_TRUE(store.FinishRun(*id, state, "2026-01-01T00:00:00Z").ok());
  }

  // One run of a file: its id, the number of its cases, and its rows.
  struct Part {
    int run = 0;
    int cases = 0;
    int salt = 0;
  };
  // Draws the content of a file: some of three runs, complete or in part, in any order.
  static std::vector<Part> DrawFile() {
    std::vector<Part> parts;
    const int first = *rc::gen::inRange(0, 3);
    for (int i = 0; i < 3; ++i) {
      if (*rc::gen::inRange(0, 3) == 0) continue;
      parts.push_back({(first + i) % 3, *rc::gen::inRange(0, 3), *rc::gen::inRange(0, 2)});
    }
    return parts;
  }
  std::string MakeFile(const std::vector<Part>& parts) {
    const std::string path = Path();
    auto store = Store::Open(path);
    EXPECT_TRUE(store.ok());
    for (const Part& part : parts) {
      AddRun(*store, "u" + std::to_string(part.run), static_cast<uint64_t>(part.cases),
             std::string(1, static_cast<char>('a' + part.salt)));
    }
    return path;
  }

  // Returns the number of files in the folder of `path` whose names begin with the name of `path`.
  static size_t FilesNamed(const std::string& path) {
    const std::filesystem::path whole(path);
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(whole.parent_path())) {
      count += entry.path().filename().string().starts_with(whole.filename().string()) ? 1 : 0;
    }
    return count;
  }

  std::string Merge(std::vector<std::string> inputs) {
    const std::string out = Path();
    const auto merged = MergeResults(inputs, out);
    EXPECT_TRUE(merged.ok()) << merged.error().message;
    return out;
  }

  // Returns all content of the file, with the uuid of each row's run.
  static std::string Content(const std::string& path) {
    auto store = Store::OpenReadOnly(path);
    EXPECT_TRUE(store.ok());
    std::string content;
    for (const char* sql :
         {"SELECT uuid, state, finished, chip, provenance FROM runs ORDER BY uuid",
          "SELECT uuid, c.* FROM cases c JOIN runs ON runs.id = run ORDER BY uuid, case_index",
          "SELECT uuid, c.* FROM outputs c JOIN runs ON runs.id = run ORDER BY uuid, case_index",
          "SELECT uuid, c.* FROM findings c JOIN runs ON runs.id = run ORDER BY uuid, c.id",
          "SELECT uuid, c.* FROM reach c JOIN runs ON runs.id = run ORDER BY uuid, op",
          "SELECT uuid, c.* FROM ulp_histogram c JOIN runs ON runs.id = run ORDER BY uuid, op"}) {
      std::vector<std::string> columns;
      const auto rows = testing::QueryText(*store, sql, &columns);
      EXPECT_TRUE(rows.ok());
      for (const auto& row : *rows) {
        for (size_t i = 0; i < row.size(); ++i) {
          // The run's id and the name of the file are not content.
          if (columns[i] != "run" && columns[i] != "replay") content += row[i] + "|";
        }
        content += "\n";
      }
    }
    return content;
  }

  // Checks a property of drawn files. Draws are few, because each file is a database.
  template <typename Property>
  static bool Holds(const Property& property) {
    rc::detail::TestParams parameters;
    parameters.seed = 17;
    parameters.maxSuccess = 6;
    const rc::detail::TestResult result =
        rc::detail::checkTestable(property, rc::detail::TestMetadata(), parameters);
    rc::detail::printResultMessage(result, std::cerr);
    return result.is<rc::detail::SuccessResult>();
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-merge-");
  int files_ = 0;
};

TEST_F(MergeTest, IsIdempotentAndAbsorbs) {
  EXPECT_TRUE(Holds([this] {
    const std::string a = MakeFile(DrawFile()), b = MakeFile(DrawFile());
    RC_ASSERT(Content(Merge({a, a})) == Content(a));
    const std::string ab = Merge({a, b});
    RC_ASSERT(Content(Merge({ab, b})) == Content(ab));
  }));
}

TEST_F(MergeTest, IsCommutative) {
  EXPECT_TRUE(Holds([this] {
    const std::string a = MakeFile(DrawFile()), b = MakeFile(DrawFile());
    RC_ASSERT(Content(Merge({a, b})) == Content(Merge({b, a})));
  }));
}

TEST_F(MergeTest, IsAssociative) {
  EXPECT_TRUE(Holds([this] {
    const std::string a = MakeFile(DrawFile()), b = MakeFile(DrawFile());
    const std::string c = MakeFile(DrawFile());
    const std::string left = Content(Merge({Merge({a, b}), c}));
    RC_ASSERT(left == Content(Merge({a, Merge({b, c})})));
    RC_ASSERT(left == Content(Merge({c, a, b})));
  }));
}

TEST_F(MergeTest, TakesARunOnceFromTheFullestFile) {
  const std::string small = Path(), large = Path(), out = Path();
  {
    auto store = Store::Open(small);
    AddRun(*store, "u1", 2, "a");
    AddRun(*store, "u2", 1, "a");
    auto other = Store::Open(large);
    AddRun(*other, "u1", 5, "b");
  }
  const std::string inputs[] = {small, large};
  const auto merged = MergeResults(inputs, out);
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->runs, 2);
  EXPECT_EQ(merged->duplicates, 1);
  EXPECT_EQ(merged->cases, 6);
  auto store = Store::OpenReadOnly(out);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*testing::QueryText(*store, "SELECT count(*) FROM outputs"))[0][0], "6");
  EXPECT_EQ(
      (*testing::QueryText(
          *store, "SELECT group_concat(uuid) FROM (SELECT uuid FROM runs ORDER BY id)"))[0][0],
      "u1,u2");
}

// A copy made before the run was finished is not taken, although it has all cases.
TEST_F(MergeTest, TakesARunFromTheFileThatHasItsEnd) {
  const std::string earlier = Path(), whole = Path(), out = Path();
  {
    auto before = Store::Open(earlier);
    auto after = Store::Open(whole);
    for (int run = 0; run < 8; ++run) {
      const std::string uuid = "u" + std::to_string(run);
      AddRun(*before, uuid, 2, "a", run % 2 == 0 ? RunState::kRunning : RunState::kInterrupted);
      AddRun(*after, uuid, 2, "a");
    }
  }
  const std::string inputs[] = {whole, earlier};
  ASSERT_TRUE(MergeResults(inputs, out).ok());
  auto store = Store::OpenReadOnly(out);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(
      (*testing::QueryText(*store, "SELECT count(*) FROM runs WHERE state = 'finished'"))[0][0],
      "8");
}

TEST_F(MergeTest, ErrorsLeaveNothingBehind) {
  const std::string good = Path(), bad = Path(), out = Path();
  {
    auto store = Store::Open(good);
  }
  ASSERT_TRUE(WriteFileAtomic(bad, std::string_view("no results")).ok());
  const std::string inputs[] = {good, bad};
  EXPECT_FALSE(MergeResults(inputs, out).ok());
  EXPECT_FALSE(ReadTextFile(out).ok());
  EXPECT_EQ(FilesNamed(out), 0u);
  EXPECT_EQ(MergeResults({&good, 1}, bad).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(*ReadTextFile(bad), "no results");
}

// Files that another process makes at the same time, or made earlier, stay unchanged.
TEST_F(MergeTest, ReplacesNothing) {
  const std::string good = Path(), out = Path(), elsewhere = Path();
  {
    auto store = Store::Open(good);
    AddRun(*store, "u1", 1, "a");
  }
  ASSERT_TRUE(WriteFileAtomic(out + ".partial", std::string_view("somebody's")).ok());
  // A dangling link makes the name look unused.
  ASSERT_EQ(symlink(elsewhere.c_str(), out.c_str()), 0);
  const auto merged = MergeResults({&good, 1}, out);
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(std::filesystem::is_symlink(out));
  EXPECT_EQ(*ReadTextFile(out + ".partial"), "somebody's");
  EXPECT_EQ(FilesNamed(out), 2u);
}

TEST_F(MergeTest, OfSeveralMergesAtOnceOneMakesTheFile) {
  const std::string good = Path(), out = Path();
  {
    auto store = Store::Open(good);
    AddRun(*store, "u1", 3, "a");
  }
  std::atomic<int> made{0}, refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto merged = MergeResults({&good, 1}, out);
      ++(merged.ok() ? made : refused);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(Content(out), Content(good));
  EXPECT_EQ(FilesNamed(out), 1u);
}

TEST_F(MergeTest, FindingsAreReplayedFromTheJoinedFile) {
  const std::string a = Path(), b = Path(), out = folder_->File("two words.sqlite");
  {
    auto store = Store::Open(a);
    AddRun(*store, "u1", 1, "a");
    AddRun(*store, "u2", 1, "b");
    auto other = Store::Open(b);
    AddRun(*other, "u3", 1, "a");
  }
  const std::string inputs[] = {a, b};
  ASSERT_TRUE(MergeResults(inputs, out).ok());
  auto store = Store::OpenReadOnly(out);
  const auto rows = testing::QueryText(*store, "SELECT replay FROM findings ORDER BY run");
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 3u);
  const std::string db = " --db '" + out + "'";
  EXPECT_EQ((*rows)[0][0], "anecheck replay fa" + db + " --run u1");
  EXPECT_EQ((*rows)[1][0], "anecheck replay fb" + db);
  EXPECT_EQ((*rows)[2][0], "anecheck replay fa" + db + " --run u3");
}

TEST_F(MergeTest, AnInterruptedMergeLeavesNoFile) {
  const std::string input = Path();
  {
    auto store = Store::Open(input);
    AddRun(*store, "u1", 2, "a");
  }
  const std::atomic<bool> stop = true;
  const auto merged = MergeResults({&input, 1}, Path(), &stop);
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().code, ErrorCode::kInterrupted);
  for (const std::string& name : *ListFiles(folder_->path())) {
    EXPECT_TRUE(name.starts_with("f1.sqlite")) << name;
  }
}

// SQLite can make no log in a read-only folder.
TEST_F(MergeTest, ReadsFilesInAReadOnlyFolder) {
  const std::string shelf = folder_->File("shelf"), out = Path();
  ASSERT_TRUE(MakeDirectories(shelf).ok());
  const std::string input = shelf + "/a #1.sqlite";
  {
    auto store = Store::Open(input);
    AddRun(*store, "u1", 2, "a");
  }
  const testing::UnprivilegedScope scope(folder_->path(), shelf);
  if (!scope.holds()) GTEST_SKIP() << "needs to give up the right to write everywhere";
  const auto merged = MergeResults({&input, 1}, out);
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->cases, 2);
}

RunRow ShardRun(uint64_t seed, const std::string& options, const std::string& chip = "M1") {
  RunRow run;
  run.seed = seed;
  run.options = options;
  run.chip = chip;
  return run;
}

TEST(Shards, AreReadFromTheOptionsOfARun) {
  EXPECT_EQ(ShardOf(ShardRun(1, R"({"shard": [1, 3]})")).index, 1);
  EXPECT_EQ(ShardOf(ShardRun(1, R"({"shard": [1, 3]})")).count, 3);
  for (const char* whole : {"", "{}", "[1]", R"({"shard": 3})", R"({"shard": [1]})",
                            R"({"shard": ["1", 3]})", R"({"shard": [1, "3"]})"}) {
    EXPECT_EQ(ShardOf(ShardRun(1, whole)).index, 0) << whole;
    EXPECT_EQ(ShardOf(ShardRun(1, whole)).count, 1) << whole;
  }
}

std::vector<const RunRow*> PointersTo(const std::vector<RunRow>& runs) {
  std::vector<const RunRow*> pointers;
  for (const RunRow& run : runs) pointers.push_back(&run);
  return pointers;
}

RunRow StartedAt(const std::string& started, RunRow run) {
  run.started = started;
  return run;
}

// Runs with different faults, labels or numbers of cases are parts of different campaigns.
TEST(Shards, OtherOptionsAreAnotherCampaign) {
  const char* const options[] = {
      R"({"shard": [0, 2], "cases": 9, "faults": []})",
      R"({"shard": [1, 2], "cases": 9, "faults": ["conv-bias-dropped"]})",
      R"({"shard": [1, 2], "cases": 8, "faults": []})",
      R"({"shard": [1, 2], "cases": 9, "faults": [], "label": "26.2"})",
      R"({"shard": [1, 2], "cases": 9, "faults": []})"};
  std::vector<RunRow> runs;
  for (const char* each : options) runs.push_back(ShardRun(7, each));
  const std::vector<size_t> campaigns = CampaignsOf(PointersTo(runs));
  EXPECT_EQ(campaigns[0], campaigns[4]);
  EXPECT_EQ(std::set<size_t>(campaigns.begin(), campaigns.end()).size(), 4u);
  EXPECT_EQ(FindMissingShards(PointersTo(runs)).size(), 3u);
}

// Two hosts, each named by its label, ran a campaign on two nights. Then a whole campaign ran under
// each of two labels.
TEST(Shards, LabelsOfHostsDoNotPartACampaign) {
  const char* const first = R"({"shard": [0, 2], "label": "lab-1"})";
  const char* const second = R"({"shard": [1, 2], "label": "lab-2"})";
  std::vector<RunRow> runs = {StartedAt("2026-05-01T01", ShardRun(7, first)),
                              StartedAt("2026-05-01T02", ShardRun(7, second)),
                              StartedAt("2026-05-02T01", ShardRun(7, second)),
                              StartedAt("2026-05-02T02", ShardRun(7, first))};
  for (const char* label : {"26.1", "26.2"}) {
    for (const char* shard : {"0", "1"}) {
      runs.push_back(StartedAt(std::string("2026-05-03T0") + shard,
                               ShardRun(7, std::string(R"({"shard": [)") + shard +
                                               R"(, 2], "label": ")" + label + "\"}")));
    }
  }
  EXPECT_EQ(CampaignsOf(PointersTo(runs)), (std::vector<size_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_TRUE(FindMissingShards(PointersTo(runs)).empty());
}

// A nightly campaign has the same options every night.
TEST(Shards, TwoRunsOfOneShardAreTwoOccasions) {
  const char* const first = R"({"shard": [0, 2]})";
  const char* const second = R"({"shard": [1, 2]})";
  const std::vector<RunRow> nights = {StartedAt("2026-05-02T01", ShardRun(7, second)),
                                      StartedAt("2026-05-01T01", ShardRun(7, first)),
                                      StartedAt("2026-05-01T02", ShardRun(7, second)),
                                      StartedAt("2026-05-02T02", ShardRun(7, first)),
                                      StartedAt("2026-05-03T01", ShardRun(7, first))};
  EXPECT_EQ(CampaignsOf(PointersTo(nights)), (std::vector<size_t>{1, 0, 0, 1, 2}));
  const std::vector<MissingShards> missing = FindMissingShards(PointersTo(nights));
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].started, "2026-05-03T01");
  EXPECT_EQ(missing[0].indices, std::vector<int64_t>{1});
}

TEST(Shards, MissingOnesAreNamed) {
  const std::vector<RunRow> runs = {
      ShardRun(7, R"({"shard": [0, 3]})"),       ShardRun(7, R"({"shard": [2, 3]})"),
      ShardRun(7, R"({"shard": [1, 3]})", "M5"), ShardRun(7, "{}"),
      ShardRun(8, R"({"shard": [0, 2]})"),       ShardRun(8, R"({"shard": [1, 2]})")};
  const std::vector<MissingShards> missing = FindMissingShards(PointersTo(runs));
  ASSERT_EQ(missing.size(), 2u) << "shards of another chip belong to another campaign";
  EXPECT_EQ(missing[0].seed, 7u);
  EXPECT_EQ(missing[0].count, 3);
  EXPECT_EQ(missing[0].indices, std::vector<int64_t>{1});
  EXPECT_EQ(missing[1].indices, (std::vector<int64_t>{0, 2}));
}

TEST_F(MergeTest, ReportsMissingShards) {
  const std::string path = Path();
  auto store = Store::Open(path);
  ASSERT_TRUE(store.ok());
  for (const int64_t index : {0, 2}) {
    RunRow run = ShardRun(7, "{\"shard\": [" + std::to_string(index) + ", 3]}");
    run.uuid = "u" + std::to_string(index);
    ASSERT_TRUE(store->BeginRun(run).ok());
  }
  const std::vector<std::string> inputs = {path};
  const auto merged = MergeResults(inputs, Path());
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  ASSERT_EQ(merged->missing.size(), 1u);
  EXPECT_EQ(merged->missing[0].indices, std::vector<int64_t>{1});
}

}  // namespace
}  // namespace anecheck
