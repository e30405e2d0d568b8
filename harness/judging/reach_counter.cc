#include "harness/judging/reach_counter.h"

#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runners/analytics.h"

namespace anecheck {
namespace {

// In place of an operation for what none produced.
constexpr size_t kNoOp = kOpCount;

std::string OpName(size_t op) {
  return op == kNoOp ? std::string() : std::string(AllOps()[op]->schema.name);
}

size_t ProducerOf(const Graph& graph, ValueId value) {
  const Value& info = graph.value(value);
  return info.kind == ValueKind::kResult ? graph.node(info.producer).schema->id : kNoOp;
}

// What is known of a case, or of one of its graphs.
ReachCounts CountsOf(const GraphReach& shown, bool verified) {
  ReachCounts counts;
  counts.cases = 1;
  const bool ran = shown.status == RunStatus::kOk && !verified;
  counts.compiled = ran || HasProgram(shown.step) ? 1 : 0;
  counts.dispatched = shown.status == RunStatus::kOk && shown.backend == kEngineBackend ? 1 : 0;
  counts.correct = counts.dispatched == 1 && shown.verdict == Verdict::kPass ? 1 : 0;
  counts.known_defect = shown.verdict == Verdict::kKnownDefect ? 1 : 0;
  counts.rejected = shown.verdict == Verdict::kRejected ? 1 : 0;
  counts.inconclusive = shown.verdict == Verdict::kInconclusive ? 1 : 0;
  counts.unconfirmed = shown.verdict == Verdict::kUnconfirmed ? 1 : 0;
  counts.wrong = IsNewFinding(shown.verdict) && counts.rejected == 0 ? 1 : 0;
  return counts;
}

}  // namespace

class ReachCounter::Counts {
 public:
  void Add(const Case& item, const CaseOutcome& outcome, std::optional<Provenance> proved) {
    for (const GraphReach& reached : outcome.reached) {
      AddOps(PlaceOf(item.target.name, reached.route), reached.ops, CountsOf(reached, false),
             proved);
    }
    Place& place = PlaceOf(item.target.name, item.route);
    if (outcome.reached.empty()) {
      const GraphReach whole = ReachOf(item, outcome);
      AddOps(place, whole.ops, CountsOf(whole, outcome.verified), proved);
    }
    const auto outputs = item.graph.outputs();
    for (size_t i = 0; i < outcome.histograms.size() && i < outcome.outputs.size(); ++i) {
      Errors& errors = place.errors[ProducerOf(item.graph, outputs[i])];
      AddErrors(errors, outcome.histograms[i], outcome.errors[i]);
      if (i < outcome.leans.size()) AddOutput(outcome.leans[i], item.index, errors.leans);
    }
  }

  void Flush(RowBatch& batch) {
    for (Place& place : places_) {
      for (size_t op = 0; op < kOpCount; ++op) FlushOp(place, op, batch);
      for (size_t op = 0; op <= kOpCount; ++op) FlushErrors(place, op, batch);
    }
  }

 private:
  struct Errors {
    uint64_t outputs = 0;
    UlpCounts ulp{};
    std::array<MagnitudeErrors, kMagnitudes> magnitudes{};
    OperationLeans leans{};
  };
  // One target by one route.
  struct Place {
    std::string target;
    Route route = Route::kMil;
    Provenance provenance = Provenance::kSilicon;  // of what is proved
    std::array<ReachCounts, kOpCount> reach{}, proved{};
    std::vector<Errors> errors = std::vector<Errors>(kOpCount + 1);
  };

  Place& PlaceOf(std::string_view target, Route route) {
    for (Place& place : places_) {
      if (place.target == target && place.route == route) return place;
    }
    Place& place = places_.emplace_back();
    place.target = target;
    place.route = route;
    return place;
  }

  static void AddOps(Place& place, const std::bitset<kOpCount>& ops, const ReachCounts& counts,
                     std::optional<Provenance> proved) {
    const bool proves = proved && counts.dispatched != 0;
    if (proves) place.provenance = *proved;
    for (size_t op = 0; op < kOpCount; ++op) {
      if (!ops.test(op)) continue;
      place.reach[op] += counts;
      if (proves) place.proved[op] += counts;
    }
  }

  static void AddErrors(Errors& sum, const UlpCounts& histogram, const OutputErrors& errors) {
    ++sum.outputs;
    for (size_t bucket = 0; bucket < kUlpBuckets; ++bucket) sum.ulp[bucket] += histogram[bucket];
    for (const auto& [exponent, magnitude] : errors.by_exponent) {
      sum.magnitudes[MagnitudeIndexOf(exponent)] += magnitude;
    }
  }

  static void FlushOp(Place& place, size_t op, RowBatch& batch) {
    ReachCounts& reach = place.reach[op];
    if (reach.cases == 0) return;
    const std::string name = OpName(op);
    batch.reach[{place.target, place.route, name}] += std::exchange(reach, {});
    ReachCounts& proved = place.proved[op];
    if (proved.cases == 0) return;
    batch.proved_reach[{place.target, place.route, name, place.provenance}] +=
        std::exchange(proved, {});
  }

  static void FlushErrors(Place& place, size_t op, RowBatch& batch) {
    Errors& errors = place.errors[op];
    if (errors.outputs == 0) return;
    const std::string name = OpName(op);
    UlpCounts& sum = batch.ulp[{place.target, name}];
    for (size_t bucket = 0; bucket < kUlpBuckets; ++bucket) sum[bucket] += errors.ulp[bucket];
    for (size_t i = 0; i < kMagnitudes; ++i) {
      if (errors.magnitudes[i].elements == 0) continue;
      batch.magnitudes[{place.target, name, MagnitudeExponentAt(i)}] += errors.magnitudes[i];
    }
    if (errors.leans[0].outputs > 0) {
      batch.leans[{place.target, place.route, name}] += errors.leans;
    }
    errors = {};
  }

  std::vector<Place> places_;
};

ReachCounter::ReachCounter() : counts_(std::make_unique<Counts>()) {}
ReachCounter::~ReachCounter() = default;

void ReachCounter::Add(const Case& item, const CaseOutcome& outcome,
                       std::optional<Provenance> proved) {
  // A graph that breaks a rule says nothing about how far legal ones get.
  if (item.mode == CaseMode::kMustReject) return;
  counts_->Add(item, outcome, proved);
}

void ReachCounter::Flush(RowBatch& batch) { counts_->Flush(batch); }

void CountReach(const Case& item, const CaseOutcome& outcome, RowBatch& batch,
                std::optional<Provenance> proved) {
  ReachCounter counter;
  counter.Add(item, outcome, proved);
  counter.Flush(batch);
}

}  // namespace anecheck
