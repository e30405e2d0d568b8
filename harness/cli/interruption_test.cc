// A campaign whose process is killed at random moments and resumed each time leaves the results of
// one that nobody touched. ANECHECK_KILLS sets how often it is killed (default 6).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "harness/base/file.h"
#include "harness/campaign/store.h"

namespace anecheck {
namespace {

constexpr int kKilled = -1;

// Runs the tool and kills it after `milliseconds`, unless it has ended by then; negative: never.
// Returns its exit code or kKilled.
int RunTool(const std::vector<std::string>& arguments, int milliseconds) {
  std::vector<char*> argv;
  std::string tool = ANECHECK_TOOL;
  argv.push_back(tool.data());
  std::vector<std::string> copy = arguments;
  for (std::string& argument : copy) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execv(ANECHECK_TOOL, argv.data());
    _exit(127);
  }
  if (milliseconds >= 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
}

std::vector<std::vector<std::string>> Rows(const std::string& db, std::string_view sql) {
  auto store = Store::OpenReadOnly(db);
  EXPECT_TRUE(store.ok()) << store.error().message;
  if (!store.ok()) return {};
  auto rows = store->Query(sql);
  EXPECT_TRUE(rows.ok()) << rows.error().message;
  return rows.ok() ? std::move(rows).value() : std::vector<std::vector<std::string>>{};
}

// What the newest run left, but for times and the file's own path.
std::vector<std::vector<std::string>> Results(const std::string& db) {
  const std::string run = " WHERE run = (SELECT max(id) FROM runs)";
  std::vector<std::vector<std::string>> all = {{Rows(db, "SELECT count(*) FROM runs")[0][0]}};
  for (const std::string& sql :
       {"SELECT case_index, seed, target, route, mode, fingerprint, nodes, status, stage, backend, "
        "verdict, message FROM cases" +
            run + " ORDER BY case_index",
        "SELECT case_index, output_index, op, verdict, elements, outside, worst_ulp, known_defect, "
        "reason FROM outputs" +
            run + " ORDER BY 1, 2",
        "SELECT id, case_index, op, verdict, signature, occurrences, summary FROM findings" + run +
            " ORDER BY id",
        "SELECT target, route, op, cases, compiled, dispatched, correct, known_defect, wrong, "
        "rejected, inconclusive FROM reach" +
            run + " ORDER BY 1, 2, 3",
        "SELECT target, op, bucket, elements FROM ulp_histogram" + run + " ORDER BY 1, 2, 3",
        "SELECT target, op, exponent, elements, sum_ulp, max_ulp FROM magnitude_errors" + run +
            " ORDER BY 1, 2, 3",
        std::string("SELECT state FROM runs ORDER BY id DESC LIMIT 1")}) {
    std::ranges::copy(Rows(db, sql), std::back_inserter(all));
  }
  return all;
}

TEST(Interruption, AKilledCampaignThatIsResumedLosesNothingAndRepeatsNothing) {
  const auto folder = TempDirectory::Create("anecheck-kill-");
  ASSERT_TRUE(folder.ok());
  const char* wanted = std::getenv("ANECHECK_KILLS");
  const int kills = wanted == nullptr ? 6 : std::atoi(wanted);
  const auto run = [&](const std::string& db) {
    return std::vector<std::string>{
        "run",     "--cases",          "1500",   "--seed", "4",    "--targets",     "h13,h17s",
        "--fault", "slice-off-by-one", "--jobs", "2",      "--db", folder->File(db)};
  };
  ASSERT_EQ(RunTool(run("whole.sqlite"), -1), 1);
  const std::string db = folder->File("killed.sqlite");
  const std::vector<std::string> resume = {"run", "--resume", "--db", db};
  std::minstd_rand random(20);
  int killed = 0;
  int code = kKilled;
  while (code == kKilled) {
    const int pause = killed < kills ? std::uniform_int_distribution(5, 400)(random) : -1;
    code = RunTool(killed == 0 ? run("killed.sqlite") : resume, pause);
    killed += code == kKilled;
    // Killed before the run was recorded: there is nothing to go on with.
    if (code == 2) code = RunTool(run("killed.sqlite"), pause);
  }
  EXPECT_EQ(code, 1);
  EXPECT_GT(killed, 0);
  EXPECT_EQ(Results(db), Results(folder->File("whole.sqlite")));
}

TEST(Interruption, ACampaignThatFilledTheDiskGoesOnWhenThereIsRoom) {
  const auto folder = TempDirectory::Create("anecheck-full-");
  ASSERT_TRUE(folder.ok());
  const std::string disk = folder->File("disk");
  ASSERT_TRUE(MakeDirectories(disk).ok());
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=600k") != 0) {
    GTEST_SKIP() << "needs the right to mount a file system";
  }
  const auto run = [](const std::string& db) {
    return std::vector<std::string>{"run", "--cases", "900", "--seed", "4", "--targets",
                                    "h13", "--jobs",  "2",   "--db",   db};
  };
  const std::string db = disk + "/r.sqlite";
  EXPECT_EQ(RunTool(run(db), -1), 3);
  EXPECT_GT(std::stoi(Rows(db, "SELECT count(*) FROM cases")[0][0]), 0);
  EXPECT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
  EXPECT_LE(RunTool({"run", "--resume", "--db", db}, -1), 1);
  EXPECT_LE(RunTool(run(folder->File("whole.sqlite")), -1), 1);
  EXPECT_EQ(Results(db), Results(folder->File("whole.sqlite")));
  umount2(disk.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace anecheck
