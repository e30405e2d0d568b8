// A campaign that is killed at random moments and resumed each time leaves the results of an
// undisturbed campaign. The same holds for a campaign that Ctrl-C stops at a terminal, and for one
// that fills its disk. ANECHECK_KILLS sets the number of kills (default 6). Commands that a signal
// stops early say so.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#if defined(__APPLE__)
#include <util.h>
#else
#include <pty.h>
#endif

#include "harness/base/file.h"
#include "harness/base/testing/wait.h"
#include "harness/results/store.h"
#include "harness/results/testing/query_text.h"

namespace anecheck {
namespace {

using testing::RowsOf;
using testing::TextRows;

constexpr int kKilled = -1;

// Replaces this process by the tool.
[[noreturn]] void Exec(std::vector<std::string> arguments) {
  std::string tool = ANECHECK_TOOL;
  std::vector<char*> argv = {tool.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(ANECHECK_TOOL, argv.data());
  _exit(127);
}

// Starts the tool. Its messages go to the file `messages`.
pid_t StartTool(const std::vector<std::string>& arguments,
                const std::string& messages = "/dev/null") {
  const pid_t child = fork();
  if (child != 0) return child;
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  dup2(open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  Exec(arguments);
}

// Returns the exit code of the process, or kKilled.
int EndOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
}

// Runs the tool and kills it after `milliseconds` if it still runs. A negative number never kills
// it.
int RunTool(const std::vector<std::string>& arguments, int milliseconds,
            const std::string& messages = "/dev/null") {
  const pid_t child = StartTool(arguments, messages);
  if (milliseconds >= 0) {
    // Waits by the clock: a kill may come at any moment, and the test draws that moment.
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
  }
  return EndOf(child);
}

// Sends `signal` to the process of StartTool once `ready` returns true, or after a minute.
template <typename Ready>
int Interrupted(pid_t child, int signal, const Ready& ready) {
  EXPECT_TRUE(testing::WaitUntil(ready));
  kill(child, signal);
  return EndOf(child);
}

bool IsThere(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Returns the recorded rows of the newest run, without times and the file's own path.
TextRows Results(const std::string& db) {
  const std::string run = " WHERE run = (SELECT max(id) FROM runs)";
  TextRows all = {{RowsOf(db, "SELECT count(*) FROM runs")[0][0]}};
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
        "SELECT target, op, bucket, elements FROM bound_widths" + run + " ORDER BY 1, 2, 3",
        "SELECT target, op, exponent, elements, sum_ulp, max_ulp FROM magnitude_errors" + run +
            " ORDER BY 1, 2, 3",
        "SELECT target, route, op, lean, outputs, sum, capital_1, capital_2, capital_3, capital_4, "
        "extreme_case, extreme FROM error_leans" +
            run + " ORDER BY 1, 2, 3, 4",
        "SELECT kind, cell, cases, first_case FROM coverage" + run + " ORDER BY 1, 2",
        std::string("SELECT state FROM runs ORDER BY id DESC LIMIT 1")}) {
    std::ranges::copy(RowsOf(db, sql), std::back_inserter(all));
  }
  return all;
}

// Returns the number of rows of a table; 0 if the file or the table does not exist yet.
int64_t CountOf(const std::string& db, const std::string& table) {
  auto store = Store::OpenReadOnly(db);
  if (!store.ok()) return 0;
  const auto rows = testing::QueryText(*store, "SELECT count(*) FROM " + table);
  EXPECT_TRUE(rows.ok()) << rows.error().message;
  return rows.ok() ? std::stoll((*rows)[0][0]) : 0;
}

TEST(Interruption, AKilledAndResumedCampaignLosesAndRepeatsNothing) {
  const auto folder = TempDirectory::Create("anecheck-kill-");
  ASSERT_TRUE(folder.ok());
  const char* wanted = std::getenv("ANECHECK_KILLS");
  const int kills = wanted == nullptr ? 6 : std::atoi(wanted);
  const auto run = [](const std::string& db) {
    return std::vector<std::string>{
        "run",     "--cases",          "600",    "--seed", "4",    "--targets", "h13,h17s",
        "--fault", "slice-off-by-one", "--jobs", "2",      "--db", db};
  };
  const std::string whole = folder->File("whole.sqlite");
  ASSERT_EQ(RunTool(run(whole), -1), 1);
  const auto expected = Results(whole);
  std::minstd_rand random(20);
  int killed = 0;
  int half_way = 0;  // kills after the first recorded case and before the last
  // The latest moment of a kill, in milliseconds. The load of the machine varies, so this limit
  // grows if a kill came before any new case was recorded, and shrinks if it came too late.
  double latest = 400;
  // Returns whether there were enough kills, at least one of them half-way.
  const auto enough = [&] { return killed >= kills && half_way > 0; };
  for (int round = 0; !enough(); ++round) {
    ASSERT_LT(round, 100 + kills) << "no kill came between the first case and the last";
    const std::string db = folder->File("killed" + std::to_string(round) + ".sqlite");
    int64_t cases = 0;
    bool recorded = false;
    int code = kKilled;
    while (code == kKilled) {
      const auto arguments =
          recorded ? std::vector<std::string>{"run", "--resume", "--db", db} : run(db);
      std::uniform_int_distribution<int> moment(1, static_cast<int>(latest));
      code = RunTool(arguments, enough() ? -1 : moment(random));
      if (code != kKilled) {
        latest = std::max(20.0, 0.7 * latest);
        continue;
      }
      ++killed;
      // If a kill comes before the run was recorded, there is nothing to resume.
      recorded = CountOf(db, "runs") > 0;
      const int64_t before = std::exchange(cases, recorded ? CountOf(db, "cases") : 0);
      if (cases == before) latest *= 1.1;
      half_way += cases > 0 && cases < 600 ? 1 : 0;
    }
    EXPECT_EQ(code, 1);
    ASSERT_EQ(Results(db), expected) << "campaign " << round;
    ASSERT_TRUE(std::filesystem::remove(db));
  }
  std::printf("%d kills, %d of them half-way\n", killed, half_way);
}

// Reads a terminal until `text` has appeared or the program has ended.
bool ReadUntil(int terminal, const std::string& text, std::string& seen) {
  char buffer[4096];
  while (seen.find(text) == std::string::npos) {
    const ssize_t count = read(terminal, buffer, sizeof buffer);
    if (count <= 0) return false;
    seen.append(buffer, static_cast<size_t>(count));
  }
  return true;
}

TEST(Interruption, CtrlCAtATerminalStopsCleanlyAndTheRunCanBeResumed) {
  const auto folder = TempDirectory::Create("anecheck-ctrl-c-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("stopped.sqlite");
  const auto run = [](const std::string& file) {
    return std::vector<std::string>{"run",      "--cases", "2000", "--seed", "6", "--targets",
                                    "h13,h17s", "--jobs",  "2",    "--db",   file};
  };
  winsize size{};
  size.ws_col = 160;
  size.ws_row = 24;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  ASSERT_GE(child, 0);
  if (child == 0) Exec(run(db));
  std::string seen;
  // Progress has a line for the whole run and one for each target; that of h17s is the last.
  EXPECT_TRUE(ReadUntil(terminal, "  h17s     ", seen)) << seen;
  EXPECT_EQ(write(terminal, "\x03", 1), 1);
  ReadUntil(terminal, "never said", seen);
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  ASSERT_TRUE(WIFEXITED(status)) << seen;
  EXPECT_EQ(WEXITSTATUS(status), 3) << seen;
  for (const char* part : {"/2000 cases, ", "/s, ", " left, ", " new finding", " known defects, ",
                           " cells covered", "  h13      ", " passed, "}) {
    EXPECT_NE(seen.find(part), std::string::npos) << part << " in " << seen;
  }
  EXPECT_NE(seen.find("interrupted; every finished batch is recorded; resume with: anecheck "
                      "run --resume --db " +
                      db),
            std::string::npos)
      << seen;
  EXPECT_EQ(RowsOf(db, "SELECT state FROM runs")[0][0], "interrupted");
  const int cases = std::stoi(RowsOf(db, "SELECT count(*) FROM cases")[0][0]);
  EXPECT_GT(cases, 0);
  EXPECT_LT(cases, 2000);
  EXPECT_LE(RunTool({"run", "--resume", "--db", db}, -1), 1);
  EXPECT_LE(RunTool(run(folder->File("whole.sqlite")), -1), 1);
  EXPECT_EQ(Results(db), Results(folder->File("whole.sqlite")));
}

TEST(Interruption, ARunThatAnotherProcessWritesIsNotResumed) {
  const auto folder = TempDirectory::Create("anecheck-live-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("r.sqlite"), said = folder->File("said");
  const std::string link = folder->File("link.sqlite");
  const pid_t live = StartTool({"run", "--cases", "1000000", "--jobs", "1", "--db", db});
  const auto meanwhile = [&] {
    if (!IsThere(db) || CountOf(db, "cases") == 0) return false;
    std::filesystem::create_symlink(db, link);
    for (const std::string& name : {db, link}) {
      EXPECT_EQ(RunTool({"run", "--resume", "--db", name}, -1, said), 2);
      EXPECT_EQ(*ReadTextFile(said), "anecheck: error: " + name +
                                         ": run 1 is being written by process " +
                                         std::to_string(live) + "; let it end, or stop it first\n");
    }
    EXPECT_EQ(RowsOf(db, "SELECT state FROM runs")[0][0], "running");
    EXPECT_EQ(RunTool({"run", "--cases", "64", "--quirk", "all=off", "--targets", "h13", "--ops",
                       "add", "--jobs", "1", "--db", db},
                      -1),
              0)
        << "a new run in the same file needs no other process";
    return true;
  };
  EXPECT_EQ(Interrupted(live, SIGINT, meanwhile), 3) << "the live run went on until the signal";
  const auto states = RowsOf(db, "SELECT state FROM runs ORDER BY id");
  EXPECT_EQ(states, (TextRows{{"interrupted"}, {"finished"}}));
  const int64_t before = CountOf(db, "cases");
  EXPECT_LE(RunTool({"run", "--resume", "--time", "5s", "--db", db}, -1, said), 1)
      << *ReadTextFile(said);
  EXPECT_GT(CountOf(db, "cases"), before);
  for (const auto& entry : std::filesystem::directory_iterator(folder->path())) {
    EXPECT_NE(entry.path().extension(), ".lock") << entry.path();
  }
}

TEST(Interruption, AHangUpStopsARunLikeCtrlC) {
  const auto folder = TempDirectory::Create("anecheck-hang-up-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("r.sqlite");
  const pid_t run = StartTool({"run", "--cases", "1000000", "--jobs", "1", "--db", db});
  EXPECT_EQ(Interrupted(run, SIGHUP, [&] { return IsThere(db) && CountOf(db, "cases") > 0; }), 3);
  EXPECT_EQ(RowsOf(db, "SELECT state FROM runs")[0][0], "interrupted");
}

// The tool starts with SIGHUP ignored, as under nohup.
TEST(Interruption, AnIgnoredHangUpStaysIgnored) {
  const auto folder = TempDirectory::Create("anecheck-nohup-");
  ASSERT_TRUE(folder.ok());
  const std::string begun = folder->File("begun");
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const pid_t fuzz =
      StartTool({"fuzz", "--format", "td", "--count", "2", "--jobs", "1", "--out",
                 folder->File("out"), "--", "/bin/sh", "-c", "touch " + begun + "; sleep 1", "@@"});
  std::signal(SIGHUP, before);
  EXPECT_EQ(Interrupted(fuzz, SIGHUP, [&] { return IsThere(begun); }), 0);
}

// The engine refuses the first probe and never answers the second.
TEST(Interruption, ProbesThatAreStoppedKeepTheirMeasurements) {
  const auto folder = TempDirectory::Create("anecheck-probe-stopped-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("r.sqlite"), said = folder->File("said");
  const std::string begun = folder->File("begun"), script = folder->File("engine.sh");
  const std::string engine =
      "read hello; echo '{\"v\": 1, \"name\": \"slow\"}'\n"
      "read first; id=$(echo \"$first\" | sed 's/.*\"id\": *\\([0-9]*\\).*/\\1/')\n"
      "echo \"{\\\"v\\\": 1, \\\"id\\\": $id, \\\"status\\\": \\\"failed\\\", "
      "\\\"stage\\\": \\\"run\\\", \\\"message\\\": \\\"no\\\"}\"\n"
      "read second; touch " +
      begun + "; exec sleep 60\n";
  ASSERT_TRUE(WriteFileAtomic(script, std::string_view(engine)).ok());
  const pid_t probe = StartTool({"probe", "--target", "h13", "--runner", "exec:/bin/sh " + script,
                                 "--case-timeout", "2000", "--db", db},
                                said);
  EXPECT_EQ(Interrupted(probe, SIGINT, [&] { return IsThere(begun); }), 3);
  EXPECT_NE(ReadTextFile(said)->find("interrupted; the figures up to now are recorded in " + db),
            std::string::npos)
      << *ReadTextFile(said);
  const auto kept = RowsOf(db, "SELECT state, message FROM probes");
  ASSERT_EQ(kept.size(), 1u) << "the signal cut the second answer short";
  EXPECT_EQ(kept[0][0], "unmeasured");
  EXPECT_NE(kept[0][1].find("no"), std::string::npos) << kept[0][1];
  EXPECT_EQ(RowsOf(db, "SELECT state FROM runs")[0][0], "interrupted");
}

// A recorded run without results would suggest a campaign that can be resumed.
TEST(Interruption, AHangingRuntimeProbeEndsOnRequestAndRecordsNothing) {
  const auto folder = TempDirectory::Create("anecheck-hung-probe-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("r.sqlite");
  const pid_t probe =
      StartTool({"probe", "--target", "h13", "--probe", "loaded_programs", "--fault",
                 "compile-hang", "--case-timeout", "86400000", "--db", db});
  const std::string children =
      "/proc/" + std::to_string(probe) + "/task/" + std::to_string(probe) + "/children";
  const auto at_work = [&] {
    const auto text = ReadTextFile(children);
    return text.ok() && !text->empty();
  };
  EXPECT_EQ(Interrupted(probe, SIGINT, at_work), 3);
  EXPECT_FALSE(IsThere(db));
}

TEST(Interruption, AStoppedPowerMeasurementReportsTheStop) {
  const auto folder = TempDirectory::Create("anecheck-power-stopped-");
  ASSERT_TRUE(folder.ok());
  const std::string out = folder->File("power"), said = folder->File("said");
  // The tool writes the page after each hunt, and then continues for a long time.
  const pid_t power =
      StartTool({"power", "--fault", "sub-swapped,softmax-truncates", "--cases", "1000000",
                 "--max-seconds", "0", "--shrink-tries", "0", "--jobs", "1", "--out", out},
                said);
  EXPECT_EQ(Interrupted(power, SIGTERM, [&] { return IsThere(out + "/power.html"); }), 3);
  EXPECT_NE(ReadTextFile(said)->find("interrupted; only finished hunts are shown"),
            std::string::npos);
}

TEST(Interruption, AShrinkThatIsStoppedInItsFirstRunSaysSo) {
  const auto folder = TempDirectory::Create("anecheck-shrink-stopped-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("r.sqlite"), said = folder->File("said");
  const std::string begun = folder->File("begun"), small = folder->File("small.json");
  ASSERT_EQ(RunTool({"run", "--cases", "64", "--fault", "sub-swapped", "--ops", "sub", "--targets",
                     "h15", "--jobs", "1", "--db", db},
                    -1),
            1);
  const std::string id = RowsOf(db, "SELECT id FROM findings WHERE verdict = 'wrong'")[0][0];
  const pid_t shrink = StartTool(
      {"shrink", id, "--db", db, "--out", small, "--if", "touch " + begun + "; sleep 60; true"},
      said);
  EXPECT_EQ(Interrupted(shrink, SIGTERM, [&] { return IsThere(begun); }), 3);
  EXPECT_NE(ReadTextFile(said)->find("interrupted before the finding itself was reproduced"),
            std::string::npos)
      << *ReadTextFile(said);
  EXPECT_FALSE(IsThere(small));
}

// A finding of an engine that hangs, with a very long time limit.
TEST(Interruption, AShrinkOfAHangEndsOnRequest) {
  const auto folder = TempDirectory::Create("anecheck-shrink-hang-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("r.sqlite"), said = folder->File("said");
  const std::string finding = folder->File("finding.json"), small = folder->File("small.json");
  ASSERT_EQ(RunTool({"run", "--cases", "1", "--fault", "run-hang", "--targets", "h15", "--jobs",
                     "1", "--case-timeout", "201", "--db", db},
                    -1),
            1);
  std::string text = RowsOf(db, "SELECT artifact FROM findings WHERE verdict = 'hung'")[0][0];
  const std::string limit = "\"case_timeout_ms\":201";
  const size_t at = text.find(limit);
  ASSERT_NE(at, std::string::npos) << text.substr(0, 2000);
  text.replace(at, limit.size(), "\"case_timeout_ms\":1000000000");
  ASSERT_TRUE(WriteFileAtomic(finding, text).ok());
  const testing::OwnTemporaryFiles files;
  const pid_t shrink = StartTool({"shrink", finding, "--out", small}, said);
  EXPECT_EQ(Interrupted(shrink, SIGTERM, [&] { return files.HasCase(); }), 3);
  EXPECT_NE(ReadTextFile(said)->find("interrupted before the finding itself was reproduced"),
            std::string::npos)
      << *ReadTextFile(said);
}

#if defined(__linux__)

TEST(Interruption, ACampaignThatFilledTheDiskCanBeResumedWhenThereIsRoom) {
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
  const std::string messages = folder->File("messages");
  EXPECT_EQ(RunTool(run(db), -1, messages), 3);
  const auto said = ReadTextFile(messages);
  ASSERT_TRUE(said.ok());
  EXPECT_NE(said->find("anecheck: error: " + db + ": cannot "), std::string::npos) << *said;
  EXPECT_NE(said->find("database or disk is full\n"), std::string::npos) << *said;
  EXPECT_EQ(std::ranges::count(*said, '\n'), 1) << *said;
  EXPECT_EQ(RunTool({"query", "--db", db, "SELECT count(*) FROM cases"}, -1), 0);
  EXPECT_GT(std::stoi(RowsOf(db, "SELECT count(*) FROM cases")[0][0]), 0);
  EXPECT_EQ(RowsOf(db, "PRAGMA integrity_check")[0][0], "ok");
  EXPECT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
  EXPECT_LE(RunTool({"run", "--resume", "--db", db}, -1), 1);
  EXPECT_LE(RunTool(run(folder->File("whole.sqlite")), -1), 1);
  EXPECT_EQ(Results(db), Results(folder->File("whole.sqlite")));
  umount2(disk.c_str(), MNT_DETACH);
}

#endif

}  // namespace
}  // namespace anecheck
