// Runs one hunt, which is a campaign against the simulated engine with one defect. The hunt ends at
// the first finding and then shrinks that finding.
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
  double max_seconds = 60;  // of one hunt; 0 for no limit
  int jobs = 1;
  uint64_t shrink_tries = 500;  // if 0, findings are not shrunk
  int case_timeout_ms = 5000;
  uint64_t memory_limit = uint64_t{1} << 30;  // of a worker, so that leaks show
  std::string library;                        // the simulated engine; if empty, the default
};

struct HuntResult {
  Subject subject;
  Way way = Way::kMarked;
  bool acts = true;  // false if the subject has no effect and was not hunted (ActsBy)
  // True if a finding that leads to exit code 1 shows the subject.
  bool found = false;
  // True if only unconfirmed results or a lean show the subject (exit code 0). The members of the
  // first finding then describe such an unconfirmed result.
  bool unconfirmed = false;
  std::string by;  // "campaign", or "probe NAME" for the runtime probe that found it
  uint64_t cases =
      0;  // cases or probes up to and including the one that shows it, else all that ran
  double seconds = 0;  // until the first finding, else of the whole hunt
  // These members describe the first finding.
  std::optional<Verdict> verdict;
  std::string op, target, label, summary;
  // The size of the first finding's reproducer, if the finding was shrunk.
  std::optional<uint64_t> nodes, elements;
  std::string not_shrunk;  // why shrinking failed, if it was tried
  // For known defects: the number of new findings, which have no label.
  uint64_t unlabelled = 0;
  std::string reason;  // why nothing was found; "admitted: ..." if no hunt can find it
};

// Hunts for a subject. A new finding (IsNewFinding) shows a planted fault, and a finding with its
// label shows a known defect. For defects of the runtime and of the compiler's gates, the runtime
// probes run first. For defects of values a campaign runs first, and probes run only if it finds
// nothing. The hunt ends soon after `*stop` is set. It then does not shrink findings, and a subject
// that was not found has the reason "interrupted". An Error means that the harness cannot continue.
Result<HuntResult> Hunt(const Subject& subject, const HuntOptions& options,
                        const std::atomic<bool>* stop = nullptr);

// A part of a clean campaign, in which every finding is false. Most cases of the campaign are of
// the default mix. The parts add the modes and the route that the default mix lacks.
struct CleanPart {
  std::string_view name;  // "netlist"
  uint64_t one_in = 0;    // one in this many cases of the campaign belongs to the part
  std::optional<CaseMode> mode;
  RouteSet routes = RouteSet::kMil;
};
std::span<const CleanPart> CleanParts();

struct CleanResult {
  CampaignTarget target;
  bool quirks = false;  // the family's own defects are on, so only unlabelled findings are false
  uint64_t cases = 0;
  uint64_t judged = 0;
  uint64_t inconclusive = 0;
  uint64_t false_findings = 0;  // with the defects off, including findings with a label
  double seconds = 0;
  std::string first;  // the first false finding, in a line
  // The number of judged cases of the default mix, then of each part.
  std::vector<uint64_t> judged_of_part;
};
Result<CleanResult> RunClean(const CampaignTarget& target, bool quirks, uint64_t cases,
                             const HuntOptions& options, const std::atomic<bool>* stop = nullptr);

}  // namespace anecheck
