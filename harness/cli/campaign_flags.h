// The options that `run` and similar commands share, and their conversion to CampaignOptions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/command_line.h"
#include "harness/runners/chip_target.h"

namespace anecheck {

// The flags as typed.
struct CampaignFlags {
  uint64_t seed = 1;
  uint64_t cases = 0;
  std::string time;
  int jobs = 0;
  std::string targets = DefaultTarget();
  std::string contract;  // of an engine that is no ANE; replaces the targets
  std::string modes;
  std::optional<std::string> ops;  // empty: all operations
  std::string shard;
  bool steer = false;
  bool small = false;
  bool files = false;
  std::string route{ToText(RouteSet::kMil)};
  std::string runner = "e5rt";
  std::string against;  // a second runner; empty for none
  std::string library;
  std::vector<std::string> faults;
  std::vector<std::string> quirks;
  std::vector<std::string> defects;  // texts of catalogues (defects_flag.h)
  std::string label;
  std::string db = "anecheck.sqlite";
  int case_timeout_ms = 20000;
};

// Adds the options for the runner and its behaviour, which AddCampaignFlags adds too.
void AddRunnerFlags(CommandLine& command, CampaignFlags& flags);
void AddCampaignFlags(CommandLine& command, CampaignFlags& flags);

// Errors name the wrong flag and its possible values.
Result<CampaignOptions> ToOptions(const CampaignFlags& flags);

// If the user asked for "all" targets, removes those whose front end refuses every program of the
// route. Errors: kInvalid if the user named such a target.
Status KeepTargetsOfRoute(const CampaignFlags& flags, CampaignOptions& options);

// Removes the operations that the runner does not compute, if the runner gives a list of those that
// it computes. Errors: kInvalid if no operation is left.
Status KeepOpsOfRunner(const RunnerIdentity& identity, CampaignOptions& options);

// Returns "90", "90s", "15m" or "2h" as seconds.
Result<double> ParseDuration(std::string_view text);

}  // namespace anecheck
