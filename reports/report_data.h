// The parts of a report: runs, how far each operation got on each target, error histograms and
// findings, read from any number of results files. Every writer of this room takes a ReportData.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/results/store.h"

namespace anecheck::reports {

// A campaign. `cases` and `verdicts` are counts over its recorded cases.
struct RunInfo : RunRow {
  std::string db;                 // the file it was read from
  std::string name;               // RunName
  int64_t shard = 0, shards = 1;  // which part of the seed's cases
  size_t campaign = 0;            // CampaignsOf: the shards of one campaign have the same number
  std::string label;              // the labels of the campaign's shards, each once
  int64_t cases = 0;
  std::map<Verdict, int64_t, ByText> verdicts;
  std::set<std::pair<std::string, Route>> met;  // targets and routes with counts
  // Each target, route and operation for which the run claims silicon without proof: the file
  // contains no proof that holds when it is checked again.
  std::set<std::tuple<std::string, Route, std::string>> unproved;

  // The provenance of the run's evidence for an operation.
  Provenance ProvenanceOf(const std::string& target, Route route, const std::string& op) const {
    return unproved.contains({target, route, op}) ? Provenance::kReported : provenance;
  }
};

// Counts of one operation, summed over the runs that share target, route, provenance and engine.
// Evidence of different provenance, chips, systems or compilers is never added up.
struct ReachKey {
  std::string op, target;
  Route route = Route::kMil;
  Provenance provenance = Provenance::kReported;
  std::string chip = {}, os = {}, compiler_version = {};
  auto operator<=>(const ReachKey&) const = default;
};

// The key of error histograms in ulp. The histograms are summed like the counts, but over both
// routes.
struct HistogramKey {
  std::string op, target;
  Provenance provenance = Provenance::kReported;
  auto operator<=>(const HistogramKey&) const = default;
};

// The direction in which errors lean inside their bounds, summed like the counts, but only over
// runs of different cases: shards together show a lean that none shows alone, while a seed that was
// run twice adds nothing.
using LeansByKey = std::map<ReachKey, OperationLeans>;

// Some elements of a tensor of a finding.
struct ElementRow {
  int64_t index = 0;  // in row-major order
  std::string low, high, actual;
  bool outside = false;
};

struct TensorDetail {
  std::string name, dtype, shape;
  int64_t elements = 0;
  int64_t outside = 0;              // outputs: elements that lie outside the expected interval
  std::vector<std::string> values;  // inputs: the first elements
  std::vector<ElementRow> rows;     // outputs: elements outside first
};

// The content of a finding's artifact, cut to a size that a page can hold.
struct FindingDetail {
  std::string problem;  // why the artifact cannot be shown; empty if it can
  std::string message, mil;
  bool mil_cut = false;
  std::vector<TensorDetail> inputs, outputs;
};

// A finding, with `detail` in place of its artifact.
struct FindingInfo : FindingRow {
  size_t run = 0;          // index in ReportData::runs
  bool is_new = false;     // neither a known defect nor an unconfirmed deviation
  bool shares_id = false;  // with findings of other runs in its file
  // "findings/f0123456789a.html": the path of its page, relative to the report. Empty if the id is
  // not a valid file name; such findings have no page. Findings that differ only in their run share
  // a page.
  std::string page;
  FindingDetail detail;
  // How long the run had worked when the finding was recorded; older files do not record it.
  std::optional<double> seconds;
};

// The relation of a measured figure to the published one.
enum class ProbeStanding : uint8_t { kAsPublished, kOtherwise, kUnmeasured, kNothingPublished };
std::string_view ProbeStandingName(ProbeStanding standing);  // "as published", "otherwise", ...

// One measurement of one probe on one target.
struct ProbeInfo {
  size_t run = 0;  // index in ReportData::runs
  std::string probe, target;
  std::string measured;   // a decimal, "Infinity", "NaN", "no cliff", "unmeasured"
  std::string published;  // as `measured`; empty if nothing was published
  ProbeStanding standing = ProbeStanding::kNothingPublished;
  std::string message;  // why it is unmeasured
};

using ReachByKey = std::map<ReachKey, ReachCounts>;

// Errors by the binary exponent of the expected value.
using ErrorsByMagnitude = std::map<int, MagnitudeErrors>;

struct ReportData {
  std::vector<RunInfo> runs;  // by start, then uuid
  ReachByKey reach;
  std::vector<ReachByKey> reach_of_run;                  // the part of each of `runs` in `reach`
  std::map<HistogramKey, UlpCounts> histograms, widths;  // of errors; of bounds
  std::map<HistogramKey, ErrorsByMagnitude> magnitudes;
  LeansByKey leans;
  std::vector<ProbeInfo> probes;      // by run; figures that differ from the published ones first
  std::vector<FindingInfo> findings;  // new findings first, then by number of cases

  bool AnySimulated() const;
  int64_t Cases() const;
  // The numbers of findings by kind. Each finding is in exactly one of the three counts.
  int64_t NewFindings() const;
  int64_t KnownDefects() const;
  int64_t Unconfirmed() const;
  int64_t Probes(ProbeStanding standing) const;
  // "new findings" if there are any, "no result" if no case could be judged, else "passed".
  std::string_view VerdictWord() const;
};

// Called while results files are read and reports written: `done` of `of` things are done. The
// things are "runs", "findings" or "pages of findings".
using ReportProgress = std::function<void(std::string_view things, size_t done, size_t of)>;

}  // namespace anecheck::reports
