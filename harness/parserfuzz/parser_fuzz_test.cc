// Tests the findings of fuzzing a command. A planted crash is found once, with a small file. Hangs,
// reports and disagreements are named. A correct parser has no findings.
#include "harness/parserfuzz/parser_fuzz.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "generators/formats/td/td_generator.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/testing/wait.h"
#include "harness/formats/td/td.h"

namespace anecheck::parserfuzz {
namespace {

std::vector<std::string> Shell(const std::string& script) {
  return {"/bin/sh", "-c", script, "sh", kFileWord};
}

class ParserFuzz : public ::testing::Test {
 protected:
  ParserFuzzOptions Options(const std::string& script) const {
    ParserFuzzOptions options;
    options.parts = {.format = &kFormat_td, .generator = &kGenerator_td};
    options.command = Shell(script);
    options.files = 8;
    options.minimise_runs = 20;
    options.out = folder_.File("out");
    return options;
  }

  std::string Kept(const Finding& finding, const std::string& file) const {
    return folder_.File("out/" + finding.name + "/" + file);
  }

  TempDirectory folder_ = TempDirectory::Create("anecheck-test-").value();
};

TEST_F(ParserFuzz, ACorrectParserHasNoFindings) {
  const auto summary = FuzzParser(Options("exit 0"));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->files, 8u);
  EXPECT_EQ(summary->accepted, 8u);
  EXPECT_TRUE(summary->findings.empty());
}

TEST_F(ParserFuzz, ACrashIsOneFindingAndItsFileIsSmall) {
  // Crashes on every file of at least 10 bytes.
  const auto summary = FuzzParser(Options("[ $(wc -c < \"$1\") -lt 10 ] || kill -SEGV $$"));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  const Finding& finding = summary->findings[0];
  EXPECT_EQ(finding.failure.kind, FailureKind::kCrash);
  EXPECT_GT(finding.count, 4u);
  EXPECT_LT(finding.small_size, finding.first_size);
  EXPECT_GE(finding.small_size, 10u);
  EXPECT_EQ(ReadFile(Kept(finding, "small"))->size(), finding.small_size);
  EXPECT_EQ(ReadFile(Kept(finding, "input"))->size(), finding.first_size);
}

TEST_F(ParserFuzz, TheFolderOfFindingsMayContainTheWordForTheFile) {
  ParserFuzzOptions options = Options("kill -SEGV $$");
  options.out = folder_.File("a@@b");
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  const std::string kept = options.out + "/" + summary->findings[0].name;
  EXPECT_THAT(ReadTextFile(kept + "/report.txt").value(), ::testing::HasSubstr(kept + "/small"));
}

TEST_F(ParserFuzz, TwoCommandsThatDisagreeAreAFinding) {
  ParserFuzzOptions options = Options("exit 0");
  options.second = Shell("echo 'bad count 7' >&2; exit 1");
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  EXPECT_EQ(summary->findings[0].failure.signature,
            "disagreement accepted by the first only: bad count N");
  EXPECT_EQ(summary->findings[0].count, 8u);
}

// A command like `inspect --verify` explains its refusal on standard output.
TEST_F(ParserFuzz, ADisagreementWithoutWordsOnStandardErrorIsNamedByTheBrokenRule) {
  ParserFuzzOptions options = Options("exit 0");
  options.second = Shell("echo 'error: broken'; exit 1");
  options.files = 60;
  options.minimise_runs = 0;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_GT(summary->findings.size(), 1u);
  std::set<std::string> rules;
  for (const Finding& finding : summary->findings) {
    const std::string rule = finding.failure.signature.substr(
        std::string("disagreement accepted by the first only: ").size());
    const auto violations = kFormat_td.verify(finding.input);
    const auto has_name = [&](const Violation& broken) { return broken.rule->id == rule; };
    if (violations.ok() && !violations->empty()) {
      EXPECT_TRUE(std::ranges::any_of(*violations, has_name)) << rule;
    }
    EXPECT_FALSE(rule.empty());
    EXPECT_TRUE(rules.insert(rule).second) << rule;
    EXPECT_EQ(finding.said, "error: broken\n");
  }
}

TEST_F(ParserFuzz, TheSameCrashOfTwoCommandsIsTwoFindings) {
  ParserFuzzOptions options =
      Options("case $(cksum < \"$1\") in *[02468]\" \"*) kill -ABRT $$; esac");
  options.second = Shell("kill -ABRT $$");
  options.files = 30;
  options.minimise_runs = 0;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  std::set<std::string> signatures;
  for (const Finding& finding : summary->findings) signatures.insert(finding.failure.signature);
  EXPECT_EQ(signatures,
            (std::set<std::string>{"crash signal 6 ", "crash signal 6  (of the second command)"}));
}

// Files fail in a few ways, and the first failures differ between jobs.
TEST_F(ParserFuzz, JobsDoNotChangeTheFindings) {
  const std::string script =
      "n=$(wc -c < \"$1\"); [ $((n % 3)) -ne 0 ] || exit 0; [ $((n % 5)) -lt 2 ] && echo few >&2; "
      "[ $((n % 7)) -lt 3 ] && echo some >&2; kill -SEGV $$";
  std::vector<ParserFuzzSummary> summaries;
  for (const int jobs : {1, 3}) {
    ParserFuzzOptions options = Options(script);
    options.files = 60;
    options.minimise_runs = 5;
    options.jobs = jobs;
    options.out = folder_.File("out-" + std::to_string(jobs));
    auto summary = FuzzParser(options);
    ASSERT_TRUE(summary.ok()) << summary.error().message;
    summaries.push_back(*std::move(summary));
  }
  EXPECT_EQ(summaries[0].files, 60u);
  EXPECT_EQ(summaries[0].accepted, summaries[1].accepted);
  ASSERT_GE(summaries[0].findings.size(), 1u);
  ASSERT_EQ(summaries[0].findings.size(), summaries[1].findings.size());
  for (size_t i = 0; i < summaries[0].findings.size(); ++i) {
    const Finding& alone = summaries[0].findings[i];
    const Finding& beside = summaries[1].findings[i];
    EXPECT_EQ(alone.failure.signature, beside.failure.signature);
    EXPECT_EQ(alone.index, beside.index);
    EXPECT_EQ(alone.count, beside.count);
    EXPECT_EQ(alone.input, beside.input);
    EXPECT_EQ(alone.small_size, beside.small_size);
  }
}

// Each of three runs waits until all three have started, so sequential runs would wait forever.
TEST_F(ParserFuzz, JobsRunAtOnce) {
  ParserFuzzOptions options =
      Options("d=" + folder_.File("met") +
              "; mkdir -p $d; touch $d/$$; i=0; while [ $(ls $d | wc -l) "
              "-lt 3 ]; do i=$((i + 1)); [ $i -lt 200 ] || exit 7; sleep 0.05; done");
  options.files = 3;
  options.jobs = 3;
  options.limits.timeout_ms = 60000;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->accepted, 3u);
}

// The report follows output that is larger than any buffer.
TEST_F(ParserFuzz, AReportAfterMuchOutputIsFound) {
  const auto summary = FuzzParser(
      Options("seq 60000 >&2; echo '==1==ERROR: AddressSanitizer: double-free on address 0x1' >&2; "
              "echo '    #0 0x5 in Parse /src/a.cc:7:1' >&2; exit 1"));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  EXPECT_EQ(summary->findings[0].failure.signature,
            "sanitizer AddressSanitizer: double-free Parse a.cc:7");
}

TEST_F(ParserFuzz, TheTimeLimitEndsItBetweenFiles) {
  ParserFuzzOptions options = Options("sleep 0.02; kill -SEGV $$");
  options.files = 1000000;
  options.max_seconds = 0.3;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_FALSE(summary->interrupted);
  EXPECT_GE(summary->files, 8u);
  EXPECT_LT(summary->files, 100u);
  ASSERT_EQ(summary->findings.size(), 1u);
  EXPECT_EQ(summary->findings[0].count, summary->files);
}

TEST_F(ParserFuzz, AHangEndsAtTheLimit) {
  ParserFuzzOptions options = Options("sleep 100");
  options.files = 1;
  options.minimise_runs = 0;
  options.limits.timeout_ms = 50;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  EXPECT_EQ(summary->findings[0].failure.kind, FailureKind::kHang);
}

TEST_F(ParserFuzz, AStopEndsRunningCommandsAndDoesNotCountThem) {
  ParserFuzzOptions options = Options("echo begun >>" + folder_.File("log") + "; sleep 300");
  options.jobs = 2;
  options.limits.timeout_ms = 300000;
  std::atomic<bool> stop = false;
  const std::string of_both = "begun\nbegun\n";
  std::thread stopper([&] {
    const auto both = [&] {
      const auto log = ReadTextFile(folder_.File("log"));
      return log.ok() && *log == of_both;
    };
    EXPECT_TRUE(testing::WaitUntil(both));
    stop = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto summary = FuzzParser(options, &stop);
  stopper.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_TRUE(summary->interrupted);
  EXPECT_EQ(summary->files, 0u);
  EXPECT_EQ(ReadTextFile(folder_.File("log")).value(), of_both)
      << "no command was started after the stop";
  EXPECT_TRUE(summary->findings.empty());
}

TEST_F(ParserFuzz, AFindingIsKeptIfItsMinimisationIsStopped) {
  ParserFuzzOptions options = Options("kill -SEGV $$");
  options.minimise_runs = 1000000;
  std::atomic<bool> stop = false;
  ParserFuzzProgress last;
  const auto summary = FuzzParser(options, &stop, [&](const ParserFuzzProgress& progress) {
    last = progress;
    if (progress.minimising_runs == 3) stop = true;
  });
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(last.minimising_runs, 3u);
  EXPECT_EQ(last.files, 8u);
  EXPECT_EQ(last.findings, 1u);
  ASSERT_EQ(summary->findings.size(), 1u);
  EXPECT_TRUE(ReadFile(Kept(summary->findings[0], "input")).ok());
}

TEST_F(ParserFuzz, AFindingHasAReport) {
  ParserFuzzOptions options = Options("echo 'too deep' >&2; kill -SEGV $$");
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  const auto text = ReadTextFile(Kept(summary->findings[0], "report.txt"));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(text->starts_with("crash signal 11 too deep\ncommand: /bin/sh -c ")) << *text;
  EXPECT_NE(text->find("\ninput: file 0 of seed 1, "), std::string::npos) << *text;
  const auto input = ReadFile(Kept(summary->findings[0], "input"));
  ASSERT_TRUE(input.ok());
  const auto violations = kFormat_td.verify(*input);
  ASSERT_TRUE(violations.ok() && !violations->empty());
  const Violation& broken = violations->front();
  EXPECT_NE(text->find(fmt::format("\nbroken in input, by the rules of the format:\n"
                                   "  {} at {:#x}: {}\n",
                                   broken.rule->id, broken.offset, broken.message)),
            std::string::npos)
      << *text;
  EXPECT_TRUE(text->ends_with("\non standard error, of the input:\ntoo deep\n\n")) << *text;
}

// With another seed, another file reveals the same bug.
TEST_F(ParserFuzz, FindingsOfAnEarlierRunAreKnownAndStayUnchanged) {
  ParserFuzzOptions options = Options("kill -SEGV $$");
  std::vector<std::string> names;
  for (const uint64_t seed : {1, 2}) {
    options.seed = seed;
    options.minimise_runs = seed == 1 ? 0 : 20;
    const auto summary = FuzzParser(options);
    ASSERT_TRUE(summary.ok()) << summary.error().message;
    ASSERT_EQ(summary->findings.size(), 1u);
    const Finding& finding = summary->findings[0];
    EXPECT_EQ(finding.known, seed == 2);
    EXPECT_EQ(finding.count, 8u);
    names.push_back(finding.name);
    EXPECT_EQ(ReadFile(Kept(finding, "input"))->size(), finding.first_size);
  }
  EXPECT_EQ(names[1], names[0]);
  EXPECT_EQ(ListFiles(folder_.File("out/" + names[0])).value(),
            (std::vector<std::string>{"input", "report.txt"}));
}

// The same message of another command is another bug. Its files do not overwrite the files of
// earlier findings.
TEST_F(ParserFuzz, FindingsOfAnotherCommandAreNotKnown) {
  ParserFuzzOptions options = Options("kill -SEGV $$");
  options.minimise_runs = 0;
  const auto first = FuzzParser(options);
  options.command = Shell("kill -SEGV $$ # another");
  options.seed = 2;
  const auto second = FuzzParser(options);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(second->findings.size(), 1u);
  EXPECT_FALSE(second->findings[0].known);
  EXPECT_EQ(second->findings[0].name, first->findings[0].name + "-2");
}

// Each run and each job has the file in another folder, and most parsers print the path.
TEST_F(ParserFuzz, ThePathOfTheFileIsLeftOutOfSignatures) {
  for (const int jobs : {1, 3}) {
    ParserFuzzOptions options = Options("echo \"$1: about to die\" >&2; kill -SEGV $$");
    options.files = 12;
    options.jobs = jobs;
    options.out = folder_.File("out-" + std::to_string(jobs));
    const auto summary = FuzzParser(options);
    ASSERT_TRUE(summary.ok()) << summary.error().message;
    ASSERT_EQ(summary->findings.size(), 1u);
    EXPECT_EQ(summary->findings[0].failure.signature, "crash signal 11 @@: about to die");
    EXPECT_EQ(summary->findings[0].count, 12u);
    EXPECT_LT(summary->findings[0].small_size, summary->findings[0].first_size);
    EXPECT_EQ(summary->findings[0].said, "@@: about to die\n");
  }
}

// The parser prints letters that depend on the file's checksum.
TEST_F(ParserFuzz, MessagesThatDifferForEachFileBecomeOneFinding) {
  const std::string letters = "$(cksum < \"$1\" | cut -d ' ' -f 1 | tr 0-9 ghijklmnop)";
  ParserFuzzOptions options = Options("echo no section " + letters + " >&2; kill -SEGV $$");
  options.files = 30;
  options.minimise_runs = 3;
  const auto first = FuzzParser(options);
  options.seed = 2;
  const auto second = FuzzParser(options);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(first->findings.size(), kMostOfAGroup + 1);
  const Finding& last = first->findings.back();
  EXPECT_EQ(last.failure.signature, "crash signal 11 with other words");
  EXPECT_EQ(last.count, 30 - kMostOfAGroup);
  EXPECT_FALSE(last.small_size);
  ASSERT_EQ(second->findings.size(), 1u);
  EXPECT_TRUE(second->findings[0].known);
  EXPECT_EQ(second->findings[0].count, 30u);
}

TEST(Minimise, EndsOnRequest) {
  int calls = 0;
  const auto no = [&calls](const Bytes&) {
    ++calls;
    return false;
  };
  Minimise(kFormat_td, Bytes(100, 1), 1000, no, [] { return false; });
  EXPECT_GT(calls, 100);
  calls = 0;
  Minimise(kFormat_td, Bytes(100, 1), 1000, no, [&] { return calls == 3; });
  EXPECT_EQ(calls, 3);
}

// A format whose files are the JSON form, padded to pages as containers are.
constexpr size_t kPage = 512;
const Format kPadded = {
    .name = "padded",
    .to_json = [](ByteSpan bytes) -> Result<Json> {
      return ParseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    },
    .from_json = [](const Json& json) -> Result<Bytes> {
      const std::string text = json.dump();
      Bytes bytes(text.begin(), text.end());
      bytes.resize((bytes.size() / kPage + 1) * kPage, ' ');
      return bytes;
    }};

// One of many members contains the word that makes the file fail. No single byte can be left out,
// and the removal of a member rarely makes the padded file smaller.
TEST(Minimise, RemovesMembersAndElementsEvenIfTheFileStaysAsLarge) {
  Json json = Json::object();
  for (int i = 0; i < 40; ++i) {
    json["member" + std::to_string(i)] = {{"list", Json::array({1, 2, 3, 4})}};
  }
  json["member7"]["list"][2] = "bad";
  const auto fails = [](const Bytes& file) {
    return file.size() % kPage == 0 && kPadded.to_json(file).ok() &&
           std::string(file.begin(), file.end()).find("bad") != std::string::npos;
  };
  const Bytes file = kPadded.from_json(json).value();
  const Bytes small = Minimise(kPadded, file, 300, fails, [] { return false; });
  EXPECT_EQ(kPadded.to_json(small).value().dump(), R"({"member7":{"list":["bad"]}})");
}

TEST_F(ParserFuzz, AMissingProgramIsAnError) {
  ParserFuzzOptions options = Options("exit 0");
  options.command = {"/no/such/program", kFileWord};
  const auto summary = FuzzParser(options);
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().code, ErrorCode::kNotFound);
}

TEST_F(ParserFuzz, AProgramThatAShellDoesNotFindIsAnError) {
  for (const bool second : {false, true}) {
    ParserFuzzOptions options = Options(second ? "exit 0" : "/no/such/program \"$1\"");
    if (second) options.second = Shell("/no/such/program \"$1\"");
    const auto summary = FuzzParser(options);
    ASSERT_FALSE(summary.ok());
    EXPECT_EQ(summary.error().code, ErrorCode::kNotFound);
    EXPECT_NE(summary.error().message.find("/no/such/program"), std::string::npos);
  }
}

// A parser may itself return exit code 127 for some files, even for the first file. The result must
// not depend on the number of jobs.
TEST_F(ParserFuzz, ExitCode127OfARunningParserIsARefusal) {
  for (const int jobs : {1, 3}) {
    ParserFuzzOptions options = Options(
        "n=$(cksum < \"$1\" | cut -d ' ' -f 1); [ $((n % 2)) -ne 0 ] || exit 127; "
        "[ $((n % 3)) -ne 0 ] || "
        "kill -SEGV $$");
    options.files = 60;
    options.jobs = jobs;
    options.minimise_runs = 0;
    const auto summary = FuzzParser(options);
    ASSERT_TRUE(summary.ok()) << summary.error().message;
    EXPECT_FALSE(summary->failed);
    EXPECT_EQ(summary->files, 60u);
    EXPECT_LT(summary->accepted, 60u);
    ASSERT_EQ(summary->findings.size(), 1u);
    EXPECT_EQ(summary->findings[0].failure.kind, FailureKind::kCrash);
  }
}

// The second command is missing, and the first fails.
TEST_F(ParserFuzz, FindingsBeforeAnErrorAreKeptAndReported) {
  ParserFuzzOptions options = Options("[ $(($(wc -c < \"$1\") % 2)) -ne 0 ] || kill -SEGV $$");
  options.second = Shell("/no/such/program \"$1\"");
  options.minimise_runs = 0;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_TRUE(summary->failed);
  EXPECT_NE(summary->failed->message.find("/no/such/program"), std::string::npos);
  ASSERT_EQ(summary->findings.size(), 1u) << "a missing second command is no disagreement";
  EXPECT_EQ(summary->findings[0].failure.kind, FailureKind::kCrash);
  EXPECT_TRUE(ReadFile(Kept(summary->findings[0], "input")).ok());
}

// A missing second command would seem to refuse every file that the first accepts. It must be
// detected even if the first command fails on all files and the second is never run.
TEST_F(ParserFuzz, AMissingSecondCommandIsDetectedBeforeItRuns) {
  ParserFuzzOptions options = Options("kill -SEGV $$");
  options.second = Shell("/no/such/program \"$1\"");
  options.minimise_runs = 0;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_TRUE(summary->failed);
  EXPECT_EQ(summary->findings.size(), 1u);
}

TEST_F(ParserFuzz, TheFileMayBePartOfAWord) {
  ParserFuzzOptions options = Options("exit 0");
  options.command = {"/bin/sh", "-c", "file='--in=@@,@@'; file=${file#--in=}; test -s ${file%,*}"};
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_GT(summary->accepted, 4u);
}

// A long minimisation of a finding does not delay the other files.
TEST_F(ParserFuzz, FilesAreMinimisedAtTheEndAndForALimitedTime) {
  ParserFuzzOptions options = Options("kill -SEGV $$");
  options.files = 100;
  options.minimise_runs = 1000000;
  options.minimise_seconds = 0.2;
  uint64_t files_before_first = 0;
  const auto summary = FuzzParser(options, nullptr, [&](const ParserFuzzProgress& progress) {
    if (progress.minimising_runs == 1) files_before_first = progress.files;
  });
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(files_before_first, 100u);
  ASSERT_EQ(summary->findings.size(), 1u);
}

TEST_F(ParserFuzz, AReportStatesWhyThereIsNoSmallFile) {
  ParserFuzzOptions options = Options("kill -SEGV $$");
  options.minimise_seconds = 0;
  const auto late = FuzzParser(options);
  options.out = folder_.File("all");
  options.minimise_seconds = 60;
  options.minimise_runs = 0;
  const auto none = FuzzParser(options);
  ASSERT_TRUE(late.ok() && none.ok());
  ASSERT_EQ(late->findings.size(), 1u);
  ASSERT_EQ(none->findings.size(), 1u);
  EXPECT_EQ(late->findings[0].not_minimised, "--minimise-seconds ended first");
  EXPECT_THAT(ReadTextFile(Kept(late->findings[0], "report.txt")).value(),
              ::testing::HasSubstr("\nsmall: none, --minimise-seconds ended first\n"));
  EXPECT_EQ(none->findings[0].not_minimised, "no smaller file failed in this way");
}

// The parser crashes on every file, so the small file breaks other rules than the first file.
TEST_F(ParserFuzz, AReportStatesTheBrokenRulesOfBothFiles) {
  const auto summary = FuzzParser(Options("kill -SEGV $$"));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  const std::string text = ReadTextFile(Kept(summary->findings[0], "report.txt")).value();
  EXPECT_THAT(text, ::testing::HasSubstr("\nbroken in input, by the rules of the format:\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("\nbroken in small, by the rules of the format:\n"));
}

// The harness, and not the parser, causes the signal in the stack.
TEST_F(ParserFuzz, AReportOfAHangExplainsTheSignal) {
  ParserFuzzOptions options = Options("exec sleep 100");
  options.files = 1;
  options.minimise_runs = 0;
  options.limits.timeout_ms = 30;
  const auto summary = FuzzParser(options);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->findings.size(), 1u);
  EXPECT_THAT(ReadTextFile(Kept(summary->findings[0], "report.txt")).value(),
              ::testing::HasSubstr("anecheck sent a signal (SIGQUIT or SIGSEGV)"));
}

}  // namespace
}  // namespace anecheck::parserfuzz
