// Draws elementwise arithmetic.
#include <algorithm>
#include <utility>
#include <vector>

#include "generators/drawer.h"
#include "generators/ops/domain.h"

namespace anecheck {
namespace {

// Whether the operands are bytes whose sum or product may exceed the range of the type. No source
// gives such a result.
bool LeavesBytes(const Drawer& drawer, ValueId x, const ValueRange& range) {
  const DType dtype = drawer.type(x).dtype;
  if (dtype == DType::kInt8) return range.low < -128 || range.high > 127;
  return dtype == DType::kUint8 && (range.low < 0 || range.high > 255);
}

// Appends the operation with x as the first or, less often, the second operand.
bool Emit(Drawer& drawer, OpKind kind, ValueId x, ValueId y, const ValueRange& range) {
  if (LeavesBytes(drawer, x, range)) return false;
  return drawer.choices().Chance(1, 4) ? drawer.Emit(kind, {y, x}, range)
                                       : drawer.Emit(kind, {x, y}, range);
}

bool DrawAdd(Drawer& drawer, ValueId x) {
  const ValueId y = drawer.Partner(x);
  const ValueRange& a = drawer.range(x);
  const ValueRange& b = drawer.range(y);
  const ValueRange sum = {a.low + b.low, a.high + b.high, a.integer && b.integer};
  // If the sum may exceed the ceiling, draws the minimum of both operands instead.
  if (sum.Magnitude() > drawer.Ceiling()) {
    return Emit(drawer, OpKind::kMinimum, x, y, LesserOf(a, b));
  }
  return Emit(drawer, OpKind::kAdd, x, y, sum);
}

bool DrawSub(Drawer& drawer, ValueId x) {
  ValueId y = drawer.Partner(x);
  if (drawer.choices().Chance(1, 4)) std::swap(x, y);
  const ValueRange& a = drawer.range(x);
  const ValueRange& b = drawer.range(y);
  const ValueRange difference = {a.low - b.high, a.high - b.low, a.integer && b.integer};
  if (difference.Magnitude() > drawer.Ceiling()) {
    return Emit(drawer, OpKind::kMaximum, x, y, GreaterOf(a, b));
  }
  if (LeavesBytes(drawer, x, difference)) return false;
  return drawer.Emit(OpKind::kSub, {x, y}, difference);
}

bool IsZeroConstant(const Graph& graph, ValueId id) {
  if (graph.value(id).kind != ValueKind::kConst) return false;
  const auto bytes = graph.ConstData(id);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if ((bytes[i] & (i % 2 == 0 ? 0xff : 0x7f)) != 0) return false;
  }
  return true;
}

bool IsReduction(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return value.kind == ValueKind::kResult &&
         graph.node(value.producer).schema->name.starts_with("reduce_");
}

bool DrawMul(Drawer& drawer, ValueId x) {
  const double room = drawer.Ceiling() / std::max(1.0, drawer.range(x).Magnitude());
  ValueId y = kNoValue;
  if (drawer.integer_mode() || drawer.range(x).Magnitude() > 64) {
    if (room < 1) return false;
    y = drawer.NewConst(drawer.PartnerShape(x), std::min(room, 4.0));
  } else {
    y = drawer.Partner(x);
  }
  // The product of a reduction and a zero constant is refused (facts/known_defects.csv, D28).
  if (IsReduction(drawer.graph(), x) && IsZeroConstant(drawer.graph(), y)) return false;
  const double bound = drawer.range(x).Magnitude() * drawer.range(y).Magnitude();
  if (bound > drawer.Ceiling() && drawer.integer_mode()) return false;
  return Emit(drawer, OpKind::kMul, x, y, {-bound, bound, drawer.integer_mode()});
}

// True for about one constant in eight, chosen by its first element.
bool IsToBeLarge(Drawer& drawer, ValueId y) {
  const Graph& graph = drawer.graph();
  return graph.value(y).kind == ValueKind::kConst && !graph.ConstData(y).empty() &&
         (graph.ConstData(y)[1] & 0x83) == 0x80;
}

// Raises the constant's elements to magnitudes of 2^14 and more, whose reciprocals are subnormal.
void MakeLarge(Drawer& drawer, ValueId y) {
  std::vector<uint8_t> bytes(drawer.graph().ConstData(y).begin(),
                             drawer.graph().ConstData(y).end());
  for (size_t i = 1; i < bytes.size(); i += 2) {
    // fp16's biased exponent; 30 is the largest exponent of finite numbers
    constexpr int kExponentOf2To14 = 29;
    const int exponent = kExponentOf2To14 + (bytes[i] >> 2 & 1);
    bytes[i] = static_cast<uint8_t>((bytes[i] & 0x83) | exponent << 2);
  }
  drawer.graph().SetConstData(y, bytes);
  drawer.SetRange(y, {-65504, 65504, false});
}

// The divisor is never near zero, because the quotient's bound is too wide there. It is rarely
// large, and only if the dividend may be so large that not all quotients are subnormal.
bool DrawRealDiv(Drawer& drawer, ValueId x) {
  const ValueId y = ModerateOperand(drawer, drawer.PartnerShape(x));
  const double largest = drawer.range(x).Magnitude();
  const bool large = drawer.mode() == CaseMode::kFloat && largest >= 16 && IsToBeLarge(drawer, y);
  if (large) MakeLarge(drawer, y);
  const double bound = large ? largest / 0x1p14 : largest * 4;
  return drawer.Emit(OpKind::kRealDiv, {x, y}, {-bound, bound, false});
}

bool DrawMaximum(Drawer& drawer, ValueId x) {
  const ValueId y = drawer.Partner(x);
  return Emit(drawer, OpKind::kMaximum, x, y, GreaterOf(drawer.range(x), drawer.range(y)));
}

bool DrawMinimum(Drawer& drawer, ValueId x) {
  const ValueId y = drawer.Partner(x);
  return Emit(drawer, OpKind::kMinimum, x, y, LesserOf(drawer.range(x), drawer.range(y)));
}

}  // namespace

constinit const OpGenerator kGeneratorAdd = {OpKind::kAdd, true, 6, DrawAdd};
constinit const OpGenerator kGeneratorSub = {OpKind::kSub, true, 5, DrawSub};
constinit const OpGenerator kGeneratorMul = {OpKind::kMul, true, 6, DrawMul};
constinit const OpGenerator kGeneratorRealDiv = {OpKind::kRealDiv, false, 3, DrawRealDiv};
constinit const OpGenerator kGeneratorMaximum = {OpKind::kMaximum, true, 3, DrawMaximum};
constinit const OpGenerator kGeneratorMinimum = {OpKind::kMinimum, true, 3, DrawMinimum};

}  // namespace anecheck
