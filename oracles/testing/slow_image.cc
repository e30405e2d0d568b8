// Image operations and sorting. Uses exact fractions with one division and one rounding.
#include <algorithm>
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/sampling_structure.h"
#include "oracles/testing/slow.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

// Returns the weighted mean around one point, or nothing if a pixel is infinite or NaN.
std::optional<double> LinearAt(const Sampling& sampling, const SamplePoint& point,
                               const std::vector<double>& x, double constant, DType dtype) {
  const double row = std::floor(point.y.value());
  const double column = std::floor(point.x.value());
  const Real down = Real(point.y.numerator) - Real(row) * point.y.denominator;
  const Real right = Real(point.x.numerator) - Real(column) * point.x.denominator;
  Real sum;
  for (int corner = 0; corner < 4; ++corner) {
    const Real wy = corner < 2 ? Real(point.y.denominator) - down : down;
    const Real wx = corner % 2 == 0 ? Real(point.x.denominator) - right : right;
    if (wy.Odd() == 0 || wx.Odd() == 0) continue;
    const auto from = PixelAt(sampling, point.plane, static_cast<int64_t>(row) + corner / 2,
                              static_cast<int64_t>(column) + corner % 2);
    const double pixel = from ? x[*from] : constant;
    if (!std::isfinite(pixel)) return std::nullopt;
    sum = sum + wy * wx * pixel;
  }
  const Real blend = sum / (Real(point.y.denominator) * point.x.denominator);
  if (IsFloat(dtype)) return blend.RoundedTo(dtype);
  // No source says how a blend of integers is rounded.
  return std::trunc(blend.Odd()) == blend.Odd() ? std::optional(blend.Odd()) : std::nullopt;
}

SlowElements Image(const NodeView& node, Operands operands) {
  const Sampling sampling = SamplingOf(node, operands);
  const DType dtype = node.ResultType().dtype;
  const double constant =
      IsFloat(dtype) ? Real(sampling.constant).RoundedTo(dtype) : sampling.constant;
  SlowElements result;
  for (const SamplePoint& point : sampling.points) {
    if (point.padding) {
      result.emplace_back(constant);
    } else if (sampling.nearest) {
      const double shift = sampling.lower ? 0 : 0.5;
      const auto from =
          PixelAt(sampling, point.plane, static_cast<int64_t>(std::floor(point.y.value() + shift)),
                  static_cast<int64_t>(std::floor(point.x.value() + shift)));
      result.emplace_back(from ? operands[0][*from] : constant);
    } else {
      result.push_back(LinearAt(sampling, point, operands[0], constant, dtype));
    }
  }
  return result;
}

// Repeatedly selects the best of the remaining elements, and of equal elements the first.
SlowElements Sorted(const NodeView& node, Operands operands, uint32_t result_index) {
  const bool positions = KindOf(node.schema()) == OpKind::kArgsort || result_index == 1;
  const bool ascending = node.Bool(node.schema().FindParameter("ascending"), false);
  const std::vector<double>& x = operands[0];
  SlowElements result(static_cast<size_t>(node.ResultType(result_index).shape.Elements()));
  const auto lines = SortedLines(node);
  for (size_t l = 0; l < lines.size(); ++l) {
    std::vector<size_t> left = lines[l];
    const bool nan = std::ranges::any_of(left, [&](size_t i) { return std::isnan(x[i]); });
    for (size_t rank = 0; !nan && rank < result.size() / lines.size(); ++rank) {
      size_t best = 0;
      for (size_t i = 1; i < left.size(); ++i) {
        if (ascending ? x[left[i]] < x[left[best]] : x[left[i]] > x[left[best]]) best = i;
      }
      const auto place = std::ranges::find(lines[l], left[best]) - lines[l].begin();
      result[RankedElement(node, l, rank)] = positions ? static_cast<double>(place) : x[left[best]];
      left.erase(left.begin() + static_cast<ptrdiff_t>(best));
    }
  }
  return result;
}

// ---- suppression --------------------------------------------------------------------------------

struct Box {
  double score = 0;
  int64_t best_class = 0;
  double left = 0, right = 0, top = 0, bottom = 0;
  bool gone = false;
};

double Overlap(const Box& a, const Box& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double shared = std::max(0.0, width) * std::max(0.0, height);
  const double first = (a.right - a.left) * (a.bottom - a.top);
  const double second = (b.right - b.left) * (b.bottom - b.top);
  return shared / (first + second - shared);
}

// Returns the chosen boxes in order, up to the first choice that rounding or a tie could change.
// `sure` says that there was no such choice.
std::vector<size_t> Choose(const NodeView& node, std::vector<Box>& boxes, bool& sure) {
  using P = params::NonMaximumSuppression;
  const auto overlap = static_cast<double>(static_cast<float>(node.Float(P::kIouThreshold, 0)));
  const auto least = static_cast<double>(static_cast<float>(node.Float(P::kScoreThreshold, 0)));
  std::vector<size_t> chosen;
  sure = true;
  for (Box& box : boxes) {
    const bool nan = std::isnan(box.left + box.right) || std::isnan(box.top + box.bottom);
    if (nan || std::isnan(box.score) || box.score == least) sure = false;
    box.gone = box.score < least;
  }
  while (sure && chosen.size() < static_cast<size_t>(node.Int(P::kMaxBoxes, 1))) {
    std::vector<size_t> best;
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].gone) continue;
      if (!best.empty() && boxes[i].score < boxes[best[0]].score) continue;
      if (!best.empty() && boxes[i].score > boxes[best[0]].score) best.clear();
      best.push_back(i);
    }
    if (best.size() > 1) sure = false;
    if (best.size() != 1) break;
    chosen.push_back(best[0]);
    boxes[best[0]].gone = true;
    for (Box& box : boxes) {
      if (box.gone) continue;
      const bool other_class = box.best_class != boxes[best[0]].best_class;
      if (node.Bool(P::kPerClassSuppression, false) && other_class) continue;
      const double ratio = Overlap(box, boxes[best[0]]);
      if (!(std::fabs(ratio - overlap) > 0x1p-8)) sure = false;
      if (ratio > overlap) box.gone = true;
    }
  }
  return chosen;
}

SlowElements Suppression(const NodeView& node, Operands operands, uint32_t result_index) {
  using P = params::NonMaximumSuppression;
  const Shape& scores = node.InputShape(P::kScores);
  const auto count = static_cast<size_t>(scores[1]);
  const auto classes = static_cast<size_t>(scores[2]);
  const auto most = static_cast<size_t>(node.Int(P::kMaxBoxes, 1));
  const auto size = static_cast<size_t>(node.ResultType(result_index).shape.Elements());
  SlowElements result(size);
  for (size_t batch = 0; batch < static_cast<size_t>(scores[0]); ++batch) {
    std::vector<Box> boxes(count);
    for (size_t i = 0; i < count; ++i) {
      const double* s = operands[1].data() + (batch * count + i) * classes;
      const double* b = operands[0].data() + (batch * count + i) * 4;
      boxes[i].score = s[0];
      for (size_t c = 0; c < classes; ++c) {
        if (std::isnan(s[c])) boxes[i].score = NAN;
        if (!(s[c] > boxes[i].score)) continue;  // a NaN score stays
        boxes[i].score = s[c];
        boxes[i].best_class = static_cast<int64_t>(c);
      }
      boxes[i].left = b[0] - b[2] / 2;
      boxes[i].right = b[0] + b[2] / 2;
      boxes[i].top = b[1] - b[3] / 2;
      boxes[i].bottom = b[1] + b[3] / 2;
    }
    bool sure = false;
    std::vector<size_t> chosen = Choose(node, boxes, sure);
    if (!sure) continue;
    if (chosen.empty() && count > 0) {  // if no box is chosen, the best box is returned
      const auto best = std::ranges::max_element(boxes, {}, &Box::score);
      if (std::ranges::count(boxes, best->score, &Box::score) > 1) continue;
      chosen.push_back(static_cast<size_t>(best - boxes.begin()));
    }
    const size_t width = result_index == 0 ? 4 : result_index == 1 ? classes : 1;
    if (result_index == 3) {
      result[batch] = static_cast<double>(chosen.size());
      continue;
    }
    const auto first = static_cast<ptrdiff_t>(batch * most * width);
    std::fill_n(result.begin() + first, most * width, result_index == 2 ? -1.0 : 0.0);
    for (size_t i = 0; i < chosen.size(); ++i) {
      for (size_t c = 0; c < width; ++c) {
        const size_t from = (batch * count + chosen[i]) * width + c;
        result[(batch * most + i) * width + c] =
            result_index == 2 ? static_cast<double>(chosen[i]) : operands[result_index][from];
      }
    }
  }
  return result;
}

}  // namespace

std::optional<SlowElements> SlowImage(const NodeView& node, Operands operands,
                                      uint32_t result_index) {
  if (IsImage(node)) return Image(node, operands);
  if (IsSort(node)) return Sorted(node, operands, result_index);
  if (KindOf(node.schema()) == OpKind::kNonMaximumSuppression) {
    return Suppression(node, operands, result_index);
  }
  return std::nullopt;
}

}  // namespace anecheck::testing
