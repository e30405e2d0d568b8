#include "harness/results/shards.h"

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/json_text.h"
#include "harness/results/run_name.h"

namespace anecheck {
namespace {

// The properties that all parts of one campaign share.
struct CampaignKey {
  uint64_t seed = 0;
  int64_t count = 1;
  std::string options;  // without the shard and the label
  Provenance provenance = Provenance::kReported;
  std::string engine, chip, compiler_version;
  auto operator<=>(const CampaignKey&) const = default;
};

CampaignKey KeyOf(const RunRow& run) {
  Result<Json> json = ParseJson(run.options);
  std::string options = run.options;
  if (json.ok() && json->is_object()) {
    json->erase("shard");
    json->erase("label");
    options = DumpJson(*json);
  }
  return {run.seed,   ShardOf(run).count, std::move(options),  run.provenance,
          run.engine, run.chip,           run.compiler_version};
}

// Runs that are parts of one execution of a campaign. No two have the same shard.
struct Occasion {
  std::string label;
  std::set<int64_t> shards;
  std::vector<size_t> runs;
};

// Joins occasions with different labels if they share no shard, because a label may name the host
// of a shard. `count` is the number of shards of the whole campaign, so complete ones stay apart.
void JoinAcrossLabels(int64_t count, std::vector<Occasion>& occasions) {
  std::vector<Occasion> joined;
  for (Occasion& occasion : occasions) {
    const auto open = std::find_if(joined.rbegin(), joined.rend(), [&](const Occasion& earlier) {
      const size_t both = earlier.shards.size() + occasion.shards.size();
      return static_cast<int64_t>(both) <= count &&
             std::ranges::none_of(occasion.shards,
                                  [&](int64_t shard) { return earlier.shards.contains(shard); });
    });
    if (open == joined.rend()) {
      joined.push_back(std::move(occasion));
      continue;
    }
    open->shards.insert(occasion.shards.begin(), occasion.shards.end());
    open->runs.insert(open->runs.end(), occasion.runs.begin(), occasion.runs.end());
  }
  occasions = std::move(joined);
}

}  // namespace

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

std::vector<size_t> CampaignsOf(std::span<const RunRow* const> runs) {
  std::vector<size_t> order(runs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::tie(runs[a]->started, runs[a]->uuid, a) <
           std::tie(runs[b]->started, runs[b]->uuid, b);
  });
  std::map<CampaignKey, std::vector<Occasion>> all;
  for (const size_t run : order) {
    std::vector<Occasion>& occasions = all[KeyOf(*runs[run])];
    const int64_t shard = ShardOf(*runs[run]).index;
    const std::string label = LabelOf(*runs[run]);
    auto open = std::find_if(occasions.rbegin(), occasions.rend(), [&](const Occasion& occasion) {
      return occasion.label == label && !occasion.shards.contains(shard);
    });
    Occasion& joined =
        open == occasions.rend() ? occasions.emplace_back(Occasion{label, {}, {}}) : *open;
    joined.shards.insert(shard);
    joined.runs.push_back(run);
  }
  std::vector<const Occasion*> occasion_of(runs.size());
  for (auto& [key, occasions] : all) {
    JoinAcrossLabels(key.count, occasions);
    for (const Occasion& occasion : occasions) {
      for (const size_t run : occasion.runs) occasion_of[run] = &occasion;
    }
  }
  std::map<const Occasion*, size_t> numbers;
  std::vector<size_t> campaigns(runs.size());
  for (const size_t run : order) {
    campaigns[run] = numbers.emplace(occasion_of[run], numbers.size()).first->second;
  }
  return campaigns;
}

std::vector<MissingShards> FindMissingShards(std::span<const RunRow* const> runs) {
  // A larger number of shards can only come from a damaged file.
  constexpr int64_t kMostShards = 100'000;
  const std::vector<size_t> campaigns = CampaignsOf(runs);
  // In order of seed and start, because campaigns are numbered by their start.
  std::map<std::pair<uint64_t, size_t>, std::vector<const RunRow*>> parts;
  for (size_t i = 0; i < runs.size(); ++i) {
    parts[{runs[i]->seed, campaigns[i]}].push_back(runs[i]);
  }
  std::vector<MissingShards> all;
  for (const auto& [place, of_campaign] : parts) {
    const int64_t count = ShardOf(*of_campaign.front()).count;
    if (count > kMostShards) continue;
    std::set<int64_t> there;
    for (const RunRow* run : of_campaign) there.insert(ShardOf(*run).index);
    const auto first = std::ranges::min_element(of_campaign, {}, &RunRow::started);
    MissingShards missing{(*first)->seed, (*first)->started, count, {}};
    for (int64_t i = 0; i < count; ++i) {
      if (!there.contains(i)) missing.indices.push_back(i);
    }
    if (!missing.indices.empty()) all.push_back(std::move(missing));
  }
  return all;
}

}  // namespace anecheck
