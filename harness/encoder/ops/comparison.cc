// Comparisons, choices, signs, roundings, casts and the inverse of bools. Between tasks, bools are
// 0 and 1 in fp16. Each comparison applies its own table to the difference. Source of the sequences
// and tables: the records of less, logical_not, select, floor and cast in the public repository
// joshuaswarren/mil-hwx-compiler, research/oracles/h13/boolean, and those of ceil and sign in the
// public repository eiln/ane, anec/kernels.tar.gz, blob ddcde13e.
#include <algorithm>
#include <array>

#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

using P = params::Binary;

// Whether the relation holds for x < 0, x = 0 and x > 0, where x is the difference of the operands.
struct Relation {
  OpKind kind;
  std::array<bool, 3> truth;
};
constexpr Relation kRelations[] = {
    {OpKind::kLess, {true, false, false}},    {OpKind::kLessEqual, {true, true, false}},
    {OpKind::kEqual, {false, true, false}},   {OpKind::kNotEqual, {true, false, true}},
    {OpKind::kGreater, {false, false, true}}, {OpKind::kGreaterEqual, {false, true, true}},
};

Post TableOf(std::array<bool, 3> truth) {
  const auto bits = [&](size_t i) { return truth[i] ? kOne : uint16_t{0}; };
  return {.nonlinear = Nonlinear::kTable, .table = StepTable(bits(0), bits(1), bits(2))};
}
Post TableOf(Bytes table) { return {.nonlinear = Nonlinear::kTable, .table = std::move(table)}; }
constexpr std::array kIsZero = {false, true, false}, kIsNotZero = {true, false, true};

// Refuses later generations, because none of their records has such a table.
Status OnlyH13(const Planner& planner) {
  if (planner.machine().generation == emulator::Generation::kH13) return {};
  return Refuse("its tables are known only from records of h13");
}

// Refuses exact arithmetic, because comparisons and choices rely on the zeros that H13 stores for
// inf - inf and 0 * inf (numerics.md).
Status OnlyWithZeros(const Planner& planner) {
  ANECHECK_RETURN_IF_ERROR(OnlyH13(planner));
  if (!planner.exact()) return {};
  return Refuse("its tasks need the zero that h13 stores for inf - inf and 0 * inf");
}

// Computes from the difference of the operands whether the relation between them holds.
Status Compare(Planner& planner, const NodeView& node, const View& result,
               std::array<bool, 3> truth) {
  ANECHECK_ASSIGN(const View difference, planner.Temporary(ExtentsOf(result)));
  ANECHECK_RETURN_IF_ERROR(CombineInputs(planner, node, difference, OpKind::kSub));
  return planner.Copy(difference, result, TableOf(truth));
}

// Rounds x towards zero. Then subtracts 1 if `down` is set and the fraction of x is below 0, or
// adds 1 if `down` is not set and the fraction is above 0.
Status Round(Planner& planner, const View& x, const View& result, bool down) {
  std::array<View, 3> parts;  // the fraction, whether it changes the result, the integer part
  for (View& part : parts) {
    ANECHECK_ASSIGN(part, planner.Temporary(ExtentsOf(x)));
  }
  ANECHECK_RETURN_IF_ERROR(planner.Copy(x, parts[0], TableOf(FractionTable())));
  ANECHECK_RETURN_IF_ERROR(
      planner.Copy(parts[0], parts[1], TableOf(std::array{down, false, !down})));
  ANECHECK_RETURN_IF_ERROR(planner.Copy(x, parts[2], TableOf(WholeTable())));
  return Combine(planner, parts[2], parts[1], result, {.negate2 = down});
}

// Returns the extents of an operation on two views. Either view may repeat along an axis.
std::array<uint32_t, kAxes> ExtentsOfBoth(const View& a, const View& b) {
  std::array<uint32_t, kAxes> extents;
  for (size_t i = 0; i < kAxes; ++i) {
    extents[i] = std::max(a.axes[i].extent, b.axes[i].extent);
  }
  return extents;
}

// Returns `value` where `table` is true for the condition, and 0 elsewhere.
Result<View> Chosen(Planner& planner, const View& cond, std::array<bool, 3> table,
                    const View& value) {
  ANECHECK_ASSIGN(const View factor, planner.Temporary(ExtentsOf(cond)));
  ANECHECK_RETURN_IF_ERROR(planner.Copy(cond, factor, TableOf(table)));
  ANECHECK_ASSIGN(const View product, planner.Temporary(ExtentsOfBoth(factor, value)));
  ANECHECK_RETURN_IF_ERROR(Combine(planner, factor, value, product, {.op = PlanarOp::kMultiply}));
  planner.ResetL2();
  return product;
}

}  // namespace

Status EncodeCompare(Planner& planner, const NodeView& node) {
  ANECHECK_RETURN_IF_ERROR(OnlyWithZeros(planner));
  const auto relation = std::ranges::find(kRelations, KindOf(node.schema()), &Relation::kind);
  ANECHECK_ASSIGN(const View result, planner.ResultOf(node.Result()));
  return Compare(planner, node, result, relation->truth);
}

Status EncodeLogicalNot(Planner& planner, const NodeView& node) {
  ANECHECK_RETURN_IF_ERROR(OnlyH13(planner));
  ANECHECK_ASSIGN(const View x, planner.StoredViewOf(node.Input(params::Unary::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return planner.Copy(x, y, TableOf(kIsZero));
}

// Computes the sum of two terms. The first is a, or 0 where the condition is false. The second is
// b, or 0 where the condition is true.
Status EncodeSelect(Planner& planner, const NodeView& node) {
  using S = params::Select;
  ANECHECK_RETURN_IF_ERROR(OnlyWithZeros(planner));
  ANECHECK_ASSIGN(const View cond, planner.StoredViewOf(node.Input(S::kCond)));
  ANECHECK_ASSIGN(const View a, planner.ViewOf(node.Input(S::kA)));
  ANECHECK_ASSIGN(const View b, planner.ViewOf(node.Input(S::kB)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const View first, Chosen(planner, cond, kIsNotZero, a));
  ANECHECK_ASSIGN(const View second, Chosen(planner, cond, kIsZero, b));
  return Combine(planner, first, second, y, {});
}

Status EncodeSign(Planner& planner, const NodeView& node) {
  ANECHECK_RETURN_IF_ERROR(OnlyH13(planner));
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(params::Unary::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return planner.Copy(x, y, TableOf(SignTable()));
}

Status EncodeRound(Planner& planner, const NodeView& node) {
  ANECHECK_RETURN_IF_ERROR(OnlyH13(planner));
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(params::Unary::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return Round(planner, x, y, KindOf(node.schema()) == OpKind::kFloor);
}

// Bools are already 0 and 1 in fp16. A number becomes true if it differs from 0.
Status EncodeCast(Planner& planner, const NodeView& node) {
  const ValueId from = node.Input(params::Cast::kX);
  const bool to_bool = planner.graph().type(node.Result()).dtype == DType::kBool;
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const View x, planner.StoredViewOf(from));
  if (to_bool) {
    ANECHECK_RETURN_IF_ERROR(OnlyH13(planner));
    return planner.Copy(x, y, TableOf(kIsNotZero));
  }
  return x.element == y.element ? planner.Copy(x, y) : Unary(planner, x, y, {});
}

}  // namespace anecheck::encoder
