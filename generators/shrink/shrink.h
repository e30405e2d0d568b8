// Reduces a case to a small one that still shows the same behaviour. The small case has fewer
// nodes, shorter axes, and simpler attributes and values. The reduction is delta debugging on the
// graph itself, so it works for cases of any origin.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "generators/shrink/edit.h"

namespace anecheck {

// Whether a candidate still shows the sought behaviour. Called with valid graphs only.
using Interesting = std::function<bool(const GraphCase&)>;

// Returns the correct tensor of value `id` of a case, or nothing if it is unknown. With that
// tensor, an edit can turn the value into an input and drop the nodes that computed it. Called only
// for results of nodes.
using ValueOf = std::function<std::optional<Tensor>(const GraphCase&, ValueId id)>;

struct ShrinkOptions {
  uint64_t max_tries = 5000;                // maximum number of calls of the predicate
  const std::atomic<bool>* stop = nullptr;  // the search ends when it becomes true
};

// The size of a case. Sizes are compared lexicographically, and a smaller size is better.
struct CaseSize {
  uint64_t nodes = 0;
  uint64_t outputs = 0;
  uint64_t elements = 0;  // of inputs and constants
  // The number of present operands and attributes, plus the sizes of the attributes' numbers, plus
  // the number of axes of inputs and constants.
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

// Reduces `item`. Precondition: interesting(item) is true. Deterministic if the predicate is
// deterministic. The result is interesting and no larger than `item`. Unless the tries ran out, no
// single edit that the function knows makes the result smaller. The predicate is called at most
// once for each candidate.
ShrinkResult Shrink(GraphCase item, const Interesting& interesting, const ValueOf& value_of,
                    const ShrinkOptions& options = {});

}  // namespace anecheck
