#include "harness/cli/ops_containers.h"

#include <fmt/format.h>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/json_text.h"
#include "harness/cases/case.h"
#include "harness/cli/campaign_flags.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/op.h"
#include "harness/runners/emulator_runner.h"

namespace anecheck {
namespace {

constexpr const char* kTargets = "h13,h14,h15,h16,h17s,h18";  // one target of each generation
constexpr uint64_t kGraphs = 32;

// The results of the graphs of one operation on one target.
struct Tally {
  uint64_t encoded = 0, executed = 0;
  std::string reason;  // as in ops_containers.h
};

// Each graph has only the operation `op` and the operations that compute its operands.
Result<Tally> Try(const OpDefinition& op, const CampaignTarget& target, CampaignOptions options) {
  options.targets = {target};
  options.ops.reset();
  options.ops.set(op.schema.id);
  EmulatorRunner runner;
  const std::string own = fmt::format("({})", op.schema.name);
  Tally tally;
  for (uint64_t index = 0; index < kGraphs; ++index) {
    ANECHECK_ASSIGN(const Case item, MakeCase(options, index));
    RunRequest request = RequestOf(item);
    request.settings.repeat = false;
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
    const RunReply& reply = replies.front();
    tally.encoded += reply.status == RunStatus::kRejected ? 0 : 1;
    tally.executed += reply.status == RunStatus::kOk ? 1 : 0;
    if (reply.status == RunStatus::kOk) continue;
    const bool names = reply.message.contains(own) && !tally.reason.contains(own);
    if (names || tally.reason.empty()) tally.reason = reply.message;
  }
  return tally;
}

Json ToJson(const Tally& tally) {
  const char* const state = tally.executed > 0  ? "executed"
                            : tally.encoded > 0 ? "encoded"
                                                : "not encoded";
  Json json = {{"state", state}, {"executed", tally.executed}};
  if (!tally.reason.empty()) json["reason"] = tally.reason;
  return json;
}

}  // namespace

Result<Json> OperationContainers(uint64_t seed) {
  CampaignFlags flags;
  flags.seed = seed;
  flags.targets = kTargets;
  flags.small = true;
  ANECHECK_ASSIGN(CampaignOptions options, ToOptions(flags));
  options.modes = {CaseMode::kFloat};
  Json table = {{"version", 1},      {"provenance", "emulated"}, {"seed", seed},
                {"graphs", kGraphs}, {"targets", Json::array()}, {"ops", Json::array()}};
  for (const CampaignTarget& target : options.targets) table["targets"].push_back(target.name);
  for (const OpDefinition* op : AllOps()) {
    const bool known = encoder::HandlerOf(KindOf(op->schema)) != nullptr;
    Json targets = Json::object();
    for (const CampaignTarget& target : options.targets) {
      Json& entry = targets[target.name];
      entry = {{"state", "none"}, {"executed", 0}};
      if (!known) continue;
      ANECHECK_ASSIGN(const Tally tally, Try(*op, target, options));
      entry = ToJson(tally);
    }
    table["ops"].push_back({{"name", op->schema.name}, {"targets", std::move(targets)}});
  }
  return table;
}

std::string OperationContainersText(const Json& table) {
  std::string text =
      fmt::format("graphs of {} that the emulator executed, by target; provenance: emulated\n{:24}",
                  table["graphs"].get<uint64_t>(), "operation");
  for (const Json& target : table["targets"]) {
    text += fmt::format("{:>12}", target.get<std::string>());
  }
  text += "\n";
  size_t none = 0;
  for (const Json& op : table["ops"]) {
    std::string line = fmt::format("{:24}", op["name"].get<std::string>());
    std::string reason;
    bool known = true;
    for (const Json& target : table["targets"]) {
      const Json& entry = op["targets"][target.get<std::string>()];
      const std::string state = entry["state"].get<std::string>();
      known = known && state != "none";
      line += fmt::format("{:>12}", state == "executed" ? DumpJson(entry["executed"]) : state);
      if (reason.empty() && entry.contains("reason")) reason = entry["reason"].get<std::string>();
    }
    none += known ? 0 : 1;
    if (!known) continue;
    text += line;
    if (!reason.empty()) text += "  " + reason;
    text += "\n";
  }
  return text + fmt::format("{} without known tasks\n", Counted(none, "further operation"));
}

}  // namespace anecheck
