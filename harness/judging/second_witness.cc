#include "harness/judging/second_witness.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/hash.h"
#include "harness/cases/execution.h"
#include "harness/judging/isolate.h"
#include "harness/judging/locate.h"
#include "oracles/catalogue.h"

namespace anecheck {
namespace {

// Some defects change so few elements that one further run often does not show them.
constexpr uint64_t kMostDraws = 64;
// An engine that truncates too often returns the values of D03 by chance in every third run or so.
constexpr int kWitnesses = 2;
// The most elements of a compared output. By a contract with departures a larger one takes minutes.
constexpr int64_t kMostCompared = int64_t{1} << 14;

bool IsOn(const Departure& row, int family) {
  return !IsAnyEngine(family) && (row.families >> family & 1) != 0;
}

// Returns whether the effect may move a value by one or two steps, as most errors do. Effects on
// ties are left out, because few values lie on a tie, and other inputs would rarely show them.
bool MayBeMetByChance(Effect effect) {
  return effect == Effect::kTileLattice || effect == Effect::kSumLattice ||
         effect == Effect::kFlushInMac || effect == Effect::kAnyOfAxis;
}

// Replaces the numbers. Zeros, infinities and NaN stay, and no number becomes much larger. Three of
// four draws make some numbers smaller, because sums lose small terms beside large ones. Every
// second group of four draws changes signs, because this loss mostly shows if the large terms
// cancel. Returns whether the tensor changed.
bool Redraw(uint64_t draw, uint64_t seed, Tensor& tensor) {
  if (tensor.type.dtype != DType::kFp16) return false;
  const uint64_t reach = draw % 4 * 4;
  bool changed = false;
  for (size_t i = 0; i + 1 < tensor.bytes.size(); i += 2) {
    const auto bits = static_cast<uint16_t>(tensor.bytes[i] | tensor.bytes[i + 1] << 8);
    const Half before{bits};
    if (before.IsZero() || !before.IsFinite()) continue;
    const uint64_t random = MixBits(seed + i * kGoldenRatio64);
    Half after{static_cast<uint16_t>(bits ^ (random & 7))};
    const uint64_t down = (random >> 8) % (reach + 1);
    const uint64_t exponent = (bits >> 10) & 0x1f;
    if (exponent > down) after.bits = static_cast<uint16_t>(after.bits - (down << 10));
    if ((draw & 4) != 0 && (random >> 16 & 1) != 0) after.bits ^= 0x8000;
    if (after.IsZero()) continue;
    tensor.bytes[i] = static_cast<uint8_t>(after.bits);
    tensor.bytes[i + 1] = static_cast<uint8_t>(after.bits >> 8);
    changed |= after != before;
  }
  return changed;
}

// Returns the values of an output by a contract, or nothing if they cannot be computed.
std::optional<Estimate> EstimateBy(const Case& item, ValueId output, const Contract& contract) {
  Estimate estimate;
  Evaluation evaluation;
  if (!evaluation.RunTo(item.graph, item.inputs, contract, output).ok()) return std::nullopt;
  evaluation.Stored(output, estimate);
  return estimate;
}

// Returns whether more elements show the defects than fail to show them. An element fails if no
// contract with the defects, or with all defects of the family, admits it.
bool DepartsMostly(const Case& item, const RunReply& reply, const CaseOutcome& outcome) {
  DefectSet defects;
  for (const OutputVerdict& output : outcome.outputs) defects.Add(output.defects);
  const Contract with_own = DepartingContract(item.target.family, defects);
  const Contract with_all = DepartingContract(item.target.family);
  uint64_t conforming = 0;
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    if (outcome.outputs[i].verdict != Verdict::kKnownDefect) continue;
    const ValueId output = item.graph.outputs()[i];
    if (item.graph.type(output).shape.Elements() > kMostCompared) continue;
    const auto own = EstimateBy(item, output, with_own);
    const auto all = EstimateBy(item, output, with_all);
    if (!own || !all) continue;
    std::vector<double> elements(own->value.size());
    DecodeElements(reply.outputs[i].type.dtype, reply.outputs[i].bytes, elements);
    for (size_t k = 0; k < elements.size(); ++k) {
      const bool fits = Admits(*own, k, elements[k]) || Admits(*all, k, elements[k]);
      conforming += fits ? 0 : 1;
    }
  }
  return conforming < outcome.explained;
}

// The evidence that runs on other inputs give about the defects.
enum class Testimony : uint8_t { kNone, kAgrees, kContradicts, kEnded };

Result<Testimony> JudgeRun(const Case& other, const RunReply& reply, const DefectSet& defects,
                           Evaluation& evaluation, const RefineFunction& refine) {
  CaseOutcome outcome = JudgeCase(other, reply, evaluation);
  const bool whole = outcome.verdict() == Verdict::kKnownDefect && outcome.vague.empty();
  ANECHECK_RETURN_IF_ERROR(refine(other, reply, outcome));
  if (outcome.verdict() == Verdict::kWrong) return Testimony::kContradicts;
  const auto is_known = [&](const OutputVerdict& output) {
    return output.verdict == Verdict::kKnownDefect &&
           std::ranges::any_of(output.defects, [&](const auto& id) { return defects.Has(id); });
  };
  const bool common =
      outcome.verdict() == Verdict::kKnownDefect && std::ranges::any_of(outcome.outputs, is_known);
  // If only the operations one by one explain a graph, they were judged on the engine's own
  // operands, and the estimates of the whole graph do not apply.
  if (!common || (whole && !DepartsMostly(other, reply, outcome))) return Testimony::kNone;
  return Testimony::kAgrees;
}

// Runs `program` on redrawn inputs of the case until a run decides.
Result<Testimony> Ask(const Case& item, Case& program, const DefectSet& defects, Runner& runner,
                      Evaluation& evaluation, const RefineFunction& refine) {
  int agreed = 0;
  for (uint64_t draw = 0; draw < kMostDraws; ++draw) {
    bool changed = false;
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      program.inputs[i] = item.inputs[i];
      changed |= Redraw(draw, MixBits(item.seed + draw) + i, program.inputs[i]);
    }
    if (!changed) continue;
    RunRequest request = RequestOf(program);
    request.settings.repeat = false;
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
    if (replies.front().status != RunStatus::kOk) return Testimony::kEnded;
    ANECHECK_ASSIGN(const Testimony testimony,
                    JudgeRun(program, replies.front(), defects, evaluation, refine));
    if (testimony == Testimony::kContradicts) return testimony;
    agreed += testimony == Testimony::kAgrees ? 1 : 0;
    if (agreed == kWitnesses) return Testimony::kAgrees;
  }
  return Testimony::kNone;
}

}  // namespace

Contract DepartingContract(int family, const DefectSet& defects) {
  std::vector<const Departure*> rows;
  for (const Departure& row : DeparturesInForce()) {
    const bool wanted = IsOn(row, family) && (defects.empty() || defects.Has(row.id));
    if (wanted && rows.size() < Contract::kMaxDepartures) rows.push_back(&row);
  }
  return WithDepartures(family, rows);
}

bool NeedsWitness(const Case& item, const CaseOutcome& outcome) {
  const bool alone = outcome.verdict() == Verdict::kKnownDefect && outcome.explained == 1 &&
                     !outcome.of_further_run();
  const bool small = std::ranges::all_of(item.graph.values(), [](const Value& value) {
    return value.type.shape.Elements() <= kMostCompared;
  });
  if (!alone || !small || item.graph.nodes().size() > kMostIsolated) return false;
  return std::ranges::any_of(DeparturesInForce(), [&](const Departure& row) {
    return IsOn(row, item.target.family) && outcome.shown.defects().Has(row.id) &&
           MayBeMetByChance(row.effect);
  });
}

Result<std::string> SeekWitness(const Case& item, const DefectSet& defects, Runner& runner,
                                Evaluation& evaluation, const RefineFunction& refine) {
  Case own = CaseOf(item, {});
  // Later operations may hide a defect, so each result becomes an output if the engine allows it.
  std::optional<Case> tapped = Tapped(own);
  Testimony testimony = Testimony::kEnded;
  if (tapped) {
    ANECHECK_ASSIGN(testimony, Ask(item, *tapped, defects, runner, evaluation, refine));
  }
  if (testimony == Testimony::kEnded && SpellCase(own).ok()) {
    ANECHECK_ASSIGN(testimony, Ask(item, own, defects, runner, evaluation, refine));
  }
  if (testimony == Testimony::kAgrees) return std::string();
  const std::string_view why =
      testimony == Testimony::kContradicts ? "the engine has other wrong values on other inputs"
      : testimony == Testimony::kEnded     ? "the graph cannot be run on other inputs"
                                           : "further runs on other inputs do not show it";
  return fmt::format("; only one element shows {}, and {}", defects.ToText(), why);
}

}  // namespace anecheck
