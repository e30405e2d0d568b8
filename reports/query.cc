#include "reports/query.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "harness/base/json_text.h"
#include "harness/base/shell_word.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/lean_watch.h"
#include "reports/finding_detail.h"
#include "reports/finding_page.h"

namespace anecheck::reports {
namespace {

using Row = std::vector<std::string>;

// The leans of one run, and which cases they are of.
struct ToldLeans {
  std::string seed;
  int64_t shard = 0, shards = 1;
  OperationLeans leans;

  uint64_t Outputs() const {
    uint64_t outputs = 0;
    for (const LeanSums& sums : leans) outputs = std::max(outputs, sums.outputs);
    return outputs;
  }
  bool SharesCases(const ToldLeans& other) const {
    return seed == other.seed && (shards != other.shards || shard == other.shard);
  }
};
using ToldByKey = std::map<ReachKey, std::vector<ToldLeans>>;

// The sum of what was told about different cases. Of runs that share some the longest counts, and
// of different cuts of one seed's cases the one with the most outputs.
OperationLeans SumOfDifferentCases(std::vector<ToldLeans> told) {
  std::map<std::pair<std::string, int64_t>, uint64_t> of_cut;
  for (const ToldLeans& one : told) of_cut[{one.seed, one.shards}] += one.Outputs();
  const auto order = [&](const ToldLeans& one) {
    return std::tuple(~of_cut[{one.seed, one.shards}], ~one.Outputs(), one.seed, one.shards,
                      one.shard);
  };
  std::ranges::sort(told, std::less(), order);
  OperationLeans sum{};
  std::vector<const ToldLeans*> counted;
  for (const ToldLeans& one : told) {
    if (std::ranges::any_of(counted, [&](const auto* other) { return one.SharesCases(*other); })) {
      continue;
    }
    sum += one.leans;
    counted.push_back(&one);
  }
  return sum;
}

// Completes a command that was recorded before other runs had the id.
void NameRun(const RunInfo& run, FindingInfo& finding) {
  const std::string name = " --run " + ShellWord(run.uuid);
  if (!finding.shares_id || finding.replay.find(name) != std::string::npos) return;
  finding.replay += name;
}

// One results file while it is read.
class Reader {
 public:
  Reader(Store store, std::string path, const ReportProgress& progress)
      : store_(std::move(store)), path_(std::move(path)), progress_(progress) {}

  Status ReadRuns(std::vector<RunInfo>& runs);
  Status ReadRun(size_t index, ReportData& data, ToldByKey& leans);

 private:
  Result<int64_t> Number(const std::string& text) const;
  Status ReadCounts(RunInfo& run);
  Status ReadReach(RunInfo& run, ReportData& data);
  Status ReadUnconfirmed(const RunInfo& run, ReportData& data);
  Status ReadHistograms(const RunInfo& run, ReportData& data);
  Status ReadErrorLeans(const RunInfo& run, ToldByKey& told);
  Status CountIds(const RunInfo& run);
  Status ReadProbes(size_t index, ReportData& data);
  Status ReadFindings(size_t index, ReportData& data);

  std::map<std::string, int> runs_with_id_;  // of a finding
  Store store_;
  std::string path_;
  const ReportProgress& progress_;
};

Result<int64_t> Reader::Number(const std::string& text) const {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("{}: '{}' is no number; the file is damaged", path_, text));
  }
  return value;
}

// Of the options that a run was recorded with; those of a whole run where they tell of no part.
void ReadShard(const std::string& options, RunInfo& run) {
  const Result<Json> json = ParseJson(options);
  if (!json.ok() || !json->is_object()) return;
  const auto shard = json->find("shard");
  if (shard == json->end() || !shard->is_array() || shard->size() != 2) return;
  if (!(*shard)[0].is_number_integer() || !(*shard)[1].is_number_integer()) return;
  run.shard = (*shard)[0].get<int64_t>();
  run.shards = (*shard)[1].get<int64_t>();
}

Status Reader::ReadRuns(std::vector<RunInfo>& runs) {
  ANECHECK_ASSIGN(
      const std::vector<Row> rows,
      store_.Query("SELECT id, uuid, command, state, started, finished, tool_version, "
                   "host, os, runner, provenance, engine, chip, compiler_version, seed, "
                   "options FROM runs ORDER BY id"));
  for (const Row& row : rows) {
    RunInfo& run = runs.emplace_back();
    run.db = path_;
    ANECHECK_ASSIGN(run.id, Number(row[0]));
    std::string* const fields[] = {&run.uuid,
                                   &run.command,
                                   &run.state,
                                   &run.started,
                                   &run.finished,
                                   &run.tool_version,
                                   &run.host,
                                   &run.os,
                                   &run.runner,
                                   &run.provenance,
                                   &run.engine,
                                   &run.chip,
                                   &run.compiler_version};
    for (size_t i = 0; i < std::size(fields); ++i) *fields[i] = row[i + 1];
    // SQLite's integers are signed; a seed uses all 64 bits.
    ANECHECK_ASSIGN(const int64_t seed, Number(row[14]));
    run.seed = std::to_string(static_cast<uint64_t>(seed));
    ReadShard(row[15], run);
    ANECHECK_RETURN_IF_ERROR(ReadCounts(run));
    ANECHECK_RETURN_IF_ERROR(CountIds(run));
    if (progress_) progress_("runs", static_cast<size_t>(&row - rows.data()) + 1, rows.size());
  }
  return {};
}

Status Reader::CountIds(const RunInfo& run) {
  const std::string id = std::to_string(run.id);
  ANECHECK_ASSIGN(const std::vector<Row> rows,
                  store_.Query("SELECT id FROM findings WHERE run = CAST(? AS INTEGER)", {&id, 1}));
  for (const Row& row : rows) ++runs_with_id_[row[0]];
  return {};
}

Status Reader::ReadCounts(RunInfo& run) {
  const std::string id = std::to_string(run.id);
  ANECHECK_ASSIGN(const std::vector<Row> counts,
                  store_.Query("SELECT verdict, count(*) FROM cases WHERE run = "
                               "CAST(? AS INTEGER) GROUP BY verdict",
                               {&id, 1}));
  for (const Row& count : counts) {
    ANECHECK_ASSIGN(const int64_t cases, Number(count[1]));
    run.verdicts[count[0]] = cases;
    run.cases += cases;
  }
  ANECHECK_ASSIGN(
      const std::vector<Row> libraries,
      store_.Query("SELECT name, version FROM libraries WHERE run = CAST(? AS INTEGER)", {&id, 1}));
  for (const Row& library : libraries) run.libraries[library[0]] = library[1];
  return {};
}

Status Reader::ReadReach(RunInfo& run, ReportData& data) {
  const std::string id = std::to_string(run.id);
  ANECHECK_ASSIGN(
      const std::vector<Row> rows,
      store_.Query("SELECT op, target, route, '', cases, compiled, dispatched, correct, "
                   "known_defect, wrong, rejected, inconclusive FROM reach "
                   "WHERE run = CAST(?1 AS INTEGER) "
                   "UNION ALL SELECT op, target, route, '', -cases, -compiled, -dispatched, "
                   "-correct, -known_defect, -wrong, -rejected, -inconclusive FROM proved_reach "
                   "WHERE run = CAST(?1 AS INTEGER) "
                   "UNION ALL SELECT op, target, route, provenance, cases, compiled, dispatched, "
                   "correct, known_defect, wrong, rejected, inconclusive FROM proved_reach "
                   "WHERE run = CAST(?1 AS INTEGER)",
                   {&id, 1}));
  for (const Row& row : rows) {
    ReachCounts counts;
    int64_t* const fields[] = {&counts.cases,    &counts.compiled,     &counts.dispatched,
                               &counts.correct,  &counts.known_defect, &counts.wrong,
                               &counts.rejected, &counts.inconclusive};
    for (size_t i = 0; i < std::size(fields); ++i) {
      ANECHECK_ASSIGN(*fields[i], Number(row[i + 4]));
    }
    run.met.emplace(row[1], row[2]);
    // What was proved counts apart from what the runner only said.
    const std::string& provenance = row[3].empty() ? run.provenance : row[3];
    data.reach[{row[0], row[1], row[2], provenance, run.chip, run.os, run.compiler_version}] +=
        counts;
  }
  ANECHECK_RETURN_IF_ERROR(ReadUnconfirmed(run, data));
  std::erase_if(data.reach, [](const auto& entry) { return entry.second.cases == 0; });
  return {};
}

Status Reader::ReadUnconfirmed(const RunInfo& run, ReportData& data) {
  const std::string id = std::to_string(run.id);
  ANECHECK_ASSIGN(const std::vector<Row> rows,
                  store_.Query("SELECT op, target, route, provenance, cases FROM unconfirmed_reach "
                               "WHERE run = CAST(?1 AS INTEGER) "
                               "UNION ALL SELECT op, target, route, '', -cases FROM "
                               "unconfirmed_reach WHERE run = CAST(?1 AS INTEGER) AND provenance "
                               "<> ''",
                               {&id, 1}));
  for (const Row& row : rows) {
    ANECHECK_ASSIGN(const int64_t cases, Number(row[4]));
    const std::string& provenance = row[3].empty() ? run.provenance : row[3];
    data.reach[{row[0], row[1], row[2], provenance, run.chip, run.os, run.compiler_version}]
        .unconfirmed += cases;
  }
  return {};
}

Status Reader::ReadHistograms(const RunInfo& run, ReportData& data) {
  const std::string id = std::to_string(run.id);
  ANECHECK_ASSIGN(const std::vector<Row> rows,
                  store_.Query("SELECT op, target, bucket, elements FROM ulp_histogram WHERE run = "
                               "CAST(? AS INTEGER)",
                               {&id, 1}));
  for (const Row& row : rows) {
    ANECHECK_ASSIGN(const int64_t bucket, Number(row[2]));
    ANECHECK_ASSIGN(const int64_t elements, Number(row[3]));
    if (bucket < 0 || bucket >= static_cast<int64_t>(kUlpBuckets)) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: ulp_histogram has bucket {}, the last is {}", path_, bucket,
                                   kUlpBuckets - 1));
    }
    data.histograms[{row[0], row[1], run.provenance}][static_cast<size_t>(bucket)] +=
        static_cast<uint64_t>(elements);
  }
  return {};
}

Status Reader::ReadErrorLeans(const RunInfo& run, ToldByKey& told) {
  ANECHECK_ASSIGN(const RunLeans all, ReadLeans(store_, run.id));
  for (const auto& [key, leans] : all) {
    const auto& [target, route, op] = key;
    told[{op, target, route, run.provenance, run.chip, run.os, run.compiler_version}].push_back(
        {run.seed, run.shard, run.shards, leans});
  }
  return {};
}

Status Reader::ReadFindings(size_t index, ReportData& data) {
  const std::string run = std::to_string(data.runs[index].id);
  ANECHECK_ASSIGN(const std::vector<Row> rows,
                  store_.Query("SELECT id, op, target, route, verdict, known_defect, signature, "
                               "summary, replay, case_index, occurrences FROM findings WHERE run = "
                               "CAST(? AS INTEGER)",
                               {&run, 1}));
  for (const Row& row : rows) {
    FindingInfo& finding = data.findings.emplace_back();
    finding.run = index;
    std::string* const fields[] = {&finding.id,        &finding.op,      &finding.target,
                                   &finding.route,     &finding.verdict, &finding.known_defect,
                                   &finding.signature, &finding.summary, &finding.replay};
    for (size_t i = 0; i < std::size(fields); ++i) *fields[i] = row[i];
    ANECHECK_ASSIGN(finding.case_index, Number(row[9]));
    ANECHECK_ASSIGN(finding.occurrences, Number(row[10]));
    finding.is_new = IsNewFinding(finding.verdict);
    finding.shares_id = runs_with_id_[finding.id] > 1;
    NameRun(data.runs[index], finding);
    // One artifact at a time: each may be large, and only a part of it is kept.
    const std::string key[] = {run, finding.id};
    ANECHECK_ASSIGN(const std::vector<Row> artifact,
                    store_.Query("SELECT artifact FROM findings WHERE run = CAST(? AS INTEGER) AND "
                                 "id = ?",
                                 key));
    finding.detail = ReadFindingDetail(artifact.empty() ? std::string() : artifact[0][0]);
    if (progress_) progress_("findings", static_cast<size_t>(&row - rows.data()) + 1, rows.size());
  }
  return {};
}

Status Reader::ReadProbes(size_t index, ReportData& data) {
  const std::string run = std::to_string(data.runs[index].id);
  ANECHECK_ASSIGN(
      const std::vector<Row> rows,
      store_.Query("SELECT probe, target, state, value, published, agrees, message FROM probes "
                   "WHERE run = CAST(? AS INTEGER) ORDER BY agrees <> 'no', state <> 'unmeasured', "
                   "target, probe",
                   {&run, 1}));
  for (const Row& row : rows) {
    ProbeInfo& probe = data.probes.emplace_back();
    probe.run = index;
    probe.probe = row[0];
    probe.target = row[1];
    probe.measured = row[2] == "at value" ? row[3] : row[2];
    probe.published = row[4];
    probe.message = row[6];
    probe.standing = row[2] == "unmeasured" ? ProbeStanding::kUnmeasured
                     : row[5] == "no"       ? ProbeStanding::kOtherwise
                     : row[5] == "yes"      ? ProbeStanding::kAsPublished
                                            : ProbeStanding::kNothingPublished;
  }
  return {};
}

Status Reader::ReadRun(size_t index, ReportData& data, ToldByKey& leans) {
  ANECHECK_RETURN_IF_ERROR(ReadReach(data.runs[index], data));
  ANECHECK_RETURN_IF_ERROR(ReadHistograms(data.runs[index], data));
  ANECHECK_RETURN_IF_ERROR(ReadErrorLeans(data.runs[index], leans));
  ANECHECK_RETURN_IF_ERROR(ReadProbes(index, data));
  return ReadFindings(index, data);
}

// Leaves one of the entries that tell of the same run: the one with the most cases.
void DropDoubles(std::vector<RunInfo>& runs) {
  std::sort(runs.begin(), runs.end(), [](const RunInfo& a, const RunInfo& b) {
    return std::tie(a.started, a.uuid, b.cases, a.db) < std::tie(b.started, b.uuid, a.cases, b.db);
  });
  std::map<std::string, bool> seen;
  std::erase_if(runs, [&](const RunInfo& run) { return !seen.emplace(run.uuid, true).second; });
}

}  // namespace

bool ReportData::AnySimulated() const {
  return std::any_of(runs.begin(), runs.end(),
                     [](const RunInfo& run) { return run.provenance == "simulated"; });
}

int64_t ReportData::Cases() const {
  int64_t cases = 0;
  for (const RunInfo& run : runs) cases += run.cases;
  return cases;
}

int64_t ReportData::NewFindings() const {
  return std::count_if(findings.begin(), findings.end(),
                       [](const FindingInfo& finding) { return finding.is_new; });
}

int64_t ReportData::KnownDefects() const {
  return static_cast<int64_t>(findings.size()) - NewFindings() - Unconfirmed();
}

int64_t ReportData::Unconfirmed() const {
  return std::count_if(findings.begin(), findings.end(), [](const FindingInfo& finding) {
    return KindOfFinding(finding.verdict) == FindingKind::kUnconfirmed;
  });
}

int64_t ReportData::Probes(ProbeStanding standing) const {
  return std::ranges::count(probes, standing, &ProbeInfo::standing);
}

std::string_view ProbeStandingName(ProbeStanding standing) {
  constexpr std::string_view kNames[] = {"as published", "otherwise", "unmeasured",
                                         "nothing published"};
  return kNames[static_cast<size_t>(standing)];
}

Result<ReportData> ReadReportData(std::span<const std::string> db_paths,
                                  const ReportProgress& progress) {
  ReportData data;
  std::map<std::string, Reader> readers;
  for (const std::string& path : db_paths) {
    if (readers.contains(path)) continue;
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(path));
    // A campaign may write meanwhile: its counts must be those of its findings.
    ANECHECK_RETURN_IF_ERROR(store.HoldSnapshot());
    Reader& reader = readers.emplace(path, Reader(std::move(store), path, progress)).first->second;
    ANECHECK_RETURN_IF_ERROR(reader.ReadRuns(data.runs));
  }
  DropDoubles(data.runs);
  ToldByKey leans;
  for (size_t i = 0; i < data.runs.size(); ++i) {
    ANECHECK_RETURN_IF_ERROR(readers.at(data.runs[i].db).ReadRun(i, data, leans));
  }
  for (auto& [key, told] : leans) data.leans[key] = SumOfDifferentCases(std::move(told));
  std::sort(data.findings.begin(), data.findings.end(),
            [](const FindingInfo& a, const FindingInfo& b) {
              return std::tie(b.is_new, a.op, a.target, a.id, a.run) <
                     std::tie(a.is_new, b.op, b.target, b.id, b.run);
            });
  NamePages(data);
  return data;
}

}  // namespace anecheck::reports
