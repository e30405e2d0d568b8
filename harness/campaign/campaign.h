// A campaign: generates cases, runs them, judges every output element, confirms and records what it
// finds. `anecheck run` is a thin shell around it; power and baseline measurements drive it too.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/base/result.h"
#include "harness/campaign/progress.h"
#include "harness/results/store.h"
#include "harness/runners/runner.h"
#include "harness/runners/worker.h"
#include "oracles/movement.h"

namespace anecheck {

struct CampaignTarget {
  std::string name;  // lower case, as the compiler takes it: "h17s"
  int family = 2;    // index of specification 003
};

struct CampaignOptions {
  uint64_t seed = 1;
  uint64_t cases = 1000;
  double max_seconds = 0;  // 0: no limit; the campaign then ends after `cases`
  int jobs = 1;
  std::vector<CampaignTarget> targets;
  std::vector<CaseMode> modes;  // empty: the default mix
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();
  // The pair of operations that a case is about; of a campaign as a whole, steering sets it.
  std::optional<OpChain> chain;
  // This campaign takes the batches whose number leaves the remainder `shard` when divided by
  // `shards`: all shards together make the cases of the whole.
  uint64_t shard = 0;
  uint64_t shards = 1;
  // Half of the cases take operations whose cells of coverage.h are still empty. The cases of a
  // shard then follow from that shard alone.
  bool steer = false;
  // Small graphs alone: no more nodes than most have, kSmallElements a tensor and kSmallProducts an
  // operation where it has such an instance; the long axes of kLargeAxis and kShapeRanges stay.
  bool small = false;
  std::string route = "mil";  // "mil", "netlist", or "both": the cases take turns
  std::string runner = "e5rt";
  WorkerOptions worker;
  // JSON of the known defects of somebody's own engine (oracles/catalogue.h), kept with the run and
  // with each finding. Whoever judges has put them in force.
  std::vector<std::string> defects;
  std::string db;       // results file
  std::string command;  // what to type to run this again, stored with the run
};

// GeneratorOptions::max_elements and max_products of small graphs.
inline constexpr int64_t kSmallElements = 64;
inline constexpr int64_t kSmallProducts = 1024;

// The number of cases where only the time limits them.
inline constexpr uint64_t kUnlimitedCases = uint64_t{1} << 40;

// The case's own choice stream seed: a function of the run's seed and the index alone, so that any
// cut of a campaign into jobs and shards makes the same cases.
uint64_t CaseSeed(uint64_t run_seed, uint64_t index);

// One axis of one input that the case's program leaves open: `start` to `stop` by `step`, both in
// the range, and the extent of the case's graph one of them.
struct CaseRange {
  std::string input;
  int axis = 0;
  int64_t start = 1;
  int64_t stop = 1;
  int64_t step = 1;
};

// The metamorphic relation by which a case is rewritten (oracles/metamorphic), and the name of the
// value that is; empty for the whole graph, or for any where it applies.
struct CaseRelation {
  std::string name, site;
};

// Whether MIL text alone says cases of that mode: no network description is known to hold a state
// or a compressed constant, and the graphs of must-reject and metamorphic cases are spelt in MIL.
bool IsOfMilAlone(CaseMode mode);
// The route of case `index`: "mil" or "netlist". Modes that take MIL text alone are of the former
// whatever it says.
std::string RouteOfCase(const CampaignOptions& options, uint64_t index);

// One generated case.
struct Case {
  uint64_t index = 0;
  uint64_t seed = 0;
  CampaignTarget target;
  CaseMode mode = CaseMode::kFloat;
  Graph graph;
  std::vector<Tensor> inputs;
  // What a second execution takes where it is not to take the same: inputs of the same types.
  std::vector<Tensor> again;
  // For each output, that some change of the inputs moves it beyond its bound.
  MovementProof movement;
  // The one rule of legality that a must-reject graph breaks, by its id; empty in other modes.
  std::string broken_rule;
  std::string route = "mil";  // or "netlist"
  std::string mil;
  std::vector<uint8_t> mil_weights;  // the weight side file that the text names; empty for none
  // The network description and its weight file, where that is the route.
  std::string netlist;
  std::vector<uint8_t> netlist_weights;
  // The range of shapes of the program, where it has one; its text, and the further shapes that it
  // runs at. The last two follow from the first (shape_range.h).
  std::optional<CaseRange> range;
  std::string ranged_mil;
  std::vector<RunShape> further;
  // Of a metamorphic case whose relation is known; else its seed draws one.
  std::optional<CaseRelation> relation;
};

// Writes the graph as the case's route takes it: `mil` always, for people and for runners that read
// it, and the network description or the text of the range. A range that the graph does not take is
// dropped. Errors: those of GraphToMil and GraphToNetlist.
Status SpellCase(Case& item);
// The request that runs the case. It refers to the case. One case in 16, and each with states, is
// executed twice, half of them on other inputs the second time: which ones follows from their
// seeds.
RunRequest RequestOf(const Case& item);

// Makes case `index` of a campaign: target, mode, graph, inputs and program. On the netlist route
// graphs are drawn of what network descriptions say. `expected`, where given, receives what the
// oracle expects of each output, or nothing where making the case did not tell.
Result<Case> MakeCase(const CampaignOptions& options, uint64_t index,
                      std::vector<Estimate>* expected = nullptr);

// What a finding's verdict means to the one who reads it.
enum class FindingKind : uint8_t { kNew, kKnownDefect, kUnconfirmed };
FindingKind KindOfFinding(std::string_view verdict);

// Whether the values of a case were judged: the engine answered with some, or the runner verified
// the case itself, and the verdict says something. Graphs that must be refused have no values. Of
// a case that is not judged and not inconclusive the engine's refusal, failure or death was.
bool IsJudged(const CaseRecord& record);

// Counts over a whole campaign, as its JSON summary gives them.
struct CampaignSummary {
  std::string provenance, engine;  // as the run has them in the results file
  uint64_t seed = 0;
  uint64_t cases = 0;
  uint64_t judged = 0;  // cases of which IsJudged holds
  uint64_t inconclusive = 0;
  uint64_t findings = 0;       // distinct new ones
  uint64_t known_defects = 0;  // documented ones, each on each target
  // Distinct deviations that only terms never measured on their family forbid: neither new findings
  // nor known defects.
  uint64_t unconfirmed = 0;
  bool interrupted = false;         // cases are left that can be gone on with
  std::vector<FindingRecord> list;  // distinct, in order of their first case
};

// Makes a fresh runner; called once a thread and again for confirmations.
using RunnerFactory = std::function<Result<std::unique_ptr<Runner>>()>;

// The runner that `options` name. Errors: kInvalid for an unknown kind.
Result<std::unique_ptr<Runner>> MakeRunner(const CampaignOptions& options);

// Runs the campaign and records it. `stop`, where given, ends it early when it becomes true, with
// all finished cases recorded. New findings and unconfirmed deviations are tried three more times
// in fresh workers, once a signature; one that does not repeat each time is `flaky`. Known defects
// are not: there are many of them in every run on a real engine, each try starts a worker, and what
// a documented defect explains is no news. Everything recorded but the times follows from the
// options. `progress` is told of each batch, which is recorded within half a second; nothing that
// was told is lost but by the death of the process.
Result<CampaignSummary> RunCampaign(const CampaignOptions& options,
                                    const RunnerFactory& make_runner,
                                    const std::function<void(const CampaignProgress&)>& progress,
                                    const std::atomic<bool>* stop = nullptr);

struct ResumePoint;

// Goes on with a recorded run where it was stopped, by a signal, a time limit or a killed process:
// what the file holds in the end is what an uninterrupted run would have left, apart from times.
// Of `options` the number of jobs, the time limit and the results file count; the rest must be what
// the run recorded (`point.options`).
Result<CampaignSummary> ResumeCampaign(const CampaignOptions& options, ResumePoint point,
                                       const RunnerFactory& make_runner,
                                       const std::function<void(const CampaignProgress&)>& progress,
                                       const std::atomic<bool>* stop = nullptr);

// Errors: kInvalid where the runner is a chip's own engine, which another target of `options` is
// not (chip_target.h).
Status CheckTargets(const CampaignOptions& options, const RunnerIdentity& identity);

// How many cases the campaign makes: `cases`, or its shard's part of them.
uint64_t CasesOfShard(const CampaignOptions& options);

// Counts in `cases` that are recorded alike, and a finding that no earlier case showed.
void CountCases(const CaseRecord& record, uint64_t cases, CampaignSummary& summary);
void CountFinding(std::string_view verdict, CampaignSummary& summary);

// Whether the campaign found something new or, where `strict`, anything at all: documented defects
// and unconfirmed deviations too.
bool HasFindings(const CampaignSummary& summary, bool strict);

// {"provenance", "engine", "seed", "summary": {cases, judged, inconclusive, findings,
// known_defects, unconfirmed}, "findings": [...]}.
nlohmann::ordered_json SummaryToJson(const CampaignSummary& summary);
// Its "summary".
nlohmann::ordered_json CountsToJson(const CampaignSummary& summary);
// One of "findings".
nlohmann::ordered_json FindingToJson(const FindingRecord& finding);

// Whether a verdict asks for a row among the findings.
bool IsSuspect(std::string_view verdict);

// A finding is new unless a documented defect explains it.
bool IsNewFinding(std::string_view verdict);

}  // namespace anecheck
