// `anecheck fuzz`: runs a parser, given as a command, on generated files of a format.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>

#include "generators/formats/registry/registry.h"
#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/log.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/gen_corpus.h"
#include "harness/cli/interruption.h"
#include "harness/cli/typed_command.h"
#include "harness/cli/whole_number.h"
#include "harness/formats/registry/registry.h"
#include "harness/parserfuzz/parser_fuzz.h"
#include "harness/parserfuzz/scaffold/scaffold.h"

namespace anecheck {
namespace {

using parserfuzz::ParserFuzzOptions;
using parserfuzz::ParserFuzzSummary;

struct FuzzFlags {
  std::string format;
  std::string against;
  std::string time;
  std::string seeds;
  std::optional<uint64_t> files;
  uint64_t memory_mb = 2048;
  uint64_t minimise_seconds = 60;
  bool json = false;
  bool scaffolds = false;  // the command was `fuzz scaffold`
  ParserFuzzOptions options;
};

struct ScaffoldFlags {
  std::string format;
  std::string kind;
  std::string folder;
};

// Replaces each @@ of a shell script, inside or outside of quotes, by a reference to the script's
// first argument. So the path may contain any character.
std::string WithFirstArgument(const std::string& script) {
  const std::string_view file = parserfuzz::kFileWord;
  std::string text;
  char quote = 0;
  for (size_t i = 0; i < script.size();) {
    const char c = script[i];
    if (script.compare(i, file.size(), file) == 0) {
      text += quote == '"' ? "${1}" : quote == '\'' ? "'\"${1}\"'" : "\"${1}\"";
      i += file.size();
      continue;
    }
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < script.size();
    if (!escapes && (c == quote || (quote == 0 && (c == '"' || c == '\'')))) {
      quote = quote == 0 ? c : 0;
    }
    const size_t length = escapes ? 2 : 1;
    text += script.substr(i, length);
    i += length;
  }
  return text;
}

// Returns whether the script refers to the file, as @@ or as its first argument.
bool NamesFile(const std::string& script) {
  constexpr const char* kSpellings[] = {parserfuzz::kFileWord, "$1", "${1", "$@", "$*"};
  return std::ranges::any_of(
      kSpellings, [&](const char* spelling) { return script.find(spelling) != std::string::npos; });
}

// Returns the contents of a folder's files, without the files that are larger than `max_size`.
Result<std::vector<Bytes>> ReadSeeds(const std::string& folder, size_t max_size) {
  ANECHECK_ASSIGN(const std::vector<std::string> names, ListFiles(folder));
  std::vector<Bytes> seeds;
  for (const std::string& name : names) {
    ANECHECK_ASSIGN(Bytes file, ReadFile(fmt::format("{}/{}", folder, name)));
    if (file.size() <= max_size) seeds.push_back(std::move(file));
  }
  if (seeds.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--seeds: {} has no file of at most {} bytes", folder, max_size));
  }
  return seeds;
}

Status Complete(FuzzFlags& flags) {
  if (flags.format.empty()) return MakeError(ErrorCode::kInvalid, "--format is required");
  if (flags.options.command.empty()) {
    return MakeError(ErrorCode::kInvalid, "the parser's command is required, after --");
  }
  ParserFuzzOptions& options = flags.options;
  ANECHECK_ASSIGN(options.parts.format, FindFormat(flags.format));
  options.parts.generator = FindGenerator(flags.format);
  if (options.parts.generator == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("format {} has no generator", flags.format));
  }
  if (!flags.against.empty() && !NamesFile(flags.against)) {
    return MakeError(ErrorCode::kInvalid,
                     "--against: the command has neither @@ nor $1, to mark the place of the file");
  }
  if (options.out.empty()) return MakeError(ErrorCode::kInvalid, "--out: names no folder");
  if (!flags.against.empty()) {
    options.second = {"/bin/sh", "-c", WithFirstArgument(flags.against), "sh",
                      parserfuzz::kFileWord};
  }
  options.limits.max_memory = flags.memory_mb << 20;
  if (!flags.seeds.empty()) {
    ANECHECK_ASSIGN(options.seeds, ReadSeeds(flags.seeds, options.max_size));
  }
  options.minimise_seconds = static_cast<double>(flags.minimise_seconds);
  if (!flags.time.empty()) {
    ANECHECK_ASSIGN(options.max_seconds, ParseDuration(flags.time));
    options.files = kMostCases;
  }
  options.files = flags.files.value_or(options.files);
  return {};
}

std::string Folder(const ParserFuzzOptions& options, const parserfuzz::Finding& finding) {
  return options.out + "/" + finding.name;
}

// The path of the smallest file that shows the finding.
std::string FileOf(const ParserFuzzOptions& options, const parserfuzz::Finding& finding) {
  return Folder(options, finding) + (finding.small_size ? "/small" : "/input");
}
uint64_t SizeOf(const parserfuzz::Finding& finding) {
  return finding.small_size.value_or(finding.first_size);
}

double FilesASecond(const ParserFuzzSummary& summary) {
  return summary.seconds > 0 ? static_cast<double>(summary.files) / summary.seconds : 0;
}

Json ToJson(const ParserFuzzSummary& summary, const ParserFuzzOptions& options,
            const std::string& typed) {
  Json findings = Json::array();
  for (const parserfuzz::Finding& finding : summary.findings) {
    findings.push_back(Json{
        {"kind", parserfuzz::FailureKindName(finding.failure.kind)},
        {"signature", finding.failure.signature},
        {"known", finding.known},
        {"folder", Folder(options, finding)},
        {"file", FileOf(options, finding)},
        {"report", Folder(options, finding) + "/report.txt"},
        {"size", SizeOf(finding)},
        {"first_size", finding.first_size},
        {"first_index", finding.index},
        {"seconds", finding.seconds},
        {"made", finding.origin},
        {"count", finding.count},
        {"again", finding.known ? Json() : Json(finding.again)},
        {"not_minimised", finding.not_minimised.empty() ? Json() : Json(finding.not_minimised)}});
  }
  return Json{{"seed", options.seed},
              {"command", typed},
              {"files", summary.files},
              {"accepted", summary.accepted},
              {"seconds", summary.seconds},
              {"files_per_second", FilesASecond(summary)},
              {"kept", summary.kept},
              {"interrupted", summary.interrupted},
              {"error", summary.failed ? Json(summary.failed->message) : Json()},
              {"findings", std::move(findings)}};
}

// Returns the reason that a finding's file is not smaller, or an empty string.
std::string NotMinimised(const parserfuzz::Finding& finding) {
  if (finding.not_minimised.empty()) return "";
  return fmt::format(", {}{}",
                     finding.small_size ? "" : "not made smaller: ", finding.not_minimised);
}

std::string ToText(const ParserFuzzSummary& summary, const ParserFuzzOptions& options,
                   const std::string& typed) {
  const auto known = std::ranges::count_if(summary.findings, &parserfuzz::Finding::known);
  std::string text =
      fmt::format("{}, {} accepted, {}{}\n", Counted(summary.files, "file"), summary.accepted,
                  Counted(summary.findings.size(), "finding"),
                  known == 0 ? "" : fmt::format(", {} of them kept by earlier runs", known));
  for (const parserfuzz::Finding& finding : summary.findings) {
    text += fmt::format("{} ({}, {}{}{}): {}\n", FileOf(options, finding),
                        Counted(SizeOf(finding), "byte"), Counted(finding.count, "time"),
                        finding.again ? "" : ", not reproduced", NotMinimised(finding),
                        finding.failure.signature);
  }
  return text + fmt::format("{:.0f} files a second, seed {}\n  {}\n", FilesASecond(summary),
                            options.seed, typed);
}

std::string ProgressText(const parserfuzz::ParserFuzzProgress& state) {
  const std::string files =
      state.of_files == kMostCases
          ? Counted(state.files, "file")
          : fmt::format("{}/{}", state.files, Counted(state.of_files, "file"));
  return fmt::format("{}, {}, {} to make findings small", files, Counted(state.findings, "finding"),
                     Counted(state.minimising_runs, "run"));
}

// Warns if the parser accepted no file. It then most likely did not read the files.
void WarnOfNoneAccepted(const ParserFuzzSummary& summary, const ParserFuzzOptions& options) {
  constexpr const char* kWords =
      "{} accepted none of {}, although some are valid; check that it reads the file";
  if (summary.files > 0 && summary.accepted == 0) {
    LogWarning(fmt::format(kWords, "the command", Counted(summary.files, "file")));
  }
  if (summary.accepted > 0 && !options.second.empty() && summary.accepted_by_second == 0) {
    LogWarning(fmt::format(kWords, "--against", Counted(summary.files, "file")));
  }
}

std::string FilesDone(const ParserFuzzSummary& summary, const ParserFuzzOptions& options) {
  if (options.files == kMostCases) return Counted(summary.files, "file");
  return fmt::format("{} of {}", summary.files, Counted(options.files, "file"));
}

int RunFuzz(FuzzFlags& flags, const std::string& typed) {
  const Status complete = Complete(flags);
  if (!complete.ok()) return Fail(complete.error());
  const Interruption interruption;
  const auto summary = [&] {
    ProgressLine line;
    return parserfuzz::FuzzParser(flags.options, interruption.flag(), [&line](const auto& state) {
      if (line.due()) line.Update(ProgressText(state));
    });
  }();
  if (!summary.ok()) return Fail(summary.error());
  flags.json ? Print(DumpJson(ToJson(*summary, flags.options, typed), 1))
             : PrintText(ToText(*summary, flags.options, typed));
  WarnOfNoneAccepted(*summary, flags.options);
  if (summary->failed) {
    LogError(fmt::format("{}; the findings of {} are kept in {}", summary->failed->message,
                         FilesDone(*summary, flags.options), flags.options.out));
    return kExitHarness;
  }
  if (summary->interrupted) {
    LogWarning(fmt::format("interrupted after {}; its findings are kept in {}",
                           FilesDone(*summary, flags.options), flags.options.out));
    return kExitHarness;
  }
  const bool only_known = std::ranges::all_of(summary->findings, &parserfuzz::Finding::known);
  return only_known ? kExitClean : kExitFindings;
}

int RunScaffold(const ScaffoldFlags& flags) {
  const Result<std::string> next =
      parserfuzz::WriteScaffold(flags.kind, flags.format, flags.folder);
  if (!next.ok()) return Fail(next.error());
  constexpr uint64_t kSeed = 1;
  const auto corpus = WriteCorpus(flags.format, kSeed, flags.folder + "/seeds");
  if (!corpus.ok()) return Fail(corpus.error());
  Print(fmt::format("a project for {} in {}, with {}; next:\n{}", flags.kind, flags.folder,
                    Counted((*corpus)["files"].size(), "seed"), *next));
  return kExitClean;
}

void AddScaffoldCommand(CommandLine& fuzz, const std::shared_ptr<FuzzFlags>& of_fuzz,
                        Selected& selected) {
  CommandLine command =
      fuzz.AddCommand("scaffold", "Write a project that fuzzes a parser under another fuzzer");
  auto flags = std::make_shared<ScaffoldFlags>();
  command.AddOption("--format", flags->format, "Format of the files").Required();
  command
      .AddOption("--for", flags->kind,
                 fmt::format("Fuzzer: {}", fmt::join(parserfuzz::ScaffoldKinds(), ", ")))
      .Required();
  command.AddOption("folder", flags->folder, "Folder to write to").Check(FileName()).Required();
  command.Footer("Example: anecheck fuzz scaffold --format hwx --for libfuzzer /tmp/hwx-fuzzer");
  command.WhenChosen([of_fuzz, flags, &selected] {
    of_fuzz->scaffolds = true;
    selected = [flags] { return RunScaffold(*flags); };
  });
}

}  // namespace

void AddFuzzCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("fuzz", "Fuzz an external parser");
  auto flags = std::make_shared<FuzzFlags>();
  ParserFuzzOptions& options = flags->options;
  options.out = "fuzz-findings";
  AddScaffoldCommand(command, flags, selected);
  command.AddOption("--format", flags->format, "Format of the files");
  command
      .AddOption("--count", flags->files, "Number of files (default 1000, or no limit with --time)")
      .Check(WholeNumber(1, kMostCases));
  command.AddOption("--time", flags->time, "Time limit of the fuzzing: 90s, 15m, 2h");
  command.AddOption("--seed", options.seed, "Seed of the files")
      .Check(WholeNumber(0))
      .ShowDefault();
  command.AddOption("--out", options.out, "Folder for failing files")
      .Check(FileName())
      .ShowDefault();
  command
      .AddOption("--timeout-ms", options.limits.timeout_ms,
                 "Time limit of a file in milliseconds; a longer run is a hang")
      .Check(WholeNumber(1, kMostMilliseconds))
      .ShowDefault();
  command
      .AddOption("--memory-mb", flags->memory_mb,
                 "Limit of resident memory in MiB; more is a finding")
      .Check(WholeNumber(1, uint64_t{1} << 30))
      .ShowDefault();
  command
      .AddOption("--jobs", options.jobs,
                 "Number of parsers that run in parallel; findings do not depend on it")
      .Check(WholeNumber(1, kMostJobs))
      .ShowDefault();
  command
      .AddOption("--crash-exit", options.crash_signs.exit_codes,
                 "Exit codes of the parser that mean a crash, not a refusal: 101,134")
      .Delimiter(',')
      .OneAtATime()
      .Check(WholeNumber(1, 255));
  command
      .AddOption("--crash-text", options.crash_signs.texts,
                 "Text on standard error that means a crash: 'Traceback (most recent call last)'")
      .OneAtATime();
  command.AddOption(
      "--against", flags->against,
      "Shell command that must accept the same files; @@ or $1 marks the place of the file");
  command.AddFlag("--json", flags->json, "Print one JSON document");
  command.AddOption("--seeds", flags->seeds,
                    "Folder of seed files, which are tried first and mutated");
  command
      .AddOption("--minimise-seconds", flags->minimise_seconds,
                 "Time for shrinking the files of findings, at the end")
      .Check(WholeNumber(0, 86400))
      .ShowDefault();
  command.AddOption(
      "command", options.command,
      "The parser, after --; @@ marks the place of the file. A command without @@ is a "
      "persistent driver (anecheck_fuzz.h, .py, .rs)");
  command.Footer(
      "A finding that is in the folder from an earlier run is listed but not new: alone it "
      "gives exit code 0.\nExample: anecheck fuzz --format hwx --count 5000 -- my-parser --check "
      "@@");
  command.WhenChosen([command, flags, &selected] {
    if (flags->scaffolds) return;
    selected = [command, flags] {
      return RunFuzz(*flags, TypedCommand(command, flags->options.seed));
    };
  });
}

}  // namespace anecheck
