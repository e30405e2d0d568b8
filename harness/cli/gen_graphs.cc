#include "harness/cli/gen_graphs.h"

#include <fmt/format.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/gen_folder.h"
#include "harness/graph/json.h"

namespace anecheck {
namespace {

constexpr int kManifestVersion = 1;
constexpr std::string_view kMustReject = ToText(CaseMode::kMustReject);

}  // namespace

Result<Json> WriteGraphs(const GraphSet& set, const std::vector<uint64_t>& indices,
                         const std::string& folder) {
  CampaignFlags flags;
  flags.seed = set.seed;
  flags.targets = set.target;
  ANECHECK_ASSIGN(CampaignOptions options, ToOptions(flags));
  if (options.targets.size() != 1) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--target {}: graphs have one target; name one", set.target));
  }
  if (set.must_reject) options.modes = {CaseMode::kMustReject};
  ANECHECK_RETURN_IF_ERROR(PrepareSetFolder(folder));
  Json manifest = {{"version", kManifestVersion},
                   {"format", "graph"},
                   {"mode", set.must_reject ? kMustReject : "valid"},
                   {"seed", set.seed},
                   {"target", set.target},
                   {"count", indices.size()},
                   {"files", Json::array()}};
  for (const uint64_t index : indices) {
    ANECHECK_ASSIGN(const Case item, MakeCase(options, index));
    const std::string name = fmt::format("graph_{:06}.json", index);
    const std::string text = DumpJson(GraphToJson(item.graph), 1) + "\n";
    ANECHECK_RETURN_IF_ERROR(
        WriteFileAtomic(fmt::format("{}/{}", folder, name), std::string_view(text)));
    Json& entry = manifest["files"].emplace_back();
    entry = {{"file", name},
             {"size", text.size()},
             {"index", index},
             {"seed", item.seed},
             {"mode", ToText(item.mode)}};
    if (set.must_reject) entry["rule"] = item.broken_rule;
  }
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(folder + "/manifest.json", std::string_view(DumpJson(manifest, 1) + "\n")));
  return manifest;
}

Result<Json> ReplayGraphs(const Json& manifest, const std::string& name,
                          const std::string& folder) {
  GraphSet set;
  ANECHECK_ASSIGN(set.seed, json_fields::Number(manifest, "seed", name));
  ANECHECK_ASSIGN(set.target, json_fields::String(manifest, "target", name));
  ANECHECK_ASSIGN(const std::string mode, json_fields::String(manifest, "mode", name));
  set.must_reject = mode == kMustReject;
  ANECHECK_ASSIGN(const auto files, json_fields::Array(manifest, "files", name));
  std::vector<uint64_t> indices;
  indices.reserve(files.size());
  for (const Json* entry : files) {
    ANECHECK_ASSIGN(const uint64_t index, json_fields::Number(*entry, "index", name + ": files"));
    indices.push_back(index);
  }
  return WriteGraphs(set, indices, folder);
}

}  // namespace anecheck
