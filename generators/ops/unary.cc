// Draws functions of one variable, and elementwise operations other than basic arithmetic.
#include <algorithm>
#include <array>
#include <cmath>

#include "generators/drawer.h"
#include "generators/ops/domain.h"
#include "generators/tensor_data.h"

namespace anecheck {
namespace {

bool DrawAbs(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  return drawer.Emit(OpKind::kAbs, {x}, {0, range.Magnitude(), range.integer});
}

bool DrawSquare(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  const double square = range.Magnitude() * range.Magnitude();
  if (square > drawer.Ceiling()) return false;
  return drawer.Emit(OpKind::kSquare, {x}, {0, square, range.integer});
}

// Whether operands may have any sign. Special cases also test -0 and numbers outside of a domain.
bool AnySign(Drawer& drawer) {
  return drawer.mode() == CaseMode::kSpecial && drawer.choices().Coin();
}

bool DrawSqrt(Drawer& drawer, ValueId x) {
  const ValueId from = AnySign(drawer) ? x : NotNegative(drawer, x);
  return drawer.Emit(OpKind::kSqrt, {from}, {0, std::sqrt(drawer.range(from).Magnitude())});
}

constexpr ValueRange kEverything = {-65504, 65504};

// Draws the operation with an epsilon, which must be the default or exact in fp16.
bool EmitWithEpsilon(Drawer& drawer, OpKind kind, ValueId x, double epsilon,
                     const ValueRange& range) {
  using P = params::WithEpsilon;
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddFloat(P::kEpsilon, epsilon);
  return drawer.Finish(range);
}

bool DrawRsqrt(Drawer& drawer, ValueId x) {
  constexpr std::array<double, 5> kEpsilons = {0x1p-4, 0x1p-10, 1, 0, 1e-12};
  if (AnySign(drawer)) return EmitWithEpsilon(drawer, OpKind::kRsqrt, x, 0, kEverything);
  return EmitWithEpsilon(drawer, OpKind::kRsqrt, NotNegative(drawer, x),
                         drawer.choices().Pick(kEpsilons), {0, 64});
}

bool DrawInverse(Drawer& drawer, ValueId x) {
  constexpr std::array<double, 4> kEpsilons = {0x1p-4, 1, 4, 1e-4};
  if (AnySign(drawer)) return EmitWithEpsilon(drawer, OpKind::kInverse, x, 0, kEverything);
  const ValueId from = NotNegative(drawer, x);
  const double epsilon = drawer.choices().Pick(kEpsilons);
  return EmitWithEpsilon(drawer, OpKind::kInverse, from, epsilon, {0, 1.001 / epsilon});
}

bool DrawLog(Drawer& drawer, ValueId x) {
  constexpr std::array<double, 5> kEpsilons = {0x1p-4, 0x1p-10, 1, 0, 1e-45};
  if (AnySign(drawer)) return EmitWithEpsilon(drawer, OpKind::kLog, x, 0, kEverything);
  return EmitWithEpsilon(drawer, OpKind::kLog, NotNegative(drawer, x),
                         drawer.choices().Pick(kEpsilons), {-18, 12});
}

bool DrawExp(Drawer& drawer, ValueId x) {
  return drawer.Emit(OpKind::kExp, {Within(drawer, x, -16, 10)}, {0, 22027});
}
bool DrawExp2(Drawer& drawer, ValueId x) {
  return drawer.Emit(OpKind::kExp2, {Within(drawer, x, -24, 14)}, {0, 16384});
}

// Draws an increasing function whose results lie in [kLow, kHigh].
template <OpKind kKind, int kLow, int kHigh>
bool DrawInto(Drawer& drawer, ValueId x) {
  return drawer.Emit(kKind, {x}, {kLow, kHigh});
}

bool DrawRelu6(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  if (range.high <= 0) return false;
  return drawer.Emit(OpKind::kRelu6, {x}, {0, std::min(6.0, range.high), range.integer});
}

// Draws a function that is close to x for positive x and close to 0 for negative x.
template <OpKind kKind>
bool DrawRamp(Drawer& drawer, ValueId x) {
  return drawer.Emit(kKind, {x}, {-0.3, std::max(0.0, drawer.range(x).high) + 0.7});
}

// If x has one sign and is almost never 0, nearly all results are equal, so sign is rarely drawn.
bool DrawSign(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  const bool both = range.low < 0 && range.high > 0;
  if (!both && !range.integer && !drawer.DrawsRestful()) return false;
  return drawer.Emit(OpKind::kSign, {x},
                     {range.low < 0 ? -1.0 : 0.0, range.high > 0 ? 1.0 : 0.0, true});
}

template <OpKind kKind>
bool DrawRounding(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  // If x lies between two whole numbers, nearly all results are equal.
  if (!range.integer && range.high - range.low <= 1 && !drawer.DrawsRestful()) return false;
  return drawer.Emit(kKind, {x}, {std::floor(range.low), std::ceil(range.high), true});
}

template <OpKind kKind>
bool DrawWave(Drawer& drawer, ValueId x) {
  return drawer.Emit(kKind, {x}, {-1, 1});
}

template <OpKind kKind>
bool DrawArc(Drawer& drawer, ValueId x) {
  return drawer.Emit(kKind, {Within(drawer, x, -1, 1)}, {-9, 9});
}

bool DrawTan(Drawer& drawer, ValueId x) {
  return drawer.Emit(OpKind::kTan, {Within(drawer, x, -1.5, 1.5)}, {-16, 16});
}
bool DrawAtan(Drawer& drawer, ValueId x) { return drawer.Emit(OpKind::kAtan, {x}, {-1.6, 1.6}); }
bool DrawAsinh(Drawer& drawer, ValueId x) { return drawer.Emit(OpKind::kAsinh, {x}, {-13, 13}); }
bool DrawAcosh(Drawer& drawer, ValueId x) {
  return drawer.Emit(OpKind::kAcosh, {Within(drawer, x, 1, 16384)}, {0, 13});
}

template <OpKind kKind>
bool DrawHyperbolic(Drawer& drawer, ValueId x) {
  return drawer.Emit(kKind, {Within(drawer, x, -10, 10)}, {-11014, 11014});
}

// ---- two operands ----

bool DrawFloorDiv(Drawer& drawer, ValueId x) {
  const double bound = drawer.range(x).Magnitude() * 4 + 1;
  const ValueId y = ModerateOperand(drawer, drawer.PartnerShape(x));
  return drawer.Emit(OpKind::kFloorDiv, {x, y}, {-bound, bound});
}

bool DrawMod(Drawer& drawer, ValueId x) {
  const ValueId y = ModerateConst(drawer, drawer.PartnerShape(x), false);
  return drawer.Emit(OpKind::kMod, {x, y}, {-8, 8});
}

// The base is limited, so that its powers with moderate exponents stay in the range of fp16.
bool DrawPow(Drawer& drawer, ValueId x) {
  const ValueId base = Within(drawer, NotNegative(drawer, x), 0.25, 3);
  const ValueId exponent = ModerateOperand(drawer, drawer.PartnerShape(x));
  return drawer.Emit(OpKind::kPow, {base, exponent}, {0, 8192});
}

bool DrawCumsum(Drawer& drawer, ValueId x) {
  using P = params::Cumsum;
  const Shape shape = drawer.shape(x);
  ChoiceStream& choices = drawer.choices();
  if (shape.rank() < 1) return false;
  const int64_t axis = choices.Range(-shape.rank(), shape.rank() - 1);
  const auto count = static_cast<double>(shape[*NormalizeAxis(axis, shape.rank())]);
  const double bound = drawer.range(x).Magnitude() * count;
  const bool exclusive = count > 1 && choices.Chance(1, 4);
  if (bound > drawer.Ceiling()) return false;
  drawer.Begin(OpKind::kCumsum);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kAxis, axis);
  drawer.AddBool(P::kExclusive, exclusive);
  drawer.AddBool(P::kReverse, choices.Chance(1, 4));
  return drawer.Finish({-bound, bound, drawer.range(x).integer});
}

// Returns vectors whose three components are all x. Returns x if it has three.
ValueId Vectors(Drawer& drawer, ValueId x) {
  const Shape& shape = drawer.shape(x);
  if (shape.rank() == 4 && shape[0] == 1 && shape[1] == 3 && shape[2] == 1) return x;
  // A later operation may place all three components along one axis.
  if (3 * shape.Elements() > drawer.options().longest_axis) return kNoValue;
  const ValueRange range = drawer.range(x);
  const std::array<int64_t, 4> row = {1, 1, 1, shape.Elements()};
  drawer.Begin(OpKind::kReshape);
  drawer.graph().AddArgument(params::Reshape::kX, x);
  drawer.AddInts(params::Reshape::kShape, row);
  if (!drawer.Finish(range)) return kNoValue;
  const ValueId component = drawer.Last();
  drawer.Begin(OpKind::kConcat);
  for (int i = 0; i < 3; ++i) drawer.graph().AddArgument(params::Concat::kValues, component);
  drawer.AddInt(params::Concat::kAxis, 1);
  return drawer.Finish(range) ? drawer.Last() : kNoValue;
}

bool DrawCrossProduct(Drawer& drawer, ValueId x) {
  // The other operand is a constant, or an input if the products then stay in range.
  constexpr double kConstantLimit = 4;
  const double given = InputMagnitude(drawer.mode());
  const double magnitude = drawer.range(x).Magnitude();
  const bool is_given = drawer.choices().Coin() && 2 * magnitude * given <= drawer.Ceiling();
  const double bound = 2 * magnitude * (is_given ? given : kConstantLimit);
  if (bound > drawer.Ceiling()) return false;
  const bool integer = drawer.range(x).integer;
  const ValueId vectors = Vectors(drawer, x);
  if (vectors == kNoValue) return false;
  const Shape shape = drawer.shape(vectors);
  const ValueId y = is_given ? drawer.NewInput(shape) : drawer.NewConst(shape, kConstantLimit);
  return drawer.Emit(OpKind::kCrossProduct, {vectors, y}, {-bound, bound, integer});
}

}  // namespace

constinit const OpGenerator kGeneratorAbs = {OpKind::kAbs, true, 2, DrawAbs};
constinit const OpGenerator kGeneratorSquare = {OpKind::kSquare, true, 2, DrawSquare};
constinit const OpGenerator kGeneratorSqrt = {OpKind::kSqrt, false, 2, DrawSqrt};
constinit const OpGenerator kGeneratorRsqrt = {OpKind::kRsqrt, false, 2, DrawRsqrt};
constinit const OpGenerator kGeneratorInverse = {OpKind::kInverse, false, 2, DrawInverse};
constinit const OpGenerator kGeneratorFloorDiv = {OpKind::kFloorDiv, false, 2, DrawFloorDiv};
constinit const OpGenerator kGeneratorMod = {OpKind::kMod, false, 2, DrawMod};
constinit const OpGenerator kGeneratorPow = {OpKind::kPow, false, 2, DrawPow};
constinit const OpGenerator kGeneratorCumsum = {OpKind::kCumsum, true, 2, DrawCumsum};
constinit const OpGenerator kGeneratorRelu6 = {OpKind::kRelu6, true, 2, DrawRelu6};
constinit const OpGenerator kGeneratorSilu = {OpKind::kSilu, false, 2, DrawRamp<OpKind::kSilu>};
constinit const OpGenerator kGeneratorSoftplus = {OpKind::kSoftplus, false, 2,
                                                  DrawRamp<OpKind::kSoftplus>};
constinit const OpGenerator kGeneratorSoftsign = {OpKind::kSoftsign, false, 2,
                                                  DrawInto<OpKind::kSoftsign, -1, 1>};
constinit const OpGenerator kGeneratorErf = {OpKind::kErf, false, 2, DrawInto<OpKind::kErf, -1, 1>};
constinit const OpGenerator kGeneratorExp = {OpKind::kExp, false, 2, DrawExp};
constinit const OpGenerator kGeneratorExp2 = {OpKind::kExp2, false, 2, DrawExp2};
constinit const OpGenerator kGeneratorLog = {OpKind::kLog, false, 2, DrawLog};
constinit const OpGenerator kGeneratorSign = {OpKind::kSign, true, 2, DrawSign};
constinit const OpGenerator kGeneratorCeil = {OpKind::kCeil, true, 2, DrawRounding<OpKind::kCeil>};
constinit const OpGenerator kGeneratorFloor = {OpKind::kFloor, true, 2,
                                               DrawRounding<OpKind::kFloor>};
constinit const OpGenerator kGeneratorRound = {OpKind::kRound, true, 2,
                                               DrawRounding<OpKind::kRound>};
constinit const OpGenerator kGeneratorSin = {OpKind::kSin, false, 2, DrawWave<OpKind::kSin>};
constinit const OpGenerator kGeneratorCos = {OpKind::kCos, false, 2, DrawWave<OpKind::kCos>};
constinit const OpGenerator kGeneratorTan = {OpKind::kTan, false, 2, DrawTan};
constinit const OpGenerator kGeneratorAtan = {OpKind::kAtan, false, 2, DrawAtan};
constinit const OpGenerator kGeneratorAsin = {OpKind::kAsin, false, 2, DrawArc<OpKind::kAsin>};
constinit const OpGenerator kGeneratorAcos = {OpKind::kAcos, false, 2, DrawArc<OpKind::kAcos>};
constinit const OpGenerator kGeneratorAtanh = {OpKind::kAtanh, false, 2, DrawArc<OpKind::kAtanh>};
constinit const OpGenerator kGeneratorAsinh = {OpKind::kAsinh, false, 2, DrawAsinh};
constinit const OpGenerator kGeneratorAcosh = {OpKind::kAcosh, false, 2, DrawAcosh};
constinit const OpGenerator kGeneratorSinh = {OpKind::kSinh, false, 2,
                                              DrawHyperbolic<OpKind::kSinh>};
constinit const OpGenerator kGeneratorCosh = {OpKind::kCosh, false, 2,
                                              DrawHyperbolic<OpKind::kCosh>};
constinit const OpGenerator kGeneratorCrossProduct = {OpKind::kCrossProduct, true, 2,
                                                      DrawCrossProduct};
// This operation is never drawn, because the catalogue has no numeric reference for it.
constinit const OpGenerator kGeneratorMatrixDecomposition = {OpKind::kMatrixDecomposition, false, 0,
                                                             nullptr};

}  // namespace anecheck
