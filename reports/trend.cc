#include "reports/trend.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/version.h"
#include "harness/baseline/baseline.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/coverage.h"
#include "reports/error_map.h"
#include "reports/html.h"
#include "reports/matrix.h"
#include "reports/page_files.h"
#include "reports/query.h"

namespace anecheck::reports {
namespace {

// Returns the seconds since 1970 for a time such as "2026-01-02T03:04:05Z".
std::optional<int64_t> Seconds(const std::string& time) {
  std::tm parts{};
  if (strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return std::nullopt;
  return timegm(&parts);
}

// The errors of one operation on one target in one run.
struct Errors {
  UlpCounts histogram{};
  std::map<int, MagnitudeErrors> magnitudes;
};
using OpTarget = std::pair<std::string, std::string>;

class TrendReader {
 public:
  Result<Json> Read(std::span<const std::string> db_paths,
                    std::span<const std::string> baseline_paths, const ReportProgress& progress) {
    ANECHECK_ASSIGN(data_, ReadReportData(db_paths, progress));
    std::vector<Shards> campaigns;
    for (size_t i = 0; i < data_.runs.size(); ++i) {
      campaigns.resize(std::max(campaigns.size(), data_.runs[i].campaign + 1));
      campaigns[data_.runs[i].campaign].push_back(i);
      ANECHECK_ASSIGN(Store* const store, StoreOf(data_.runs[i]));
      ANECHECK_ASSIGN(pace_.emplace_back(), store->Rows<PaceRow>(data_.runs[i].id));
    }
    for (const Shards& shards : campaigns) ANECHECK_RETURN_IF_ERROR(AddCampaign(shards));
    for (const std::string& path : baseline_paths) ANECHECK_RETURN_IF_ERROR(AddBaseline(path));
    Json trend;
    trend["version"] = 1;
    trend["tool_version"] = kToolVersion;
    trend["simulated"] = simulated_;
    trend["runs"] = std::move(runs_);
    trend["errors"] = std::move(errors_);
    trend["changes"] = std::move(changes_);
    trend["findings"] = Findings();
    ANECHECK_ASSIGN(trend["maps"], Maps());
    return trend;
  }

 private:
  // The runs of one campaign, as indices in ReportData::runs, in order of their start. A campaign
  // is one point of the trend, because each of its shards has only a part of the cases.
  using Shards = std::vector<size_t>;
  // The key of a cell's state in the previous run: provenance, route, operation, target.
  using CellKey = std::tuple<Provenance, Route, std::string, std::string>;
  static constexpr size_t kOp = 2, kTarget = 3;
  struct Standing {
    size_t run = 0;
    Stage stage = Stage::kCatalogued;
  };

  Status AddCampaign(const Shards& shards) {
    const RunInfo& run = data_.runs[shards.front()];
    simulated_ = simulated_ || run.provenance == Provenance::kSimulated;
    int64_t cases = 0;
    RunState state = RunState::kFinished;
    std::string finished;
    for (const size_t shard : shards) {
      cases += data_.runs[shard].cases;
      state = std::min(state, data_.runs[shard].state);
      finished = std::max(finished, data_.runs[shard].finished.value_or(""));
    }
    Json json = {{"kind", "campaign"},
                 {"uuid", run.uuid},
                 {"label", run.label},
                 {"file", run.db},
                 {"started", run.started},
                 {"finished", finished},
                 {"state", ToText(state)},
                 {"tool_version", run.tool_version},
                 {"engine", run.engine},
                 {"chip", run.chip},
                 {"os", run.os},
                 {"compiler_version", run.compiler_version},
                 {"provenance", ToText(run.provenance)},
                 {"seed", std::to_string(run.seed)},
                 {"shards", shards.size()},
                 {"cases", cases}};
    ANECHECK_RETURN_IF_ERROR(AddReach(shards, json));
    ANECHECK_RETURN_IF_ERROR(AddGrowth(shards, json));
    ANECHECK_RETURN_IF_ERROR(AddErrors(shards));
    runs_.push_back(std::move(json));
    return {};
  }

  // Returns the file of a run. Opens each file only once.
  Result<Store*> StoreOf(const RunInfo& run) {
    const auto found = stores_.find(run.db);
    if (found != stores_.end()) return &found->second;
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(run.db));
    return &stores_.emplace(run.db, std::move(store)).first->second;
  }

  size_t CampaignOf(const FindingInfo& finding) const { return data_.runs[finding.run].campaign; }

  Stage StageInCampaign(const CellKey& key, const ReachCounts& counts, size_t campaign) const {
    FindingTally tally;
    for (const FindingInfo& finding : data_.findings) {
      const bool here =
          CampaignOf(finding) == campaign &&
          std::tie(finding.route, finding.op, finding.target) ==
              std::tie(std::get<Route>(key), std::get<kOp>(key), std::get<kTarget>(key));
      if (here) Tally(finding, tally);
    }
    return StageOf(counts, tally);
  }

  // Adds the cells of the matrix that the campaign reached. Adds the changes of cells whose state
  // differs from the last campaign of the same provenance that had the cell.
  Status AddReach(const Shards& shards, Json& json) {
    const Provenance provenance = data_.runs[shards.front()].provenance;
    const size_t campaign = runs_.size();
    std::map<CellKey, ReachCounts> cells;
    for (const size_t shard : shards) {
      ANECHECK_ASSIGN(Store* const store, StoreOf(data_.runs[shard]));
      ANECHECK_ASSIGN(const std::vector<ReachRow> rows,
                      store->Rows<ReachRow>(data_.runs[shard].id));
      for (const ReachRow& row : rows) cells[{provenance, row.route, row.op, row.target}] += row;
    }
    int64_t reached = 0;
    int64_t correct = 0;
    for (const auto& [key, counts] : cells) {
      if (counts.dispatched > 0) {
        ++reached;
        reached_[provenance].insert(key);
      }
      if (counts.correct > 0) {
        ++correct;
        correct_[provenance].insert(key);
      }
      const Stage stage = StageInCampaign(key, counts, campaign);
      const auto [last, fresh] = standing_.emplace(key, Standing{campaign, stage});
      if (!fresh && last->second.stage != stage) {
        changes_.push_back({{"run", campaign},
                            {"previous", last->second.run},
                            {"op", std::get<kOp>(key)},
                            {"target", std::get<kTarget>(key)},
                            {"route", ToText(std::get<Route>(key))},
                            {"provenance", ToText(provenance)},
                            {"before", ToText(last->second.stage)},
                            {"after", ToText(stage)}});
      }
      last->second = {campaign, stage};
    }
    json["reached"] = reached;
    json["correct"] = correct;
    json["all_reached"] = reached_[provenance].size();
    json["all_correct"] = correct_[provenance].size();
    return {};
  }

  // Adds the number of coverage cells that the campaign had reached after 1, 2, 4 ... cases and at
  // its end. Adds the number that all campaigns of its provenance have reached so far. The shards
  // of a campaign have a common numbering of cases.
  Status AddGrowth(const Shards& shards, Json& json) {
    std::map<CoverageCell, uint64_t> first_cases;
    uint64_t cases = 0;
    for (const size_t shard : shards) {
      const RunInfo& run = data_.runs[shard];
      ANECHECK_ASSIGN(Store* const store, StoreOf(run));
      ANECHECK_ASSIGN(const std::vector<CoverageRow> rows, store->Rows<CoverageRow>(run.id));
      for (const CoverageRow& row : rows) {
        const CoverageCell cell = {row.kind, row.cell};
        if (!std::ranges::binary_search(CoverageSpace(), cell)) continue;
        const auto [first, fresh] = first_cases.emplace(cell, row.first_case);
        if (!fresh) first->second = std::min(first->second, row.first_case);
      }
      ANECHECK_ASSIGN(const std::optional<uint64_t> last, store->LastCase(run.id));
      if (last) cases = std::max(cases, *last + 1);
    }
    std::set<CoverageCell>& all = cells_[data_.runs[shards.front()].provenance];
    std::vector<uint64_t> met, found;
    for (const auto& [cell, first_case] : first_cases) {
      all.insert(cell);
      met.push_back(first_case);
    }
    for (const FindingInfo& finding : data_.findings) {
      if (CampaignOf(finding) == runs_.size()) found.push_back(finding.case_index);
    }
    std::ranges::sort(met);
    std::ranges::sort(found);
    Json points = Json::array();
    for (uint64_t at = 1; cases > 0; at = std::min(2 * at, cases)) {
      at = std::min(at, cases);
      const std::optional<double> seconds = RecordedAt(shards, at - 1);
      points.push_back({{"cases", at},
                        {"seconds", seconds ? Json(*seconds) : Json()},
                        {"cells", std::ranges::lower_bound(met, at) - met.begin()},
                        {"findings", std::ranges::lower_bound(found, at) - found.begin()}});
      if (at == cases) break;
    }
    json["cells"] = met.size();
    json["all_cells"] = all.size();
    json["growth"] = std::move(points);
    return {};
  }

  // Returns the seconds after which the run had recorded a case, or nothing if they are unrecorded.
  std::optional<double> RecordedAt(size_t run, uint64_t case_index) const {
    const auto found = std::ranges::lower_bound(pace_[run], case_index, {}, &PaceRow::case_index);
    return found == pace_[run].end() ? std::nullopt : std::optional(found->seconds);
  }

  // Returns the seconds after which the last of the shards had recorded the case or a later case.
  std::optional<double> RecordedAt(const Shards& shards, uint64_t case_index) const {
    std::optional<double> latest;
    for (const size_t shard : shards) latest = std::max(latest, RecordedAt(shard, case_index));
    return latest;
  }

  Status AddErrors(const Shards& shards) {
    std::map<OpTarget, Errors> errors;
    for (const size_t shard : shards) {
      const RunInfo& run = data_.runs[shard];
      ANECHECK_ASSIGN(Store* const store, StoreOf(run));
      ANECHECK_ASSIGN(const std::vector<UlpRow> buckets, store->Rows<UlpRow>(run.id));
      for (const UlpRow& row : buckets) {
        errors[{row.op, row.target}].histogram[row.bucket] += row.elements;
      }
      ANECHECK_ASSIGN(const std::vector<MagnitudeRow> magnitudes,
                      store->Rows<MagnitudeRow>(run.id));
      for (const MagnitudeRow& row : magnitudes) {
        errors[{row.op, row.target}].magnitudes[row.exponent] += row;
      }
    }
    PushErrors(errors);
    return {};
  }

  void PushErrors(const std::map<OpTarget, Errors>& errors) {
    for (const auto& [key, item] : errors) {
      Json magnitudes = Json::array();
      for (const auto& [exponent, sums] : item.magnitudes) {
        magnitudes.push_back(Json::array({exponent, sums.elements, sums.sum_ulp, sums.max_ulp}));
      }
      errors_.push_back({{"run", runs_.size()},
                         {"op", key.first},
                         {"target", key.second},
                         {"histogram", item.histogram},
                         {"magnitudes", std::move(magnitudes)}});
    }
  }

  Status AddBaseline(const std::string& path) {
    ANECHECK_ASSIGN(const std::string text, ReadTextFile(path));
    ANECHECK_ASSIGN(const Baseline baseline, BaselineFromJson(text, path));
    simulated_ = simulated_ || baseline.provenance == Provenance::kSimulated;
    std::map<OpTarget, Errors> errors;
    for (const BaselineEntry& entry : baseline.entries) {
      Errors& sum = errors[{entry.op, entry.target}];
      for (size_t i = 0; i < kUlpBuckets; ++i) sum.histogram[i] += entry.histogram[i];
      for (const auto& [exponent, item] : entry.errors.by_exponent) {
        sum.magnitudes[exponent] += item;
      }
    }
    PushErrors(errors);
    runs_.push_back({{"kind", "baseline"},
                     {"file", path},
                     {"started", baseline.recorded},
                     {"tool_version", baseline.tool_version},
                     {"engine", baseline.engine},
                     {"chip", baseline.chip},
                     {"os", baseline.os},
                     {"compiler_version", baseline.compiler_version},
                     {"provenance", ToText(baseline.provenance)},
                     {"seed", std::to_string(baseline.seed)}});
    return {};
  }

  // Returns the seconds from the start of the run to a case. If the file does not record them, they
  // are estimated from the mean rate.
  Json SecondsAt(size_t index, uint64_t case_index) const {
    if (const std::optional<double> recorded = RecordedAt(index, case_index)) return *recorded;
    const RunInfo& run = data_.runs[index];
    const auto started = Seconds(run.started);
    const auto finished = Seconds(run.finished.value_or(""));
    if (!started || !finished || *finished < *started || run.cases < 1) return {};
    const auto at = static_cast<int64_t>(case_index) + 1;
    const double share = static_cast<double>(at) / static_cast<double>(std::max(run.cases, at));
    return static_cast<double>(*finished - *started) * share;
  }

  // Returns one defect for each signature and provenance, with the first case of each campaign that
  // has the defect.
  Json Findings() const {
    std::map<std::pair<Provenance, std::string>, Json> defects;
    for (const FindingInfo& finding : data_.findings) {
      const RunInfo& run = data_.runs[finding.run];
      Json& defect = defects[{run.provenance, finding.signature}];
      if (defect.is_null()) {
        defect = {{"signature", finding.signature},
                  {"provenance", ToText(run.provenance)},
                  {"op", finding.op},
                  {"target", finding.target},
                  {"verdict", ToText(finding.verdict)},
                  {"known_defect", finding.defects.ToText()},
                  {"is_new", finding.is_new},
                  {"summary", finding.summary},
                  {"seen", Json::array()}};
      }
      defect["seen"].push_back({{"run", CampaignOf(finding)},
                                {"id", finding.id},
                                {"case", finding.case_index},
                                {"seconds", SecondsAt(finding.run, finding.case_index)}});
    }
    Json list = Json::array();
    for (auto& [key, defect] : defects) {
      std::ranges::sort(defect["seen"].elements(), {},
                        [](const Json& seen) { return seen["run"].get<uint64_t>(); });
      list.push_back(std::move(defect));
    }
    return list;
  }

  Result<Json> Maps() {
    Json list = Json::array();
    for (const FindingInfo& finding : data_.findings) {
      if (list.size() >= kMapsShown) break;
      const RunInfo& run = data_.runs[finding.run];
      ANECHECK_ASSIGN(Store* const store, StoreOf(run));
      ANECHECK_ASSIGN(const auto whole, store->Finding(run.id, finding.id));
      if (!whole) continue;
      for (const ErrorMap& map : ReadErrorMaps(whole->artifact)) {
        if (map.outside == 0) continue;
        list.push_back({{"run", CampaignOf(finding)},
                        {"finding", finding.id},
                        {"op", finding.op},
                        {"target", finding.target},
                        {"verdict", ToText(finding.verdict)},
                        {"output", map.name},
                        {"dtype", map.dtype},
                        {"shape", map.shape},
                        {"rows", map.rows},
                        {"columns", map.columns},
                        {"tensor_rows", map.tensor_rows},
                        {"tensor_columns", map.tensor_columns},
                        {"outside", map.outside},
                        {"ulp", map.ulp},
                        {"is_outside", map.is_outside}});
      }
    }
    return list;
  }

  ReportData data_;
  std::map<std::string, Store> stores_;
  std::vector<std::vector<PaceRow>> pace_;  // of each run
  bool simulated_ = false;
  Json runs_ = Json::array();
  Json errors_ = Json::array();
  Json changes_ = Json::array();
  std::map<Provenance, std::set<CellKey>> reached_, correct_;
  std::map<Provenance, std::set<CoverageCell>> cells_;  // coverage cells by provenance
  std::map<CellKey, Standing> standing_;
};

}  // namespace

Result<Json> ReadTrend(std::span<const std::string> db_paths,
                       std::span<const std::string> baseline_paths,
                       const ReportProgress& progress) {
  return TrendReader().Read(db_paths, baseline_paths, progress);
}

std::string TrendHtml(const Json& trend) {
  const std::string page = AssemblePage(page::kTrendTemplate, {page::kPageStyle, page::kTrendStyle},
                                        {page::kPageHelpers, page::kPageCore, page::kPageErrors,
                                         page::kTrendPlots, page::kTrendPage});
  return FillMark(page, "{{data}}", ScriptSafe(DumpJson(trend)));
}

}  // namespace anecheck::reports
