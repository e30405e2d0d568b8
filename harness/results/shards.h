// Parts of one campaign that ran separately (`run --shard i/n`): which runs belong together, and
// which parts of a campaign are missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/results/row_values.h"

namespace anecheck {

// The part of a seed's cases that a run has: number `index`, from 0, of `count`.
struct Shard {
  int64_t index = 0, count = 1;
};
// Reads the shard from the options of a recorded run; a whole run is shard 0 of 1.
Shard ShardOf(const RunRow& run);

// Returns the campaign of each run: numbers from 0, in the order in which the campaigns started.
// Parts of one campaign have the same recorded options except for the shard and the label, and the
// same kind of machine. Two runs of the same shard are two occasions: two campaigns, even if all
// their options are equal. A run joins the newest earlier campaign of its label that lacks its
// shard. Then campaigns of different labels that lack each other's shards are joined, because a
// label may name the host of a shard.
std::vector<size_t> CampaignsOf(std::span<const RunRow* const> runs);

struct MissingShards {
  uint64_t seed = 0;
  std::string started;  // by the first part that is there
  int64_t count = 0;
  std::vector<int64_t> indices;  // from 0
};
// Returns the campaigns with some parts among `runs` and others missing, by seed and start.
std::vector<MissingShards> FindMissingShards(std::span<const RunRow* const> runs);

}  // namespace anecheck
