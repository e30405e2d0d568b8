// The options of a campaign: its cases, its targets and its runner.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/runners/worker.h"
#include "harness/verdict/case_mode.h"
#include "harness/verdict/route.h"

namespace anecheck {

struct CampaignTarget {
  std::string name;  // the compiler's name in lower case ("h17s"), or a contract ("float")
  int family = 2;    // index in specification 003, or of a contract (oracles/contract.h)
};

struct CampaignOptions {
  uint64_t seed = 1;
  uint64_t cases = 1000;
  double max_seconds = 0;  // 0 for no limit; the campaign then ends after `cases`
  int jobs = 1;
  std::vector<CampaignTarget> targets;
  std::vector<CaseMode> modes;  // empty for the default mix
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();
  // A pair of operations that the case must contain. It is empty in the options of a campaign.
  // Steering sets it for one case.
  std::optional<OpChain> chain;
  // This campaign makes the batches with number % shards == shard, so that all shards together make
  // the cases of the whole campaign.
  uint64_t shard = 0;
  uint64_t shards = 1;
  // Half of the cases take operations whose cells of coverage.h are still empty. A shard then
  // steers only by its own coverage.
  bool steer = false;
  // Draws only small graphs. They have the usual number of nodes, kSmallElements per tensor, and
  // kSmallProducts per operation if the operation has such a small instance. The long axes of
  // kLargeAxis and kShapeRanges are not shortened.
  bool small = false;
  // Draws only graphs whose predicted saving on the engine (placement_cost.h) is at least this many
  // microseconds; 0 for any graph. Core ML's planner runs graphs with smaller savings on the CPU.
  uint64_t least_saving_us = 0;
  RouteSet routes = RouteSet::kMil;  // if both are set, cases alternate
  std::string runner = "e5rt";
  std::string against;  // a second runner, whose output bits are compared; empty for none
  WorkerOptions worker;
  // The known defects of a user's engine as JSON (oracles/catalogue.h). They are recorded with the
  // run and with each finding. The judge does not read them here, because it already has them.
  std::vector<std::string> defects;
  std::string label;    // the run's label, which has no effect on cases
  std::string db;       // results file
  std::string command;  // the command that runs this again, stored with the run
};

// GeneratorOptions::max_elements and max_products of small graphs.
inline constexpr int64_t kSmallElements = 64;
inline constexpr int64_t kSmallProducts = 1024;

// The maximum number of bytes of CampaignOptions::label.
inline constexpr size_t kLongestLabel = 120;

// The number of cases of a campaign that only time limits.
inline constexpr uint64_t kUnlimitedCases = uint64_t{1} << 40;

}  // namespace anecheck
