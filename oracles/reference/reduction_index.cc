// Kernels that return positions of extremes. They admit all positions that the operands' intervals
// allow.
#include <vector>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/groups.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kIndexTerms[] = {Term::kAnyTie, Term::kIndexRounding};

// Lists the positions that may hold the extreme, in ascending order. No source says which position
// a NaN selects, so a NaN admits every position.
template <bool kLargest>
void FindCandidates(const LaneBuffer& buffer, size_t count, std::vector<double>& candidates) {
  const Lanes lanes = buffer.lanes();
  const double threshold = kLargest ? Largest(lanes.low, count) : Smallest(lanes.high, count);
  const bool nan = buffer.AnyNan(count) || threshold != threshold;
  candidates.clear();
  for (size_t k = 0; k < count; ++k) {
    const bool possible = kLargest ? lanes.high[k] >= threshold : lanes.low[k] <= threshold;
    if (nan || possible) candidates.push_back(static_cast<double>(k));
  }
}

template <bool kLargest>
Status ReduceArgument(KernelContext& context) {
  using P = params::ReduceArg;
  const BoundedTensor& x = context.Input(P::kX);
  const int64_t given = context.node().Int(P::kAxis, -1);
  const int64_t axis = given < 0 ? given + x.type.shape.rank() : given;
  const bool any_tie = context.contract().Allows(Term::kAnyTie);
  IndexStore store(context, context.Result());
  std::vector<double> candidates;
  ForEachGroup(
      context, x, uint32_t{1} << axis, [&](size_t at, const LaneBuffer& buffer, size_t count) {
        const auto first = static_cast<double>(FirstExtreme(buffer.lanes().value, count, kLargest));
        FindCandidates<kLargest>(buffer, count, candidates);
        if (!any_tie && x.point()) candidates.assign(1, first);
        store.Put(at, first, candidates);
      });
  store.Finish();
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceReduceArgmax = {
    .evaluate = reference::ReduceArgument<true>, .terms = reference::kIndexTerms};
constinit const ReferenceKernel kReferenceReduceArgmin = {
    .evaluate = reference::ReduceArgument<false>, .terms = reference::kIndexTerms};

}  // namespace anecheck
