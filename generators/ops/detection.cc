// Draws sorting and the suppression of boxes. Returned positions are converted to fp16.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool DrawTopk(Drawer& drawer, ValueId x) {
  using P = params::Topk;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  ChoiceStream& choices = drawer.choices();
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  if (shape[axis] > 256) return false;
  int64_t k = choices.Range(1, shape[axis]);
  // A k of 3 or 4 is refused at every width (facts/known_defects.csv, D17: A13 and A17).
  constexpr int kA13 = 2, kA17 = 6;
  const int family = drawer.options().family;
  if ((k == 3 || k == 4) && (family == kA13 || family >= kA17)) k = 2;
  const bool indices = choices.Chance(2, 3);
  const bool typed = indices && choices.Coin();
  drawer.Begin(OpKind::kTopk);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kK, k);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  drawer.AddBool(P::kAscending, choices.Coin());
  // Unsorted results may be in any order, so integer mode could not compare them.
  if (!drawer.integer_mode()) drawer.AddBool(P::kSort, !choices.Chance(1, 8));
  drawer.AddBool(P::kReturnIndices, indices);
  constexpr std::array<std::string_view, 3> kTypes = {"uint16", "int16", "int32"};
  if (typed) drawer.AddString(P::kOutputIndicesDtype, choices.Pick(kTypes));
  const ValueRange range = drawer.range(x);
  if (!drawer.Finish(range)) return false;
  if (!indices) return true;
  const ValueId positions = drawer.Last() + 1;
  drawer.SetRange(positions, {0, static_cast<double>(shape[axis] - 1), true});
  return drawer.CastTo(DType::kFp16, positions) != kNoValue;
}

bool DrawArgsort(Drawer& drawer, ValueId x) {
  using P = params::Argsort;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  ChoiceStream& choices = drawer.choices();
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  if (shape[axis] > 256) return false;
  drawer.Begin(OpKind::kArgsort);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  drawer.AddBool(P::kAscending, choices.Coin());
  return drawer.Finish({0, static_cast<double>(shape[axis] - 1), true}) &&
         drawer.CastTo(DType::kFp16, drawer.Last()) != kNoValue;
}

// The scores are x; the boxes are a new input.
bool DrawSuppression(Drawer& drawer, ValueId x) {
  using P = params::NonMaximumSuppression;
  ChoiceStream& choices = drawer.choices();
  const int64_t elements = drawer.shape(x).Elements();
  int64_t classes = choices.Range(1, 3);
  while (elements % classes != 0) --classes;
  const int64_t count = elements / classes;
  if (count > 32) return false;
  drawer.Begin(OpKind::kReshape);
  drawer.graph().AddArgument(params::Reshape::kX, x);
  drawer.AddInts(params::Reshape::kShape, std::vector<int64_t>{1, count, classes});
  if (!drawer.Finish(drawer.range(x))) return false;
  const ValueId scores = drawer.Last();
  const ValueId boxes = drawer.NewInput(Shape{1, count, 4});
  const int64_t most = choices.Range(1, std::min<int64_t>(count + 1, 8));
  drawer.Begin(OpKind::kNonMaximumSuppression);
  drawer.graph().AddArgument(P::kBoxes, boxes);
  drawer.graph().AddArgument(P::kScores, scores);
  drawer.AddFloat(P::kIouThreshold, 0.5);
  drawer.AddFloat(P::kScoreThreshold, static_cast<double>(choices.Range(-8, 4)) / 4);
  drawer.AddInt(P::kMaxBoxes, most);
  drawer.AddBool(P::kPerClassSuppression, choices.Coin());
  const ValueRange a = drawer.range(boxes);
  const ValueRange b = drawer.range(scores);
  const double far = std::max(a.Magnitude(), b.Magnitude());
  if (!drawer.Finish({-far, far, a.integer && b.integer})) return false;
  const ValueId first = drawer.Last();
  drawer.SetRange(first + 2, {-1, static_cast<double>(count), true});
  drawer.SetRange(first + 3, {0, static_cast<double>(most), true});
  return drawer.CastTo(DType::kFp16, first + 2) != kNoValue &&
         drawer.CastTo(DType::kFp16, first + 3) != kNoValue;
}

}  // namespace

constinit const OpGenerator kGeneratorNonMaximumSuppression = {OpKind::kNonMaximumSuppression,
                                                               false, 0, DrawSuppression};
constinit const OpGenerator kGeneratorTopk = {OpKind::kTopk, false, 1, DrawTopk};
constinit const OpGenerator kGeneratorArgsort = {OpKind::kArgsort, false, 1, DrawArgsort};

}  // namespace anecheck
