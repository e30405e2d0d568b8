#include "harness/cli/finding_argument.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <tuple>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/shell_word.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"

namespace anecheck {

void AddFindingArgument(CommandLine& command, FindingArgument& argument) {
  command
      .AddOption("finding", argument.what,
                 "Id of a finding, a finding.json, or case:INDEX of a run (the table finding_cases "
                 "lists the cases of each finding)")
      .Required();
  command.AddOption("--db", argument.db, "Results file that contains the id")
      .Check(FileName())
      .ShowDefault();
  command.AddOption("--run", argument.run,
                    "Run of the finding, by a prefix of its uuid, if several runs have the id");
  command.AddOption("--espresso-lib", argument.library,
                    "Engine to run on (default: the recorded one)");
}

namespace {

Result<Store> OpenNamed(const std::string& db) {
  Result<Store> store = Store::OpenReadOnly(db);
  if (store.ok() || store.error().code != ErrorCode::kNotFound) return store;
  Error error = store.error();
  error.message += "; name the results file that contains the id with --db";
  return error;
}

}  // namespace

Result<FindingText> ReadFindingText(const FindingArgument& argument) {
  FindingText text;
  if (argument.what.find_first_of("./") != std::string::npos) {
    ANECHECK_ASSIGN(text.json, ReadTextFile(argument.what));
    text.file = argument.what;
    return text;
  }
  ANECHECK_ASSIGN(Store store, OpenNamed(argument.db));
  text.file = argument.db;
  ANECHECK_ASSIGN(const std::vector<RunRow> runs, store.Runs());
  std::vector<std::pair<RunRow, std::string>> found;  // with the finding's artifact
  for (const RunRow& run : runs) {
    if (!run.uuid.starts_with(argument.run)) continue;
    ANECHECK_ASSIGN(std::optional<FindingRow> finding, store.Finding(run.id, argument.what));
    if (finding) found.emplace_back(run, std::move(finding->artifact));
  }
  if (found.empty()) {
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("{}: holds no finding {}{}{}; `anecheck query --db {} 'SELECT id, "
                    "uuid FROM findings JOIN runs ON runs.id = run'` lists them",
                    argument.db, argument.what, argument.run.empty() ? "" : " of a run ",
                    argument.run, ShellWord(argument.db)));
  }
  auto& [first, artifact] = found[0];
  // If all runs have the same finding, as two runs of one campaign have, the user need not choose.
  const bool same = std::ranges::all_of(found, [&](const auto& other) {
    return std::tie(other.second, other.first.provenance, other.first.engine) ==
           std::tie(artifact, first.provenance, first.engine);
  });
  if (!same) {
    std::string list;
    for (const auto& [run, unused] : found) {
      list += fmt::format("{}{} ({}{}{})", list.empty() ? "" : ", ", run.uuid, run.provenance,
                          run.chip.empty() ? "" : ", ", run.chip);
    }
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: {} runs have a finding {}; choose one with --run: {}",
                                 argument.db, found.size(), argument.what, list));
  }
  text.json = std::move(artifact);
  text.provenance = first.provenance;
  text.engine = std::move(first.engine);
  return text;
}

namespace {

constexpr std::string_view kCase = "case:";

// Returns the number after "case:".
Result<uint64_t> IndexOf(const std::string& what) {
  const std::string_view digits = std::string_view(what).substr(kCase.size());
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error == std::errc() && end == digits.data() + digits.size()) return index;
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{}: \"{}\" is no index of a case", what, digits));
}

// Returns the run that `argument` selects. Errors: not exactly one run matches.
Result<RunRow> RunOf(Store& store, const FindingArgument& argument) {
  ANECHECK_ASSIGN(std::vector<RunRow> runs, store.Runs());
  std::erase_if(runs, [&](const RunRow& run) { return !run.uuid.starts_with(argument.run); });
  if (runs.size() == 1) return std::move(runs[0]);
  std::string list;
  for (const RunRow& run : runs) list += (list.empty() ? "" : ", ") + run.uuid;
  return MakeError(
      runs.empty() ? ErrorCode::kNotFound : ErrorCode::kInvalid,
      fmt::format("{}: {}{}; choose one with --run{}{}", argument.db, Counted(runs.size(), "run"),
                  argument.run.empty() ? "" : " of that uuid", list.empty() ? "" : ": ", list));
}

Result<Artifact> ReadCase(const FindingArgument& argument) {
  ANECHECK_ASSIGN(const uint64_t index, IndexOf(argument.what));
  ANECHECK_ASSIGN(Store store, OpenNamed(argument.db));
  ANECHECK_ASSIGN(const RunRow run, RunOf(store, argument));
  std::optional<Verdict> verdict;
  ANECHECK_RETURN_IF_ERROR(store.EachCase(run.id, [&](const CaseRow& record) {
    if (record.index == index) verdict = record.verdict;
  }));
  if (!verdict) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: run {} holds no case {}", argument.db, run.uuid, index));
  }
  Artifact artifact;
  ANECHECK_ASSIGN(artifact.item, RemakeCase(store, run, index, artifact.options));
  artifact.options.routes = SetOf(artifact.item.route);
  artifact.options.targets = {artifact.item.target};
  artifact.id = argument.what;
  artifact.verdict = *verdict;
  return artifact;
}

// Replaces recorded settings by those that `argument` names. A recorded contract stays, because the
// case refers to it.
void Override(const FindingArgument& argument, CampaignOptions& options) {
  if (!argument.library.empty()) options.worker.library = argument.library;
  if (argument.defects.empty()) return;
  std::erase_if(options.defects,
                [](const std::string& catalogue) { return !ChoosesContract(catalogue); });
  options.defects.insert(options.defects.end(), argument.defects.begin(), argument.defects.end());
}

}  // namespace

Result<Artifact> ReadFinding(const FindingArgument& argument) {
  if (argument.what.starts_with(kCase)) {
    ANECHECK_ASSIGN(Artifact artifact, ReadCase(argument));
    Override(argument, artifact.options);
    return artifact;
  }
  ANECHECK_ASSIGN(const FindingText text, ReadFindingText(argument));
  ANECHECK_ASSIGN(const Json json, ParseJson(text.json, argument.what));
  Result<Artifact> read = ArtifactFromJson(json);
  if (!read.ok()) return WithFile(text.file, read.error());
  Artifact artifact = std::move(read).value();
  Override(argument, artifact.options);
  return artifact;
}

}  // namespace anecheck
