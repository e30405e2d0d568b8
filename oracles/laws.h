// The laws, the known rules of a family's arithmetic, as data. By a law the oracle predicts the
// exact bits of a result. The interval is then a single value, except in the cases that the law
// leaves open.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/ops/op.h"
#include "oracles/contract.h"

namespace anecheck {

struct Laws {
  // Sums of products are those of a 32-bit fixed-point accumulator (reference/fixed_point.h).
  bool fixed_sums = false;
  // Sums of products may be those of the fixed-point accumulator or of a wide one: both kinds of
  // sums are admitted, except for overflow, which the documented defects describe.
  bool perhaps_fixed_sums = false;
  // Sums, differences and products of two elements treat exponent 31 like any other exponent, and
  // every result is rounded with ties away from zero.
  bool plain_numbers = false;
  // Functions of one fp16 element come from the recorded tables (reference/recorded_tables.h).
  bool tables = false;
  // A root of a negative number may be NaN, or +0 as on A13, whose tables the family has.
  bool perhaps_zero_roots = false;
};

// The source of a law. `measured` and `inferred` have one bit per family.
struct LawFact {
  std::string_view name;  // "fixed_sums"
  bool Laws::* law = nullptr;
  uint32_t measured = 0;
  uint32_t inferred = 0;
  // The targets on which the law was measured. It also applies to the other targets of their
  // families.
  std::string_view targets;
  std::string_view what;  // one line for a reader
  std::string_view source;
  // The cases that the law leaves open. Their intervals span all possible results.
  std::string_view open;
};

std::span<const LawFact> LawFacts();

// The laws of the contract's family; the ideal contract has none.
const Laws& LawsOf(const Contract& contract);

// Whether the operation's results come from a recorded table if the law of tables holds. Its errors
// are then those of the table's lines.
bool IsTabled(OpKind kind);

// Whether the operation adds products, so that departures of such sums act on it.
bool SumsProducts(OpKind kind);

// Whether a law or a departure stores results with ties away from zero.
bool RoundsTiesAway(const Contract& contract);

}  // namespace anecheck
