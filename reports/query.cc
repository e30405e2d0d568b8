#include "reports/query.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/parallel_for.h"
#include "harness/base/shell_word.h"
#include "harness/campaign/campaign.h"
#include "harness/judging/lean_watch.h"
#include "harness/results/run_name.h"
#include "harness/results/shards.h"
#include "harness/runners/analytics.h"
#include "reports/finding_detail.h"
#include "reports/finding_page.h"

namespace anecheck::reports {
namespace {

// The leans of one run and the cases that they cover.
struct ToldLeans {
  uint64_t seed = 0;
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

// Returns the sum over different cases. Among runs that share cases, only the longest counts. If a
// seed's cases were split into shards in several ways, only the split with the most outputs counts.
OperationLeans SumOfDifferentCases(std::vector<ToldLeans> told) {
  std::map<std::pair<uint64_t, int64_t>, uint64_t> of_cut;
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

// Adds the run to a command that was recorded before another run had a finding of the same id.
void NameRun(const RunInfo& run, FindingInfo& finding) {
  const std::string name = " --run " + ShellWord(run.uuid);
  if (!finding.shares_id || finding.replay.find(name) != std::string::npos) return;
  finding.replay += name;
}

// The rows of one run that are added to the rows of other runs.
struct RunPart {
  std::map<HistogramKey, UlpCounts> histograms, widths;
  std::map<HistogramKey, ErrorsByMagnitude> magnitudes;
  ToldByKey leans;
  std::vector<ProbeInfo> probes;
  std::vector<FindingInfo> findings;
};

// Reads one results file. Different threads may read different files.
class Reader {
 public:
  Reader(Store store, std::string path, const ReportProgress& progress)
      : store_(std::move(store)), path_(std::move(path)), progress_(progress) {}

  Status ReadRuns(std::vector<RunInfo>& runs);
  // Reads the contents of `run`, which is ReportData::runs[index].
  Status ReadRun(size_t index, RunInfo& run, ReachByKey& reach, RunPart& part);

 private:
  Status ReadReach(RunInfo& run, ReachByKey& reach);
  Status ReadErrors(const RunInfo& run, RunPart& part);
  Status ReadProbes(size_t index, const RunInfo& run, RunPart& part);
  Status ReadFindings(size_t index, const RunInfo& run, RunPart& part);

  std::map<int64_t, std::vector<FindingRow>> findings_;  // by run, without artifacts
  // for each id of a finding, the number of runs
  std::map<std::string, int> runs_with_id_;
  Store store_;
  std::string path_;
  const ReportProgress& progress_;
};

Status Reader::ReadRuns(std::vector<RunInfo>& runs) {
  ANECHECK_ASSIGN(std::vector<RunRow> records, store_.Runs());
  size_t done = 0;
  for (RunRow& record : records) {
    RunInfo& run = runs.emplace_back();
    static_cast<RunRow&>(run) = std::move(record);
    run.db = path_;
    run.name = RunName(run);
    const Shard shard = ShardOf(run);
    run.shard = shard.index;
    run.shards = shard.count;
    ANECHECK_ASSIGN(const std::vector<VerdictCount> counts, store_.CountVerdicts(run.id));
    for (const VerdictCount& count : counts) {
      run.verdicts[count.verdict] = count.cases;
      run.cases += count.cases;
    }
    ANECHECK_ASSIGN(findings_[run.id], store_.Rows<FindingRow>(run.id));
    for (const FindingRow& finding : findings_[run.id]) ++runs_with_id_[finding.id];
    progress_("runs", ++done, records.size());
  }
  return {};
}

ReachKey KeyOf(const RunInfo& run, const std::string& op, const std::string& target, Route route,
               Provenance provenance) {
  return {op, target, route, provenance, run.chip, run.os, run.compiler_version};
}

// Fills RunInfo::unproved.
Status FindUnproved(Store& store, std::span<const ReachRow> rows, RunInfo& run) {
  if (run.provenance != Provenance::kSilicon) return {};
  std::set<std::tuple<std::string, Route, std::string>> proved;
  ANECHECK_ASSIGN(const std::vector<ProofRow> proofs, store.Rows<ProofRow>(run.id));
  for (const ProofRow& proof : proofs) {
    const std::vector<std::string> operations = LinesOf(proof.operations);
    if (!ProvesEngine(proof.text, LinesOf(proof.ports), operations)) continue;
    for (const std::string& op : operations) proved.emplace(proof.target, proof.route, op);
  }
  for (const ReachRow& row : rows) {
    if (row.dispatched > 0) run.unproved.emplace(row.target, row.route, row.op);
  }
  std::erase_if(run.unproved, [&](const auto& cell) { return proved.contains(cell); });
  return {};
}

// Counts evidence with a proof separately from evidence that only the runner claims.
Status Reader::ReadReach(RunInfo& run, ReachByKey& reach) {
  const auto counts_of = [&](const auto& row, Provenance provenance) -> ReachCounts& {
    return reach[KeyOf(run, row.op, row.target, row.route, provenance)];
  };
  ANECHECK_ASSIGN(const std::vector<ReachRow> all, store_.Rows<ReachRow>(run.id));
  ANECHECK_RETURN_IF_ERROR(FindUnproved(store_, all, run));
  const auto of_run = [&](const auto& row) -> ReachCounts& {
    return counts_of(row, run.ProvenanceOf(row.target, row.route, row.op));
  };
  for (const ReachRow& row : all) {
    run.met.emplace(row.target, row.route);
    of_run(row) += row;
  }
  ANECHECK_ASSIGN(const std::vector<ProvedReachRow> proved, store_.Rows<ProvedReachRow>(run.id));
  for (const ProvedReachRow& row : proved) {
    // Analytics that the program itself provided prove which backend it used. They do not prove
    // that it ran on the chip.
    if (row.provenance == Provenance::kSilicon) continue;
    of_run(row) -= row;
    counts_of(row, row.provenance) += row;
  }
  ANECHECK_ASSIGN(const std::vector<UnconfirmedRow> unconfirmed,
                  store_.Rows<UnconfirmedRow>(run.id));
  for (const UnconfirmedRow& row : unconfirmed) {
    if (row.provenance == Provenance::kSilicon) continue;
    if (!row.provenance) {
      of_run(row).unconfirmed += row.cases;
    } else {
      of_run(row).unconfirmed -= row.cases;
      counts_of(row, *row.provenance).unconfirmed += row.cases;
    }
  }
  ANECHECK_ASSIGN(const std::vector<PlannedRow> planned, store_.Rows<PlannedRow>(run.id));
  for (const PlannedRow& row : planned) of_run(row).planned += row.cases;
  std::erase_if(reach, [](const auto& entry) { return entry.second.cases == 0; });
  return {};
}

// Keeps the last entry that was looked up in a map by operation and target. Rows are ordered by
// operation and target, so most rows need the same entry as the row before.
template <typename Map>
class KeptEntry {
 public:
  explicit KeptEntry(Map& map) : map_(map), entry_(map.end()) {}

  template <typename Row>
  Map::mapped_type& Of(const Row& row, Provenance provenance) {
    if (entry_ == map_.end() || entry_->first.op != row.op || entry_->first.target != row.target) {
      entry_ = map_.try_emplace(HistogramKey{row.op, row.target, provenance}).first;
    }
    return entry_->second;
  }

 private:
  Map& map_;
  Map::iterator entry_;
};

Status Reader::ReadErrors(const RunInfo& run, RunPart& part) {
  ANECHECK_ASSIGN(const std::vector<UlpRow> buckets, store_.Rows<UlpRow>(run.id));
  KeptEntry histograms(part.histograms);
  for (const UlpRow& row : buckets) {
    histograms.Of(row, run.provenance)[row.bucket] += row.elements;
  }
  ANECHECK_ASSIGN(const std::vector<WidthRow> rows_of_widths, store_.Rows<WidthRow>(run.id));
  KeptEntry widths(part.widths);
  for (const WidthRow& row : rows_of_widths) {
    widths.Of(row, run.provenance)[row.bucket] += row.elements;
  }
  ANECHECK_ASSIGN(const std::vector<MagnitudeRow> rows_of_magnitudes,
                  store_.Rows<MagnitudeRow>(run.id));
  KeptEntry magnitudes(part.magnitudes);
  for (const MagnitudeRow& row : rows_of_magnitudes) {
    magnitudes.Of(row, run.provenance)[row.exponent] += row;
  }
  std::map<ReachKey, OperationLeans> leans;
  ANECHECK_ASSIGN(const std::vector<LeanRow> rows, store_.Rows<LeanRow>(run.id));
  for (const LeanRow& row : rows) {
    leans[KeyOf(run, row.op, row.target, row.route, run.provenance)]
         [static_cast<size_t>(row.lean)] = row;
  }
  for (const auto& [key, sums] : leans) {
    part.leans[key].push_back({run.seed, run.shard, run.shards, sums});
  }
  return {};
}

// Returns the time of the first row that is not before the case.
std::optional<double> PaceAt(const std::vector<PaceRow>& pace, uint64_t case_index) {
  const auto row = std::ranges::lower_bound(pace, case_index, {}, &PaceRow::case_index);
  return row == pace.end() ? std::nullopt : std::optional(row->seconds);
}

Status Reader::ReadFindings(size_t index, const RunInfo& run, RunPart& part) {
  std::vector<FindingRow>& records = findings_[run.id];
  std::vector<PaceRow> pace;
  if (!records.empty()) {
    ANECHECK_ASSIGN(pace, store_.Rows<PaceRow>(run.id));
  }
  size_t done = 0;
  for (FindingRow& record : records) {
    FindingInfo& finding = part.findings.emplace_back();
    static_cast<FindingRow&>(finding) = std::move(record);
    finding.run = index;
    finding.is_new = IsNewFinding(finding.verdict);
    finding.shares_id = runs_with_id_[finding.id] > 1;
    finding.seconds = PaceAt(pace, finding.case_index);
    NameRun(run, finding);
    // Reads one artifact at a time, because an artifact may be large and only a part of it is kept.
    ANECHECK_ASSIGN(const auto whole, store_.Finding(run.id, finding.id));
    finding.detail = ReadFindingDetail(whole ? whole->artifact : std::string());
    progress_("findings", ++done, records.size());
  }
  return {};
}

Status Reader::ReadProbes(size_t index, const RunInfo& run, RunPart& part) {
  ANECHECK_ASSIGN(std::vector<ProbeRow> records, store_.Rows<ProbeRow>(run.id));
  std::ranges::sort(records, std::less(), [](const ProbeRow& probe) {
    return std::tuple(probe.agrees != Agreement::kDiffers, probe.state != ProbeState::kUnmeasured,
                      probe.target, probe.probe);
  });
  for (const ProbeRow& record : records) {
    ProbeInfo& probe = part.probes.emplace_back();
    probe.run = index;
    probe.probe = record.probe;
    probe.target = record.target;
    probe.measured =
        record.state == ProbeState::kAtValue ? record.value : std::string(ToText(record.state));
    probe.published = record.published;
    probe.message = record.message;
    probe.standing = record.state == ProbeState::kUnmeasured ? ProbeStanding::kUnmeasured
                     : record.agrees == Agreement::kDiffers  ? ProbeStanding::kOtherwise
                     : record.agrees == Agreement::kAgrees   ? ProbeStanding::kAsPublished
                                                             : ProbeStanding::kNothingPublished;
  }
  return {};
}

Status Reader::ReadRun(size_t index, RunInfo& run, ReachByKey& reach, RunPart& part) {
  ANECHECK_RETURN_IF_ERROR(ReadReach(run, reach));
  ANECHECK_RETURN_IF_ERROR(ReadErrors(run, part));
  ANECHECK_RETURN_IF_ERROR(ReadProbes(index, run, part));
  return ReadFindings(index, run, part);
}

void AddCounts(const std::map<HistogramKey, UlpCounts>& from,
               std::map<HistogramKey, UlpCounts>& to) {
  for (const auto& [key, counts] : from) {
    UlpCounts& sum = to[key];
    std::ranges::transform(sum, counts, sum.begin(), std::plus());
  }
}

void AddMagnitudes(std::map<HistogramKey, ErrorsByMagnitude>& from,
                   std::map<HistogramKey, ErrorsByMagnitude>& to) {
  for (auto& [key, errors] : from) {
    const auto [sums, fresh] = to.try_emplace(key, std::move(errors));
    if (fresh) continue;
    for (const auto& [exponent, error] : errors) sums->second[exponent] += error;
  }
  from.clear();
}

// Adds up the runs in their order, with one thread for each kind of rows.
Status AddParts(std::vector<RunPart>& parts, ReportData& data, ToldByKey& leans) {
  const std::array<std::function<void(size_t)>, 5> kinds = {
      [&](size_t run) {
        for (const auto& [key, counts] : data.reach_of_run[run]) data.reach[key] += counts;
      },
      [&](size_t run) { AddMagnitudes(parts[run].magnitudes, data.magnitudes); },
      [&](size_t run) { AddCounts(parts[run].histograms, data.histograms); },
      [&](size_t run) { AddCounts(parts[run].widths, data.widths); },
      [&](size_t run) {
        for (auto& [key, told] : parts[run].leans) {
          std::ranges::move(told, std::back_inserter(leans[key]));
        }
        std::ranges::move(parts[run].probes, std::back_inserter(data.probes));
        std::ranges::move(parts[run].findings, std::back_inserter(data.findings));
      }};
  return ParallelFor(kinds.size(), 0, [&](uint64_t kind) -> Status {
    for (size_t run = 0; run < parts.size(); ++run) kinds[kind](run);
    return {};
  });
}

// Reads the files on several threads, and adds up their runs in the order of `data`.
Status ReadParts(std::map<std::string, Reader>& readers, ReportData& data, ToldByKey& leans) {
  std::map<std::string, std::vector<size_t>> runs_of;
  for (size_t i = 0; i < data.runs.size(); ++i) runs_of[data.runs[i].db].push_back(i);
  std::vector<std::pair<Reader*, std::vector<size_t>>> work;
  work.reserve(runs_of.size());
  for (auto& [path, runs] : runs_of) work.emplace_back(&readers.at(path), std::move(runs));
  data.reach_of_run.resize(data.runs.size());
  std::vector<RunPart> parts(data.runs.size());
  ANECHECK_RETURN_IF_ERROR(ParallelFor(work.size(), 0, [&](uint64_t file) -> Status {
    for (const size_t i : work[file].second) {
      ANECHECK_RETURN_IF_ERROR(
          work[file].first->ReadRun(i, data.runs[i], data.reach_of_run[i], parts[i]));
    }
    return {};
  }));
  return AddParts(parts, data, leans);
}

// If several files contain the same run, keeps the entry with the most cases.
void DropDoubles(std::vector<RunInfo>& runs) {
  std::sort(runs.begin(), runs.end(), [](const RunInfo& a, const RunInfo& b) {
    return std::tie(a.started, a.uuid, b.cases, a.db) < std::tie(b.started, b.uuid, a.cases, b.db);
  });
  std::map<std::string, bool> seen;
  std::erase_if(runs, [&](const RunInfo& run) { return !seen.emplace(run.uuid, true).second; });
}

// Fills RunInfo::campaign and RunInfo::label.
void NumberCampaigns(std::vector<RunInfo>& runs) {
  std::vector<const RunRow*> rows;
  rows.reserve(runs.size());
  for (const RunInfo& run : runs) rows.push_back(&run);
  const std::vector<size_t> campaigns = CampaignsOf(rows);
  std::map<size_t, std::set<std::string>> labels;
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].campaign = campaigns[i];
    const std::string label = LabelOf(runs[i]);
    if (!label.empty()) labels[campaigns[i]].insert(label);
  }
  for (RunInfo& run : runs) run.label = fmt::format("{}", fmt::join(labels[run.campaign], ", "));
}

// If several shards of one campaign found the same defect, keeps the finding of the earliest case,
// and sets its occurrences to the sum.
void FoldShards(ReportData& data) {
  using Key = std::tuple<size_t, std::string, std::string, std::string, Route, Verdict>;
  std::map<Key, FindingInfo> folded;
  std::vector<FindingInfo> kept;
  for (FindingInfo& finding : data.findings) {
    const RunInfo& run = data.runs[finding.run];
    if (run.shards == 1) {
      kept.push_back(std::move(finding));
      continue;
    }
    const Key key = {run.campaign,   finding.signature, finding.op,
                     finding.target, finding.route,     finding.verdict};
    const auto [entry, fresh] = folded.emplace(key, finding);
    if (fresh) continue;
    const int64_t occurrences = entry->second.occurrences + finding.occurrences;
    if (finding.case_index < entry->second.case_index) entry->second = std::move(finding);
    entry->second.occurrences = occurrences;
  }
  for (auto& [key, finding] : folded) kept.push_back(std::move(finding));
  data.findings = std::move(kept);
}

}  // namespace

bool ReportData::AnySimulated() const {
  return std::any_of(runs.begin(), runs.end(),
                     [](const RunInfo& run) { return run.provenance == Provenance::kSimulated; });
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

std::string_view ReportData::VerdictWord() const {
  if (NewFindings() > 0) return "new findings";
  int64_t judged = 0;
  for (const RunInfo& run : runs) {
    const auto open = run.verdicts.find(Verdict::kInconclusive);
    judged += run.cases - (open == run.verdicts.end() ? 0 : open->second);
  }
  return judged == 0 ? "no result" : "passed";
}

std::string_view ProbeStandingName(ProbeStanding standing) {
  constexpr std::string_view kNames[] = {"as published", "otherwise", "unmeasured",
                                         "nothing published"};
  return kNames[static_cast<size_t>(standing)];
}

Result<ReportData> ReadReportData(std::span<const std::string> db_paths,
                                  const ReportProgress& progress) {
  ReportData data;
  std::mutex mutex;  // guards `progress`
  const ReportProgress guarded = [&](std::string_view things, size_t done, size_t of) {
    const std::lock_guard lock(mutex);
    if (progress) progress(things, done, of);
  };
  std::map<std::string, Reader> readers;
  for (const std::string& path : db_paths) {
    if (readers.contains(path)) continue;
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(path));
    // Counts and findings must agree even if a campaign writes to the file at the same time, so
    // they are read from one snapshot.
    ANECHECK_RETURN_IF_ERROR(store.HoldSnapshot());
    Reader& reader = readers.emplace(path, Reader(std::move(store), path, guarded)).first->second;
    ANECHECK_RETURN_IF_ERROR(reader.ReadRuns(data.runs));
  }
  DropDoubles(data.runs);
  NumberCampaigns(data.runs);
  ToldByKey leans;
  ANECHECK_RETURN_IF_ERROR(ReadParts(readers, data, leans));
  FoldShards(data);
  for (auto& [key, told] : leans) data.leans[key] = SumOfDifferentCases(std::move(told));
  std::sort(data.findings.begin(), data.findings.end(),
            [](const FindingInfo& a, const FindingInfo& b) {
              return std::tie(b.is_new, b.occurrences, a.op, a.target, a.id, a.run) <
                     std::tie(a.is_new, a.occurrences, b.op, b.target, b.id, b.run);
            });
  NamePages(data);
  return data;
}

}  // namespace anecheck::reports
