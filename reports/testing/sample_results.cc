#include "reports/testing/sample_results.h"

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/results/store.h"

namespace anecheck::reports {
namespace {

// An artifact with two fp16 elements, 1.0 inside [1, 1] and 2.0 outside [3, 4].
constexpr const char* kArtifact = R"({"version": 1, "message": "1 of 2 elements outside",
  "mil": "program(1.3) {\n  func main<ios18>() { } -> (y);\n}",
  "inputs": [{"name": "x", "dtype": "fp16", "shape": [2], "data": "ADwAPA=="}],
  "expected": [{"name": "y", "value": [1, 3.5], "low": [1, 3], "high": [1, 4]}],
  "actual": [{"name": "y", "dtype": "fp16", "shape": [2], "data": "ADwAQA=="}]})";

RunRow SimulatedRun() {
  RunRow run;
  run.uuid = "00112233445566778899aabbccddeeff";
  run.command = "anecheck run --cases 4 --targets h13";
  run.options = "{}";
  run.seed = 18446744073709551615u;
  run.started = "2026-01-02T03:04:05Z";
  run.tool_version = "0.1.0";
  run.host = "builder";
  run.os = "Linux";
  run.runner = "e5rt";
  run.provenance = Provenance::kSimulated;
  run.engine = "simulated engine 1";
  run.chip = "simulated";
  run.compiler_version = "1";
  return run;
}

RunRow ReportedRun() {
  RunRow run = SimulatedRun();
  run.uuid = kHostile;
  run.command = run.host = run.os = run.runner = run.engine = run.chip = kHostile;
  run.compiler_version = kHostile;
  run.options = DumpJson({{"label", kHostile}});
  run.seed = 7;
  run.started = "2026-02-02T03:04:05Z";
  run.provenance = Provenance::kReported;
  return run;
}

CaseRow MakeCase(uint64_t index, Verdict verdict) {
  CaseRow record;
  record.index = index;
  record.target = "h13";
  record.route = Route::kMil;
  record.status = RunStatus::kOk;
  record.backend = "ane";
  record.verdict = verdict;
  return record;
}

FindingRow MakeFinding(const char* id, const char* op, const char* target, Verdict verdict,
                       const char* defect) {
  FindingRow finding;
  finding.id = id;
  finding.op = op;
  finding.target = target;
  finding.route = Route::kMil;
  finding.verdict = verdict;
  finding.defects = DefectSet::FromText(defect);
  finding.signature = std::string(ToText(verdict)) + "|" + op + "|" + target;
  finding.summary = "1 of 2 elements outside";
  finding.replay = std::string("anecheck replay ") + id + " --db results.sqlite";
  finding.artifact = kArtifact;
  finding.occurrences = 2;
  return finding;
}

RowBatch SimulatedBatch() {
  RowBatch batch;
  batch.cases = {MakeCase(0, Verdict::kPass), MakeCase(1, Verdict::kKnownDefect),
                 MakeCase(2, Verdict::kWrong), MakeCase(3, Verdict::kInconclusive)};
  batch.findings = {MakeFinding("f000000000a1", "conv", "h13", Verdict::kWrong, ""),
                    MakeFinding("f000000000a2", "matmul", "h13", Verdict::kKnownDefect, "D03")};
  //                                 cases compiled dispatched correct known wrong rejected unclear
  batch.reach[{"h13", Route::kMil, "conv"}] = {4, 4, 4, 1, 1, 1, 0, 1};
  batch.reach[{"h13", Route::kMil, "matmul"}] = {2, 2, 2, 1, 1, 0, 0, 0};
  batch.reach[{"h13", Route::kMil, "relu"}] = {3, 3, 3, 3, 0, 0, 0, 0};
  batch.reach[{"h13", Route::kMil, "tanh"}] = {1, 1, 1, 0, 0, 0, 0, 1};
  batch.ulp[{"h13", "conv"}][0] = 1000;
  batch.ulp[{"h13", "conv"}][1] = 10;
  batch.ulp[{"h13", "conv"}][kUlpBuckets - 1] = 1;
  batch.ulp[{"h13", "relu"}][0] = 3;
  batch.widths[{"h13", "conv"}] = {800, 190, 20, 0, 0, 1};
  batch.widths[{"h13", "relu"}] = {3};
  return batch;
}

RowBatch ReportedBatch() {
  RowBatch batch;
  batch.cases = {MakeCase(0, Verdict::kPass), MakeCase(1, Verdict::kGarbled),
                 MakeCase(2, Verdict::kUnconfirmed)};
  FindingRow hostile = MakeFinding("f000000000b1", kHostile, kHostile, Verdict::kGarbled, kHostile);
  hostile.signature = hostile.summary = hostile.replay = kHostile;
  // The artifact is JSON, because no other form is read, but it is not the artifact of a finding.
  hostile.artifact = DumpJson(Json(kHostile));
  batch.findings = {hostile, MakeFinding("f000000000b2", "add", "h17s", Verdict::kRejected, ""),
                    MakeFinding("f000000000b3", "", "h17s", Verdict::kCrashed, ""),
                    MakeFinding("f000000000b4", "relu", "h17s", Verdict::kUnconfirmed, "")};
  batch.reach[{"h17s", Route::kMil, "relu"}] = {2, 2, 2, 1, 0, 0, 0, 0};
  batch.reach[{"h17s", Route::kMil, "add"}] = {1, 0, 0, 0, 0, 0, 1, 0};
  batch.reach[{"h17s", Route::kMil, "sub"}] = {1, 1, 0, 0, 0, 0, 0, 0};
  batch.reach[{kHostile, Route::kNetlist, kHostile}] = {1, 0, 0, 0, 0, 0, 0, 0};
  batch.ulp[{kHostile, kHostile}][3] = 5;
  return batch;
}

RowBatch LaterBatch() {
  RowBatch batch;
  batch.cases = {MakeCase(0, Verdict::kPass), MakeCase(1, Verdict::kKnownDefect)};
  batch.findings = {MakeFinding("f000000000c1", "matmul", "h13", Verdict::kKnownDefect, "D03")};
  batch.findings[0].case_index = 1;
  batch.reach[{"h13", Route::kMil, "add"}] = {1, 1, 1, 1, 0, 0, 0, 0};
  batch.reach[{"h13", Route::kMil, "conv"}] = {2, 2, 2, 2, 0, 0, 0, 0};
  batch.ulp[{"h13", "conv"}][0] = 500;
  batch.magnitudes[{"h13", "conv", -4}] = {300, 3, 1};
  batch.magnitudes[{"h13", "conv", 2}] = {200, 0, 0};
  return batch;
}

// Adds one probe for each relation to the published figure. The one that differs is not first.
Status AddProbes(Store& store, int64_t run) {
  const ProbeRow probes[] = {
      {"accumulator_port", "h13", ProbeState::kAtValue, "32768", "32768", Agreement::kAgrees, ""},
      {"relu_nan", "h13", ProbeState::kUnmeasured, "", "Infinity", {}, "the engine refused it"},
      {"rounding_tie", "h13", ProbeState::kAtValue, "2050", "2048", Agreement::kDiffers, ""},
      {"survivors_4096", "h13", ProbeState::kAtValue, "4", "", {}, ""}};
  return store.AppendProbes(run, probes);
}

// Adds a run and returns its number in the file.
Result<int64_t> AddRun(Store& store, const RunRow& run, const RowBatch& batch,
                       std::string_view finished = "2026-03-02T03:04:06Z") {
  ANECHECK_ASSIGN(const int64_t id, store.BeginRun(run));
  ANECHECK_RETURN_IF_ERROR(store.Append(id, batch));
  ANECHECK_RETURN_IF_ERROR(store.FinishRun(id, RunState::kFinished, finished));
  return id;
}

}  // namespace

Status WriteSampleResults(const std::string& path) {
  ANECHECK_ASSIGN(Store store, Store::Open(path));
  ANECHECK_ASSIGN(const int64_t simulated, AddRun(store, SimulatedRun(), SimulatedBatch()));
  ANECHECK_RETURN_IF_ERROR(AddProbes(store, simulated));
  const ProbeRow hostile = {
      kHostile, kHostile, ProbeState::kAtValue, kHostile, kHostile, Agreement::kDiffers, kHostile};
  ANECHECK_ASSIGN(const int64_t reported, AddRun(store, ReportedRun(), ReportedBatch()));
  return store.AppendProbes(reported, {&hostile, 1});
}

Status WriteLaterResults(const std::string& path) {
  ANECHECK_ASSIGN(Store store, Store::Open(path));
  RunRow run = SimulatedRun();
  run.uuid = "ffeeddccbbaa99887766554433221100";
  run.started = "2026-04-02T03:00:00Z";
  run.compiler_version = "2";
  ANECHECK_RETURN_IF_ERROR(AddRun(store, run, LaterBatch(), "2026-04-02T03:01:40Z"));
  return {};
}

}  // namespace anecheck::reports
