// Kernel of non-maximum suppression, which selects boxes of each batch. If rounding or a tie
// decides between boxes, engines may select different boxes. Each such selection is admitted.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
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

constexpr Term kOverlapTerms[] = {Term::kOverlapRounding, Term::kDivideUlp, Term::kAnyTie};

enum class Answer : uint8_t { kNo, kYes, kUnsure };

// The decisions in one run that an engine may make in several ways. Repeated runs try all
// combinations of answers.
class Questions {
 public:
  // Returns this run's answer to the next decision, a number below `ways`.
  size_t Ask(size_t ways) {
    if (next_ == asked_.size()) asked_.push_back({0, ways});
    return asked_[next_++].answer;
  }
  // Moves to the next combination. Returns false after the last combination.
  bool Advance() {
    next_ = 0;
    while (!asked_.empty() && asked_.back().answer + 1 == asked_.back().ways) asked_.pop_back();
    if (asked_.empty()) return false;
    ++asked_.back().answer;
    return true;
  }

 private:
  struct Asked {
    size_t answer = 0;
    size_t ways = 0;
  };
  std::vector<Asked> asked_;
  size_t next_ = 0;
};

// Selects boxes of one batch greedily, in the order of falling scores.
class Suppression {
 public:
  using Selection = std::vector<int64_t>;  // boxes in order

  Suppression(KernelContext& context, int64_t batch)
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
    most_ = static_cast<size_t>(std::min(node.Int(P::kMaxBoxes, 1), count_));
  }

  // Returns the selection for the values in exact arithmetic. Of equal scores it takes the first.
  Selection Exactly() {
    exact_ = true;
    return HasNan() ? Selection() : Select();
  }
  // Returns every selection that an engine may make. Returns nothing if operands are not known or
  // there are too many selections. Any selection is then admitted.
  std::optional<std::vector<Selection>> All() {
    constexpr size_t kMost = 64;
    exact_ = false;
    if (HasNan() || !IsKnown()) return std::nullopt;
    std::vector<Selection> all;
    do {
      if (all.size() == kMost) return std::nullopt;
      all.push_back(Select());
    } while (questions_.Advance());
    return all;
  }

 private:
  Selection Select() {
    std::vector<uint8_t> open;
    for (int64_t i = 0; i < count_; ++i) open.push_back(Settled(AtLeast(Score(i), threshold_)));
    Selection chosen;
    while (chosen.size() < most_) {
      const Selection highest = Highest([&](int64_t i) { return open[Index(i)] != 0; });
      if (highest.empty()) break;
      const int64_t best = OneOf(highest);
      chosen.push_back(best);
      open[Index(best)] = 0;
      for (int64_t i = 0; i < count_; ++i) {
        if (open[Index(i)] == 0 || (per_class_ && Class(i) != Class(best))) continue;
        if (Settled(Overlaps(i, best))) open[Index(i)] = 0;
      }
    }
    // If no box survives, the box with the highest score is selected.
    if (chosen.empty() && count_ > 0) chosen = {OneOf(Highest([](int64_t) { return true; }))};
    return chosen;
  }

  bool Settled(Answer answer) {
    return answer == Answer::kUnsure ? questions_.Ask(2) != 0 : answer == Answer::kYes;
  }
  int64_t OneOf(const Selection& equal) {
    return exact_ || equal.size() == 1 ? equal[0] : equal[questions_.Ask(equal.size())];
  }
  // Returns the boxes with the highest score among those for which counts(box) is true.
  template <typename Counts>
  Selection Highest(Counts counts) const {
    Selection highest;
    for (int64_t i = 0; i < count_; ++i) {
      if (!counts(i) || (!highest.empty() && Score(i) < Score(highest[0]))) continue;
      if (!highest.empty() && Score(i) > Score(highest[0])) highest.clear();
      highest.push_back(i);
    }
    return highest;
  }
  static size_t Index(int64_t box) { return static_cast<size_t>(box); }
  bool HasNan() const {
    for (int64_t i = 0; i < count_; ++i) {
      if (Score(i) != Score(i)) return true;
    }
    return false;
  }
  bool IsKnown() const {
    for (int64_t i = 0; i < count_; ++i) {
      if (!Known(i)) return false;
    }
    return true;
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
  // Returns the class with the highest score, or the first of several such classes.
  int64_t Class(int64_t box) const {
    const double* from = scores().value + ScoreAt(box);
    return std::max_element(from, from + classes_) - from;
  }
  double Score(int64_t box) const {
    return scores().value[ScoreAt(box) + static_cast<size_t>(Class(box))];
  }
  // Whether the operands of the box are points. This class does not select from intervals.
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
    if (!exact_ && a == b)
      return Answer::kUnsure;  // some definitions say "below", others "not above"
    return a >= b ? Answer::kYes : Answer::kNo;
  }
  // Compares the shared area divided by the area of both boxes with the threshold. An engine may
  // compare the quotient, or the shared area with a product.
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
  size_t most_ = 0;
  bool per_class_ = false;
  bool exact_ = false;
  Questions questions_;
};

// Stores the admitted selections of one batch, one position of the results at a time.
class SelectionStore {
 public:
  SelectionStore(KernelContext& context, int64_t batch, std::span<MemberSets, 4> sets)
      : context_(context),
        batch_(batch),
        sets_(sets),
        count_(scores().type.shape[1]),
        most_(context.node().Int(P::kMaxBoxes, 1)),
        exact_(Suppression(context, batch).Exactly()) {
    if (context.contract().ideal) {
      admitted_ = {exact_};
    } else if (auto all = Suppression(context, batch).All()) {
      admitted_ = *std::move(all);
    }
  }

  void Put() {
    for (int64_t place = 0; place < most_; ++place) PutPlace(static_cast<size_t>(place));
    PutCount();
  }

 private:
  using P = params::NonMaximumSuppression;

  // The admitted contents of one position of the results: one of `boxes`, or padding if allowed.
  struct Candidates {
    std::vector<int64_t> boxes;
    bool padding = false;
  };
  // One number of a candidate.
  struct Number {
    double low = 0, high = 0;
    bool nan = false;
  };

  const BoundedTensor& boxes() const { return context_.Input(P::kBoxes); }
  const BoundedTensor& scores() const { return context_.Input(P::kScores); }
  bool open() const { return admitted_.empty(); }  // any selection is admitted

  // An engine returns at least one box if the batch has any.
  Candidates CandidatesAt(size_t place) const {
    Candidates candidates;
    if (open()) {
      candidates.boxes.resize(static_cast<size_t>(count_));
      std::iota(candidates.boxes.begin(), candidates.boxes.end(), 0);
      candidates.padding = place > 0 || count_ == 0;
    }
    for (const Suppression::Selection& selection : admitted_) {
      if (place < selection.size()) {
        candidates.boxes.push_back(selection[place]);
      } else {
        candidates.padding = true;
      }
    }
    return candidates;
  }

  // Admits `numbers` at element `to` of a result, as a set if they are few.
  void PutOneOf(std::span<const Number> numbers, double value, uint32_t result, size_t to) {
    BoundedTensor& tensor = context_.Result(result);
    PutElement(value, tensor, to);
    tensor.low[to] = kInfinity;
    tensor.high[to] = -kInfinity;
    points_.clear();
    for (const Number& number : numbers) {
      tensor.nan[to] |= number.nan || number.low != number.low ? 1 : 0;
      tensor.low[to] = std::min(tensor.low[to], number.low);
      tensor.high[to] = std::max(tensor.high[to], number.high);
      points_.push_back(number.low);
    }
    if (tensor.low[to] > tensor.high[to]) tensor.low[to] = tensor.high[to] = kNan;
    if (open()) return;
    std::ranges::sort(points_);
    const auto repeated = std::ranges::unique(points_);
    points_.erase(repeated.begin(), repeated.end());
    if (points_.size() > 1) sets_[result].Set(to, points_);
  }

  void PutPlace(size_t place) {
    const Candidates candidates = CandidatesAt(place);
    const bool has_value = place < exact_.size();
    const int64_t chosen = has_value ? exact_[place] : 0;
    const size_t to = static_cast<size_t>(batch_ * most_) + place;
    std::vector<Number> numbers;
    const auto copy = [&](const BoundedTensor& x, size_t width, uint32_t result) {
      for (size_t c = 0; c < width; ++c) {
        const auto of = [&](int64_t box) {
          return width * static_cast<size_t>(batch_ * count_ + box) + c;
        };
        numbers.clear();
        if (candidates.padding) numbers.push_back({0, 0});
        for (const int64_t box : candidates.boxes) {
          numbers.push_back({x.low[of(box)], x.high[of(box)], x.NanAt(of(box))});
        }
        PutOneOf(numbers, has_value ? x.value[of(chosen)] : 0, result, width * to + c);
      }
    };
    copy(boxes(), 4, 0);
    copy(scores(), static_cast<size_t>(scores().type.shape[2]), 1);
    numbers.clear();
    if (candidates.padding) numbers.push_back({-1, -1});
    for (const int64_t box : candidates.boxes) {
      numbers.push_back({static_cast<double>(box), static_cast<double>(box)});
    }
    PutOneOf(numbers, has_value ? static_cast<double>(chosen) : -1, 2, to);
  }

  void PutCount() {
    std::vector<Number> numbers;
    const auto add = [&](size_t low, size_t high) {
      numbers.push_back({static_cast<double>(low), static_cast<double>(high)});
    };
    const size_t least = count_ > 0 ? 1 : 0;
    if (open()) add(least, static_cast<size_t>(std::min(most_, count_)));
    for (const Suppression::Selection& selection : admitted_) {
      add(selection.size(), selection.size());
    }
    const size_t value = open() ? std::max(least, exact_.size()) : exact_.size();
    PutOneOf(numbers, static_cast<double>(value), 3, static_cast<size_t>(batch_));
  }

  KernelContext& context_;
  int64_t batch_;
  std::span<MemberSets, 4> sets_;
  int64_t count_;
  int64_t most_;
  Suppression::Selection exact_;
  std::vector<Suppression::Selection> admitted_;
  std::vector<double> points_;
};

// Core ML's NonMaximumSuppressionLayerParams: if fewer boxes are selected, boxes and scores are
// padded with zeros and indices with -1. If no box survives, the box with the highest score is
// returned.
Status NonMaximumSuppression(KernelContext& context) {
  using P = params::NonMaximumSuppression;
  const BoundedTensor& boxes = context.Input(P::kBoxes);
  const BoundedTensor& scores = context.Input(P::kScores);
  std::array sets = {MemberSets(context, context.Result(0)), MemberSets(context, context.Result(1)),
                     MemberSets(context, context.Result(2)),
                     MemberSets(context, context.Result(3))};
  for (uint32_t i = 0; i < 4; ++i) Allocate(context, context.Result(i));
  for (int64_t batch = 0; batch < boxes.type.shape[0]; ++batch) {
    SelectionStore(context, batch, sets).Put();
  }
  for (uint32_t i = 0; i < 4; ++i) sets[i].Give(context.Result(i));
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
}  // namespace anecheck
