// The data of a report, read from any number of results files. It has the runs, the stages that
// each operation reached on each target, error histograms and findings. Every writer of this folder
// takes a ReportData.
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
  std::string db;                 // the file from which the run was read
  std::string name;               // RunName
  int64_t shard = 0, shards = 1;  // the part of the seed's cases
  size_t campaign = 0;            // equal for all shards of one campaign (CampaignsOf)
  std::string label;              // the labels of the campaign's shards, each once
  int64_t cases = 0;
  std::map<Verdict, int64_t, ByText> verdicts;
  std::set<std::pair<std::string, Route>> met;  // targets and routes with counts
  // Each target, route and operation for which the run claims silicon without a proof. Only a proof
  // in the file that passes a new check counts.
  std::set<std::tuple<std::string, Route, std::string>> unproved;

  // The provenance of the run's evidence for an operation.
  Provenance ProvenanceOf(const std::string& target, Route route, const std::string& op) const {
    return unproved.contains({target, route, op}) ? Provenance::kReported : provenance;
  }
};

// The key of the counts of one operation. They are summed over the runs of the same target, route,
// provenance and engine. Evidence of different provenance, chips, systems or compilers is never
// added up.
struct ReachKey {
  std::string op, target;
  Route route = Route::kMil;
  Provenance provenance = Provenance::kReported;
  std::string chip = {}, os = {}, compiler_version = {};
  auto operator<=>(const ReachKey&) const = default;
};

// The key of error histograms in ulp. Histograms are summed like the counts, but also over both
// routes.
struct HistogramKey {
  std::string op, target;
  Provenance provenance = Provenance::kReported;
  auto operator<=>(const HistogramKey&) const = default;
};

// The direction in which errors lean inside their bounds. Leans are summed like the counts, but
// only over runs of different cases. Shards together can show a lean that no shard shows alone, but
// a second run of the same seed adds no information.
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
  // for outputs, the number of elements outside the expected interval
  int64_t outside = 0;
  std::vector<std::string> values;  // for inputs, the first elements
  std::vector<ElementRow> rows;     // for outputs, the elements shown, those outside first
};

// The content of a finding's artifact, cut to a size that is suitable for a page.
struct FindingDetail {
  std::string problem;  // the reason why the artifact cannot be shown; empty if it can
  std::string message, mil;
  bool mil_cut = false;
  std::vector<TensorDetail> inputs, outputs;
};

// A finding, in which `detail` replaces the artifact.
struct FindingInfo : FindingRow {
  size_t run = 0;          // index in ReportData::runs
  bool is_new = false;     // neither a known defect nor an unconfirmed deviation
  bool shares_id = false;  // findings of other runs in its file have the same id
  // "findings/f0123456789a.html": the path of its page, relative to the report. Empty if the id is
  // not a valid file name; such findings have no page. Findings that differ only in their run share
  // a page.
  std::string page;
  FindingDetail detail;
  // The seconds that the run had worked when it recorded the finding. Nothing if unrecorded.
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
  std::string message;  // the reason why the probe is unmeasured
};

using ReachByKey = std::map<ReachKey, ReachCounts>;

// Errors by the binary exponent of the expected value.
using ErrorsByMagnitude = std::map<int, MagnitudeErrors>;

struct ReportData {
  std::vector<RunInfo> runs;  // by start, then uuid
  ReachByKey reach;
  std::vector<ReachByKey> reach_of_run;  // the share of each of `runs` in `reach`
  // histograms of errors; histograms of the widths of bounds
  std::map<HistogramKey, UlpCounts> histograms, widths;
  std::map<HistogramKey, ErrorsByMagnitude> magnitudes;
  LeansByKey leans;
  std::vector<ProbeInfo> probes;      // by run, figures that differ from the published ones first
  std::vector<FindingInfo> findings;  // new findings first, then by number of cases

  bool AnySimulated() const;
  int64_t Cases() const;
  // The numbers of findings by kind. Each finding counts for exactly one of the three.
  int64_t NewFindings() const;
  int64_t KnownDefects() const;
  int64_t Unconfirmed() const;
  int64_t Probes(ProbeStanding standing) const;
  // Returns "new findings" if there are any, "no result" if no case could be judged, and otherwise
  // "passed".
  std::string_view VerdictWord() const;
};

// Called while results files are read and reports are written. `done` of `of` things are done.
// `things` is "runs", "findings" or "pages of findings".
using ReportProgress = std::function<void(std::string_view things, size_t done, size_t of)>;

}  // namespace anecheck::reports
