#include "reports/trend.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/base/version.h"
#include "harness/campaign/baseline/baseline.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/coverage.h"
#include "reports/error_map.h"
#include "reports/html.h"
#include "reports/matrix.h"
#include "reports/page_files.h"
#include "reports/query.h"

namespace anecheck::reports {
namespace {

using Row = std::vector<std::string>;

int64_t Number(const std::string& text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Seconds since 1970 of "2026-01-02T03:04:05Z".
std::optional<int64_t> Seconds(const std::string& time) {
  std::tm parts{};
  if (strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return std::nullopt;
  return timegm(&parts);
}

// Errors of one operation on one target in one run.
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
    for (size_t i = 0; i < data_.runs.size(); ++i) ANECHECK_RETURN_IF_ERROR(AddCampaign(i));
    for (const std::string& path : baseline_paths) ANECHECK_RETURN_IF_ERROR(AddBaseline(path));
    Json trend;
    trend["version"] = 1;
    trend["tool_version"] = kToolVersion;
    trend["simulated"] = simulated_;
    trend["runs"] = std::move(runs_);
    trend["errors"] = std::move(errors_);
    trend["changes"] = std::move(changes_);
    ANECHECK_ASSIGN(trend["findings"], Findings());
    ANECHECK_ASSIGN(trend["maps"], Maps());
    return trend;
  }

 private:
  // Where a cell stood in the run before, by evidence: route, operation, target.
  using CellKey = std::tuple<std::string, std::string, std::string, std::string>;
  struct Standing {
    size_t run = 0;
    CellState state = CellState::kCatalogued;
  };

  Status AddCampaign(size_t index) {
    const RunInfo& run = data_.runs[index];
    simulated_ = simulated_ || run.provenance == "simulated";
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(run.db));
    const std::string id = std::to_string(run.id);
    Json json = {{"kind", "campaign"},
                 {"uuid", run.uuid},
                 {"file", run.db},
                 {"started", run.started},
                 {"finished", run.finished},
                 {"state", run.state},
                 {"tool_version", run.tool_version},
                 {"engine", run.engine},
                 {"chip", run.chip},
                 {"os", run.os},
                 {"compiler_version", run.compiler_version},
                 {"provenance", run.provenance},
                 {"seed", run.seed},
                 {"cases", run.cases}};
    ANECHECK_RETURN_IF_ERROR(AddReach(store, id, index, json));
    ANECHECK_RETURN_IF_ERROR(AddGrowth(store, id, index, json));
    ANECHECK_RETURN_IF_ERROR(AddErrors(store, id));
    runs_.push_back(std::move(json));
    return {};
  }

  CellState StateInRun(const Row& row, size_t run) const {
    FindingTally tally;
    for (const FindingInfo& finding : data_.findings) {
      const bool here = finding.run == run && finding.op == row[0] && finding.target == row[1] &&
                        finding.route == row[2];
      if (here) Tally(finding, tally);
    }
    return StateOf({.compiled = Number(row[3]),
                    .dispatched = Number(row[4]),
                    .correct = Number(row[5]),
                    .rejected = Number(row[6])},
                   tally);
  }

  // Cells of the matrix that the run reached, and those that stand elsewhere than in the last run
  // of the same provenance that had them.
  Status AddReach(Store& store, const std::string& id, size_t index, Json& json) {
    const std::string& provenance = data_.runs[index].provenance;
    ANECHECK_ASSIGN(const std::vector<Row> rows,
                    store.Query("SELECT op, target, route, compiled, dispatched, correct, rejected "
                                "FROM reach WHERE run = CAST(? AS INTEGER)",
                                {&id, 1}));
    int64_t reached = 0;
    int64_t correct = 0;
    for (const Row& row : rows) {
      const CellKey key = {provenance, row[2], row[0], row[1]};
      if (Number(row[4]) > 0) {
        ++reached;
        reached_[provenance].insert(key);
      }
      if (Number(row[5]) > 0) {
        ++correct;
        correct_[provenance].insert(key);
      }
      const CellState state = StateInRun(row, index);
      const auto [last, fresh] = standing_.emplace(key, Standing{index, state});
      if (!fresh && last->second.state != state) {
        changes_.push_back({{"run", index},
                            {"previous", last->second.run},
                            {"op", row[0]},
                            {"target", row[1]},
                            {"route", row[2]},
                            {"provenance", provenance},
                            {"before", CellStateName(last->second.state)},
                            {"after", CellStateName(state)}});
      }
      last->second = {index, state};
    }
    json["reached"] = reached;
    json["correct"] = correct;
    json["all_reached"] = reached_[provenance].size();
    json["all_correct"] = correct_[provenance].size();
    return {};
  }

  // What the run had met after 1, 2, 4 ... cases, and in the end; what all runs of its kind met.
  Status AddGrowth(Store& store, const std::string& id, size_t index, Json& json) {
    ANECHECK_ASSIGN(const std::vector<Row> cells,
                    store.Query("SELECT kind, cell, first_case FROM coverage WHERE run = CAST(? AS "
                                "INTEGER)",
                                {&id, 1}));
    std::set<CoverageCell>& all = cells_[data_.runs[index].provenance];
    std::vector<int64_t> met, found;
    for (const Row& row : cells) {
      const CoverageCell cell = {row[0], row[1]};
      if (!std::ranges::binary_search(CoverageSpace(), cell)) continue;
      all.insert(cell);
      met.push_back(Number(row[2]));
    }
    for (const FindingInfo& finding : data_.findings) {
      if (finding.run == index) found.push_back(finding.case_index);
    }
    std::ranges::sort(met);
    std::ranges::sort(found);
    ANECHECK_ASSIGN(const std::vector<Row> last,
                    store.Query("SELECT coalesce(max(case_index), -1) FROM cases WHERE run = "
                                "CAST(? AS INTEGER)",
                                {&id, 1}));
    Json points = Json::array();
    const int64_t cases = Number(last[0][0]) + 1;
    for (int64_t at = 1; cases > 0; at = std::min(2 * at, cases)) {
      at = std::min(at, cases);
      ANECHECK_ASSIGN(const std::optional<double> seconds, RecordedAt(store, id, at - 1));
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

  // Seconds after which the run had recorded a case; none where the file does not say.
  static Result<std::optional<double>> RecordedAt(Store& store, const std::string& id,
                                                  int64_t case_index) {
    const std::string key[] = {id, std::to_string(case_index)};
    ANECHECK_ASSIGN(const std::vector<Row> rows,
                    store.Query("SELECT seconds FROM pace WHERE run = CAST(? AS INTEGER) AND "
                                "case_index >= CAST(? AS INTEGER) ORDER BY case_index LIMIT 1",
                                key));
    if (rows.empty()) return std::optional<double>();
    return std::optional<double>(std::strtod(rows[0][0].c_str(), nullptr));
  }

  Status AddErrors(Store& store, const std::string& id) {
    std::map<OpTarget, Errors> errors;
    ANECHECK_ASSIGN(const std::vector<Row> buckets,
                    store.Query("SELECT op, target, bucket, elements FROM ulp_histogram WHERE run "
                                "= CAST(? AS INTEGER)",
                                {&id, 1}));
    for (const Row& row : buckets) {
      const int64_t bucket = std::clamp<int64_t>(Number(row[2]), 0, kUlpBuckets - 1);
      errors[{row[0], row[1]}].histogram[static_cast<size_t>(bucket)] +=
          static_cast<uint64_t>(Number(row[3]));
    }
    ANECHECK_ASSIGN(const std::vector<Row> magnitudes,
                    store.Query("SELECT op, target, exponent, elements, sum_ulp, max_ulp FROM "
                                "magnitude_errors WHERE run = CAST(? AS INTEGER)",
                                {&id, 1}));
    for (const Row& row : magnitudes) {
      errors[{row[0], row[1]}].magnitudes[static_cast<int>(Number(row[2]))] = {
          static_cast<uint64_t>(Number(row[3])), static_cast<uint64_t>(Number(row[4])),
          static_cast<uint64_t>(Number(row[5]))};
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
    simulated_ = simulated_ || baseline.provenance == "simulated";
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
                     {"provenance", baseline.provenance},
                     {"seed", std::to_string(baseline.seed)}});
    return {};
  }

  // How many seconds after its start the run came to a case: as recorded, else by its mean rate.
  Result<Json> SecondsAt(const RunInfo& run, int64_t case_index) const {
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(run.db));
    ANECHECK_ASSIGN(const std::optional<double> recorded,
                    RecordedAt(store, std::to_string(run.id), case_index));
    if (recorded) return Json(*recorded);
    const auto started = Seconds(run.started);
    const auto finished = Seconds(run.finished);
    if (!started || !finished || *finished < *started || run.cases < 1) return Json();
    const double share = static_cast<double>(case_index + 1) /
                         static_cast<double>(std::max(run.cases, case_index + 1));
    return Json(static_cast<double>(*finished - *started) * share);
  }

  // One defect a signature and provenance, with the case at which each run met it first.
  Result<Json> Findings() const {
    std::map<std::pair<std::string, std::string>, Json> defects;
    for (const FindingInfo& finding : data_.findings) {
      const RunInfo& run = data_.runs[finding.run];
      Json& defect = defects[{run.provenance, finding.signature}];
      if (defect.is_null()) {
        defect = {{"signature", finding.signature},
                  {"provenance", run.provenance},
                  {"op", finding.op},
                  {"target", finding.target},
                  {"verdict", finding.verdict},
                  {"known_defect", finding.known_defect},
                  {"is_new", finding.is_new},
                  {"summary", finding.summary},
                  {"seen", Json::array()}};
      }
      ANECHECK_ASSIGN(Json seconds, SecondsAt(run, finding.case_index));
      defect["seen"].push_back({{"run", finding.run},
                                {"id", finding.id},
                                {"case", finding.case_index},
                                {"seconds", std::move(seconds)}});
    }
    Json list = Json::array();
    for (auto& [key, defect] : defects) {
      std::sort(defect["seen"].begin(), defect["seen"].end(),
                [](const Json& a, const Json& b) { return a["run"] < b["run"]; });
      list.push_back(std::move(defect));
    }
    return list;
  }

  Result<Json> Maps() const {
    Json list = Json::array();
    for (const FindingInfo& finding : data_.findings) {
      if (list.size() >= kMapsShown) break;
      const RunInfo& run = data_.runs[finding.run];
      ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(run.db));
      const std::string key[] = {std::to_string(run.id), finding.id};
      ANECHECK_ASSIGN(const std::vector<Row> rows,
                      store.Query("SELECT artifact FROM findings WHERE run = CAST(? AS INTEGER) "
                                  "AND id = ?",
                                  key));
      if (rows.empty()) continue;
      for (const ErrorMap& map : ReadErrorMaps(rows[0][0])) {
        if (map.outside == 0) continue;
        list.push_back({{"run", finding.run},
                        {"finding", finding.id},
                        {"op", finding.op},
                        {"target", finding.target},
                        {"verdict", finding.verdict},
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
  bool simulated_ = false;
  Json runs_ = Json::array();
  Json errors_ = Json::array();
  Json changes_ = Json::array();
  std::map<std::string, std::set<CellKey>> reached_, correct_;
  std::map<std::string, std::set<CoverageCell>> cells_;  // of coverage, by provenance
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
