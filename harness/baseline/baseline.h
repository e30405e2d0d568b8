// Numeric baselines: an engine's results for fixed cases, kept small enough to commit, so that a
// later engine, compiler or library can be compared with them bit by bit and by statistics.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/judging/output_errors.h"
#include "harness/results/store.h"

namespace anecheck {

inline constexpr int kBaselineVersion = 1;

// The outcome of a case.
struct CaseFate {
  RunStatus status = RunStatus::kOk;
  bool misplaced = false;  // it ran on another device than the engine
  bool verified = false;   // the runner compared the outputs itself and returned none
  uint64_t bits = 0;       // unless `verified`, a digest of the types and bits of the outputs

  // Returns whether the case ran on the engine.
  bool ran() const { return status == RunStatus::kOk && !misplaced; }
  bool operator==(const CaseFate&) const = default;
};
// Returns the 16 hexadecimal digits of `bits`, or a word: "rejected", "misplaced", "verified", ...
std::string ToText(const CaseFate& fate);
// kInvalid for any other text.
Result<CaseFate> FateFromText(std::string_view text);

// The engine's answer to one operation in one configuration on one target.
struct BaselineEntry {
  std::string op;
  std::string configuration;  // the name of a CaseMode
  std::string target;
  Route route = Route::kMil;
  // A digest of the cases: graphs and input bytes. Entries with different questions cannot be
  // compared.
  std::string question;
  std::vector<CaseFate> cases;  // one per case, in order
  uint64_t outside = 0;         // elements outside the conforming interval
  UlpCounts histogram{};
  OutputErrors errors;
};

// A case that is kept in the file, for every target of the file, so that later changes of the
// generator do not matter.
struct BaselineCase {
  std::string op, configuration;
  Graph graph;
  std::vector<Tensor> inputs;
};

struct Baseline {
  std::string recorded;  // UTC, ISO 8601
  std::string tool_version, engine, runner, chip, os, compiler_version;
  Provenance provenance = Provenance::kReported;
  uint64_t seed = 1;
  uint64_t cases = 2;                  // the number of cases of an entry
  std::vector<BaselineEntry> entries;  // in the order of target, operation, configuration
  // Empty if the cases follow from the seed and the generator; else `cases` cases for each
  // operation and configuration.
  std::vector<BaselineCase> stored;

  const BaselineEntry* Find(const BaselineEntry& like) const;
};

// Runs `options.cases` cases for each operation of `options.ops`, each of `options.modes` (integer
// and float if it is empty) and each target. An operation that the generator does not draw for a
// target and mode has no entry. Seeds follow from options.seed and the entry's names, so recording
// some operations makes the same entries as recording all. The order of jobs does not matter.
Result<Baseline> RecordBaseline(const CampaignOptions& options, const RunnerFactory& make_runner,
                                const std::function<void(const CampaignProgress&)>& progress = {});

// Returns the cases that RecordBaseline would run on the first target, to be kept in a file.
Result<std::vector<BaselineCase>> DrawBaselineCases(const CampaignOptions& options);

// As RecordBaseline, but runs, on each target, those cases of `stored` whose operation and mode
// `options` name. The baseline keeps these cases. Errors: also kInvalid if an entry does not have
// options.cases cases.
Result<Baseline> RecordBaselineOf(
    std::vector<BaselineCase> stored, const CampaignOptions& options,
    const RunnerFactory& make_runner,
    const std::function<void(const CampaignProgress&)>& progress = {});

// Returns the options that record the same entries again: seed, number of cases, targets, modes and
// operations of the entries. The caller sets the runner.
Result<CampaignOptions> OptionsOf(const Baseline& baseline);

// One line per entry, so that versions of a file can be read side by side.
std::string BaselineToJson(const Baseline& baseline);
// Errors: kMalformed, which names the wrong entry and member; kUnsupported for another version.
Result<Baseline> BaselineFromJson(std::string_view text, std::string_view name);

}  // namespace anecheck
