#include "oracles/contract.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

constexpr uint32_t kA11 = 1u << 0;
constexpr uint32_t kA12 = 1u << 1;
constexpr uint32_t kA13 = 1u << 2;
constexpr uint32_t kA14 = 1u << 3;
constexpr uint32_t kA15 = 1u << 4;
constexpr uint32_t kA16 = 1u << 5;
constexpr uint32_t kA17 = 1u << 6;
constexpr uint32_t kA18 = 1u << 7;
constexpr uint32_t kEveryFamily = (1u << kContractFamilies) - 1;

constexpr std::array<TermFact, kTermCount> kTermFacts = {{
    {Term::kWideIntermediate, "wide_intermediate", 1, 0, 1, 0,
     "1: a fused intermediate may skip its rounding to fp16",
     "facts/more/epilogue_slots.csv: operations fuse into one pass; whether the value between them "
     "is stored is not published"},
    {Term::kProductRounding, "product_rounding", 1, 0, 0, 0,
     "1: the products of one operation may all be rounded to fp16",
     "facts/numerics.md, order of one MAC pass: \"fp16 multiply, accumulate wide\""},
    {Term::kAccumulatorUnit, "accumulator_unit", 0x1p-24, 0, 0x1p-24, kA13,
     "unit roundoff of the accumulator of products",
     "facts/numerics.md, accumulator between input and output rounding: fp32 class"},
    {Term::kBiasRounding, "bias_rounding", 1, 0, 0, 0,
     "1: the accumulator may be rounded to fp16 before bias or scale",
     "facts/numerics.md, order of one MAC pass: \"per-channel scale and bias in fp16\""},
    {Term::kReciprocalRelative, "reciprocal_relative", 0x1p-23, 0, 0x1p-23, 0,
     "relative error of 1/n in averages", "fp32 class, as the accumulator"},
    // A bound must admit at least the error of a probe. A probe does not exclude larger errors at
    // other inputs, but a sweep of all inputs does. Therefore a deviation is a finding only after a
    // sweep.
    {Term::kDivideUlp, "divide_ulp", 1, 0, 1, 0,
     "quotients and reciprocals may be neighbours of the rounded result, in ulp",
     "facts/silicon_sweep_m5.csv, real_div: one probe, within the bound, which measures no limit"},
    {Term::kRootUlp, "root_ulp", 1, 0, 1, 0,
     "roots may be neighbours of the rounded result, in ulp",
     "facts/silicon_sweep_m5.csv, sqrt and rsqrt: one probe each, within the bound, which measures "
     "no limit"},
    {Term::kExponentialUlp, "exponential_ulp", 1, 0, 1, 0,
     "exp, exp2, log and other evaluated functions may be neighbours of the rounded result, in ulp",
     "facts/silicon_sweep_m5.csv, exp: one probe, within the bound, which measures no limit"},
    {Term::kNormDifference, "norm_difference", 1, 0, 0, 0,
     "1: the mean, x - mean and x - max may be rounded to fp16",
     "facts/numerics.md, softmax subtracts the maximum; elementwise results are fp16; "
     "facts/h13_program/execution.md, layer_norm: the mean is the result of a task"},
    {Term::kSigmoidTable, "sigmoid_table", 0.0034, 0, 0, kA13 | kA18,
     "absolute error of the sigmoid's table", "facts/numerics.md, worst absolute error"},
    {Term::kTanhTable, "tanh_table", 0.0017, 0, 0, kA13 | kA18,
     "absolute error of the table of tanh", "facts/numerics.md, worst absolute error"},
    {Term::kGeluTable, "gelu_table", 0.0062, 0, 0, kA13 | kA18,
     "absolute error of the table of gelu",
     "facts/silicon/numerics_silicon.csv, N426: 0.006159; 0.0059 by an earlier compiler's table "
     "(facts/numerics.md)"},
    // The law of the tables, 33 knots at equal steps h, bounds an error by h^2 / 8 times the
    // largest second derivative. The one published domain is the sigmoid's, 18.258 wide.
    {Term::kSiluTable, "silu_table", 0.0204, 0, 0, 0, "absolute error of the table of silu",
     "specification 004, 33 knots; over the sigmoid's domain with |f''| <= 0.5"},
    {Term::kSoftplusTable, "softplus_table", 0.0102, 0, 0, 0,
     "absolute error of the table of softplus",
     "specification 004, 33 knots; over the sigmoid's domain with |f''| <= 0.25"},
    {Term::kErfTable, "erf_table", 0.00087, 0, 0, kA18, "absolute error of the table of erf",
     "facts/silicon/numerics_silicon.csv, N429: 0.0008642"},
    {Term::kEluTable, "elu_table", 0.0121, 0, 0, 0,
     "absolute error of the table of elu, for alpha = 1",
     "specification 004, 33 knots; over the negative part of the sigmoid's domain, |f''| <= 1"},
    // The lines of a quarter turn, 33 knots at steps of h = pi / 64 that are fp16 numbers (L9,
    // L15).
    {Term::kTurnTable, "turn_table", 0.000546, 0, 0, kA18,
     "absolute error of the table of sine and cosine",
     "h^2 / 8 and half a step of fp16 below 1; facts/silicon/numerics_laws.md, L15: M6 errs by up "
     "to 6.329e-4 with the rounding of the result"},
    {Term::kTurnPart, "turn_part", 0.00089, 0, 0, 0,
     "the same error of sine and cosine relative to the result; the smaller bound counts",
     "h^2 / 6, by which the first line falls short of the sine, and half a step of fp16, as parts "
     "of the result"},
    {Term::kTurnReduction, "turn_reduction", 0x1p-17, 0, 0, 0,
     "relative error of the argument that the table of sine and cosine takes",
     "facts/silicon/numerics_laws.md, L15: 45.3 ulp at -3.141, a part 6.9e-6 of the argument; how "
     "it is reduced is open"},
    {Term::kArcTangentTable, "arc_tangent_table", 0.0297, 0, 0, 0,
     "absolute error of the table of the arc tangent",
     "facts/silicon_sweep_m5.csv, atan: the relative error of the one probe, of at most pi / 2"},
    {Term::kAnyTie, "any_tie", 1, 0, 1, 0,
     "1: any of several equal elements may be chosen or come first",
     "Core ML's definition of reduce_argmax: \"in case of ties, the identity of the return value "
     "is "
     "not guaranteed\"; no note tells the engine's rule"},
    {Term::kIndexRounding, "index_rounding", 1, 0, 0, 0, "1: a position may be rounded to fp16",
     "specification 004: index outputs are float16-encoded and exact for the ranges these layers "
     "produce"},
    {Term::kWeightRounding, "weight_rounding", 1, 0, 0, 0,
     "1: interpolation may round weights, products and the sums of one axis",
     "facts/more/op_notes.csv, resize: the texture engine's arithmetic is not published, A13 "
     "rounds "
     "otherwise; fp16 products and sums are taken"},
    {Term::kPositionRelative, "position_relative", 0x1p-20, 0, 0x1p-20, 0,
     "relative error of a sampling position that is not a whole number",
     "not published; fp32 class with a few operations is taken"},
    {Term::kPackedFlags, "packed_flags", 1, 0, 0, 0,
     "1: the flags of a row may be in its first bytes, not one in each cell",
     "ANEForge: bridges.md has a flag in the low byte of each fp16 cell, its reader "
     "(ane_radius_search_fused.py) takes the first bytes of a row; both are admitted, and bytes "
     "that "
     "neither names are taken to be 0"},
    {Term::kReduceUnit, "reduce_unit", 0x1p-24, 0, 0x1p-24, 0,
     "unit roundoff of the sums of reductions and averages, without products",
     "facts/source_conflicts.csv: reduce_sum is wide by one source, fp16 by another; the first is "
     "taken"},
    {Term::kOverlapRounding, "overlap_rounding", 1, 0, 0, 0,
     "1: corners, areas and quotients of boxes may be rounded to fp16",
     "facts/numerics.md, compute type binary16; the order of the steps is published nowhere"},
    {Term::kDistanceRounding, "distance_rounding", 1, 0, 0, 0,
     "1: differences, squares and sums of distances may be rounded to fp16",
     "facts/numerics.md, compute type binary16; the order of the steps is published nowhere"},
    {Term::kFunctionUlp, "function_ulp", 0, 0, 1, 0,
     "functions for which an ANE has tables may be neighbours of the rounded result, in ulp",
     "taken: vendors' functions of fp32 differ by a few ulp of fp32, which moves a result of fp16 "
     "to "
     "a neighbour"},
    {Term::kConstantFolding, "constant_folding", 0, 0, 0x1p-11, 0,
     "unit roundoff of a constant that a compiler multiplies into the weights of an earlier "
     "operation; 0: the compiler may not do so",
     "Core ML's converter folds constant scales and biases by default: fuse_conv_scale, "
     "fuse_conv_batchnorm, fuse_conv_bias, fuse_linear_bias"},
}};
// A row that is missing, or that lacks its meaning, leaves a last text empty.
static_assert(std::ranges::none_of(kTermFacts, &std::string_view::empty, &TermFact::source));

// ln 32768, where the exponential of softplus reaches the accumulator port's limit, and ln 65504,
// where it leaves fp16. Sources disagree on which of the two is the threshold.
constexpr double kLogOfPort = 10.397207708399179;
constexpr double kLogOfLargest = 11.089866488461016;
// The error of exponentials and their sum, as a logarithm: two steps of fp16.
constexpr double kNearLog = 0x1p-6;
// The seams of the argument reductions are not published. These are the first seams in common use:
// tan(pi / 8) for the arc tangent, pi / 4 for sine and cosine.
constexpr double kFirstArcSeam = 0.4142;
constexpr double kFirstTurnSeam = 0.7853;
// The source says "about 4 percent"; the rest allows for the roundings on the way.
constexpr double kSwishError = 0.05;

constexpr Departure kDepartures[] = {
    {"D01", Effect::kPortOverflow, "", 32768, 0, kA13 | kA14 | kA17,
     "the accumulator port gives an infinity from 32768 on",
     "facts/known_defects.csv; facts/numerics.md, MAC output port", kA16 | kA18},
    {"D01", Effect::kInteriorOverflow, "", 32768, 0, kA13 | kA14 | kA17,
     "a partial sum of 32768 or more overflows though the sum does not",
     "facts/numerics.md, MAC output port", kA16 | kA18},
    {"D02", Effect::kWidthSliceGain, "slice_by_size", 16, 0, kA13 | kA14,
     "slices with an offset on the width axis overflow from 4095 on",
     "facts/numerics.md, width-axis slice; sources differ on A15", kA16 | kA17 | kA18},
    {"D03", Effect::kTileLattice, "", 12, 4, kA13,
     "small terms are lost beside large ones inside a tile of four",
     "facts/more/numerics_plus.csv, model that fits all 16 published sums", kA16 | kA18},
    {"D04", Effect::kSumLattice, "", 12, 4, kA13,
     "a reduction loses small terms beside large ones inside a tile of four, as D03 does",
     "facts/known_defects.csv, reduction tree; numerics_plus.csv: same bytes as a matmul with "
     "ones"},
    {"D05", Effect::kFlushInMac, "", 0, 0, kA13, "subnormal operands of products become +0",
     "facts/numerics.md, denormals inside the MAC", kA16 | kA17 | kA18},
    {"D06", Effect::kNanAsInfinity, "", 0, 0, kA13, "a NaN input acts as +inf",
     "facts/numerics.md, NaN input"},
    {"D07", Effect::kNanResultAsZero, "", 0, 0, kA13, "an invalid operation gives +0",
     "facts/numerics.md, inf-inf and its like"},
    {"D08", Effect::kUnsignedZero, "", 0, 0, kA13, "1/-0 and rsqrt(-0) give +inf",
     "facts/numerics.md, 1/-0"},
    {"D09", Effect::kMayBeFrom, "softplus", kLogOfPort, 0, kA13 | kA16 | kA17,
     "softplus may drop to 0 where its exponential reaches the port's limit",
     "facts/more/numerics_plus.csv: from ln 32768 = 10.397, the port, or from ln 65504 = 11.09"},
    {"D09", Effect::kMayBeFrom, "softplus", kLogOfLargest, 0, kA14 | kA15,
     "softplus may drop to 0 where its exponential overflows",
     "coremltools issues 2359 and 2687: seen on M1 to M4, of which the tables name M1 and M4"},
    {"D09", Effect::kValueFrom, "softplus", 11, 0, kA17, "softplus drops to 0 at 11 already",
     "facts/more/numerics_plus.csv: 11.0 gives 0 on M5"},
    {"D09", Effect::kValueFrom, "softplus", kLogOfLargest, 0, kA13 | kA16,
     "softplus drops to 0 where its exponential overflows",
     "facts/more/numerics_plus.csv: from ln 32768 = 10.397, the port, or from ln 65504 = 11.09"},
    {"D09", Effect::kMayBeFrom, "reduce_log_sum_exp", kLogOfLargest - kNearLog, 0,
     kA13 | kA14 | kA15 | kA16 | kA17,
     "log-sum-exp drops to 0 where the sum of exponentials passes 65504",
     "coremltools issue 2690: without a shift by the maximum; here near ln 65504 by rounding"},
    {"D09", Effect::kValueFrom, "reduce_log_sum_exp", kLogOfLargest + kNearLog, 0,
     kA13 | kA14 | kA15 | kA16 | kA17,
     "log-sum-exp drops to 0 where the sum of exponentials passes 65504", "coremltools issue 2690"},
    {"D10", Effect::kValueAt, "softsign", std::numeric_limits<double>::infinity(), 0, kA13,
     "softsign(+inf) is 0", "facts/numerics.md"},
    {"D11", Effect::kValueAt, "log", 0, -45440, kA13, "log(0) is a finite sentinel",
     "facts/numerics.md"},
    {"D12", Effect::kValueAt, "gelu", 0, -0.000543, kA13,
     "gelu(0) is not 0: -0.000543 by an earlier compiler's table, -0.000754 by that of 10.26.6",
     "facts/numerics.md (2025); facts/silicon/conflicts.csv"},
    {"D13", Effect::kValueAt, "silu", 0, -0.001259, kA13,
     "silu(0) is not 0: -0.001259 by an earlier compiler's table, -0.001704 by that of 10.26.6",
     "facts/numerics.md (2025); facts/silicon/act_tables.csv"},
    {"D14", Effect::kAbsoluteError, "atan", 0.12, kFirstArcSeam, kA13 | kA15 | kA16 | kA17 | kA18,
     "atan errs near its seams", "facts/numerics.md, sin/cos/atan near seams"},
    {"D14", Effect::kAbsoluteError, "sin", 0.12, kFirstTurnSeam, kA15 | kA16 | kA17 | kA18,
     "sin errs near its seams", "facts/numerics.md, sin/cos/atan near seams"},
    {"D14", Effect::kAbsoluteError, "cos", 0.12, kFirstTurnSeam, kA15 | kA16 | kA17 | kA18,
     "cos errs near its seams", "facts/numerics.md, sin/cos/atan near seams"},
    {"D15", Effect::kTiesAway, "", 0, 0, kA14 | kA17, "2049 on a grid of 2 is stored as 2050",
     "facts/numerics.md, output rounding; facts/more/numerics_plus.csv, A14 and M5",
     kA13 | kA16 | kA18},
    {"D21", Effect::kUnshiftedSoftmax, "SDPA", 0, 0, kEveryFamily,
     "without SubtractMax the exponentials of the scores overflow and underflow",
     "facts/known_defects.csv, \"wrong softmax\"; that exponentials are rounded before they are "
     "added is taken"},
    {"D24", Effect::kOneMaskPlane, "SDPA", 0, 0, kA17,
     "one plane of an additive mask is applied to all heads",
     "facts/known_defects.csv, measured host; the source does not name the plane: any one"},
    {"D25", Effect::kForgetsScale, "ScaledElementWise", 0, 0, kA17,
     "a product with Type=Mult forgets its Scale",
     "facts/known_defects.csv, measured host: that of the silicon sweep"},
    {"D27", Effect::kAnyOfAxis, "gather", 0, 0, kA13 | kA14,
     "gather along the last axis gives wrong elements of it", "facts/known_defects.csv"},
    {"D33", Effect::kReciprocal, "floor_div", 0, 0, kA11 | kA12,
     "a constant divisor d becomes a factor fp16(1 / d)", "facts/known_defects.csv", kA17},
    {"D33", Effect::kReciprocal, "real_div", 0, 0, kA11 | kA12,
     "a constant divisor d becomes a factor fp16(1 / d)", "facts/known_defects.csv", kA17},
    {"D34", Effect::kSwishOfProduct, "mul", kSwishError, 0, kA17,
     "hard_swish of a product of two matrices errs by about 4 percent",
     "facts/known_defects.csv: 4 percent in the L2 norm; assumed to be spread evenly"},
};

constexpr Departure kOpenRules[] = {
    {"earlier_tables", Effect::kTableAtZero, "", 0, 0, 0,
     "tables are those of compiler 10.26.6 and macOS 26.6, word for word",
     "facts/silicon/conflicts.csv: a table belongs to a compiler release, not to a chip; worst "
     "errors by an earlier one stand in facts/numerics.md (2025)",
     kA18},
    {"printed_digits", Effect::kTableAtZero, "", 3, 0, 0,
     "functions by recorded tables have the bits that the lines of the tables give",
     "facts/silicon/numerics_silicon.csv, N424 to N434: M6 has the worst errors of these lines to "
     "the printed digit; single values are printed with three digits"},
    {"cast_saturation", Effect::kCastWraps, "", 0, 0, 0,
     "a float beyond the integer type saturates", "taken: no note measures it"},
    {"moved_zero", Effect::kMovedZero, "", 0, 0, 0,
     "a zero that is moved and not computed keeps its sign",
     "taken: facts/numerics.md tells of x + 0 and 1/-0 alone; a move may be a product with ones"},
};

constexpr UnnamedDefect kUnnamedDefects[] = {
    {"D22", "garbage: a cosine of 0.67 is no value of an element"},
    {"D23", "garbage: the note gives no number"},
};

constexpr std::array<std::string_view, kContracts> kContractNames = {
    "A11", "A12", "A13", "A14", "A15", "A16", "A17", "A18", "ieee", "float", "own"};

constexpr Contract MakeConforming(int family) {
  Contract contract;
  contract.name = kContractNames[static_cast<size_t>(family)];
  contract.family = family;
  contract.ideal = family == kIeeeFamily;
  for (size_t i = 0; i < kTermCount; ++i) {
    const TermFact& fact = kTermFacts[i];
    contract.terms[i] = family == kIeeeFamily ? fact.ieee
                        : IsAnyEngine(family) ? fact.sound
                                              : fact.conforming;
  }
  return contract;
}

constexpr std::array<Contract, kContracts - 1> kConforming = {
    MakeConforming(0), MakeConforming(1), MakeConforming(2), MakeConforming(3), MakeConforming(4),
    MakeConforming(5), MakeConforming(6), MakeConforming(7), MakeConforming(8), MakeConforming(9)};

static_assert(kOwnFamily == kContracts - 1);
Contract& OwnContract() {
  static Contract own = MakeConforming(kOwnFamily);
  return own;
}

// The family of a contract's own name ("A13") or of a target ("h18g", "M4"); -1 if there is none.
int FamilyFromName(std::string_view name) {
  const auto own = std::ranges::find(kContractNames, name);
  if (own != kContractNames.end()) return static_cast<int>(own - kContractNames.begin());
  const auto target = FindTarget(name);
  return target.ok() && (*target)->family() ? static_cast<int>((*target)->family().value()) : -1;
}

}  // namespace

std::span<const TermFact> TermFacts() { return kTermFacts; }

std::span<const Departure> KnownDepartures() { return kDepartures; }
std::span<const Departure> OpenRules() { return kOpenRules; }
std::span<const UnnamedDefect> UnnamedDefects() { return kUnnamedDefects; }

const Departure* Contract::Find(Effect effect, std::string_view op) const {
  for (size_t i = 0; i < departure_count; ++i) {
    const Departure& departure = *departures[i];
    if (departure.effect != effect) continue;
    const bool matches = op.empty() || departure.op.empty() || departure.op == op;
    if (matches && LookFor(i)) return &departure;
  }
  return nullptr;
}

const Contract& ConformingContract(int family_index) {
  if (family_index == kOwnFamily) return OwnContract();
  return kConforming[static_cast<size_t>(family_index)];
}

void SetOwnContract(const Contract& contract) {
  Contract& own = OwnContract();
  own = contract;
  own.name = kContractNames[kOwnFamily];
  own.family = kOwnFamily;
}

const Contract& IeeeContract() { return ConformingContract(kIeeeFamily); }

Contract WithDepartures(int family_index, std::span<const Departure* const> departures) {
  Contract contract = ConformingContract(family_index);
  contract.compared = true;
  for (const Departure* departure : departures) {
    if (contract.departure_count == Contract::kMaxDepartures) break;
    contract.departures[contract.departure_count++] = departure;
  }
  return contract;
}

Result<Contract> WithDepartures(int family_index, std::span<const std::string_view> ids) {
  Contract contract = ConformingContract(family_index);
  contract.compared = true;
  for (const std::string_view id : ids) {
    bool found = false;
    for (const Departure& departure : kDepartures) {
      if (departure.id != id) continue;
      if (contract.departure_count == Contract::kMaxDepartures) {
        return MakeError(ErrorCode::kLimit,
                         fmt::format("departure {} is one too many; a contract has at most {}", id,
                                     Contract::kMaxDepartures));
      }
      contract.departures[contract.departure_count++] = &departure;
      found = true;
    }
    if (!found) {
      return MakeError(ErrorCode::kNotFound, fmt::format("no numeric departure is called {}", id));
    }
  }
  return contract;
}

Result<Contract> ContractFromName(std::string_view name) {
  const int family = FamilyFromName(name);
  if (family < 0) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("no contract is called {}; use ieee, float, own, A11 to A18 or a "
                                 "target such as h13",
                                 name));
  }
  return ConformingContract(family);
}

TermMark MarkOf(Term term, int family_index) {
  if (IsAnyEngine(family_index)) return TermMark::kMeasured;
  const uint32_t measured = kTermFacts[static_cast<size_t>(term)].measured;
  return (measured >> family_index & 1) != 0 ? TermMark::kMeasured : TermMark::kAssumed;
}

}  // namespace anecheck
