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
  std::string
      name;        // lower case, as the compiler takes it: "h17s"; of no ANE its contract: "float"
  int family = 2;  // index of specification 003, or of a contract (oracles/contract.h)
};

struct CampaignOptions {
  uint64_t seed = 1;
  uint64_t cases = 1000;
  double max_seconds = 0;  // 0: no limit; the campaign then ends after `cases`
  int jobs = 1;
  std::vector<CampaignTarget> targets;
  std::vector<CaseMode> modes;  // empty: the default mix
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();
  // A pair of operations that the case must contain. For a whole campaign it is empty; steering
  // sets it per case.
  std::optional<OpChain> chain;
  // This campaign takes the batches with number % shards == shard, so that all shards together make
  // the cases of the whole campaign.
  uint64_t shard = 0;
  uint64_t shards = 1;
  // Half of the cases take operations whose cells of coverage.h are still empty. A shard then
  // steers only by its own coverage.
  bool steer = false;
  // Only small graphs: the usual number of nodes, kSmallElements per tensor, and kSmallProducts per
  // operation if the operation has such a small instance. The long axes of kLargeAxis and
  // kShapeRanges stay.
  bool small = false;
  // Only graphs whose predicted saving on the engine (placement_cost.h) is at least this many
  // microseconds; 0 for any. Core ML's planner leaves graphs with smaller savings to the CPU.
  uint64_t least_saving_us = 0;
  RouteSet routes = RouteSet::kMil;  // with both, cases alternate
  std::string runner = "e5rt";
  std::string against;  // a second runner, whose output bits are compared; empty for none
  WorkerOptions worker;
  // JSON of the known defects of a user's engine (oracles/catalogue.h), kept with the run and with
  // each finding. The judge already applies them.
  std::vector<std::string> defects;
  std::string label;    // the run's label; changes no case
  std::string db;       // results file
  std::string command;  // the command that runs this again, stored with the run
};

// GeneratorOptions::max_elements and max_products of small graphs.
inline constexpr int64_t kSmallElements = 64;
inline constexpr int64_t kSmallProducts = 1024;

// The most bytes of CampaignOptions::label.
inline constexpr size_t kLongestLabel = 120;

// The number of cases if only the time limits the campaign.
inline constexpr uint64_t kUnlimitedCases = uint64_t{1} << 40;

}  // namespace anecheck
