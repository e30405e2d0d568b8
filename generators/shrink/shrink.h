// Reduces a case to a small one that still shows the same behaviour: fewer nodes, shorter axes,
// simpler attributes and values. Delta debugging over the graph itself, so that it serves findings
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

// Returns the correct tensor of value `id` of a case, or nothing if it is unknown. With that tensor
// the value can become an input, and the nodes that computed it are cut. Called for results only.
using ValueOf = std::function<std::optional<Tensor>(const GraphCase&, ValueId id)>;

struct ShrinkOptions {
  uint64_t max_tries = 5000;                // maximum number of calls of the predicate
  const std::atomic<bool>* stop = nullptr;  // once true, no more tries
};

// The size of a case. A smaller size in lexicographic order is better.
struct CaseSize {
  uint64_t nodes = 0;
  uint64_t outputs = 0;
  uint64_t elements = 0;  // of inputs and constants
  // Counts the present operands and attributes, the sizes of their numbers, and the axes of inputs
  // and constants.
  uint64_t attributes = 0;
  uint64_t bits = 0;  // number of bits set in the data
  auto operator<=>(const CaseSize&) const = default;
};
CaseSize SizeOf(const GraphCase& item);

struct ShrinkResult {
  GraphCase smallest;
  uint64_t tries = 0;
  uint64_t accepted = 0;
};

// Precondition: interesting(item). Deterministic if the predicate is. The result is interesting and
// no larger than `item`. Unless the tries ran out, no single step of any kind makes it smaller. The
// predicate is called at most once for each candidate.
ShrinkResult Shrink(GraphCase item, const Interesting& interesting, const ValueOf& value_of,
                    const ShrinkOptions& options = {});

}  // namespace anecheck
