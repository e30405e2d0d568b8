#include "harness/results/shards.h"

#include <map>
#include <set>

#include "harness/base/json_text.h"

namespace anecheck {

Shard ShardOf(const RunRow& run) {
  const Result<Json> json = ParseJson(run.options);
  if (!json.ok() || !json->is_object()) return {};
  const auto shard = json->find("shard");
  if (shard == json->end() || !shard->is_array() || shard->size() != 2) return {};
  const Json& index = (*shard)[0];
  const Json& count = (*shard)[1];
  if (!index.is_number_integer() || !count.is_number_integer()) return {};
  return {index.get<int64_t>(), count.get<int64_t>()};
}

CampaignKey CampaignOf(const RunRow& run) {
  return {run.seed, ShardOf(run).count, run.provenance, run.engine, run.chip, run.compiler_version};
}

std::vector<MissingShards> FindMissingShards(std::span<const RunRow> runs) {
  // A larger count comes from a damaged file.
  constexpr int64_t kMostShards = 100'000;
  std::map<CampaignKey, std::set<int64_t>> there;
  for (const RunRow& run : runs) there[CampaignOf(run)].insert(ShardOf(run).index);
  std::vector<MissingShards> all;
  for (const auto& [campaign, indices] : there) {
    if (campaign.count > kMostShards) continue;
    MissingShards missing{campaign.seed, campaign.count, {}};
    for (int64_t i = 0; i < campaign.count; ++i) {
      if (!indices.contains(i)) missing.indices.push_back(i);
    }
    if (!missing.indices.empty()) all.push_back(std::move(missing));
  }
  return all;
}

}  // namespace anecheck
