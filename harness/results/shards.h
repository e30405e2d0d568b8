// Parts of one campaign that ran separately (`run --shard i/n`): which runs belong together, and
// which parts of a campaign are missing.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/results/row_values.h"
#include "harness/verdict/provenance.h"

namespace anecheck {

// The part of a seed's cases that a run has: number `index`, from 0, of `count`.
struct Shard {
  int64_t index = 0, count = 1;
};
// Reads the shard from the options of a recorded run; a whole run is shard 0 of 1.
Shard ShardOf(const RunRow& run);

// Runs with equal keys are parts of one campaign on one kind of machine.
struct CampaignKey {
  uint64_t seed = 0;
  int64_t count = 1;
  Provenance provenance = Provenance::kReported;
  std::string engine, chip, compiler_version;
  auto operator<=>(const CampaignKey&) const = default;
};
CampaignKey CampaignOf(const RunRow& run);

struct MissingShards {
  uint64_t seed = 0;
  int64_t count = 0;
  std::vector<int64_t> indices;  // from 0
};
// Returns the campaigns with some parts among `runs` and others missing, by seed.
std::vector<MissingShards> FindMissingShards(std::span<const RunRow> runs);

}  // namespace anecheck
