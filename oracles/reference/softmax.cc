// Kernel of softmax. The bounds follow its steps: minus the maximum, exponential, wide sum,
// division.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/laws.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/recorded_tables.h"
#include "oracles/reference/store.h"
#include "oracles/reference/threads.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kSoftmaxTerms[] = {Term::kNormDifference, Term::kExponentialUlp,
                                  Term::kAccumulatorUnit, Term::kDivideUlp};

// Scratch memory for one group of elements that are normalised together.
struct Group {
  double* difference = nullptr;  // the values minus the largest
  double* value = nullptr;       // exponentials of the differences
  double* low = nullptr;         // bounds of the engine's exponentials
  double* high = nullptr;
  size_t count = 0;
};

bool TakesTables(const Contract& contract, DType dtype) {
  return LawsOf(contract).tables && dtype == DType::kFp16;
}

class SoftmaxGroup {
 public:
  // `along_width` says that the elements lie along the last axis.
  SoftmaxGroup(const KernelContext& context, Arena& arena, DType dtype, size_t count,
               bool along_width)
      : contract_(context.contract()),
        grid_(GridOf(context, dtype)),
        by_tables_(TakesTables(contract_, dtype)),
        by_reciprocal_table_(by_tables_ && !along_width) {
    group_.count = count;
    group_.difference = arena.Allocate<double>(count);
    group_.value = arena.Allocate<double>(count);
    group_.low = arena.Allocate<double>(count);
    group_.high = arena.Allocate<double>(count);
    invalid_is_zero_ = contract_.Find(Effect::kNanResultAsZero) != nullptr;
  }

  // Computes the exponentials of x - max. Returns false if max is not finite. Then all results are
  // NaN.
  bool Exponentials(const Lanes& x) {
    const size_t n = group_.count;
    const double top = Largest(x.value, n);
    if (!(std::fabs(top) < kInfinity) && !invalid_is_zero_) return false;
    const double top_low = x.point() ? top : Largest(x.low, n);
    const double top_high = x.point() ? top : Largest(x.high, n);
    for (size_t i = 0; i < n; ++i) {
      group_.difference[i] = Difference(x.value[i], top);
      group_.value[i] = std::exp(Difference(x.value[i], top));
      const Interval exact = {Difference(x.low[i], top_high),
                              std::min(0.0, Difference(x.high[i], top_low))};
      double from = exact.low;
      double to = exact.high;
      if (contract_.Allows(Term::kNormDifference)) {
        from = std::min({from, grid_.Round(from), grid_.Store(from)});
        to = std::max({to, grid_.Round(to), grid_.Store(to)});
      }
      const double e = group_.value[i];
      const double difference = Difference(x.value[i], top);
      group_.low[i] = ExponentialEnd(from == difference ? e : std::exp(from), -1);
      group_.high[i] = ExponentialEnd(to == difference ? e : std::exp(to), 1);
      if (by_tables_) AdmitTable(i, exact);
    }
    return true;
  }

  // Writes the quotients of this group to the places base + offset for each of `offsets`.
  void Divide(std::span<const int64_t> offsets, int64_t base, const Raw& raw) const {
    double total = 0;
    double total_low = 0;
    double total_high = 0;
    for (size_t i = 0; i < group_.count; ++i) {
      total += group_.value[i];
      total_low += group_.low[i];
      total_high += group_.high[i];
    }
    const double terms = static_cast<double>(group_.count);
    const double error = terms * contract_[Term::kAccumulatorUnit] * (1 + 0x1p-10) + kDoubleSlack;
    for (size_t i = 0; i < group_.count; ++i) {
      const auto at = static_cast<size_t>(base + offsets[i]);
      raw.value[at] = Quotient(i, total);
      if (raw.low == nullptr) continue;
      // e / (e + others) rises with e and falls with the others.
      const double least = group_.low[i] + std::max(0.0, total_high - group_.high[i]);
      const double most = group_.high[i] + std::max(0.0, total_low - group_.low[i]);
      raw.low[at] = group_.low[i] == 0 ? 0 : group_.low[i] / least * (1 - error);
      raw.high[at] = group_.high[i] / most * (1 + error);
      if (by_tables_) AdmitReciprocal(raw, at, i, least * (1 + error), most * (1 - error));
    }
  }

 private:
  // Admits the exponential by its table over the differences (numerics_laws.md, L10 and L14).
  void AdmitTable(size_t i, const Interval& difference) {
    for (const double end : {difference.low, difference.high}) {
      if (!HasRecord(Recorded::kExp, end)) continue;
      const double by_table = grid_.Store(RecordedValue(Recorded::kExp, end, grid_));
      group_.low[i] = std::min(group_.low[i], by_table);
      group_.high[i] = std::max(group_.high[i], by_table);
    }
  }
  // Admits the quotient as recorded programs compute it, the exponential times the reciprocal of
  // the sum. A separate task rounds this reciprocal (facts/h13_program/execution.md), or a table
  // computes it along axes other than the width (L14). The quotient by division stays admitted,
  // with its neighbours.
  void AdmitReciprocal(const Raw& raw, size_t at, size_t i, double least, double most) const {
    const auto ulp = static_cast<int>(contract_[Term::kDivideUlp]);
    raw.low[at] = Neighbour(grid_, raw.low[at], -ulp);
    raw.high[at] = Neighbour(grid_, raw.high[at], ulp);
    double low = std::min(1 / least, grid_.Store(1 / least));
    double high = std::max(1 / most, grid_.Store(1 / most));
    if (by_reciprocal_table_) {
      low = std::min(low, ByTable(least));
      high = std::max(high, ByTable(most));
    }
    raw.low[at] = std::min(raw.low[at], group_.low[i] * low);
    raw.high[at] = std::max(raw.high[at], group_.high[i] * high);
  }
  double ByTable(double sum) const {
    const double stored = grid_.Store(sum);
    if (!HasRecord(Recorded::kInverse, stored)) return 1 / sum;
    return grid_.Store(RecordedValue(Recorded::kInverse, stored, grid_));
  }
  // Returns e / total. Computes it in double, or with about a hundred bits if the double is too
  // close to a rounding boundary.
  double Quotient(size_t i, double total) const {
    const double quotient = group_.value[i] / total;
    const double error = (static_cast<double>(group_.count) + 6) * 0x1p-52 * quotient;
    if (IsSettled(grid_, quotient, error)) return quotient;
    Wide sum(0);
    for (size_t k = 0; k < group_.count; ++k) {
      if (group_.difference[k] > -700) sum = sum + Exp(Wide(group_.difference[k]));
    }
    return (Exp(Wide(group_.difference[i])) / sum).Odd();
  }
  double Difference(double a, double b) const {
    const double difference = a - b;
    return difference != difference && invalid_is_zero_ ? 0 : difference;
  }
  double ExponentialEnd(double exact, int sign) const {
    if (exact == 0) return 0;
    const auto ulp = static_cast<int>(contract_[Term::kExponentialUlp]);
    return std::max(0.0, grid_.RoundAndStep(exact, sign * ulp));
  }

  const Contract& contract_;
  Grid grid_;
  Group group_;
  bool by_tables_;
  bool by_reciprocal_table_;
  bool invalid_is_zero_ = false;
};

void FillGroup(const Raw& raw, std::span<const int64_t> offsets, int64_t base, double value,
               double low, double high, bool nan) {
  for (const int64_t offset : offsets) {
    const auto at = static_cast<size_t>(base + offset);
    raw.value[at] = value;
    if (raw.low == nullptr) continue;
    raw.low[at] = low;
    raw.high[at] = high;
    raw.nan[at] = nan ? 1 : 0;
  }
}

// Whether every engine's operands have a finite maximum.
bool HaveMaximum(const Lanes& lanes, size_t count) {
  bool numbers = true;
  bool above = false;  // some lane is never -inf
  for (size_t i = 0; i < count; ++i) {
    above |= lanes.low[i] > -kInfinity;
    numbers &= lanes.low[i] < kInfinity && lanes.high[i] < kInfinity;
    numbers &= lanes.nan == nullptr || lanes.nan[i] == 0;
  }
  return numbers && above;
}

// Normalizes one group: the elements at base + offset for each of `offsets`.
void Normalize(SoftmaxGroup& group, const BoundedTensor& x, const Lanes& elements,
               std::span<const int64_t> offsets, int64_t base, const Raw& raw) {
  if (!group.Exponentials(elements)) {
    FillGroup(raw, offsets, base, kNan, x.point() ? kNan : 0, x.point() ? kNan : 1, true);
    return;
  }
  group.Divide(offsets, base, raw);
  // Under the ideal contract results have no bounds, even if operands have bounds.
  if (raw.low == nullptr || x.point() || HaveMaximum(elements, offsets.size())) return;
  for (const int64_t offset : offsets) {
    const auto at = static_cast<size_t>(base + offset);
    raw.low[at] = 0;
    raw.high[at] = 1;
    raw.nan[at] = 1;
  }
}

Status Softmax(KernelContext& context) {
  using P = params::Softmax;
  const BoundedTensor& x = OpenNumbers(context, context.Input(P::kX));
  BoundedTensor& result = context.Result();
  const int64_t axis = context.node().Int(P::kAxis, -1);
  const int rank = x.type.shape.rank();
  const auto along = static_cast<int>(axis < 0 ? axis + rank : axis);
  const AxisSplit split = SplitAxes(context.arena(), x.type.shape, uint32_t{1} << along);
  const Raw raw = AllocateRaw(context, result.size, !context.contract().ideal);
  constexpr uint64_t kStepsAnElement = 64;  // three exponentials and a division
  ANECHECK_RETURN_IF_ERROR(OverBlocks(
      context.arena(), split.outer.size(), split.inner.size() * kStepsAnElement,
      [&](Arena& arena, size_t first, size_t last) {
        LaneBuffer lanes(arena, split.inner.size(), x.point());
        SoftmaxGroup group(context, arena, x.type.dtype, split.inner.size(), along == rank - 1);
        for (const int64_t base : split.outer.subspan(first, last - first)) {
          GatherOffsets(x, base, split.inner, lanes);
          Normalize(group, x, lanes.lanes(), split.inner, base, raw);
        }
      }));
  const bool stepped = TakesTables(context.contract(), x.type.dtype);
  StoreFloats(context, result, raw,
              stepped ? 0 : static_cast<int>(context.contract()[Term::kDivideUlp]));
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceSoftmax = {.evaluate = reference::Softmax,
                                                     .terms = reference::kSoftmaxTerms};

}  // namespace anecheck
