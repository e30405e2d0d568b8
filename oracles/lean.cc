#include "oracles/lean.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <vector>

#include "oracles/admitted_element.h"
#include "oracles/catalogue.h"
#include "oracles/contract.h"
#include "oracles/judge.h"
#include "oracles/laws.h"
#include "oracles/reference/kernel.h"
#include "oracles/statistics.h"

namespace anecheck {

namespace {

// The measured lean of an output, from -1 to 1, is rounded down to a multiple of 1 / kStepsToOne.
constexpr int kStepsToOne = 256;
constexpr size_t kSteps = 2 * kStepsToOne + 1;

// The logarithm of the factor by which a bet changes the capital. It is rounded down, so that no
// capital is overstated.
int64_t LogOfOutcome(double part, double says) {
  return static_cast<int64_t>(
      std::floor(std::log2(1 + part * (says - kLeastLean)) * LeanSums::kUnit));
}

using Outcomes = std::array<std::array<int64_t, kBets>, kSteps>;
Outcomes MakeOutcomes() {
  Outcomes outcomes{};
  for (size_t step = 0; step < kSteps; ++step) {
    const double says = static_cast<double>(step) / kStepsToOne - 1;
    for (size_t bet = 0; bet < kBets; ++bet) {
      outcomes[step][bet] = LogOfOutcome(kBetParts[bet], says);
    }
  }
  return outcomes;
}

using OpSet = std::bitset<kOpCount>;

// Whether an engine that uses the term's freedom may err to one side: its errors are functions of
// one operand, of a count or of a place, or it makes a choice.
bool IsOneSided(Term term) {
  switch (term) {
    case Term::kReciprocalRelative:
    case Term::kPositionRelative:
    case Term::kAnyTie:
    case Term::kIndexRounding:
    case Term::kPackedFlags:
      return true;
    default:
      return term >= Term::kSigmoidTable && term <= Term::kArcTangentTable;
  }
}

bool RestsOn(const ReferenceKernel& kernel, Term term) {
  return std::ranges::find(kernel.terms, term) != kernel.terms.end();
}

// Whether the departure can make results of the operation lean without leaving their bound.
bool MakesLean(const Departure& departure, std::string_view op, const ReferenceKernel& kernel) {
  switch (departure.effect) {
    case Effect::kTileLattice:
    case Effect::kFlushInMac:
      return RestsOn(kernel, Term::kAccumulatorUnit);
    case Effect::kSumLattice:
      return RestsOn(kernel, Term::kReduceUnit);
    case Effect::kAbsoluteError:
    case Effect::kReciprocal:
    case Effect::kSwishOfProduct:
    case Effect::kForgetsScale:
    case Effect::kOneMaskPlane:
    case Effect::kUnshiftedSoftmax:
      return departure.op.empty() || departure.op == op;
    default:
      return false;
  }
}

// The operations whose errors may lean in an engine of the family, conforming or with its
// documented defects.
OpSet MakeUntested(int family, std::span<const Departure> departures) {
  OpSet untested;
  for (size_t op = 0; op < kOpCount; ++op) {
    const ReferenceKernel& kernel = *AllReferenceKernels()[op];
    const std::string_view name = AllOps()[op]->schema.name;
    const Laws& laws = LawsOf(ConformingContract(family));
    bool leans = std::ranges::any_of(kernel.terms, IsOneSided) ||
                 (laws.tables && IsTabled(static_cast<OpKind>(op))) ||
                 (laws.fixed_sums && RestsOn(kernel, Term::kAccumulatorUnit));
    for (const Departure& departure : departures) {
      leans |= (departure.families >> family & 1) != 0 && MakesLean(departure, name, kernel);
    }
    untested.set(op, leans);
  }
  return untested;
}

// Functions with a kink, among them extremes. They turn symmetric errors of their operands into
// errors to one side: the greater of two uncertain numbers is too great on average.
constexpr OpKind kBent[] = {OpKind::kMaximum,
                            OpKind::kMinimum,
                            OpKind::kAbs,
                            OpKind::kRelu,
                            OpKind::kRelu6,
                            OpKind::kClip,
                            OpKind::kLeakyRelu,
                            OpKind::kPrelu,
                            OpKind::kClampedRelu,
                            OpKind::kThreshold,
                            OpKind::kElu,
                            OpKind::kThresholdedRelu,
                            OpKind::kSigmoidHard,
                            OpKind::kReduceMax,
                            OpKind::kReduceMin,
                            OpKind::kMaxPool,
                            OpKind::kMod,
                            OpKind::kFloorDiv,
                            OpKind::kReduceL1Norm,
                            OpKind::kScatter,
                            OpKind::kScatterNd,
                            OpKind::kScatterAlongAxis,
                            OpKind::kNativeSort,
                            OpKind::kNativeTopK,
                            OpKind::kNativeMinMaxNorm};

const OpSet& BentOps() {
  static const OpSet kOps = [] {
    OpSet ops;
    for (const OpKind kind : kBent) ops.set(static_cast<size_t>(kind));
    return ops;
  }();
  return kOps;
}

// The result of MakeUntested for the departures in force, which seldom change.
const OpSet& UntestedOps(int family) {
  struct Kept {
    const Departure* departures = nullptr;
    size_t count = 0;
    OpSet ops;
  };
  thread_local std::array<Kept, kContracts> kept_of_family;
  Kept& kept = kept_of_family[static_cast<size_t>(family)];
  const std::span<const Departure> departures = DeparturesInForce();
  if (kept.departures != departures.data() || kept.count != departures.size()) {
    kept = {departures.data(), departures.size(), MakeUntested(family, departures)};
  }
  return kept.ops;
}

// The error as a share of the distance from the value to the end of the interval on the error's
// side.
double ShareOf(double value, double low, double high, double actual) {
  const double error = actual - value;
  if (error == 0) return 0;
  const double room = error < 0 ? value - low : high - value;
  return room > 0 ? std::clamp(error / room, -1.0, 1.0) : std::copysign(1.0, error);
}

}  // namespace

OutputLean MeasureLean(const Estimate& expected, std::span<const double> actual) {
  OutputLean lean;
  double amplitude = -1;  // needed if an element is free
  for (size_t i = 0; i < actual.size(); ++i) {
    const double low = expected.low[i], high = expected.high[i], value = expected.value[i];
    // An error of infinities and NaN cannot be measured as a share of the bound.
    if (!(high > low) || !std::isfinite(high - low) || !std::isfinite(value) ||
        !std::isfinite(actual[i])) {
      continue;
    }
    if (amplitude < 0) amplitude = Amplitude(expected);
    if (!IsInformative(expected, i, amplitude)) continue;
    const double share = ShareOf(value, low, high, actual[i]);
    ++lean.free;
    lean.up += share;
    lean.away += value > 0 ? share : value < 0 ? -share : 0;
    if (UlpBetween(expected.type.dtype, low, high) <= kFewNumbers) continue;
    ++lean.wide;
    lean.mean_square += share * share;
  }
  if (lean.free > 0) {
    lean.up /= static_cast<double>(lean.free);
    lean.away /= static_cast<double>(lean.free);
  }
  if (lean.wide > 0) lean.mean_square /= static_cast<double>(lean.wide);
  return lean;
}

void LeanSums::Add(uint64_t case_index, double says) {
  static const Outcomes kOutcomes = MakeOutcomes();
  const double steps = std::floor((std::clamp(says, -1.0, 1.0) + 1) * kStepsToOne);
  const std::array<int64_t, kBets>& outcome = kOutcomes[static_cast<size_t>(steps)];
  ++outputs;
  for (size_t bet = 0; bet < kBets; ++bet) capitals[bet] += outcome[bet];
  const auto units = static_cast<int64_t>(std::floor(says * kUnit));
  sum += units;
  if (units > extreme || (units == extreme && case_index < extreme_case)) {
    extreme = units;
    extreme_case = case_index;
  }
}

void AddOutput(const OutputLean& output, uint64_t case_index, OperationLeans& sums) {
  if (output.free > 0) {
    sums[static_cast<size_t>(Lean::kUp)].Add(case_index, output.up);
    sums[static_cast<size_t>(Lean::kDown)].Add(case_index, -output.up);
    sums[static_cast<size_t>(Lean::kAway)].Add(case_index, output.away);
    sums[static_cast<size_t>(Lean::kToward)].Add(case_index, -output.away);
  }
  if (output.wide == 0) return;
  constexpr double kEvenly = 1.0 / 3;
  sums[static_cast<size_t>(Lean::kFills)].Add(case_index, output.mean_square - kEvenly);
}

bool IsTested(const Graph& graph, size_t output, int family) {
  const Value& result = graph.value(graph.outputs()[output]);
  if (result.kind != ValueKind::kResult || !IsFloat(result.type.dtype)) return false;
  const OpSet& untested = UntestedOps(family);
  // Visits the nodes that the output depends on, the last node first.
  std::vector<bool> wanted(graph.nodes().size());
  wanted[result.producer] = true;
  for (size_t i = result.producer + 1; i-- > 0;) {
    if (!wanted[i]) continue;
    const Node& node = graph.nodes()[i];
    if (untested.test(node.schema->id)) return false;
    // Integers and bools are chosen rather than rounded.
    for (uint32_t k = 0; k < node.result_count; ++k) {
      if (!IsFloat(graph.type(node.first_result + k).dtype)) return false;
    }
    for (const Argument& argument : graph.arguments(node)) {
      const Value& value = graph.value(argument.value);
      if (value.kind != ValueKind::kResult) continue;
      if (BentOps().test(node.schema->id)) return false;
      wanted[value.producer] = true;
    }
  }
  return true;
}

}  // namespace anecheck
