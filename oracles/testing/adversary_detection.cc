// The adversarial engine's suppression of boxes. It may round corners, areas and their ratio, may
// compare products instead of the ratio, and may take any of several equal scores first.
#include <algorithm>
#include <cmath>

#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"

namespace anecheck::testing {

// Whether two boxes overlap by more than `threshold`. A box is its centre and extents by axis.
bool Adversary::Overlap(DType dtype, const double* a, const double* b, double threshold) {
  double shared = 1;
  double areas[2] = {1, 1};
  const double* const boxes[2] = {a, b};
  for (size_t axis = 0; axis < 2; ++axis) {
    double from[2];
    double to[2];
    for (size_t i = 0; i < 2; ++i) {
      const double half = Hold(dtype, boxes[i][axis + 2] / 2);
      from[i] = Hold(dtype, boxes[i][axis] - half);
      to[i] = Hold(dtype, boxes[i][axis] + half);
      areas[i] = Hold(dtype, areas[i] * boxes[i][axis + 2]);
    }
    const double length = std::min(to[0], to[1]) - std::max(from[0], from[1]);
    shared = Hold(dtype, shared * std::max(0.0, Hold(dtype, length)));
  }
  const double both = Hold(dtype, Hold(dtype, areas[0] + areas[1]) - shared);
  if (Flip()) return shared > Hold(dtype, threshold * both);
  return Neighbour(dtype, Hold(dtype, shared / both)) > threshold;
}

// Returns the open box with the highest score, or any of several such boxes. NaN is the highest.
size_t Adversary::Highest(const Elements& scores, const std::vector<bool>& open) {
  std::vector<size_t> highest;
  const auto key = [&](size_t i) { return std::isnan(scores[i]) ? HUGE_VAL : scores[i]; };
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!open[i] || (!highest.empty() && key(i) < key(highest[0]))) continue;
    if (!highest.empty() && key(i) > key(highest[0])) highest.clear();
    highest.push_back(i);
  }
  if (highest.empty()) return scores.size();
  if (strategy_ == Strategy::kRandom) return highest[choices_.Below(highest.size())];
  return Flip() ? highest.back() : highest.front();
}

bool Adversary::RunSuppression(const NodeView& node) {
  using P = params::NonMaximumSuppression;
  const Shape& shape = node.InputShape(P::kScores);
  const auto count = static_cast<size_t>(shape[1]);
  const auto classes = static_cast<size_t>(shape[2]);
  const auto most = static_cast<size_t>(node.Int(P::kMaxBoxes, 1));
  const DType dtype = node.InputType(P::kBoxes).dtype;
  const double overlap = Rounded(dtype, node.Float(P::kIouThreshold, 0));
  const double least = Rounded(dtype, node.Float(P::kScoreThreshold, 0));
  const bool per_class = node.Bool(P::kPerClassSuppression, false);
  for (uint32_t i = 0; i < 4; ++i) values_[node.Result(i)].clear();
  for (size_t batch = 0; batch < static_cast<size_t>(shape[0]); ++batch) {
    const double* const boxes = In(node, P::kBoxes).data() + batch * count * 4;
    const double* const by_class = In(node, P::kScores).data() + batch * count * classes;
    Elements scores;
    std::vector<size_t> best_class;
    std::vector<bool> open;
    for (size_t i = 0; i < count; ++i) {
      const double* const of = by_class + i * classes;
      best_class.push_back(static_cast<size_t>(std::max_element(of, of + classes) - of));
      scores.push_back(of[best_class.back()]);
      open.push_back(scores.back() == least ? Flip() : scores.back() > least);
    }
    std::vector<size_t> chosen;
    while (chosen.size() < most) {
      const size_t best = Highest(scores, open);
      if (best == count) break;
      chosen.push_back(best);
      open[best] = false;
      for (size_t i = 0; i < count; ++i) {
        if (!open[i] || (per_class && best_class[i] != best_class[best])) continue;
        if (Overlap(dtype, boxes + 4 * i, boxes + 4 * best, overlap)) open[i] = false;
      }
    }
    if (chosen.empty()) chosen = {Highest(scores, std::vector<bool>(count, true))};
    for (size_t place = 0; place < most; ++place) {
      const bool padding = place >= chosen.size();
      for (size_t c = 0; c < 4; ++c) {
        values_[node.Result(0)].push_back(padding ? 0 : boxes[4 * chosen[place] + c]);
      }
      for (size_t c = 0; c < classes; ++c) {
        values_[node.Result(1)].push_back(padding ? 0 : by_class[classes * chosen[place] + c]);
      }
      values_[node.Result(2)].push_back(padding ? -1 : static_cast<double>(chosen[place]));
    }
    values_[node.Result(3)].push_back(static_cast<double>(chosen.size()));
  }
  return true;
}

}  // namespace anecheck::testing
