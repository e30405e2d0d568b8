// Kernels of native ranking layers, which order columns by one channel or return the positions of
// extremes encoded in fp16.
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "harness/ops/native.h"
#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/groups.h"
#include "oracles/reference/movement.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kTieTerms[] = {Term::kAnyTie};

struct Ranking {
  int64_t lane = 0;  // the channel whose values order the columns
  bool descending = false;
  bool indices = false;
};

// Returns the columns in the order of falling (rising) values, with equal values in the order of
// positions. NaN is last, although no source gives its place.
std::vector<size_t> OrderOf(const Lanes& key, size_t count, bool descending) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double va = key.value[a];
    const double vb = key.value[b];
    if (va != va || vb != vb) return va == va || (vb != vb && a < b);
    if (va != vb) return descending ? va > vb : va < vb;
    return a < b;
  });
  return order;
}

// Moves the elements of all channels of the columns that may have this rank.
void MoveColumns(const BoundedTensor& x, size_t batch, std::span<const double> columns,
                 size_t chosen, size_t rank, BoundedTensor& result) {
  const auto channels = static_cast<size_t>(x.type.shape[1]);
  const auto width = static_cast<size_t>(x.type.shape[3]);
  const auto kept = static_cast<size_t>(result.type.shape[3]);
  for (size_t c = 0; c < channels; ++c) {
    const size_t from = (batch * channels + c) * width;
    const size_t to = (batch * channels + c) * kept + rank;
    MoveElement(x, from + chosen, result, to);
    for (const double column : columns) {
      AdmitElement(x, from + static_cast<size_t>(column), result, to);
    }
  }
}

Status Rank(KernelContext& context, const Ranking& ranking) {
  const BoundedTensor& x = context.Input(0);
  BoundedTensor& result = context.Result();
  const Shape& shape = x.type.shape;
  const auto width = static_cast<size_t>(shape[3]);
  const auto kept = static_cast<size_t>(result.type.shape[3]);
  std::optional<IndexStore> positions;
  if (ranking.indices) {
    positions.emplace(context, result);
  } else {
    PrepareMove(context, result, false);
    result.members = nullptr;
  }
  const std::span<Places> places(context.arena().Allocate<Places>(width), width);
  std::vector<double> candidates;
  for (size_t n = 0; n < static_cast<size_t>(shape[0]); ++n) {
    const auto channel = n * static_cast<size_t>(shape[1]) + static_cast<size_t>(ranking.lane);
    const Lanes key = LanesAt(x, channel * width);
    FindPlaces(context.contract(), key, width, ranking.descending, places);
    const std::vector<size_t> order = OrderOf(key, width, ranking.descending);
    for (size_t rank = 0; rank < kept; ++rank) {
      candidates.clear();
      for (size_t i = 0; i < width; ++i) {
        const bool may = places[i].least <= rank && rank <= places[i].most;
        if (may) candidates.push_back(static_cast<double>(i));
      }
      if (positions) {
        positions->Put(n * kept + rank, static_cast<double>(order[rank]), candidates);
      } else {
        MoveColumns(x, n, candidates, order[rank], rank, result);
      }
    }
  }
  if (positions) {
    positions->Finish();
    result.whole = true;
    if (IndicesStayApart(context.contract(), width)) result.distinct_axis = 3;
  } else {
    FinishMove(x, result);
    result.signed_zero = false;  // tied keys may differ in the sign of a zero
  }
  return {};
}

Status Sort(KernelContext& context) {
  using P = params::NativeSort;
  const NodeView& node = context.node();
  return Rank(context, {.lane = node.Int(P::kSortIndices, 0),
                        .descending = node.String(P::kDirection, "Ascending") == "Descending",
                        .indices = node.Bool(P::kIndices, false)});
}

Status TopK(KernelContext& context) {
  using P = params::NativeTopK;
  const NodeView& node = context.node();
  return Rank(context, {.lane = node.Int(P::kSortIndices, 0),
                        .descending = node.String(P::kType, "Max") == "Max",
                        .indices = node.Bool(P::kIndices, false)});
}

// ---- positions of extremes ----

// Lists the positions that may have the extreme, ascending; all positions if there may be a NaN.
void FindExtremes(const Lanes& lanes, size_t count, bool nan, bool largest,
                  std::vector<double>& candidates) {
  const double least = largest ? Largest(lanes.low, count) : Smallest(lanes.high, count);
  nan |= least != least;
  candidates.clear();
  for (size_t k = 0; k < count; ++k) {
    const bool may = largest ? lanes.high[k] >= least : lanes.low[k] <= least;
    if (nan || may) candidates.push_back(static_cast<double>(k));
  }
}

Status Extremes(KernelContext& context, uint32_t axes, bool largest) {
  const BoundedTensor& x = context.Input(0);
  const bool any_tie = context.contract().Allows(Term::kAnyTie);
  IndexStore store(context, context.Result());
  std::vector<double> candidates;
  ForEachGroup(context, x, axes, [&](size_t at, const LaneBuffer& buffer, size_t count) {
    const auto first = static_cast<double>(FirstExtreme(buffer.lanes().value, count, largest));
    FindExtremes(buffer.lanes(), count, buffer.AnyNan(count), largest, candidates);
    if (!any_tie && x.point()) candidates.assign(1, first);
    store.Put(at, first, candidates);
  });
  store.Finish();
  context.Result().whole = true;
  return {};
}

Status ArgMinMax(KernelContext& context) {
  const std::string_view mode = context.node().String(params::NativeArgMinMax::kMode, "");
  constexpr uint32_t kPlane = 0b1100;
  constexpr uint32_t kChannels = 0b0010;
  return Extremes(context, mode.starts_with("Spatial") ? kPlane : kChannels, mode.ends_with("Max"));
}

Status GlobalArgMinMax(KernelContext& context) {
  using P = params::NativeGlobalArgMinMax;
  const NodeView& node = context.node();
  return Extremes(context, uint32_t{1} << NativeAxis(node.String(P::kDimension, "Width")),
                  node.String(P::kType, "Max") == "Max");
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceNativeSort = {.evaluate = reference::Sort,
                                                        .terms = reference::kTieTerms};
constinit const ReferenceKernel kReferenceNativeTopK = {.evaluate = reference::TopK,
                                                        .terms = reference::kTieTerms};
constinit const ReferenceKernel kReferenceNativeArgMinMax = {.evaluate = reference::ArgMinMax,
                                                             .terms = reference::kTieTerms};
constinit const ReferenceKernel kReferenceNativeGlobalArgMinMax = {
    .evaluate = reference::GlobalArgMinMax, .terms = reference::kTieTerms};

}  // namespace anecheck
