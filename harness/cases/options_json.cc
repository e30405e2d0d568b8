#include "harness/cases/options_json.h"

#include <fmt/format.h>

#include "harness/base/json_fields.h"
#include "harness/ops/op.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

using json_fields::Bad;

constexpr std::string_view kPath = "options";

Json OpsToJson(const CampaignOptions& options) {
  if (options.ops.all()) return "all";
  Json names = Json::array();
  for (const OpDefinition* op : AllOps()) {
    if (options.ops.test(op->schema.id)) names.push_back(op->schema.name);
  }
  return names;
}

Status ReadOps(const Json& json, CampaignOptions& options) {
  const auto found = json.find("ops");
  if (found == json.end()) return Bad(kPath, "needs \"ops\"");
  if (*found == "all") return {};
  options.ops.reset();
  ANECHECK_ASSIGN(const auto names, json_fields::Strings(json, "ops", kPath));
  for (const std::string& name : names) {
    const OpDefinition* op = FindOp(name);
    if (op == nullptr) return Bad(kPath, fmt::format("ops: \"{}\" is no operation", name));
    options.ops.set(op->schema.id);
  }
  return {};
}

Status ReadTargets(const Json& json, CampaignOptions& options) {
  ANECHECK_ASSIGN(const auto targets, json_fields::Array(json, "targets", kPath));
  for (const Json* item : targets) {
    CampaignTarget target;
    if (!item->is_object()) return Bad(kPath, "\"targets\" must hold objects");
    ANECHECK_ASSIGN(target.name, json_fields::String(*item, "name", "options.targets"));
    ANECHECK_ASSIGN(const uint64_t family, json_fields::Number(*item, "family", "options.targets"));
    target.family = static_cast<int>(family);
    if (family >= kContracts) {
      return Bad("options.targets", fmt::format("\"family\" must be 0 to {}", kContracts - 1));
    }
    options.targets.push_back(std::move(target));
  }
  if (options.targets.empty()) return Bad(kPath, "needs at least one of \"targets\"");
  return {};
}

Status ReadShard(const Json& json, CampaignOptions& options) {
  ANECHECK_ASSIGN(const auto parts, json_fields::Array(json, "shard", kPath));
  if (parts.size() != 2) return Bad(kPath, "\"shard\" must be [index, count]");
  ANECHECK_ASSIGN(options.shard, json_fields::Number(*parts[0], "options.shard"));
  ANECHECK_ASSIGN(options.shards, json_fields::Number(*parts[1], "options.shard"));
  if (options.shard >= options.shards) return Bad(kPath, "\"shard\": index must be below count");
  return {};
}

Status ReadEngine(const Json& json, CampaignOptions& options) {
  ANECHECK_ASSIGN(options.worker.library, json_fields::String(json, "library", kPath));
  ANECHECK_ASSIGN(options.worker.faults, json_fields::Strings(json, "faults", kPath));
  ANECHECK_ASSIGN(const auto quirks, json_fields::Strings(json, "quirks", kPath));
  for (const std::string& text : quirks) {
    ANECHECK_ASSIGN(QuirkSetting quirk, ParseQuirk(text));
    options.worker.quirks.push_back(std::move(quirk));
  }
  ANECHECK_ASSIGN(const uint64_t timeout, json_fields::Number(json, "case_timeout_ms", kPath));
  options.worker.case_timeout_ms = static_cast<int>(std::min<uint64_t>(timeout, 1 << 30));
  return {};
}

}  // namespace

std::string QuirkText(const QuirkSetting& quirk) {
  return fmt::format("{}={}", quirk.id, quirk.on ? "on" : "off");
}

Result<QuirkSetting> ParseQuirk(std::string_view text) {
  const size_t equals = text.find('=');
  const std::string_view state =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  if (equals == 0 || (state != "on" && state != "off")) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("quirk {}: must be ID=on, ID=off, all=on or all=off", text));
  }
  return QuirkSetting{std::string(text.substr(0, equals)), state == "on"};
}

Json OptionsToJson(const CampaignOptions& options) {
  Json json;
  json["seed"] = options.seed;
  json["cases"] = options.cases;
  json["shard"] = Json::array({options.shard, options.shards});
  json["route"] = ToText(options.routes);
  json["runner"] = options.runner;
  if (!options.against.empty()) json["against"] = options.against;
  json["library"] = options.worker.library;
  json["targets"] = Json::array();
  for (const CampaignTarget& target : options.targets) {
    json["targets"].push_back({{"name", target.name}, {"family", target.family}});
  }
  json["modes"] = Json::array();
  for (const CaseMode mode : options.modes) json["modes"].push_back(ToText(mode));
  json["ops"] = OpsToJson(options);
  json["faults"] = options.worker.faults;
  json["quirks"] = Json::array();
  for (const QuirkSetting& quirk : options.worker.quirks) {
    json["quirks"].push_back(QuirkText(quirk));
  }
  if (!options.defects.empty()) json["defects"] = options.defects;
  if (!options.label.empty()) json["label"] = options.label;
  if (options.steer) json["steer"] = true;
  if (options.small) json["small"] = true;
  if (options.least_saving_us > 0) json["least_saving_us"] = options.least_saving_us;
  if (options.worker.keep_files) json["files"] = true;
  json["case_timeout_ms"] = options.worker.case_timeout_ms;
  return json;
}

Result<CampaignOptions> OptionsFromJson(const Json& json) {
  if (!json.is_object()) return Bad(kPath, "not a JSON object");
  CampaignOptions options;
  ANECHECK_ASSIGN(options.seed, json_fields::Number(json, "seed", kPath));
  ANECHECK_ASSIGN(options.cases, json_fields::Number(json, "cases", kPath));
  ANECHECK_RETURN_IF_ERROR(ReadShard(json, options));
  ANECHECK_ASSIGN(const std::string routes, json_fields::String(json, "route", kPath));
  ANECHECK_ASSIGN(options.routes, FromText<RouteSet>(routes));
  ANECHECK_ASSIGN(options.runner, json_fields::String(json, "runner", kPath));
  ANECHECK_RETURN_IF_ERROR(ReadTargets(json, options));
  ANECHECK_ASSIGN(const auto modes, json_fields::Strings(json, "modes", kPath));
  for (const std::string& name : modes) {
    const auto mode = FindWord<CaseMode>(name);
    if (!mode) return Bad(kPath, fmt::format("modes: \"{}\" is no mode", name));
    options.modes.push_back(*mode);
  }
  if (json.contains("defects")) {
    ANECHECK_ASSIGN(options.defects, json_fields::Strings(json, "defects", kPath));
  }
  if (json.contains("against")) {
    ANECHECK_ASSIGN(options.against, json_fields::String(json, "against", kPath));
  }
  if (json.contains("label")) {
    ANECHECK_ASSIGN(options.label, json_fields::String(json, "label", kPath));
  }
  options.steer = json.value("steer", false);
  options.small = json.value("small", false);
  if (json.contains("least_saving_us")) {
    ANECHECK_ASSIGN(options.least_saving_us, json_fields::Number(json, "least_saving_us", kPath));
  }
  options.worker.keep_files = json.value("files", false);
  ANECHECK_RETURN_IF_ERROR(ReadOps(json, options));
  ANECHECK_RETURN_IF_ERROR(ReadEngine(json, options));
  return options;
}

}  // namespace anecheck
