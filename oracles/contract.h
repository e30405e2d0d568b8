// The numeric contract of the engine, held as data: the freedom of a conforming engine in each
// operation, its source, and the documented defects as departures from it. The reference kernels
// read the terms; the judge switches departures on to name defects.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// Family indices of the compiler: 0 is A11, 2 is A13 (M1), 6 is A17 (M5), 7 is A18.
inline constexpr int kContractFamilies = 8;
// Contracts of engines that are not an ANE have the next indices. No rule, law, documented defect
// or unmeasured term of a chip applies to them.
inline constexpr int kIeeeFamily = 8;   // every operation exact, then rounded once
inline constexpr int kFloatFamily = 9;  // any sound fp16 engine that computes in fp32 or wider
inline constexpr int kOwnFamily = 10;   // chosen in a file (catalogue.h): terms and defects
inline constexpr int kContracts = 11;
constexpr bool IsAnyEngine(int family) { return family >= kContractFamilies; }

// One freedom of the engine. Every slack in a bound comes from one of these; TermFact::what tells
// the meaning of each.
enum class Term : uint8_t {
  kWideIntermediate,
  kProductRounding,
  kAccumulatorUnit,
  kBiasRounding,
  kReciprocalRelative,
  kDivideUlp,
  kRootUlp,
  kExponentialUlp,
  kNormDifference,
  kSigmoidTable,
  kTanhTable,
  kGeluTable,
  kSiluTable,
  kSoftplusTable,
  kErfTable,
  kEluTable,
  kTurnTable,
  kTurnPart,
  kTurnReduction,
  kArcTangentTable,
  kAnyTie,
  kIndexRounding,
  kWeightRounding,
  kPositionRelative,
  kPackedFlags,
  kReduceUnit,
  kOverlapRounding,
  kDistanceRounding,
  kFunctionUlp,
  kConstantFolding,  // oracles/reference/folding.h
  kCount
};
inline constexpr auto kTermCount = static_cast<size_t>(Term::kCount);

// How well a term is known for a family.
enum class TermMark : uint8_t {
  kMeasured,  // seen on that family's silicon
  kAssumed,   // measured on another family, or nowhere
};

struct TermFact {
  Term term;
  std::string_view name;    // "wide_intermediate"
  double conforming = 0;    // the value for every family
  double ieee = 0;          // the value in the IEEE contract
  double sound = 0;         // the value in the contract `float`
  uint32_t measured = 0;    // families, one bit each, on which it was measured
  std::string_view what;    // the meaning of the value, one line for a reader
  std::string_view source;  // "facts/numerics.md, worst absolute error"
};

// Every term, in the order of Term.
std::span<const TermFact> TermFacts();

// The mechanisms of defects. A catalogue entry combines a mechanism with an operation and two
// numbers, so that a user can describe a new defect without code.
enum class Effect : uint8_t {
  kPortOverflow,      // a sum of >= 2 products with |rounded sum| >= a becomes an infinity
  kInteriorOverflow,  // as kPortOverflow, for a partial sum over the tiles in source order
  kWidthSliceGain,    // slice with begin != 0 on the last axis: |x| * a beyond fp16 -> infinity
  kTileLattice,       // in tiles of b products both addends are cut to multiples of 2^(E - a)
  kSumLattice,        // as kTileLattice, in sums without products: reductions and averages
  kFlushInMac,        // subnormal operands of a MAC, perhaps its products too, become +0
  kNanAsInfinity,     // a NaN operand acts as +inf
  kNanResultAsZero,   // an invalid operation gives +0 instead of NaN
  kUnsignedZero,      // the sign of a zero operand is lost
  kTiesAway,          // the output rounding takes ties to the larger magnitude
  kValueAt,           // operation(a) == b
  kValueFrom,         // operation(x) == b for every x >= a; for a reduction, x is the result
  kAbsoluteError,     // the operation has an absolute error of at most a if |x| >= b
  kAnyOfAxis,         // gather along the last axis gives any element of that axis
  kReciprocal,        // a quotient by a constant d is the product with fp16(1 / d)
  kTableAtZero,       // tables have the same error at zero as elsewhere
  kCastWraps,         // a float beyond the integer type wraps instead of saturating
  kSwishOfProduct,    // relative error up to a of a rank-2 matmul times its own sigmoid_hard
  kForgetsScale,      // the scale of a product is read as 1
  kMayBeFrom,         // operation(x) is b or the correct value, for x >= a
  kOneMaskPlane,      // one head's plane of a mask is used for all heads
  kUnshiftedSoftmax,  // without SubtractMax, attention uses the exponentials of the scores
  kMovedZero,         // a zero that is moved may lose its sign
};
inline constexpr size_t kEffectCount = 23;

// Whether the effect depends on which operations made the operands. An operation that is evaluated
// alone, on given values, does not show such an effect.
constexpr bool LooksAtOrigin(Effect effect) { return effect == Effect::kSwishOfProduct; }

struct Departure {
  std::string_view id;  // "D01"
  Effect effect = Effect::kValueAt;
  std::string_view op;  // the operation, or empty if the effect names its operations
  double a = 0;
  double b = 0;
  uint32_t families = 0;  // bit f: documented on family f
  std::string_view what;  // one line for a reader
  std::string_view source;
  uint32_t holds = 0;  // bit f: family f was measured to do as the contract says
};

// The documented defects that change a number (facts/known_defects.csv), in order of their ids.
std::span<const Departure> KnownDepartures();

// Rules of the contract that were measured on no family, or only on the families in `holds`, which
// keep them. Each is stored as the departure from the rule, with the rule's name as id.
std::span<const Departure> OpenRules();

// A documented defect that changes a number but that no departure describes, and the reason.
struct UnnamedDefect {
  std::string_view id;  // "D22"
  std::string_view reason;
};
std::span<const UnnamedDefect> UnnamedDefects();

// The freedoms of one family's engine. A plain value; cheap to copy.
struct Contract {
  static constexpr size_t kMaxDepartures = 64;

  std::string_view name;  // "h13", "ieee", "own"
  int family = 0;
  bool ideal = false;  // every operation exact, then rounded once; all terms are 0
  std::array<double, kTermCount> terms{};
  std::array<const Departure*, kMaxDepartures> departures{};
  size_t departure_count = 0;
  // Bit i: departures[i] is in force. Bits from departure_count on do not count.
  uint64_t in_force = ~uint64_t{0};
  // If not null, receives the bit of each departure that LookFor is asked for.
  std::atomic<uint64_t>* looked_for = nullptr;
  // True if WithDepartures made the contract, even without a departure. Sums are then computed one
  // by one, so that the bounds of two such contracts differ only by the departures.
  bool compared = false;

  double operator[](Term term) const { return terms[static_cast<size_t>(term)]; }
  bool Allows(Term term) const { return (*this)[term] != 0; }
  // Whether departures[i] is in force. Two contracts with the same departures give the same result
  // if each departure that an evaluation looks for is in force in both or in neither.
  bool LookFor(size_t i) const {
    const uint64_t bit = uint64_t{1} << i;
    if (looked_for != nullptr) looked_for->fetch_or(bit, std::memory_order_relaxed);
    return (in_force & bit) != 0;
  }
  // The first departure in force with `effect` on `op`, or null. Departures that name no operation
  // match every `op`.
  const Departure* Find(Effect effect, std::string_view op = {}) const;
};

// The contract of a conforming engine of a family, or of kIeeeFamily, kFloatFamily or kOwnFamily.
// Precondition: 0 <= family_index < kContracts.
const Contract& ConformingContract(int family_index);
// Replaces the contract of kOwnFamily, which initially equals that of kFloatFamily; its name and
// family stay. Call it at most once in a process, before the first judgement.
void SetOwnContract(const Contract& contract);
// Ideal IEEE 754 arithmetic: every operation is exact, then rounded once; nothing is kept wide.
const Contract& IeeeContract();
// The family's contract with the departures named by `ids` switched on, whether or not the family
// is listed for them. Errors: kNotFound for an unknown id, kLimit if the ids name more than
// kMaxDepartures departures; an id that is given twice counts twice.
Result<Contract> WithDepartures(int family_index, std::span<const std::string_view> ids);
// As above, with catalogue entries, which must outlive the contract. Ignores the entries after the
// first kMaxDepartures.
Contract WithDepartures(int family_index, std::span<const Departure* const> departures);

// The contract named "ieee", "float" or "own", by a family ("A13") or by a compiler target ("h13",
// "h17s").
Result<Contract> ContractFromName(std::string_view name);

TermMark MarkOf(Term term, int family_index);

}  // namespace anecheck
