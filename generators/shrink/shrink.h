// From a case that shows something to a small one that still shows it: fewer nodes, shorter axes,
// plainer attributes and values. Delta debugging over the graph itself, so that it serves findings
// of any origin.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "generators/shrink/edit.h"

namespace anecheck {

// Whether a candidate still shows the sought behaviour. Called with valid graphs only.
using Interesting = std::function<bool(const GraphCase&)>;

// The tensor that value `id` of a case holds when it is computed rightly, for cutting earlier
// nodes; nothing if it cannot be known. Called for results only.
using ValueOf = std::function<std::optional<Tensor>(const GraphCase&, ValueId id)>;

struct ShrinkOptions {
  uint64_t max_tries = 5000;                // calls of the predicate
  const std::atomic<bool>* stop = nullptr;  // where it becomes true, the tries have run out
};

// How large a case is; smaller in lexicographic order is better.
struct CaseSize {
  uint64_t nodes = 0;
  uint64_t outputs = 0;
  uint64_t elements = 0;  // of inputs and constants
  // Operands and attributes given, and how large their numbers are; axes of inputs and constants.
  uint64_t attributes = 0;
  uint64_t bits = 0;  // set in the data
  auto operator<=>(const CaseSize&) const = default;
};
CaseSize SizeOf(const GraphCase& item);

struct ShrinkResult {
  GraphCase smallest;
  uint64_t tries = 0;
  uint64_t accepted = 0;
};

// Precondition: interesting(item). Deterministic where the predicate is. The result is interesting
// and no larger than `item`; no single step of any kind makes it smaller, unless the
// tries ran out. No candidate is asked about twice.
ShrinkResult Shrink(GraphCase item, const Interesting& interesting, const ValueOf& value_of,
                    const ShrinkOptions& options = {});

}  // namespace anecheck
