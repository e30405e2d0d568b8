#include "harness/judging/reach_counter.h"

#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runners/analytics.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

// The index for values that no operation produced.
constexpr size_t kNoOp = kOpCount;

std::string OpName(size_t op) {
  return op == kNoOp ? std::string() : std::string(AllOps()[op]->schema.name);
}

size_t ProducerOf(const Graph& graph, ValueId value) {
  const Value& info = graph.value(value);
  return info.kind == ValueKind::kResult ? graph.node(info.producer).schema->id : kNoOp;
}

// Returns the operation that computed the output directly from graph inputs and constants. If there
// is none, the output's error is that of several operations, and it counts for none of them.
size_t MeasuredOp(const Graph& graph, ValueId output) {
  const Value& info = graph.value(output);
  if (info.kind != ValueKind::kResult) return kNoOp;
  const Node& node = graph.node(info.producer);
  for (const Argument& argument : graph.arguments(node)) {
    const ValueKind kind = graph.value(argument.value).kind;
    if (kind != ValueKind::kInput && kind != ValueKind::kConst) return kNoOp;
  }
  return node.schema->id;
}

// Returns the operations for which a graph's result counts. If a graph of several operations is
// refused, crashes or fails, the result counts only for the operation `op`, which shows it alone,
// or for none. Every operation of the graph counts as tried.
std::bitset<kOpCount> Blamed(const GraphReach& shown, std::string_view op) {
  if (shown.status == RunStatus::kOk || shown.ops.count() == 1) return shown.ops;
  std::bitset<kOpCount> blamed;
  for (size_t i = 0; i < kOpCount; ++i) blamed[i] = shown.ops[i] && AllOps()[i]->schema.name == op;
  return blamed;
}

// Returns the steps that a case, or one of its graphs, reached. An engine that is not an ANE has
// only one backend, so it needs no proof of the backend.
ReachCounts CountsOf(const GraphReach& shown, const CampaignTarget& target, bool verified) {
  ReachCounts counts;
  counts.cases = 1;
  const bool ran = shown.status == RunStatus::kOk && !verified;
  counts.compiled = ran || HasProgram(shown.step) ? 1 : 0;
  const bool there = shown.backend == kEngineBackend || IsAnyEngine(target.family);
  counts.dispatched = shown.status == RunStatus::kOk && there ? 1 : 0;
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
      AddOps(PlaceOf(item.target.name, reached.route), reached,
             CountsOf(reached, item.target, false), outcome.shown.op(), proved);
    }
    Place& place = PlaceOf(item.target.name, item.route);
    if (outcome.reached.empty()) {
      const GraphReach whole = ReachOf(item, outcome);
      AddOps(place, whole, CountsOf(whole, item.target, outcome.verified), outcome.shown.op(),
             proved);
    }
    KeepProof(item, outcome, place);
    const auto outputs = item.graph.outputs();
    for (size_t i = 0; i < outcome.histograms.size() && i < outcome.outputs.size(); ++i) {
      Errors& errors = place.errors[MeasuredOp(item.graph, outputs[i])];
      AddErrors(errors, outcome.histograms[i], outcome.errors[i]);
      AddTo(errors.widths, outcome.widths[i]);
      if (i >= outcome.leans.size()) continue;
      AddOutput(outcome.leans[i], item.index,
                place.errors[ProducerOf(item.graph, outputs[i])].leans);
    }
  }

  void Flush(RowBatch& batch) {
    for (ProofRow& proof : proofs_) batch.proofs.push_back(std::move(proof));
    proofs_.clear();
    for (Place& place : places_) {
      for (size_t op = 0; op < kOpCount; ++op) FlushOp(place, op, batch);
      for (size_t op = 0; op <= kOpCount; ++op) FlushErrors(place, op, batch);
    }
  }

 private:
  struct Errors {
    uint64_t outputs = 0;
    UlpCounts ulp{}, widths{};
    std::array<MagnitudeErrors, kMagnitudes> magnitudes{};
    OperationLeans leans{};
  };
  // The counts of one target by one route.
  struct Place {
    std::string target;
    Route route = Route::kMil;
    Provenance provenance = Provenance::kSilicon;  // of proved results
    std::array<ReachCounts, kOpCount> reach{}, proved{};
    std::vector<Errors> errors = std::vector<Errors>(kOpCount + 1);
    std::bitset<kOpCount> with_proof;  // the operations that have a proof
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

  static void AddOps(Place& place, const GraphReach& shown, const ReachCounts& counts,
                     std::string_view op_shown, std::optional<Provenance> proved) {
    const std::bitset<kOpCount> blamed = Blamed(shown, op_shown);
    ReachCounts innocent = counts;
    innocent.rejected = innocent.wrong = 0;
    const bool proves = proved && counts.dispatched != 0;
    if (proves) place.provenance = *proved;
    for (size_t op = 0; op < kOpCount; ++op) {
      if (!shown.ops.test(op)) continue;
      ReachCounts booked = blamed.test(op) ? counts : innocent;
      booked.planned = shown.planned.test(op) ? 1 : 0;
      place.reach[op] += booked;
      if (proves) place.proved[op] += booked;
    }
  }

  // Keeps one proof for each operation; a proof covers all operations of its case.
  void KeepProof(const Case& item, const CaseOutcome& outcome, Place& place) {
    if (outcome.proof.empty()) return;
    const std::bitset<kOpCount> ops = OpsOf(item.graph);
    if ((ops & ~place.with_proof).none()) return;
    ProofRow proof{.case_index = item.index,
                   .target = place.target,
                   .route = place.route,
                   .ports = {},
                   .operations = {},
                   .text = outcome.proof};
    const auto add = [](std::string_view name, std::string& list) {
      list += (list.empty() ? "" : "\n") + std::string(name);
    };
    for (const ValueId id : item.graph.ValuesOfKind(ValueKind::kInput)) {
      add(item.graph.value(id).name, proof.ports);
    }
    for (const ValueId id : item.graph.outputs()) add(item.graph.value(id).name, proof.ports);
    for (size_t op = 0; op < kOpCount; ++op) {
      if (ops[op]) add(OpName(op), proof.operations);
    }
    if (!ProvesEngine(proof.text, LinesOf(proof.ports), LinesOf(proof.operations))) return;
    place.with_proof |= ops;
    proofs_.push_back(std::move(proof));
  }

  static void AddErrors(Errors& sum, const UlpCounts& histogram, const OutputErrors& errors) {
    ++sum.outputs;
    AddTo(sum.ulp, histogram);
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
    if (errors.outputs == 0 && errors.leans[0].outputs == 0) return;
    const std::string name = OpName(op);
    if (errors.leans[0].outputs > 0) {
      batch.leans[{place.target, place.route, name}] += errors.leans;
    }
    if (errors.outputs == 0) {
      errors = {};
      return;
    }
    AddTo(batch.ulp[{place.target, name}], errors.ulp);
    AddTo(batch.widths[{place.target, name}], errors.widths);
    for (size_t i = 0; i < kMagnitudes; ++i) {
      if (errors.magnitudes[i].elements == 0) continue;
      batch.magnitudes[{place.target, name, MagnitudeExponentAt(i)}] += errors.magnitudes[i];
    }
    errors = {};
  }

  std::vector<Place> places_;
  std::vector<ProofRow> proofs_;
};

ReachCounter::ReachCounter() : counts_(std::make_unique<Counts>()) {}
ReachCounter::~ReachCounter() = default;

void ReachCounter::Add(const Case& item, const CaseOutcome& outcome,
                       std::optional<Provenance> proved) {
  // A graph that breaks a rule does not show how far legal graphs get.
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
