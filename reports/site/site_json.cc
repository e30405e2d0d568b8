// The pages as JSON.
#include <algorithm>

#include "harness/base/version.h"
#include "oracles/defect_words.h"
#include "oracles/legality/legality.h"
#include "reports/json.h"
#include "reports/site/site_pages.h"
#include "reports/site/site_tables.h"

namespace anecheck::reports {
namespace {

Json CountsJson(const MarkCounts& counts) {
  Json json = {{"attested", counts.attested}, {"beyond", counts.beyond}};
  for (size_t i = 0; i < kMarks; ++i) {
    json[std::string(FactOf(static_cast<Mark>(i)).style)] = counts.marks[i];
  }
  const auto percent = counts.Percent();
  json["percent"] = percent ? Json(*percent) : Json();
  return json;
}

Json StandingJson(const Site& site, const Standing& standing) {
  const Snapshot& snapshot = site.snapshots[standing.snapshot];
  return {{"mark", FactOf(standing.mark).name},
          {"stage", ToText(standing.stage)},
          {"date", snapshot.date},
          {"label", snapshot.label},
          {"os", snapshot.os},
          {"compiler_version", snapshot.compiler},
          {"machine", snapshot.machine},
          {"cases", standing.counts.cases},
          {"dispatched", standing.counts.dispatched},
          {"correct", standing.counts.correct},
          {"wrong", standing.counts.wrong},
          {"known_defect", standing.counts.known_defect},
          {"rejected", standing.counts.rejected}};
}

Json ChangeJson(const Site& site, const SiteChange& change) {
  return {{"op", site.ops[change.cell.op].name},
          {"chip", site.chips[change.chip].slug},
          {"route", ToText(change.cell.route)},
          {"direction", change.worse    ? "worse"
                        : change.better ? "better"
                                        : "other"},
          {"before", StandingJson(site, change.before)},
          {"after", StandingJson(site, change.after)}};
}

Json ChangesJson(const Site& site, const std::vector<const SiteChange*>& changes) {
  Json json = Json::array();
  for (const SiteChange* change : changes) json.push_back(ChangeJson(site, *change));
  return json;
}

Json DefectLine(const Site& site, const SiteDefect& defect) {
  const FindingInfo& finding = site.Shown(defect);
  return {{"page", defect.page},
          {"op", finding.op},
          {"target", finding.target},
          {"chip", defect.chip ? Json(site.chips[*defect.chip].slug) : Json()},
          {"route", ToText(finding.route)},
          {"verdict", ToText(finding.verdict)},
          {"new", finding.is_new},
          {"known_defect", finding.defects.ToText()},
          {"known_defect_words", DefectWords(finding.defects, finding.op)},
          {"signature", finding.signature},
          {"summary", finding.summary},
          {"cases", defect.cases},
          {"first", defect.first},
          {"last", defect.last},
          {"gone", defect.gone}};
}

Json Document(const Site& site) {
  return {{"version", 1}, {"tool_version", kToolVersion}, {"simulated", site.data.AnySimulated()}};
}

Json ChipLine(const Site& site, const SiteChip& chip) {
  Json json = {{"page", "chips/" + chip.slug + ".html"},
               {"target", chip.target},
               {"chips", chip.chips},
               {"provenance", ToText(chip.provenance)},
               {"newest", site.snapshots[chip.snapshots.back()].date},
               {"operations", CountsJson(site.Count(chip))},
               {"classes", Json::object()}};
  for (const std::string& op_class : site.classes) {
    json["classes"][op_class] = CountsJson(site.Count(chip, op_class));
  }
  return json;
}

Json RunsJson(const Site& site, const std::vector<size_t>& runs) {
  Json json = Json::array();
  for (const size_t index : runs) {
    const RunInfo& run = site.data.runs[index];
    json.push_back({{"uuid", run.uuid},
                    {"name", run.name},
                    {"started", run.started},
                    {"state", ToText(run.state)},
                    {"seed", std::to_string(run.seed)},
                    {"shard", Json::array({run.shard + 1, run.shards})},
                    {"cases", run.cases},
                    {"chip", run.chip},
                    {"os", run.os},
                    {"compiler_version", run.compiler_version}});
  }
  return json;
}

}  // namespace

Json FrontJson(const Site& site) {
  Json json = Document(site);
  json["chips"] = Json::array();
  json["changes"] = Json::array();
  for (size_t i = 0; i < site.chips.size(); ++i) {
    json["chips"].push_back(ChipLine(site, site.chips[i]));
    for (const SiteChange* change : site.ChangesOf(i, true)) {
      json["changes"].push_back(ChangeJson(site, *change));
    }
  }
  json["findings"] = Json::array();
  for (const SiteDefect& defect : site.defects)
    json["findings"].push_back(DefectLine(site, defect));
  json["missing_shards"] = Json::array();
  for (const MissingShards& missing : site.missing) {
    Json parts = Json::array();
    for (const int64_t index : missing.indices) parts.push_back(index + 1);
    json["missing_shards"].push_back({{"seed", std::to_string(missing.seed)},
                                      {"shards", missing.count},
                                      {"missing", std::move(parts)}});
  }
  std::vector<size_t> runs;
  runs.reserve(site.data.runs.size());
  for (size_t i = 0; i < site.data.runs.size(); ++i) runs.push_back(i);
  json["runs"] = RunsJson(site, runs);
  return json;
}

Json ChipJson(const Site& site, size_t index) {
  const SiteChip& chip = site.chips[index];
  Json json = Document(site);
  json["chip"] = ChipLine(site, chip);
  json["operations"] = Json::array();
  for (size_t op = 0; op < site.ops.size(); ++op) {
    for (const Route route : {Route::kMil, Route::kNetlist}) {
      const Standing* standing = chip.now.Find({op, route});
      if (standing == nullptr) continue;
      Json line = StandingJson(site, *standing);
      line["op"] = site.ops[op].name;
      line["route"] = ToText(route);
      json["operations"].push_back(std::move(line));
    }
  }
  json["changes"] = ChangesJson(site, site.ChangesOf(index, false));
  json["findings"] = Json::array();
  for (const SiteDefect& defect : site.defects) {
    if (defect.chip == index) json["findings"].push_back(DefectLine(site, defect));
  }
  json["history"] = Json::array();
  const auto days = site.CountByDay(chip);
  for (const size_t at : chip.snapshots) {
    const Snapshot& snapshot = site.snapshots[at];
    const auto day = std::ranges::find(days, snapshot.date, &decltype(days)::value_type::first);
    json["history"].push_back({{"date", snapshot.date},
                               {"label", snapshot.label},
                               {"os", snapshot.os},
                               {"compiler_version", snapshot.compiler},
                               {"machine", snapshot.machine},
                               {"operations", CountsJson(day->second)},
                               {"runs", RunsJson(site, snapshot.runs)}});
  }
  return json;
}

Json OpJson(const Site& site, size_t op, const Json& reference) {
  const SiteOp& one = site.ops[op];
  Json json = Document(site);
  json["op"] = one.name;
  json["class"] = one.op_class;
  json["signature"] = reference;
  json["chips"] = Json::object();
  for (const SiteChip& chip : site.chips) {
    json["chips"][chip.slug] = FactOf(site.MarkOn(op, chip)).name;
  }
  json["evidence"] = Json::array();
  for (const Snapshot& snapshot : site.snapshots) {
    for (const Route route : {Route::kMil, Route::kNetlist}) {
      const Standing* found = snapshot.cells.Find({op, route});
      if (found == nullptr) continue;
      Json line = StandingJson(site, *found);
      line["chip"] = site.chips[snapshot.chip].slug;
      line["route"] = ToText(route);
      json["evidence"].push_back(std::move(line));
    }
  }
  json["rules"] = Json::array();
  for (size_t target = 0; one.row && target < site.rules.targets.size(); ++target) {
    for (size_t route = 0; route < site.rules.routes.size(); ++route) {
      const auto& cell = site.rules.at(*one.row, target, route);
      json["rules"].push_back(
          {{"target", site.rules.targets[target]->compiler_name},
           {"route", ToText(site.rules.routes[route])},
           {"answer", legality::OutcomeName(site.rules.verdicts[cell.verdict].outcome)}});
    }
  }
  json["findings"] = Json::array();
  for (const SiteDefect& defect : site.defects) {
    if (site.Shown(defect).op == one.name) json["findings"].push_back(DefectLine(site, defect));
  }
  return json;
}

Json DefectJson(const Site& site, const SiteDefect& defect) {
  Json json = Document(site);
  json["finding"] = DefectLine(site, defect);
  json["shown"] = FindingJson(site.Shown(defect), site.RunOf(defect));
  std::vector<size_t> runs;
  runs.reserve(defect.findings.size());
  for (const size_t finding : defect.findings) runs.push_back(site.data.findings[finding].run);
  std::ranges::sort(runs);
  json["runs"] = RunsJson(site, runs);
  return json;
}

}  // namespace anecheck::reports
