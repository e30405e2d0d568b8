#include "oracles/laws.h"

#include <algorithm>
#include <array>

#include "oracles/contract.h"
#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

constexpr uint32_t kA13 = 1u << 2;
constexpr uint32_t kA14 = 1u << 3;
constexpr uint32_t kA15 = 1u << 4;
constexpr uint32_t kA16 = 1u << 5;
constexpr uint32_t kA17 = 1u << 6;
constexpr uint32_t kA18 = 1u << 7;

constexpr LawFact kFacts[] = {
    {"fixed_sums", &Laws::fixed_sums, kA16 | kA18, 0, "h16g, h18g",
     "sums of products are those of a 32-bit fixed-point accumulator",
     "facts/silicon/numerics_laws.md, L1 to L6: 368 published sums",
     "where a second pass begins beyond 64 products, and whether the sum between them is rounded "
     "to fp16, passes being taken in source order; the order of products whose kernel has several "
     "positions"},
    {"perhaps_fixed_sums", &Laws::perhaps_fixed_sums, 0, kA17, "none",
     "sums of products may be those of the fixed-point accumulator or of a wide one",
     "facts/silicon/numerics_laws.md: figures of another laboratory on M5 Pro fit L3",
     "whether sums are those of the fixed-point accumulator or of a wide one: both pass"},
    {"plain_numbers", &Laws::plain_numbers, kA16 | kA18, 0, "h16g, h18g",
     "sums, differences and products of two elements treat exponent 31 like any other exponent, "
     "and every result is rounded with ties away from zero",
     "facts/silicon/numerics_laws.md, L4, L5 and L7",
     "quotients, extremes and functions of infinities and NaN"},
    {"tables", &Laws::tables, kA13 | kA14 | kA18, kA15 | kA16 | kA17, "h13, h14, h18g",
     "functions of one fp16 element come from the recorded tables",
     "facts/silicon/act_tables.csv: compiler 10.26.6 and macOS 26.6 write them for H13 and H14, "
     "and "
     "h18g reproduces the published errors (numerics_laws.md, L9 to L13)",
     "erf beyond 2; how sine and cosine reduce their argument (L15); tables that an earlier "
     "compiler wrote (the rule earlier_tables)"},
    {"perhaps_zero_roots", &Laws::perhaps_zero_roots, 0, kA14 | kA15 | kA16 | kA17 | kA18, "none",
     "a root of a negative number may be NaN, or +0 as on A13",
     "facts/numerics.md: sqrt(-1) and rsqrt(-1) are +0 on A13, whose tables the others have",
     "whether a root of a negative number is +0 or NaN: both pass"},
};
// A row that lacks its meaning leaves the last text empty.
static_assert(std::ranges::none_of(kFacts, &std::string_view::empty, &LawFact::open));

constexpr std::array<Laws, kContractFamilies> MakeLaws() {
  std::array<Laws, kContractFamilies> laws{};
  for (size_t family = 0; family < laws.size(); ++family) {
    for (const LawFact& fact : kFacts) {
      laws[family].*fact.law = ((fact.measured | fact.inferred) >> family & 1) != 0;
    }
  }
  return laws;
}
constexpr std::array<Laws, kContractFamilies> kLaws = MakeLaws();
constexpr Laws kNone;

}  // namespace

std::span<const LawFact> LawFacts() { return kFacts; }

const Laws& LawsOf(const Contract& contract) {
  return IsAnyEngine(contract.family) ? kNone : kLaws[static_cast<size_t>(contract.family)];
}

bool IsTabled(OpKind kind) {
  constexpr OpKind kTabled[] = {OpKind::kSigmoid, OpKind::kTanh,    OpKind::kGelu, OpKind::kSilu,
                                OpKind::kErf,     OpKind::kExp,     OpKind::kLog,  OpKind::kSqrt,
                                OpKind::kRsqrt,   OpKind::kInverse, OpKind::kSin,  OpKind::kCos};
  return std::ranges::find(kTabled, kind) != std::end(kTabled);
}

bool SumsProducts(OpKind kind) {
  const auto terms = AllReferenceKernels()[static_cast<size_t>(kind)]->terms;
  return std::ranges::find(terms, Term::kProductRounding) != terms.end();
}

bool RoundsTiesAway(const Contract& contract) {
  return LawsOf(contract).plain_numbers || contract.Find(Effect::kTiesAway) != nullptr;
}

}  // namespace anecheck
