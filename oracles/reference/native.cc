// Native layers: range normalization, the scaled pair, correlation with a template, the stereo
// cost, the choice of far points, points within a radius, and copies. native_rank.cc contains
// ranking, and attention.cc contains attention.
#include "harness/ops/native.h"

#include <algorithm>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/exact_sum.h"
#include "oracles/reference/groups.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/rounded_steps.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kQuotientTerms[] = {Term::kDivideUlp};
constexpr Term kMacTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit, Term::kBiasRounding};

bool IsFinite(const Bounds& range) {
  return !range.nan && std::fabs(range.low) < kInfinity && std::fabs(range.high) < kInfinity;
}

Bounds Times(const Bounds& a, const Bounds& b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {WidenDown(low), WidenUp(high)};
}

// ---- range normalization ----

// Computes (x - min) / (max - min + epsilon) for one group.
class RangeNormalizer {
 public:
  RangeNormalizer(const Contract& contract, const Grid& grid, double epsilon)
      : contract_(contract), grid_(grid), epsilon_(epsilon) {}

  void SetGroup(const Lanes& lanes, size_t count) {
    const double least = Smallest(lanes.value, count);
    least_ = least;
    span_ = Largest(lanes.value, count) - least;
    under_ = span_ + epsilon_;
    low_ = {Smallest(lanes.low, count), Smallest(lanes.high, count)};
    const Bounds high = {Largest(lanes.low, count), Largest(lanes.high, count)};
    const Bounds span =
        Hold({std::max(0.0, AddDown(high.low, -low_.high)), AddUp(high.high, -low_.low)});
    divisor_ = Hold({AddDown(span.low, epsilon_), AddUp(span.high, epsilon_)});
    known_ = IsFinite(low_) && IsFinite(high) && divisor_.low > 0 && divisor_.high < kInfinity;
  }
  double Value(double x) const {
    const double above = x - least_;
    // An fp32 epsilon may lie below the last bit of the sum.
    const bool exact = !(std::fabs(under_) < kInfinity) || SumError(span_, epsilon_, under_) == 0;
    if (!exact && above == above) return (Wide(above) / (Wide(span_) + Wide(epsilon_))).Odd();
    return under_ != 0 && std::fabs(under_) < kInfinity && above == above ? DivideOdd(above, under_)
                                                                          : above / under_;
  }
  // Bounds a quotient and a product with the reciprocal. An engine may round each step (assumed,
  // since no source says how the layer divides).
  Bounds Bound(double low, double high) const {
    if (!known_) return {-kInfinity, kInfinity, true};
    const Bounds above = Hold({std::max(0.0, AddDown(low, -low_.high)), AddUp(high, -low_.low)});
    const Bounds quotient = Neighbours({above.low / divisor_.high, above.high / divisor_.low});
    const Bounds reciprocal = Hold(Neighbours({1 / divisor_.high, 1 / divisor_.low}));
    if (!(reciprocal.high < kInfinity)) return {-kInfinity, kInfinity, true};
    const Bounds product = Times(above, reciprocal);
    return {std::min(quotient.low, product.low), std::max(quotient.high, product.high)};
  }

 private:
  Bounds Hold(const Bounds& range) const { return Held(grid_, contract_, range); }
  Bounds Neighbours(const Bounds& range) const {
    const auto ulp = static_cast<int>(contract_[Term::kDivideUlp]);
    const double low = grid_.RoundAndStep(range.low, -ulp);
    const double high = grid_.RoundAndStep(range.high, ulp);
    return {std::min(WidenDown(range.low), std::max(0.0, low)),
            std::max(WidenUp(range.high), high)};
  }

  const Contract& contract_;
  const Grid& grid_;
  double epsilon_;
  double least_ = 0;
  double span_ = 0;
  double under_ = 0;
  Bounds low_, divisor_;
  bool known_ = false;
};

Status MinMaxNorm(KernelContext& context) {
  using P = params::NativeMinMaxNorm;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Grid grid(result.type.dtype);
  const double epsilon = Literal(context, P::kEpsilon, 0);
  const int axis = NativeAxis(context.node().String(P::kDimension, "Width"));
  const AxisSplit split = SplitAxes(context.arena(), x.type.shape, uint32_t{1} << axis);
  RangeNormalizer normalizer(context.contract(), grid, epsilon);
  LaneBuffer buffer(context.arena(), split.inner.size(), x.point());
  const Raw raw = AllocateRaw(context, result.size, true);
  for (const int64_t base : split.outer) {
    GatherOffsets(x, base, split.inner, buffer);
    const bool nan = buffer.AnyNan(split.inner.size());
    normalizer.SetGroup(buffer.lanes(), split.inner.size());
    for (const int64_t offset : split.inner) {
      const auto at = static_cast<size_t>(base + offset);
      raw.value[at] = normalizer.Value(x.value[at]);
      Bounds bounds = normalizer.Bound(x.low[at], x.high[at]);
      if (nan) bounds = {-kInfinity, kInfinity, true};
      raw.low[at] = bounds.low;
      raw.high[at] = bounds.high;
      raw.nan[at] = bounds.nan ? 1 : 0;
    }
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- scale * (x OP y) ----

double Paired(std::string_view type, double a, double b) {
  if (type == "Add") return a + b;
  if (type == "Sub") return a - b;
  if (type == "Mult") return a * b;
  if (a != a || b != b) return kNan;
  return type == "Max" ? std::max(a, b) : std::min(a, b);
}

// Returns the least and greatest result over two intervals. Both are results of interval ends.
Bounds PairedBounds(std::string_view type, const BoundedTensor& x, const BoundedTensor& y,
                    size_t i) {
  const double corners[] = {Paired(type, x.low[i], y.low[i]), Paired(type, x.low[i], y.high[i]),
                            Paired(type, x.high[i], y.low[i]), Paired(type, x.high[i], y.high[i])};
  return {*std::ranges::min_element(corners), *std::ranges::max_element(corners)};
}

// Whether the element admits exactly one number, or only NaN.
bool IsCertain(const BoundedTensor& x, size_t i) {
  return x.low[i] != x.low[i] || (x.low[i] == x.high[i] && !x.NanAt(i));
}

Status ScaledElementWise(KernelContext& context) {
  using P = params::NativeScaledElementWise;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& y = context.Input(P::kY);
  BoundedTensor& result = context.Result();
  const Grid grid(result.type.dtype);
  const std::string_view type = context.node().String(P::kType, "Add");
  const bool forgets = type == "Mult" && context.contract().Find(Effect::kForgetsScale,
                                                                 context.node().op()) != nullptr;
  const double scale = forgets ? 1 : Literal(context, P::kScale, 1);
  // The sum of two fp16 numbers has 41 bits, so its product with an fp16 scale is exact in double.
  const bool exact = scale == grid.Round(scale);
  const bool keeps_nan = KeepsNan(context.contract());
  const Raw raw = AllocateRaw(context, result.size, true);
  for (size_t i = 0; i < result.size; ++i) {
    const double of_values = Paired(type, x.value[i], y.value[i]);
    const double product = of_values * scale;
    raw.value[i] = ToOdd(product, std::fma(of_values, scale, -product));
    const Bounds pair = Held(grid, context.contract(), PairedBounds(type, x, y, i));
    const bool plain = IsFinite(pair) && std::fabs(x.low[i] + x.high[i]) < kInfinity &&
                       std::fabs(y.low[i] + y.high[i]) < kInfinity;
    const bool certain = IsCertain(x, i) && IsCertain(y, i) && (product == product || keeps_nan);
    const Bounds scaled = Scaled(pair.low, pair.high, scale);
    const bool known = plain || certain;
    raw.low[i] = !known ? -kInfinity : exact ? scaled.low : WidenDown(scaled.low);
    raw.high[i] = !known ? kInfinity : exact ? scaled.high : WidenUp(scaled.high);
    raw.nan[i] = known && !scaled.nan && !x.NanAt(i) && !y.NanAt(i) ? 0 : 1;
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- correlation ----

Status CrossCorrelation(KernelContext& context) {
  using P = params::NativeCrossCorrelation;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& window = context.Input(P::kTemplate);
  BoundedTensor& result = context.Result();
  const auto rows = static_cast<size_t>(context.node().Int(params::NativeTemplate::kHeight, 1));
  const auto columns = static_cast<size_t>(context.node().Int(params::NativeTemplate::kWidth, 1));
  const int64_t width = x.type.shape[3];
  const int64_t out_width = result.type.shape[3];
  Accumulator accumulator(context, x, &window);
  accumulator.RunOnArray(rows * columns == 1);
  LaneBuffer patch(context.arena(), rows * columns, x.point());
  const Raw raw = AllocateSums(context, accumulator, result.size);
  for (size_t at = 0; at < result.size; ++at) {
    const auto i = static_cast<int64_t>(at) / out_width;
    const auto j = static_cast<int64_t>(at) % out_width;
    for (size_t row = 0; row < rows; ++row) {
      GatherStrided(x, (i + static_cast<int64_t>(row)) * width + j, 1, columns, patch,
                    row * columns);
    }
    Put(raw, at, accumulator.DotOnGrid(patch.lanes(), LanesAt(window, 0), rows * columns));
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- stereo cost ----

Status CostVolume(KernelContext& context) {
  using P = params::CostVolume;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& y = context.Input(P::kY);
  BoundedTensor& result = context.Result();
  const auto width = static_cast<size_t>(x.type.shape[3]);
  const bool bounds = !x.point() || !y.point();
  const Raw raw = AllocateRaw(context, result.size, bounds);
  for (size_t at = 0; at < result.size; ++at) {
    const size_t i = at % width;
    const size_t j = i + at / width;
    raw.value[at] = std::fabs(x.value[i] - y.value[j]);
    if (!bounds) continue;
    const double low = AddDown(x.low[i], -y.high[j]);
    const double high = AddUp(x.high[i], -y.low[j]);
    const Bounds difference = Turning([](double d) { return std::fabs(d); }, low, high, 0);
    raw.low[at] = difference.low;
    raw.high[at] = difference.high;
    raw.nan[at] = x.NanAt(i) || y.NanAt(j) || low != low || high != high ? 1 : 0;
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- furthest points ----

constexpr Term kDistanceTerms[] = {Term::kDistanceRounding};

// Returns the squared distance between two points. The three coordinates of a point are `a_stride`
// or `b_stride` elements apart.
StepBounds SquaredDistance(const RoundedSteps& steps, const double* a, size_t a_stride,
                           const double* b, size_t b_stride) {
  StepBounds squares[3];
  for (size_t c = 0; c < 3; ++c) {
    const double p = a[c * a_stride];
    const double q = b[c * b_stride];
    squares[c] = steps.Square(steps.Subtract({p, p}, {q, q}));
  }
  return steps.Add(squares[0], squares[1], squares[2]);
}

// The number of alternative courses that are followed. If there are more, any point may be next.
constexpr size_t kMostCourses = 32;

// Selects points greedily. After point 0, takes the point with the largest distance to the chosen
// points. If an engine may choose any of several points, the selection splits into courses. The
// first course takes the exact choice.
class Furthest {
 public:
  explicit Furthest(KernelContext& context, const BoundedTensor& points)
      : points_(points),
        steps_(Grid(points.type.dtype), context.contract().Allows(Term::kDistanceRounding)),
        count_(static_cast<size_t>(points.type.shape[3])),
        ideal_(context.contract().ideal),
        known_(Readable()) {
    courses_.push_back({0, std::vector<double>(count_, kInfinity),
                        std::vector<StepBounds>(count_, {kInfinity, kInfinity})});
  }

  // Returns false if every point is admitted at this place.
  bool known() const { return known_; }
  // The admitted points at this place. The first is the exact choice.
  size_t courses() const { return courses_.size(); }
  size_t at(size_t course) const { return courses_[course].last; }

  void Advance() {
    std::vector<Course> next;
    for (Course& course : courses_) {
      Measure(course);
      const auto exact = std::ranges::max_element(course.distance);
      const auto best = static_cast<size_t>(exact - course.distance.begin());
      double least = 0;  // lower bound of the farthest point's distance
      for (const StepBounds& bounds : course.bounds) least = std::max(least, bounds.low);
      next.push_back({best, course.distance, course.bounds});
      for (size_t i = 0; i < count_; ++i) {
        const bool open = !ideal_ && i != best && course.bounds[i].high >= least;
        if (open && next.size() <= kMostCourses)
          next.push_back({i, course.distance, course.bounds});
      }
      if (next.size() > kMostCourses) known_ = false;
      if (!known_) break;
    }
    if (!known_) next.resize(1);
    courses_ = std::move(next);
  }

 private:
  struct Course {
    size_t last = 0;
    std::vector<double> distance;    // squared, from each point to the nearest chosen point
    std::vector<StepBounds> bounds;  // bounds of the engine's number for each squared distance
  };

  // Whether every coordinate is a single finite number.
  bool Readable() const {
    for (size_t i = 0; i < points_.size; ++i) {
      if (points_.low[i] != points_.high[i] || points_.NanAt(i)) return false;
      if (!(std::fabs(points_.value[i]) < kInfinity)) return false;
    }
    return true;
  }
  void Measure(Course& course) const {
    for (size_t i = 0; i < count_; ++i) {
      double square = 0;
      for (size_t c = 0; c < 3; ++c) {
        const double d = points_.value[c * count_ + i] - points_.value[c * count_ + course.last];
        square += d * d;
      }
      course.distance[i] = std::min(course.distance[i], square);
      const StepBounds bounds =
          SquaredDistance(steps_, points_.value + i, count_, points_.value + course.last, count_);
      course.bounds[i] = {std::min(course.bounds[i].low, bounds.low),
                          std::min(course.bounds[i].high, bounds.high)};
    }
  }

  const BoundedTensor& points_;
  RoundedSteps steps_;
  size_t count_;
  bool ideal_;
  bool known_;
  std::vector<Course> courses_;
};

Status FurthestPointSampling(KernelContext& context) {
  using P = params::NativeFurthestPointSampling;
  const BoundedTensor& points = context.Input(P::kPoints);
  BoundedTensor& result = context.Result();
  const auto count = static_cast<size_t>(points.type.shape[3]);
  const auto picked = static_cast<size_t>(result.type.shape[3]);
  PrepareMove(context, result, false);
  result.members = nullptr;
  Furthest furthest(context, points);
  for (size_t k = 0; k < picked; ++k) {
    if (k > 0) furthest.Advance();
    const bool open = k > 0 && !furthest.known();
    for (size_t c = 0; c < 3; ++c) {
      MoveElement(points, c * count + furthest.at(0), result, c * picked + k);
      for (size_t i = 0; i < (open ? count : furthest.courses()); ++i) {
        const size_t from = open ? i : furthest.at(i);
        AdmitElement(points, c * count + from, result, c * picked + k);
      }
    }
  }
  FinishMove(points, result);
  result.signed_zero = false;  // tied points may differ in the sign of a zero
  return {};
}

// ---- points within a radius ----

constexpr Term kFlagTerms[] = {Term::kPackedFlags, Term::kRootUlp, Term::kDistanceRounding};

struct Flag {
  bool value = false;
  Truth truth;
};

// Decides whether points lie within the radius of centroids. A distance equal to the radius counts
// as within, as in the public check of the layer. An engine may compare squares or distances.
class Balls {
 public:
  Balls(const BoundedTensor& points, const BoundedTensor& centroids, double radius,
        const Contract& contract)
      : points_(points),
        centroids_(centroids),
        radius_(radius),
        steps_(Grid(points.type.dtype), contract.Allows(Term::kDistanceRounding)),
        root_ulp_(static_cast<int>(contract[Term::kRootUlp])),
        ideal_(contract.ideal) {}

  Flag At(size_t point, size_t centroid) const {
    ExactSum excess;  // squared distance minus squared radius
    bool known = true;
    bool finite = true;
    for (size_t c = 0; c < 3; ++c) {
      const size_t i = c * (points_.size / 3) + point;
      const size_t j = c * (centroids_.size / 3) + centroid;
      known = known && points_.low[i] == points_.high[i] && !points_.NanAt(i) &&
              centroids_.low[j] == centroids_.high[j] && !centroids_.NanAt(j);
      const double d = points_.value[i] - centroids_.value[j];
      finite = finite && std::fabs(d) < kInfinity;
      if (finite) excess.AddProduct(d, d);
    }
    excess.AddProduct(-radius_, radius_);
    Flag flag;
    flag.value = finite && excess.Odd() <= 0;
    const bool open = !ideal_ && (!known || !finite || MayBe(!flag.value, point, centroid));
    flag.truth = {open || flag.value, open || !flag.value};
    return flag;
  }

 private:
  // Whether an engine may find the point within the radius, or outside if `within` is false.
  bool MayBe(bool within, size_t point, size_t centroid) const {
    const StepBounds square = SquaredDistance(steps_, points_.value + point, points_.size / 3,
                                              centroids_.value + centroid, centroids_.size / 3);
    const StepBounds radius{radius_, radius_};
    const StepBounds distance = steps_.Root(square, root_ulp_);
    const StepBounds limit = steps_.Square(radius);
    if (within) return square.low <= limit.high || distance.low <= radius_;
    return square.high > limit.low || distance.high > radius_;
  }

  const BoundedTensor& points_;
  const BoundedTensor& centroids_;
  double radius_;
  RoundedSteps steps_;
  int root_ulp_;
  bool ideal_;
};

// The flags of one point in a row of cells. A cell has one flag in its low byte. If flags are
// packed, a cell has two flags, and the cells after the last flag have none. A cell's number is its
// bits as fp16.
class FlagRow {
 public:
  explicit FlagRow(size_t cells) : flags_(cells) {}
  Flag& operator[](size_t cell) { return flags_[cell]; }

  double Value(size_t cell) const { return flags_[cell].value ? kUnit : 0; }
  // Returns the admitted numbers of a cell, ascending without repetition.
  const std::vector<double>& Numbers(size_t cell, bool packed) {
    numbers_.clear();
    Admit(ByteOf(cell), {.may_fail = true});
    if (packed) Admit(ByteOf(2 * cell), ByteOf(2 * cell + 1));
    std::ranges::sort(numbers_);
    const auto repeated = std::ranges::unique(numbers_);
    numbers_.erase(repeated.begin(), repeated.end());
    return numbers_;
  }

 private:
  static constexpr double kUnit = 0x1p-24;

  Truth ByteOf(size_t place) const {
    return place < flags_.size() ? flags_[place].truth : Truth{.may_fail = true};
  }
  void Admit(const Truth& low, const Truth& high) {
    for (const int byte : {0, 1}) {
      if (byte == 0 ? !high.may_fail : !high.may_hold) continue;
      if (low.may_fail) numbers_.push_back(byte * 256 * kUnit);
      if (low.may_hold) numbers_.push_back((byte * 256 + 1) * kUnit);
    }
  }

  std::vector<Flag> flags_;
  std::vector<double> numbers_;
};

Status RadiusSearch(KernelContext& context) {
  using P = params::NativeRadiusSearch;
  const BoundedTensor& centroids = context.Input(P::kCentroids);
  const Contract& contract = context.contract();
  BoundedTensor& result = context.Result();
  const auto cells = static_cast<size_t>(result.type.shape[3]);
  const Grid grid(result.type.dtype);
  const Balls balls(context.Input(P::kPoints), centroids,
                    grid.Round(context.node().Float(P::kRadius, 1)), contract);
  PrepareMove(context, result, false);
  result.whole = false;
  result.members = nullptr;
  MemberSets sets(context);
  FlagRow row(cells);
  for (size_t point = 0; point < result.size / cells; ++point) {
    for (size_t cell = 0; cell < cells; ++cell) row[cell] = balls.At(point, cell);
    for (size_t cell = 0; cell < cells; ++cell) {
      const size_t at = point * cells + cell;
      const std::vector<double>& numbers = row.Numbers(cell, contract.Allows(Term::kPackedFlags));
      result.value[at] = row.Value(cell);
      result.low[at] = numbers.front();
      result.high[at] = numbers.back();
      result.nan[at] = 0;
      if (numbers.size() > 1) sets.Set(at, numbers);
    }
  }
  sets.Give(result);
  return {};
}

// ---- copies ----

Status DynamicSlice(KernelContext& context) {
  using P = params::NativeDynamicSlice;
  const BoundedTensor& x = context.Input(P::kX);
  MoveByStrides(context, x, context.Result(), RowMajorStrides(x.type.shape),
                context.node().Int(P::kStart, 0));
  return {};
}

// Copies its input, because 0 is the only possible rate.
Status Dropout(KernelContext& context) {
  Alias(context.Input(params::NativeDropout::kX), context.Result());
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceNativeMinMaxNorm = {.evaluate = reference::MinMaxNorm,
                                                              .terms = reference::kQuotientTerms};
constinit const ReferenceKernel kReferenceNativeScaledElementWise = {
    .evaluate = reference::ScaledElementWise};
constinit const ReferenceKernel kReferenceNativeCrossCorrelation = {
    .evaluate = reference::CrossCorrelation, .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceCostVolume = {.evaluate = reference::CostVolume};
constinit const ReferenceKernel kReferenceNativeFurthestPointSampling = {
    .evaluate = reference::FurthestPointSampling, .terms = reference::kDistanceTerms};
constinit const ReferenceKernel kReferenceNativeRadiusSearch = {.evaluate = reference::RadiusSearch,
                                                                .terms = reference::kFlagTerms};
constinit const ReferenceKernel kReferenceNativeDynamicSlice = {.evaluate =
                                                                    reference::DynamicSlice};
constinit const ReferenceKernel kReferenceNativeDropout = {.evaluate = reference::Dropout};

}  // namespace anecheck
