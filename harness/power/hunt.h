// One hunt: a campaign against the simulated engine with one defect, up to its first finding, which
// is then made small.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/power/subject.h"

namespace anecheck {

struct HuntOptions {
  Way way = Way::kMarked;
  uint64_t seed = 1;
  uint64_t cases = 2000;
  double max_seconds = 60;  // of one hunt, 0 for no limit
  int jobs = 1;
  uint64_t shrink_tries = 500;  // 0 leaves the finding as it is
  int case_timeout_ms = 5000;
  uint64_t memory_limit = uint64_t{1} << 30;  // of a worker, so that leaks show
  std::string library;                        // the simulated engine; empty takes the default
};

struct HuntResult {
  Subject subject;
  Way way = Way::kMarked;
  bool acts = true;  // else nothing was hunted (ActsBy)
  // By a finding of exit code 1.
  bool found = false;
  // Only results that open bounds or leaning errors forbid show it: exit code 0. The members of the
  // first finding are then of these.
  bool unconfirmed = false;
  std::string by;      // "campaign", or "probe NAME" for the runtime probe that found it
  uint64_t cases = 0;  // or probes, up to and including the one that shows it, else all cases run
  double seconds = 0;  // to the first finding, else of the whole hunt
  // Of the first finding.
  std::optional<Verdict> verdict;
  std::string op, target, label, summary;
  // Of its reproducer, where it could be made small.
  std::optional<uint64_t> nodes, elements;
  std::string not_shrunk;  // why it could not, where that was tried
  // Known defects: findings beside the label, which nothing explains.
  uint64_t unlabelled = 0;
  std::string reason;  // why nothing was found; "admitted: ..." where nothing could be
};

// A planted fault is found by a new finding (IsNewFinding), a known defect by one that carries its
// label. Defects of the runtime and of the compiler's gates are looked for by the runtime probes
// first, those of values by a campaign, and only where it finds nothing by the probes. Soon after
// `*stop` is set the hunt ends: findings are made no smaller, and a subject that was not found has
// "interrupted" as its reason. Errors mean that the harness cannot go on.
Result<HuntResult> Hunt(const Subject& subject, const HuntOptions& options,
                        const std::atomic<bool>* stop = nullptr);

// Campaigns without a defect: their findings are false. Most cases are of the default mix, the
// others of the modes and the route that it lacks, by these shares.
struct CleanPart {
  std::string_view name;  // "netlist"
  uint64_t one_in = 0;    // of all cases
  std::optional<CaseMode> mode;
  RouteSet routes = RouteSet::kMil;
};
std::span<const CleanPart> CleanParts();

struct CleanResult {
  CampaignTarget target;
  bool quirks = false;  // the family's own defects are on; then only unlabelled findings are false
  uint64_t cases = 0;
  uint64_t judged = 0;
  uint64_t inconclusive = 0;
  uint64_t false_findings = 0;  // with the defects off, also those labelled as documented defects
  double seconds = 0;
  std::string first;  // the first false one in a line
  // Cases that were judged: of the default mix, and of each part in turn.
  std::vector<uint64_t> judged_of_part;
};
Result<CleanResult> RunClean(const CampaignTarget& target, bool quirks, uint64_t cases,
                             const HuntOptions& options, const std::atomic<bool>* stop = nullptr);

}  // namespace anecheck
