// Sorting and detection. An index may be any that some order consistent with the operands'
// intervals puts there (oracles/reference/discrete.h).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/rounded_steps.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

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

// ---- sorting ----------------------------------------------------------------------------------

struct SortRequest {
  int axis = 0;
  bool ascending = false;
  bool sorted = true;  // ranks are in order; otherwise any of the first k may stand anywhere
  BoundedTensor* values = nullptr;
  BoundedTensor* indices = nullptr;
};

// One line of elements along an axis: which may stand at each rank.
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
    // NaN, whose place is published nowhere, stands last among the values.
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
  // The ends of what may stand at a rank: the ends of the operands sorted alike.
  double Low(size_t rank) const { return low_[rank]; }
  double High(size_t rank) const { return high_[rank]; }
  // The numbers at the first `k` ranks, ascending without repetition.
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

// ---- non-maximum suppression --------------------------------------------------------------------

constexpr Term kOrderTerms[] = {Term::kAnyTie, Term::kIndexRounding};
constexpr Term kOverlapTerms[] = {Term::kOverlapRounding, Term::kDivideUlp, Term::kAnyTie};

enum class Answer : uint8_t { kNo, kYes, kUnsure };

// One batch: greedy selection by falling score. It ends with kUnsure where a decision hangs on
// rounding or on a tie; what would follow is then open.
class Suppression {
 public:
  // `exact`: by the values and exact arithmetic, whatever an engine may do.
  Suppression(KernelContext& context, int64_t batch, bool exact)
      : context_(context),
        batch_(batch),
        steps_(Grid(context.Input(params::NonMaximumSuppression::kBoxes).type.dtype),
               context.contract().Allows(Term::kOverlapRounding)),
        divide_ulp_(static_cast<int>(context.contract()[Term::kDivideUlp])) {
    using P = params::NonMaximumSuppression;
    const NodeView& node = context.node();
    const BoundedTensor& scores = context.Input(P::kScores);
    count_ = scores.type.shape[1];
    classes_ = scores.type.shape[2];
    overlap_ = Literal(context, scores.type.dtype, P::kIouThreshold, 0);
    threshold_ = Literal(context, scores.type.dtype, P::kScoreThreshold, 0);
    per_class_ = node.Bool(P::kPerClassSuppression, false);
    exact_ = exact;
  }

  // The boxes selected in order, as far as it is certain.
  struct Selection {
    std::span<int64_t> boxes;
    bool certain = true;  // false: more or other boxes may follow
  };
  Selection Select(int64_t most) {
    auto* chosen = context_.arena().Allocate<int64_t>(static_cast<size_t>(count_));
    auto* open = context_.arena().Allocate<uint8_t>(static_cast<size_t>(count_));
    size_t selected = 0;
    for (int64_t i = 0; i < count_; ++i) {
      const double score = Score(i);
      if (score != score || (!exact_ && !Known(i))) return {std::span(chosen, 0), false};
      const Answer above = AtLeast(score, threshold_);
      if (above == Answer::kUnsure) return {std::span(chosen, 0), false};
      open[i] = above == Answer::kYes ? 1 : 0;
    }
    while (static_cast<int64_t>(selected) < most) {
      int64_t best = -1;
      bool tie = false;
      for (int64_t i = 0; i < count_; ++i) {
        if (open[i] == 0) continue;
        if (best >= 0 && Score(i) == Score(best)) tie = true;
        if (best < 0 || Score(i) > Score(best)) {
          best = i;
          tie = false;
        }
      }
      if (best < 0) break;
      if (tie && !exact_) return {std::span(chosen, selected), false};
      chosen[selected++] = best;
      open[best] = 0;
      for (int64_t i = 0; i < count_; ++i) {
        if (open[i] == 0 || (per_class_ && Class(i) != Class(best))) continue;
        const Answer overlaps = Overlaps(i, best);
        if (overlaps == Answer::kUnsure) return {std::span(chosen, selected), false};
        if (overlaps == Answer::kYes) open[i] = 0;
      }
    }
    if (selected == 0 && count_ > 0) return Highest(std::span(chosen, 1));
    return {std::span(chosen, selected), true};
  }

 private:
  // Where no box survives the one of the highest score stands for all.
  Selection Highest(std::span<int64_t> chosen) const {
    int64_t best = 0;
    bool tie = false;
    for (int64_t i = 1; i < count_; ++i) {
      tie = Score(i) > Score(best) ? false : tie || Score(i) == Score(best);
      if (Score(i) > Score(best)) best = i;
    }
    chosen[0] = best;
    return tie && !exact_ ? Selection{chosen.first(0), false} : Selection{chosen, true};
  }
  const BoundedTensor& boxes() const {
    return context_.Input(params::NonMaximumSuppression::kBoxes);
  }
  const BoundedTensor& scores() const {
    return context_.Input(params::NonMaximumSuppression::kScores);
  }
  size_t ScoreAt(int64_t box) const {
    return static_cast<size_t>((batch_ * count_ + box) * classes_);
  }
  // The class of the highest score, the first of equal ones.
  int64_t Class(int64_t box) const {
    const double* from = scores().value + ScoreAt(box);
    return std::max_element(from, from + classes_) - from;
  }
  double Score(int64_t box) const {
    return scores().value[ScoreAt(box) + static_cast<size_t>(Class(box))];
  }
  // Whether the operands are points: selection from intervals is not attempted.
  bool Known(int64_t box) const {
    for (size_t c = 0; c < static_cast<size_t>(classes_); ++c) {
      const size_t at = ScoreAt(box) + c;
      if (scores().low[at] != scores().high[at] || scores().NanAt(at)) return false;
    }
    for (size_t c = 0; c < 4; ++c) {
      const size_t at = static_cast<size_t>(4 * (batch_ * count_ + box)) + c;
      if (boxes().low[at] != boxes().high[at] || boxes().NanAt(at)) return false;
    }
    return true;
  }
  Answer AtLeast(double a, double b) const {
    if (!exact_ && a == b) return Answer::kUnsure;  // "below" and "not above" are both in use
    return a >= b ? Answer::kYes : Answer::kNo;
  }
  // The shared area over that of both boxes against the threshold, as a quotient or as a product.
  Answer Overlaps(int64_t a, int64_t b) const {
    if (exact_) return ExactlyOverlaps(a, b);
    const int64_t box[2] = {a, b};
    StepBounds shared{1, 1};
    StepBounds areas[2] = {{1, 1}, {1, 1}};
    for (size_t axis = 0; axis < 2; ++axis) {
      StepBounds from[2];
      StepBounds to[2];
      for (size_t i = 0; i < 2; ++i) {
        const auto at = static_cast<size_t>(4 * (batch_ * count_ + box[i])) + axis;
        const StepBounds centre{boxes().value[at], boxes().value[at]};
        const double extent = boxes().value[at + 2];
        if (!(extent >= 0)) return Answer::kUnsure;
        const StepBounds half = steps_.Multiply({extent, extent}, {0.5, 0.5});
        from[i] = steps_.Subtract(centre, half);
        to[i] = steps_.Add(centre, half);
        areas[i] = steps_.Multiply(areas[i], {extent, extent});
      }
      const StepBounds length = steps_.Subtract(
          {std::min(to[0].low, to[1].low), std::min(to[0].high, to[1].high)},
          {std::max(from[0].low, from[1].low), std::max(from[0].high, from[1].high)});
      shared = steps_.Multiply(shared, {std::max(0.0, length.low), std::max(0.0, length.high)});
    }
    const StepBounds both = steps_.Subtract(steps_.Add(areas[0], areas[1]), shared);
    if (!(both.low > 0)) return Answer::kUnsure;
    const StepBounds ratio = steps_.Divide(shared, both, divide_ulp_);
    const double threshold = std::max(0.0, overlap_);
    const StepBounds share = steps_.Multiply({threshold, threshold}, both);
    if (ratio.low > overlap_ && shared.low > share.high) return Answer::kYes;
    if (ratio.high <= overlap_ && shared.high <= share.low) return Answer::kNo;
    return Answer::kUnsure;
  }
  Answer ExactlyOverlaps(int64_t a, int64_t b) const {
    double shared = 1;
    double areas[2] = {1, 1};
    for (size_t axis = 0; axis < 2; ++axis) {
      double low[2];
      double high[2];
      const int64_t box[2] = {a, b};
      for (size_t i = 0; i < 2; ++i) {
        const auto at = static_cast<size_t>(4 * (batch_ * count_ + box[i])) + axis;
        const double centre = boxes().value[at];
        const double extent = boxes().value[at + 2];
        low[i] = centre - extent / 2;
        high[i] = centre + extent / 2;
        areas[i] *= extent;
      }
      shared *= std::max(0.0, std::min(high[0], high[1]) - std::max(low[0], low[1]));
    }
    return shared / (areas[0] + areas[1] - shared) > overlap_ ? Answer::kYes : Answer::kNo;
  }

  KernelContext& context_;
  int64_t batch_;
  RoundedSteps steps_;
  int divide_ulp_ = 0;
  int64_t count_ = 0;
  int64_t classes_ = 0;
  double overlap_ = 0;
  double threshold_ = 0;
  bool per_class_ = false;
  bool exact_ = false;
};

// The ideal contract takes `value`.
void AdmitAll(const Contract& contract, BoundedTensor& result, size_t at, double value) {
  if (contract.ideal) return PutElement(value, result, at);
  result.value[at] = value;
  if (IsFloat(result.type.dtype)) {
    AdmitRange(result, at, -kInfinity, kInfinity, true);
    result.special = true;
    result.whole = false;
  } else {
    const IntegerRange range = RangeOf(result.type.dtype);
    AdmitRange(result, at, range.low, range.high, false);
  }
}

// Core ML's NonMaximumSuppressionLayerParams: where fewer boxes are selected zeros pad boxes and
// scores, and -1 the indices; where none survives the box of the highest score is given.
Status NonMaximumSuppression(KernelContext& context) {
  using P = params::NonMaximumSuppression;
  const BoundedTensor& boxes = context.Input(P::kBoxes);
  const BoundedTensor& scores = context.Input(P::kScores);
  const int64_t count = scores.type.shape[1];
  const auto classes = static_cast<size_t>(scores.type.shape[2]);
  const int64_t most = context.node().Int(P::kMaxBoxes, 1);
  for (uint32_t i = 0; i < 4; ++i) Allocate(context, context.Result(i));
  for (int64_t batch = 0; batch < boxes.type.shape[0]; ++batch) {
    const bool ideal = context.contract().ideal;
    const auto exact = Suppression(context, batch, true).Select(std::min(most, count));
    const auto selection =
        ideal ? exact : Suppression(context, batch, false).Select(std::min(most, count));
    const auto selected = static_cast<int64_t>(selection.boxes.size());
    const auto valued = static_cast<int64_t>(exact.boxes.size());
    const auto put = [&](BoundedTensor& result, size_t to, double value) {
      if (selection.certain) return PutElement(value, result, to);
      AdmitAll(context.contract(), result, to, value);
    };
    for (int64_t i = 0; i < most; ++i) {
      const auto to = static_cast<size_t>(batch * most + i);
      const bool known = i < selected;
      const bool has_value = i < valued;
      const int64_t box = known       ? selection.boxes[static_cast<size_t>(i)]
                          : has_value ? exact.boxes[static_cast<size_t>(i)]
                                      : 0;
      const auto from = static_cast<size_t>(batch * count + box);
      for (size_t c = 0; c < 4; ++c) {
        if (known) {
          MoveElement(boxes, 4 * from + c, context.Result(0), 4 * to + c);
        } else {
          put(context.Result(0), 4 * to + c, has_value ? boxes.value[4 * from + c] : 0);
        }
      }
      for (size_t c = 0; c < classes; ++c) {
        if (known) {
          MoveElement(scores, classes * from + c, context.Result(1), classes * to + c);
        } else {
          put(context.Result(1), classes * to + c,
              has_value ? scores.value[classes * from + c] : 0);
        }
      }
      if (known) {
        PutElement(static_cast<double>(box), context.Result(2), to);
      } else {
        put(context.Result(2), to, has_value ? static_cast<double>(box) : -1);
        if (!selection.certain && !ideal) {
          AdmitRange(context.Result(2), to, -1, static_cast<double>(count - 1), false);
        }
      }
    }
    // At least one is given where there is any.
    const int64_t least = std::max(selected, std::min<int64_t>(count, 1));
    PutElement(static_cast<double>(least), context.Result(3), static_cast<size_t>(batch));
    context.Result(3).value[static_cast<size_t>(batch)] =
        static_cast<double>(std::max(valued, least));
    if (!selection.certain && !context.contract().ideal) {
      context.Result(3).high[static_cast<size_t>(batch)] =
          static_cast<double>(std::min(most, count));
    }
  }
  FinishMove(boxes, context.Result(0));
  FinishMove(scores, context.Result(1));
  context.Result(2).whole = context.Result(3).whole = true;
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceNonMaximumSuppression = {
    .evaluate = reference::NonMaximumSuppression,
    .terms = reference::kOverlapTerms,
    .value_needs_bounds = true};
constinit const ReferenceKernel kReferenceTopk = {.evaluate = reference::Topk,
                                                  .terms = reference::kOrderTerms};
constinit const ReferenceKernel kReferenceArgsort = {.evaluate = reference::Argsort,
                                                     .terms = reference::kOrderTerms};

}  // namespace anecheck
