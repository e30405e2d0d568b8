// The state of a recorded run. A campaign needs it to resume the run as if nothing had stopped it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/results/run_lock.h"
#include "harness/results/store.h"

namespace anecheck {

struct ResumePoint {
  int64_t run = 0;
  RunState state = RunState::kRunning;  // kRunning if its process was killed
  std::string started, command;
  Provenance provenance = Provenance::kReported;
  std::string engine, runner, chip, os, compiler_version;
  std::string content;      // RunnerIdentity::content; empty if it was not recorded
  CampaignOptions options;  // as recorded; db is the file's path, jobs is 1
  CampaignSummary summary;  // the counts of the recorded cases
  std::set<std::string> signatures;
  double seconds = 0;  // the time worked so far
  // Taken before the other members were read, so they are current. Empty for a finished run.
  std::optional<RunLock> lock;
};

// Reads the newest unfinished campaign of `store` or, if there is none, the newest. Ignores probes.
// Errors: kNotFound if there is no campaign, kMalformed if its options cannot be read (they come
// from another version of the tool), kInvalid if another process is writing the run.
Result<ResumePoint> ReadResumePoint(Store& store);

}  // namespace anecheck
