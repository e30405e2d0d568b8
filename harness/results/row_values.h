// The rows of a results file as structs, which campaigns record and reports read. tables.h
// describes the columns of each struct.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/verdict/case_mode.h"
#include "harness/verdict/defect_set.h"
#include "harness/verdict/provenance.h"
#include "harness/verdict/route.h"
#include "harness/verdict/run_status.h"
#include "harness/verdict/verdict.h"
#include "harness/verdict/words.h"
#include "oracles/lean_sums.h"

namespace anecheck {

enum class RunState : uint8_t { kRunning, kInterrupted, kFinished };
template <>
struct Words<RunState> {
  static constexpr std::string_view kConcept = "state of a run";
  static constexpr auto kTexts =
      std::to_array<std::string_view>({"running", "interrupted", "finished"});
};

struct RunRow {
  int64_t id = 0;  // its id in the results file; set by the store
  std::string uuid, command, options = "{}";
  uint64_t seed = 0;
  RunState state = RunState::kRunning;
  std::string started;
  std::optional<std::string> finished = {};
  std::string tool_version, host, os, runner, engine, chip, compiler_version;
  Provenance provenance = Provenance::kReported;
  std::map<std::string, std::string> libraries;  // name, version
};

struct OutputVerdict {
  std::string op;
  Verdict verdict = Verdict::kPass;
  uint64_t elements = 0;
  uint64_t outside = 0;
  uint64_t worst_ulp = 0;
  DefectSet defects;
  std::string reason;
};

struct CaseRow {
  uint64_t index = 0;
  uint64_t seed = 0;
  std::string target;
  Route route = Route::kMil;
  CaseMode mode = CaseMode::kFloat;
  uint64_t fingerprint = 0;
  int64_t nodes = 0;
  RunStatus status = RunStatus::kOk;
  Step step = Step::kNone;
  std::string backend;
  Verdict verdict = Verdict::kPass;
  std::string message;
  uint64_t compile_us = 0, run_us = 0;
  std::vector<OutputVerdict> outputs;
};

struct FindingRow {
  std::string id;
  uint64_t case_index = 0;
  std::string op, target;
  Route route = Route::kMil;
  Verdict verdict = Verdict::kWrong;
  DefectSet defects;
  std::string signature, summary, replay, artifact = "{}";
  int64_t occurrences = 1;
};

// Counts of one operation on one target by one route. These are columns of the table `reach`, and
// rows of `unconfirmed_reach` and `planned_reach`.
struct ReachCounts {
  int64_t cases = 0, compiled = 0, dispatched = 0, correct = 0, known_defect = 0, wrong = 0,
          rejected = 0, inconclusive = 0, unconfirmed = 0, planned = 0;
  ReachCounts& operator+=(const ReachCounts& other);
  ReachCounts& operator-=(const ReachCounts& other);
};

inline constexpr size_t kUlpBuckets = 17;
using UlpCounts = std::array<uint64_t, kUlpBuckets>;
inline void AddTo(UlpCounts& sum, const UlpCounts& counts) {
  for (size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
}

// The verdict on one output, with the case and the number of the output.
struct OutputRow : OutputVerdict {
  uint64_t case_index = 0, output_index = 0;
};

// The kind and the name of a cell (coverage.h). The texts live as long as the process.
using CoverageKey = std::pair<std::string_view, std::string_view>;
struct CoverageKeyHash {
  size_t operator()(const CoverageKey& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.second) + 31 * key.first.size();
  }
};

// Cases that met one cell of coverage.h; columns of the table `coverage`.
struct CoverageCounts {
  int64_t cases = 0;
  uint64_t first_case = 0;
  CoverageCounts& operator+=(const CoverageCounts& other);
};

// The cells that a batch met. The class is a list, because most cells are made together and read in
// order. Only tests and counters of single cases look cells up.
class CoverageCells {
 public:
  using Entry = std::pair<CoverageKey, CoverageCounts>;

  // Makes an entry if there is none.
  CoverageCounts& operator[](const CoverageKey& key);
  // Precondition: the cell has no entry yet.
  void Append(const CoverageKey& key, const CoverageCounts& counts) {
    entries_.emplace_back(key, counts);
  }
  void reserve(size_t count) { entries_.reserve(count); }
  // The search takes time linear in the number of entries.
  auto find(const CoverageKey& key) const {
    return std::ranges::find(entries_, key, &Entry::first);
  }
  bool contains(const CoverageKey& key) const { return find(key) != entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<CoverageKey, size_t, CoverageKeyHash> index_;  // may lack the last entries
};

// Errors of elements with expected values of one magnitude. Columns of `magnitude_errors`.
struct MagnitudeErrors {
  uint64_t elements = 0;
  uint64_t sum_ulp = 0;  // sum of the absolute errors
  uint64_t max_ulp = 0;
  MagnitudeErrors& operator+=(const MagnitudeErrors& other);
  bool operator==(const MagnitudeErrors&) const = default;
};

// Rows of the file that contain these counts with their keys.
struct ReachRow : ReachCounts {
  std::string target;
  Route route = Route::kMil;
  std::string op;
};
struct ProvedReachRow : ReachRow {
  Provenance provenance = Provenance::kReported;
};
struct PlannedRow {
  std::string target;
  Route route = Route::kMil;
  std::string op;
  int64_t cases = 0;
};
// `provenance` is empty for the counts of all cases. Else only proved cases of that provenance
// count.
struct UnconfirmedRow {
  std::string target;
  Route route = Route::kMil;
  std::string op;
  std::optional<Provenance> provenance;
  int64_t cases = 0;
};
// The analytics by which a case proves that its operations ran on the engine. `ports` and
// `operations` have one name per line.
struct ProofRow {
  uint64_t case_index = 0;
  std::string target;
  Route route = Route::kMil;
  std::string ports, operations, text;
};
// Returns the names of a list that has one name on each line.
std::vector<std::string> LinesOf(std::string_view names);
// A case that shows the finding of `signature`. Late replies may show it several `times`.
struct FindingCaseRow {
  std::string signature;
  uint64_t case_index = 0;
  int64_t times = 1;
};
struct UlpRow {
  std::string target, op;
  uint64_t bucket = 0, elements = 0;
};
struct WidthRow {
  std::string target, op;
  uint64_t bucket = 0, elements = 0;
};
struct CoverageRow : CoverageCounts {
  std::string kind, cell;
};
struct MagnitudeRow : MagnitudeErrors {
  std::string target, op;
  int exponent = 0;
};
struct LeanRow : LeanSums {
  std::string target;
  Route route = Route::kMil;
  std::string op;
  Lean lean = Lean::kUp;
};
// The number of cases of a run that have a verdict, and the first of these cases.
struct VerdictCount {
  Verdict verdict = Verdict::kPass;
  uint64_t first_case = 0;
  int64_t cases = 0;
};
struct LibraryRow {
  std::string name, version;
};
struct PaceRow {
  uint64_t case_index = 0;
  double seconds = 0;
};

enum class ProbeState : uint8_t { kNoCliff, kAtValue, kUnmeasured };
template <>
struct Words<ProbeState> {
  static constexpr std::string_view kConcept = "state of a probe";
  static constexpr auto kTexts =
      std::to_array<std::string_view>({"no cliff", "at value", "unmeasured"});
};
// Whether a measured figure agrees with the published one.
enum class Agreement : uint8_t { kNothingToCompare, kAgrees, kDiffers };
template <>
struct Words<Agreement> {
  static constexpr std::string_view kConcept = "agreement";
  static constexpr auto kTexts = std::to_array<std::string_view>({"", "yes", "no"});
};

// One measurement of one probe on one target. `value` and `published` are decimal numbers,
// "Infinity" or "NaN". `value` is empty unless the state is kAtValue. `published` may also be "no
// cliff", or empty if nothing is known.
struct ProbeRow {
  std::string probe, target;
  ProbeState state = ProbeState::kUnmeasured;
  std::string value, published;
  Agreement agrees = Agreement::kNothingToCompare;
  std::string message;  // why it is unmeasured
};

// The rows that a batch of cases adds to the file, in one transaction.
struct RowBatch {
  std::vector<CaseRow> cases;
  std::vector<FindingRow> findings;
  std::vector<FindingCaseRow> finding_cases;
  std::map<std::tuple<std::string, Route, std::string>, ReachCounts> reach;  // target, route, op
  // The part of `reach` that was proved: target, route, op, provenance.
  std::map<std::tuple<std::string, Route, std::string, Provenance>, ReachCounts> proved_reach;
  std::vector<ProofRow> proofs;
  std::map<std::pair<std::string, std::string>, UlpCounts> ulp;     // target, op
  std::map<std::pair<std::string, std::string>, UlpCounts> widths;  // target, op
  CoverageCells coverage;
  std::map<std::tuple<std::string, std::string, int>, MagnitudeErrors>
      magnitudes;  // target, op, exponent
  std::map<std::tuple<std::string, Route, std::string>, OperationLeans> leans;  // target, route, op
  // The working time of the run, in seconds, when these cases were recorded. If set, adds a row of
  // `pace`.
  std::optional<double> seconds;
};

}  // namespace anecheck
