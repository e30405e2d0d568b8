// Finds the runs that are parts of one campaign (`run --shard i/n`), and missing parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/results/row_values.h"

namespace anecheck {

// A run's part of its campaign's cases: part `index`, from 0, of `count` parts.
struct Shard {
  int64_t index = 0, count = 1;
};
// Reads the shard from the options of a recorded run; a whole run is shard 0 of 1.
Shard ShardOf(const RunRow& run);

// Returns the number of each run's campaign. Campaigns are numbered from 0, in the order of their
// starts. Parts of one campaign have the same recorded options except for the shard and the label,
// and the same kind of machine. Two runs of the same shard belong to different campaigns, even if
// all their options are equal. A run joins the newest earlier campaign with its label that lacks
// its shard. Then two campaigns with different labels are joined if they share no shard, because a
// label may name the host of a shard.
std::vector<size_t> CampaignsOf(std::span<const RunRow* const> runs);

struct MissingShards {
  uint64_t seed = 0;
  std::string started;  // the start of the first part that is present
  int64_t count = 0;
  std::vector<int64_t> indices;  // from 0
};
// Returns the campaigns with only some of their parts in `runs`, in order of seed and start.
std::vector<MissingShards> FindMissingShards(std::span<const RunRow* const> runs);

}  // namespace anecheck
