// Kernels of sorting. For each rank they admit every index that has this rank for some numbers in
// the operands' intervals (oracles/reference/discrete.h).
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kOrderTerms[] = {Term::kAnyTie, Term::kIndexRounding};

void Allocate(KernelContext& context, BoundedTensor& result) {
  PrepareMove(context, result, false);
  result.members = nullptr;
  result.signed_zero = false;
}

void AdmitRange(BoundedTensor& result, size_t at, double low, double high, bool nan) {
  result.low[at] = low;
  result.high[at] = high;
  result.nan[at] = nan ? 1 : 0;
}

struct SortRequest {
  int axis = 0;
  bool ascending = false;
  bool sorted = true;  // ranks are in order; otherwise the first k are in any order
  BoundedTensor* values = nullptr;
  BoundedTensor* indices = nullptr;
};

// One line of elements along an axis, and the elements that may have each rank.
class Line {
 public:
  Line(KernelContext& context, size_t count, bool ascending, bool point)
      : contract_(context.contract()),
        count_(count),
        ascending_(ascending),
        buffer_(context.arena(), count, point),
        places_(context.arena().Allocate<Places>(count), count),
        order_(count),
        low_(count),
        high_(count) {}

  void Read(const BoundedTensor& x, int64_t start, int64_t step) {
    GatherStrided(x, start, step, count_, buffer_, 0);
    const Lanes lanes = buffer_.lanes();
    FindPlaces(contract_, lanes, count_, !ascending_, places_);
    std::iota(order_.begin(), order_.end(), size_t{0});
    const auto before = [&](double a, double b) { return ascending_ ? a < b : a > b; };
    // NaN comes last among the values, although no source gives its place.
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      const double va = lanes.value[a];
      const double vb = lanes.value[b];
      if (va != va || vb != vb) return va == va || (vb != vb && a < b);
      return before(va, vb) || (va == vb && a < b);
    });
    nan_ = false;
    for (size_t i = 0; i < count_; ++i) {
      low_[i] = lanes.low[i];
      high_[i] = lanes.high[i];
      nan_ |= low_[i] != low_[i] || (lanes.nan != nullptr && lanes.nan[i] != 0);
    }
    if (nan_) return;
    std::sort(low_.begin(), low_.end(), before);
    std::sort(high_.begin(), high_.end(), before);
  }

  bool nan() const { return nan_; }
  size_t Index(size_t rank) const { return order_[rank]; }
  double Value(size_t rank) const { return buffer_.lanes().value[order_[rank]]; }
  // The ends of the interval at a rank. They are the operands' ends, sorted in the same direction.
  double Low(size_t rank) const { return low_[rank]; }
  double High(size_t rank) const { return high_[rank]; }
  // Lists the numbers at the first `k` ranks, ascending without repetition.
  void FirstValues(size_t k, std::vector<double>& values) const {
    values.clear();
    for (size_t rank = 0; rank < k; ++rank) values.push_back(Value(rank));
    std::ranges::sort(values);
    const auto repeated = std::ranges::unique(values);
    values.erase(repeated.begin(), repeated.end());
  }
  bool MayStand(size_t i, size_t first, size_t last) const {
    return places_[i].least <= last && first <= places_[i].most;
  }

 private:
  const Contract& contract_;
  size_t count_;
  bool ascending_;
  bool nan_ = false;
  LaneBuffer buffer_;
  std::span<Places> places_;
  std::vector<size_t> order_;
  std::vector<double> low_, high_;
};

void Sort(KernelContext& context, const BoundedTensor& x, const SortRequest& request) {
  const Shape& shape = x.type.shape;
  const BoundedTensor& any = request.values != nullptr ? *request.values : *request.indices;
  const auto k = static_cast<size_t>(any.type.shape[request.axis]);
  const auto count = static_cast<size_t>(shape[request.axis]);
  const auto step = static_cast<size_t>(RowMajorStrides(shape)[static_cast<size_t>(request.axis)]);
  Line line(context, count, request.ascending, x.point());
  if (request.values != nullptr) Allocate(context, *request.values);
  std::optional<IndexStore> indices;
  if (request.indices != nullptr) indices.emplace(context, *request.indices);
  std::vector<double> candidates;
  MemberSets chosen(context);
  for (size_t l = 0; l < (count == 0 ? 0 : x.size / count); ++l) {
    const size_t inner = l % step;
    const size_t outer = l / step;
    line.Read(x, static_cast<int64_t>(outer * count * step + inner), static_cast<int64_t>(step));
    const bool counted = request.values != nullptr && x.point() && !line.nan() && !request.sorted;
    if (counted) line.FirstValues(k, candidates);
    for (size_t rank = 0; counted && rank < k; ++rank) {
      chosen.Set((outer * k + rank) * step + inner, candidates);
    }
    for (size_t rank = 0; rank < k; ++rank) {
      const size_t at = (outer * k + rank) * step + inner;
      const size_t first = request.sorted ? rank : 0;
      const size_t last = request.sorted ? rank : k - 1;
      if (request.values != nullptr) {
        request.values->value[at] = line.Value(rank);
        AdmitRange(*request.values, at,
                   line.nan() ? -kInfinity : line.Low(request.ascending ? first : last),
                   line.nan() ? kInfinity : line.High(request.ascending ? last : first),
                   line.nan());
      }
      if (!indices) continue;
      candidates.clear();
      for (size_t i = 0; i < count; ++i) {
        if (line.MayStand(i, first, last)) candidates.push_back(static_cast<double>(i));
      }
      indices->Put(at, static_cast<double>(line.Index(rank)), candidates);
    }
  }
  if (request.values != nullptr) {
    request.values->special = x.special;
    request.values->whole = x.whole;
    chosen.Give(*request.values);
  }
  if (!indices) return;
  indices->Finish();
  if (IndicesStayApart(context.contract(), count)) request.indices->distinct_axis = request.axis;
}

Status Topk(KernelContext& context) {
  using P = params::Topk;
  const NodeView& node = context.node();
  const BoundedTensor& x = context.Input(P::kX);
  SortRequest request{.axis = AxisOf(node, P::kAxis, -1, x.type.shape.rank()),
                      .ascending = node.Bool(P::kAscending, false),
                      .sorted = node.Bool(P::kSort, true),
                      .values = &context.Result()};
  if (node.Bool(P::kReturnIndices, true)) request.indices = &context.Result(1);
  Sort(context, x, request);
  return {};
}

Status Argsort(KernelContext& context) {
  using P = params::Argsort;
  const BoundedTensor& x = context.Input(P::kX);
  Sort(context, x,
       {.axis = AxisOf(context.node(), P::kAxis, -1, x.type.shape.rank()),
        .ascending = context.node().Bool(P::kAscending, false),
        .indices = &context.Result()});
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceTopk = {.evaluate = reference::Topk,
                                                  .terms = reference::kOrderTerms};
constinit const ReferenceKernel kReferenceArgsort = {.evaluate = reference::Argsort,
                                                     .terms = reference::kOrderTerms};

}  // namespace anecheck
