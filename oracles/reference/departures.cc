#include "oracles/reference/departures.h"

#include <algorithm>
#include <vector>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/gather.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck::reference {

void DepartFromInput(const Contract& contract, Arena& arena, BoundedTensor& tensor) {
  if (!tensor.special || !IsFloat(tensor.type.dtype)) return;
  if (contract.Find(Effect::kNanAsInfinity) == nullptr) return;
  auto* const value = arena.Allocate<double>(tensor.size);
  for (size_t i = 0; i < tensor.size; ++i) {
    value[i] = tensor.value[i] != tensor.value[i] ? kInfinity : tensor.value[i];
  }
  tensor.value = tensor.low = tensor.high = value;
}

namespace {

// Removes the facts about the result's elements that a departure's value need not satisfy.
void ForgetSets(BoundedTensor& result) {
  result.whole = false;
  result.members = nullptr;
}

// Whether NaN is among the operands of an element of the result.
enum class NanBefore : uint8_t { kNone, kPerhaps, kCertain };

NanBefore NanOf(const BoundedTensor& x, size_t i) {
  if (x.low[i] != x.low[i]) return NanBefore::kCertain;
  return x.NanAt(i) ? NanBefore::kPerhaps : NanBefore::kNone;
}

// Whether the operation returns elements of its operands and computes none.
bool PassesElements(const OpDefinition& op) {
  if (op.schema.name.starts_with("scatter")) return false;
  return op.op_class == OpClass::kMovement || op.op_class == OpClass::kControl ||
         op.schema.name == "select";
}

// Returns for each element of the result whether its operands contain NaN. If the operation is not
// elementwise, every element of the operands counts for every element of the result.
std::vector<NanBefore> NansBefore(KernelContext& context, const BoundedTensor& result) {
  std::vector<NanBefore> before(result.size, NanBefore::kNone);
  const NodeView& node = context.node();
  const bool elementwise = AllReferenceKernels()[node.schema().id]->elementwise;
  const Shape& shape = result.type.shape;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    const BoundedTensor& x = context.Value(argument.value);
    if (!x.special || !IsFloat(x.type.dtype)) continue;
    if (elementwise) {
      ForEachSource(shape, BroadcastStrides(x.type.shape, shape), 0, [&](size_t at, size_t from) {
        before[at] = std::max(before[at], NanOf(x, from));
      });
      continue;
    }
    bool any = false;
    for (size_t i = 0; i < x.size; ++i) any |= NanOf(x, i) != NanBefore::kNone;
    if (any) std::ranges::fill(before, NanBefore::kPerhaps);
  }
  return before;
}

// Gives `result` arrays in which elements can admit NaN besides numbers.
void GiveEnds(KernelContext& context, BoundedTensor& result) {
  const bool point = result.point();
  if (!point && result.nan != nullptr) return;
  result.nan = context.arena().Allocate<uint8_t>(result.size);
  std::fill_n(result.nan, result.size, uint8_t{0});
  if (!point) return;
  result.low = context.arena().Allocate<double>(result.size);
  result.high = context.arena().Allocate<double>(result.size);
  std::copy_n(result.value, result.size, result.low);
  std::copy_n(result.value, result.size, result.high);
}

void AdmitNumber(double number, BoundedTensor& result, size_t i) {
  const bool only_nan = result.low[i] != result.low[i];
  result.low[i] = only_nan ? number : std::min(result.low[i], number);
  result.high[i] = only_nan ? number : std::max(result.high[i], number);
  if (result.beyond == nullptr) return;
  result.finite_low[i] = only_nan ? number : std::min(result.finite_low[i], number);
  result.finite_high[i] = only_nan ? number : std::max(result.finite_high[i], number);
}

// Replaces the NaN of an invalid operation by `by`. A NaN that comes from an operand stays NaN.
void ReplaceInvalid(KernelContext& context, BoundedTensor& result, double by) {
  if (PassesElements(DefinitionOf(context.node().schema()))) return;
  const std::vector<NanBefore> before = NansBefore(context, result);
  if (std::ranges::find(before, NanBefore::kPerhaps) != before.end()) GiveEnds(context, result);
  for (size_t i = 0; i < result.size; ++i) {
    if (NanOf(result, i) == NanBefore::kNone || before[i] == NanBefore::kCertain) continue;
    const bool remains = before[i] == NanBefore::kPerhaps;
    if (result.value[i] != result.value[i] && !remains) result.value[i] = by;
    AdmitNumber(by, result, i);
    if (result.nan != nullptr) result.nan[i] = remains ? 1 : 0;
  }
}

// Returns the tensor whose elements are compared with a documented argument. It is the operand, or
// for a reduction its result.
const BoundedTensor& PlacesOf(KernelContext& context, const BoundedTensor& result) {
  const bool reduces = context.node().op().starts_with("reduce_");
  return reduces ? result : context.Value(context.node().Input(0));
}

// Sets f(x) to `value` for each x for which hits(x) is true.
template <typename Hits>
void FixValue(KernelContext& context, BoundedTensor& result, double value, const Hits& hits) {
  const BoundedTensor& x = PlacesOf(context, result);
  if (x.size != result.size) return;
  result.whole = false;
  for (size_t i = 0; i < result.size; ++i) {
    if (hits(x.value[i])) {
      result.value[i] = value;
      if (result.members != nullptr) result.members[i] = {};
      if (!result.point()) result.low[i] = result.high[i] = value;
    }
  }
}

void SetSorted(MemberSets& sets, size_t i, std::vector<double>& numbers) {
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  sets.Set(i, numbers);
}

// If the operand may reach `from`, admits `value` besides the right f(x), but no number between.
void AdmitFrom(KernelContext& context, BoundedTensor& result, double value, double from) {
  constexpr size_t kMostNumbers = 16;
  ForgetSets(result);
  GiveEnds(context, result);
  const BoundedTensor& x = PlacesOf(context, result);
  if (x.size != result.size) return;
  const Grid grid(result.type.dtype);
  MemberSets sets(context);
  std::vector<double> numbers;
  for (size_t i = 0; i < result.size; ++i) {
    if (!(x.high[i] >= from)) continue;
    numbers.assign(1, value);
    const bool listed = AppendNumbers(grid, result.low[i], result.high[i], kMostNumbers, numbers);
    AdmitNumber(value, result, i);
    if (listed) SetSorted(sets, i, numbers);
  }
  sets.MergeInto(result);
}

// Widens each element i by error_of(i).
template <typename ErrorOf>
void Widen(KernelContext& context, BoundedTensor& result, const ErrorOf& error_of) {
  ForgetSets(result);
  auto* const low = context.arena().Allocate<double>(result.size);
  auto* const high = context.arena().Allocate<double>(result.size);
  auto* const nan = context.arena().Allocate<uint8_t>(result.size);
  for (size_t i = 0; i < result.size; ++i) {
    const double error = error_of(i);
    low[i] = result.low[i] - error;
    high[i] = result.high[i] + error;
    nan[i] = result.NanAt(i) ? 1 : 0;
  }
  result.low = low;
  result.high = high;
  result.nan = nan;
}

// Widens by `error` if the magnitude of the operand may reach `from`.
void WidenBy(KernelContext& context, BoundedTensor& result, double error, double from) {
  const BoundedTensor& x = context.Value(context.node().Input(0));
  Widen(context, result, [&](size_t i) {
    const bool far =
        x.size != result.size || !(std::fabs(x.low[i]) < from) || !(std::fabs(x.high[i]) < from);
    return far ? error : 0;
  });
}

// Whether `r` is a product of two matrices and `gate` is sigmoid_hard(r).
bool IsGateOfProduct(const Graph& graph, ValueId r, ValueId gate) {
  const auto made_by = [&](ValueId id, OpKind kind) {
    const Value& value = graph.value(id);
    return value.kind == ValueKind::kResult && KindOf(*graph.node(value.producer).schema) == kind;
  };
  return made_by(r, OpKind::kMatmul) && graph.type(r).shape.rank() == 2 &&
         made_by(gate, OpKind::kSigmoidHard) &&
         graph.arguments(graph.node(graph.value(gate).producer))[0].value == r;
}

// Widens each element of hard_swish(r) = r sigmoid_hard(r) by `share` times its magnitude.
void WidenSwish(KernelContext& context, BoundedTensor& result, double share) {
  using P = params::Binary;
  const NodeView& node = context.node();
  const ValueId x = node.Input(P::kX), y = node.Input(P::kY);
  if (!IsGateOfProduct(node.graph(), x, y) && !IsGateOfProduct(node.graph(), y, x)) return;
  Widen(context, result, [&](size_t i) {
    return share * std::max(std::fabs(result.low[i]), std::fabs(result.high[i]));
  });
}

// For a gather along the last axis, admits any element of the line that it reads.
void AdmitLine(KernelContext& context, BoundedTensor& result) {
  using P = params::Gather;
  const BoundedTensor& x = context.Input(P::kX);
  const Shape& indices = context.Input(P::kIndices).type.shape;
  const int axis = AxisOf(context.node(), P::kAxis, 0, x.type.shape.rank());
  if (axis != x.type.shape.rank() - 1) return;
  const auto batch = static_cast<int>(context.node().Int(P::kBatchDims, 0));
  const IndexedRows rows = RowsOfAxis(x.type.shape, indices, axis, batch);
  const BoundedTensor gathered = result;
  PrepareMove(context, result, false);
  result.members = nullptr;
  MemberSets sets(context);
  std::vector<double> line;
  for (size_t i = 0; i < result.size; ++i) {
    MoveElement(gathered, i, result, i);
    const auto first = static_cast<size_t>(rows.Base(static_cast<int64_t>(i)));
    line.assign(1, gathered.value[i]);
    for (size_t k = 0; k < static_cast<size_t>(rows.extent[0]); ++k) {
      AdmitElement(x, first + k, result, i);
      line.push_back(x.value[first + k]);
    }
    std::ranges::sort(line);
    const auto repeated = std::ranges::unique(line);
    line.erase(repeated.begin(), repeated.end());
    if (x.point() && !x.special) sets.Set(i, line);
  }
  FinishMove(x, result);
  sets.Give(result);
}

// Replaces a quotient by a constant by x times the constant's rounded reciprocal. floor_div takes
// the floor of this product, which an engine may round first.
void MultiplyByReciprocal(KernelContext& context, BoundedTensor& result, const Grid& grid) {
  using P = params::Binary;
  const ValueId divisor = context.node().Input(P::kY);
  if (context.node().graph().value(divisor).kind != ValueKind::kConst) return;
  const bool floors = context.node().op() == "floor_div";
  const BoundedTensor& x = context.Value(context.node().Input(P::kX));
  const BoundedTensor& y = context.Value(divisor);
  const Shape& shape = result.type.shape;
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachPair(shape, BroadcastStrides(x.type.shape, shape), BroadcastStrides(y.type.shape, shape),
              [&](size_t at, size_t i, size_t j) {
                const double factor = grid.Round(1 / y.value[j]);
                const auto end = [&](double a, bool rounds) {
                  const double product = rounds ? grid.Round(a * factor) : a * factor;
                  return floors ? std::floor(product) : product;
                };
                raw.value[at] = end(x.value[i], false);
                const double ends[] = {end(x.low[i], false), end(x.low[i], true),
                                       end(x.high[i], false), end(x.high[i], true)};
                raw.low[at] = *std::ranges::min_element(ends);
                raw.high[at] = *std::ranges::max_element(ends);
                raw.nan[at] = x.NanAt(i) || raw.low[at] != raw.low[at] ? 1 : 0;
              });
  StoreFloats(context, result, raw);
  result.whole = floors;
  result.members = nullptr;
}

bool IsMovedCopy(KernelContext& context, const BoundedTensor& result) {
  const ValueId x = context.node().Input(0);
  return x != kNoValue && context.Value(x).value == result.value;
}

}  // namespace

bool AppendNumbers(const Grid& grid, double low, double high, size_t most,
                   std::vector<double>& numbers) {
  const double last = grid.Round(high);
  double number = grid.Round(low);
  while (number <= last) {
    if (numbers.size() == most) return false;
    numbers.push_back(number);
    if (number == kInfinity) break;
    number = grid.Step(number, 1);
  }
  return true;
}

void AdmitAnyOf(KernelContext& context, const std::vector<BoundedTensor>& choices,
                BoundedTensor& result) {
  constexpr size_t kMostNumbers = 64;
  PrepareMove(context, result, false);
  result.members = nullptr;
  result.whole = false;
  const Grid grid(result.type.dtype);
  MemberSets sets(context);
  std::vector<double> numbers;
  for (size_t i = 0; i < result.size; ++i) {
    numbers.clear();
    bool listed = true;
    MoveElement(choices.front(), i, result, i);
    for (const BoundedTensor& choice : choices) {
      AdmitElement(choice, i, result, i);
      listed = listed && AppendNumbers(grid, choice.low[i], choice.high[i], kMostNumbers, numbers);
    }
    if (listed && !numbers.empty()) SetSorted(sets, i, numbers);
  }
  for (const BoundedTensor& choice : choices) FinishMove(choice, result);
  result.whole = false;
  sets.MergeInto(result);
}

void DepartFromResult(KernelContext& context, BoundedTensor& result) {
  // This departure applies to elements of any type.
  if (context.contract().Find(Effect::kAnyOfAxis, context.node().op()) != nullptr) {
    AdmitLine(context, result);
  }
  if (!IsFloat(result.type.dtype) || IsMovedCopy(context, result)) return;
  const Contract& contract = context.contract();
  if (result.special && contract.Find(Effect::kNanResultAsZero) != nullptr) {
    ReplaceInvalid(context, result, 0);
  }
  const Grid grid(result.type.dtype);
  if (context.node().Input(0) == kNoValue)
    return;  // no operand to compare with a documented argument
  for (size_t i = 0; i < contract.departure_count; ++i) {
    const Departure* const departure = contract.departures[i];
    if (departure->op.empty() || departure->op != context.node().op()) continue;
    if (!contract.LookFor(i)) continue;
    const double value = grid.Round(departure->b);
    // log takes x + epsilon, and the documented argument is a value of this sum.
    const int epsilon = context.node().schema().FindParameter("epsilon");
    const double shift = epsilon < 0 ? 0 : context.node().Float(epsilon, 0);
    const double rounded = departure->a - grid.Round(shift);
    const double at = departure->a - shift;
    if (departure->effect == Effect::kValueAt) {
      FixValue(context, result, value, [&](double x) { return x == at || x == rounded; });
    } else if (departure->effect == Effect::kValueFrom) {
      FixValue(context, result, value, [&](double x) { return x >= at; });
    } else if (departure->effect == Effect::kMayBeFrom) {
      AdmitFrom(context, result, value, at);
    } else if (departure->effect == Effect::kAbsoluteError) {
      WidenBy(context, result, departure->a, departure->b);
    } else if (departure->effect == Effect::kReciprocal) {
      MultiplyByReciprocal(context, result, grid);
    } else if (departure->effect == Effect::kSwishOfProduct) {
      WidenSwish(context, result, departure->a);
    }
  }
}

}  // namespace anecheck::reference
