#include "generators/drawer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "generators/tensor_data.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr std::array<const OpGenerator*, kOpCount> kGenerators = {
#define ANECHECK_OP(name, Name, ...) &kGenerator##Name,
#include "harness/ops/ops.def"
};

// Tile factors 2, 3, 4 and 8 (facts/limits.csv, stride_factor_list), powers of two, and neighbours.
constexpr std::array<int64_t, 20> kExtents = {1,  2,  3,  4,  5,  7,  8,  9,  6,  12,
                                              15, 16, 17, 31, 32, 33, 63, 64, 65, 127};

// An attribute that equals its default is left out with probability 1 / kLeftOutOf.
constexpr uint32_t kLeftOutOf = 4;

// Whether the operation's result depends only on shapes.
bool IgnoresValues(OpKind kind) { return kind == OpKind::kFillLike || kind == OpKind::kShape; }

// Zeros of either sign, and the smallest and largest subnormal and normal numbers.
constexpr std::array<uint16_t, 8> kConstantEdges = {0x0000, 0x8000, 0x0001, 0x8001,
                                                    0x03ff, 0x0400, 0x8400, 0x7bff};

// Replaces some elements of every second tensor by edge values that are within the limit.
void AddEdges(ChoiceStream& choices, double limit, std::span<uint8_t> halves) {
  if (!choices.Coin()) return;
  for (size_t at = 0; at + 2 <= halves.size(); at += 2) {
    if (!choices.Chance(1, 4)) continue;
    const uint16_t edge = choices.Pick(kConstantEdges);
    if (std::fabs(HalfToDouble(Half{edge})) > limit) continue;
    halves[at] = static_cast<uint8_t>(edge);
    halves[at + 1] = static_cast<uint8_t>(edge >> 8);
  }
}

}  // namespace

std::span<const OpGenerator* const> AllOpGenerators() { return kGenerators; }

ValueRange EitherOf(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.integer && b.integer};
}
ValueRange GreaterOf(const ValueRange& a, const ValueRange& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high), a.integer && b.integer};
}
ValueRange LesserOf(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high), a.integer && b.integer};
}

Drawer::Drawer(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph)
    : choices_(choices), options_(options), values_(ValuesOf(options.mode)), graph_(graph) {
  Memory& kept = Kept();
  known_.swap(kept.known);
  bytes_.swap(kept.bytes);
  known_.clear();
}

Drawer::~Drawer() {
  Memory& kept = Kept();
  known_.swap(kept.known);
  bytes_.swap(kept.bytes);
}

Drawer::Memory& Drawer::Kept() {
  thread_local Memory memory;
  return memory;
}

double Drawer::Ceiling() const {
  switch (values_) {
    case CaseMode::kInteger:
      return 2048;
    case CaseMode::kFloat:
    case CaseMode::kCancellation:
    case CaseMode::kLargeAxis:
      return 30000;
    case CaseMode::kSpecial:
    case CaseMode::kBoundary:
      return std::numeric_limits<double>::infinity();
    default:
      break;
  }
  return 0;
}

void Drawer::Track(const Known& known) {
  while (known_.size() < graph_.values().size()) known_.push_back(known);
}

ValueId Drawer::NewInput(const Shape& shape) {
  const double limit = InputMagnitude(values_);
  const ValueId id = graph_.AddInput({DType::kFp16, shape});
  Track({.range = {-limit, limit, integer_mode()}, .moves = true});
  return id;
}

ValueId Drawer::NewConst(const Shape& shape, double limit) {
  const TensorType type{DType::kFp16, shape};
  // Constants contain no infinities or NaN. Compilers would fold operations on such constants, and
  // folding is tested separately.
  const CaseMode mode = values_ == CaseMode::kSpecial ? CaseMode::kFloat : values_;
  const auto size = static_cast<size_t>(type.ByteSize());
  if (bytes_.size() < size) bytes_.resize(size);
  const std::span<uint8_t> bytes(bytes_.data(), size);
  FillTensor(choices_, type, mode, limit, bytes);
  if (values_ == CaseMode::kSpecial) AddEdges(choices_, limit, bytes);
  const ValueId id = graph_.AddConst(type, bytes);
  TrackConst({-limit, limit, integer_mode()});
  return id;
}

bool Drawer::MayCompute() {
  const bool known = values_ != CaseMode::kSpecial && values_ != CaseMode::kBoundary;
  const bool clips = options_.ops.test(static_cast<size_t>(OpKind::kClip));
  return known && clips && !options_.direct && choices_.Chance(1, 4);
}

ValueId Drawer::NewOperand(const Shape& shape, double limit) {
  using P = params::Clip;
  // The limit rounded to fp16 or, if all values are integers, truncated to an integer.
  double bound = integer_mode() ? std::trunc(limit) : HalfToDouble(DoubleToHalf(limit));
  if (bound > limit) bound = HalfToDouble(DoubleToHalf(limit * (1 - 0x1p-10)));
  if (!(bound > 0) || !MayCompute()) return NewConst(shape, limit);
  const ValueId x = NewInput(shape);
  if (InputMagnitude(values_) <= bound) return x;
  Begin(OpKind::kClip);
  graph_.AddArgument(P::kX, x);
  AddFloat(P::kAlpha, -bound);
  AddFloat(P::kBeta, bound);
  return Finish({-bound, bound, integer_mode()}) ? Last() : x;
}

ValueId Drawer::NewTensor(const TensorType& type, std::span<const uint8_t> bytes) {
  const double limit = InputMagnitude(values_);
  const ValueId id = graph_.AddConst(type, bytes);
  TrackConst({-limit, limit, false});
  return id;
}

ValueId Drawer::NewConstOf(const TensorType& type, std::span<const uint8_t> bytes, double limit) {
  const ValueId id = graph_.AddConst(type, bytes);
  TrackConst({-limit, limit, integer_mode()});
  return id;
}

ValueId Drawer::NewState(const TensorType& type) {
  const ValueId id = graph_.AddState(type);
  Track({.moves = true});
  return id;
}

ValueId Drawer::NewScalar(double value) {
  const uint16_t bits = DoubleToHalf(value).bits;
  const std::array<uint8_t, 2> bytes = {static_cast<uint8_t>(bits),
                                        static_cast<uint8_t>(bits >> 8)};
  const ValueId id = graph_.AddConst({DType::kFp16, Shape{}}, bytes);
  TrackConst({value, value, value == std::trunc(value)});
  return id;
}

ValueId Drawer::NewIntegers(DType dtype, const Shape& shape, std::span<const int64_t> elements) {
  const TensorType type{dtype, shape};
  const auto size = static_cast<size_t>(DTypeBits(dtype) / 8);
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  ValueRange range{0, 0, true};
  for (size_t i = 0; i < elements.size(); ++i) {
    for (size_t k = 0; k < size; ++k) {
      bytes[i * size + k] = static_cast<uint8_t>(elements[i] >> (8 * k));
    }
    range.low = std::min(range.low, static_cast<double>(elements[i]));
    range.high = std::max(range.high, static_cast<double>(elements[i]));
  }
  const ValueId id = graph_.AddConst(type, bytes);
  TrackConst(range);
  return id;
}

const Default& Drawer::DefaultOf(int parameter) const {
  return GetOp(open_).schema.parameters[static_cast<size_t>(parameter)].fallback;
}

bool Drawer::LeavesOut(int parameter, double value) {
  const Default& absent = DefaultOf(parameter);
  if (absent.form != Default::Form::kNumber || absent.number != value) return false;
  return HalfToDouble(DoubleToHalf(value)) != value || choices_.Chance(1, kLeftOutOf);
}

bool Drawer::LeavesOut(int parameter, std::span<const int64_t> values) {
  const Default& absent = DefaultOf(parameter);
  const auto same = [&](int64_t value) { return static_cast<double>(value) == absent.number; };
  return absent.form == Default::Form::kNumber && std::ranges::all_of(values, same) &&
         choices_.Chance(1, kLeftOutOf);
}

void Drawer::AddInt(int parameter, int64_t value) {
  if (!LeavesOut(parameter, static_cast<double>(value))) graph_.AddInt(parameter, value);
}

void Drawer::AddFloat(int parameter, double value) {
  if (!LeavesOut(parameter, value)) graph_.AddFloat(parameter, value);
}

void Drawer::AddBool(int parameter, bool value) {
  if (!LeavesOut(parameter, value ? 1.0 : 0.0)) graph_.AddBool(parameter, value);
}

void Drawer::AddString(int parameter, std::string_view value) {
  const Default& absent = DefaultOf(parameter);
  const bool left_out =
      absent.form == Default::Form::kName && absent.text == value && choices_.Chance(1, kLeftOutOf);
  if (!left_out) graph_.AddString(parameter, value);
}

void Drawer::AddInts(int parameter, std::span<const int64_t> values) {
  if (!LeavesOut(parameter, values)) graph_.AddInts(parameter, values);
}

void Drawer::AddBools(int parameter, std::span<const int64_t> values) {
  if (!LeavesOut(parameter, values)) graph_.AddBools(parameter, values);
}

ValueId Drawer::CastTo(DType dtype, ValueId x) {
  ValueRange range = this->range(x);
  if (!IsFloat(dtype)) range = {std::trunc(range.low), std::trunc(range.high), true};
  Begin(OpKind::kCast);
  graph_.AddArgument(params::Cast::kX, x);
  graph_.AddString(params::Cast::kDtype, DTypeName(dtype));
  return Finish(range) ? Last() : kNoValue;
}

ValueId Drawer::SameShape(const Shape& shape, ValueId not_this, DType dtype) {
  if (dtype != DType::kFp16) {
    // The integers are so small that the type can represent the sum of any two.
    constexpr double kMost = 16;
    const TensorType wanted{dtype, shape};
    const auto bytes = DrawTensor(choices_, wanted, CaseMode::kInteger, kMost);
    const ValueId id = NewConstOf(wanted, bytes, kMost);
    known_[id].range.integer = true;
    return id;
  }
  if (choices_.Chance(1, 2)) {
    for (ValueId id = static_cast<ValueId>(graph_.values().size()); id-- > 0;) {
      const Value& value = graph_.value(id);
      const bool tensor = value.kind == ValueKind::kInput || value.kind == ValueKind::kResult;
      if (id != not_this && tensor && value.type.dtype == DType::kFp16 &&
          value.type.shape == shape) {
        return id;
      }
    }
  }
  const double limit = InputMagnitude(values_);
  return choices_.Chance(2, 3) ? NewConst(shape, limit) : NewInput(shape);
}

// Network descriptions have no tensors without axes, and do not mix rank 5 with lower ranks.
uint64_t Drawer::MostDropped(int rank) const {
  const int kept = !options_.direct ? 0 : rank < 5 ? 1 : rank;
  return static_cast<uint64_t>(std::max(rank - kept, 0));
}

Shape Drawer::BroadcastShape(ValueId x) {
  Shape shape = this->shape(x);
  if (!choices_.Chance(1, 3)) return shape;
  // Drops leading axes, then sets some of the other extents to 1.
  const int drop = static_cast<int>(choices_.Below(MostDropped(shape.rank()) + 1));
  shape = Shape::FromSpan(shape.dims().subspan(static_cast<size_t>(drop)));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (choices_.Chance(1, 3)) shape[axis] = 1;
  }
  return shape;
}

ValueId Drawer::BroadcastPartner(ValueId x) {
  return SameShape(BroadcastShape(x), x, type(x).dtype);
}

Shape Drawer::EnlargedShape(ValueId x) {
  // The largest extent drawn for a broadcast axis.
  constexpr int64_t kMost = 8;
  constexpr int kMostRank = 4;
  const Shape from = shape(x);
  int64_t room = options_.max_elements / std::max<int64_t>(1, from.Elements());
  const auto enlarge = [&](int64_t extent) {
    if (extent != 1 || room < 2 || !choices_.Chance(2, 3)) return extent;
    const int64_t drawn = Extent(std::min(room, kMost));
    room /= drawn;
    return drawn;
  };
  Shape larger;
  const bool leads = !options_.direct && from.rank() < kMostRank && choices_.Chance(1, 3);
  if (leads) larger.Append(enlarge(1));
  for (const int64_t extent : from.dims()) {
    larger.Append(choices_.Chance(1, 6) ? 1 : enlarge(extent));
  }
  return larger;
}

Shape Drawer::PartnerShape(ValueId x) {
  return choices_.Chance(1, 4) ? EnlargedShape(x) : BroadcastShape(x);
}

ValueId Drawer::Partner(ValueId x) { return SameShape(PartnerShape(x), x, type(x).dtype); }

int64_t Drawer::Extent(int64_t most) {
  const int64_t extent = kExtents[choices_.Below(choices_.Chance(1, 4) ? kExtents.size() : 9)];
  return std::clamp<int64_t>(extent, 1, std::max<int64_t>(1, most));
}

bool Drawer::Moves(const Node& node) const {
  return !IgnoresValues(KindOf(*node.schema)) &&
         std::ranges::any_of(graph_.arguments(node),
                             [&](const Argument& argument) { return moves(argument.value); });
}

bool Drawer::Finish(const ValueRange& range) {
  const Result<ValueId> first = graph_.FinishNode();
  if (!first.ok()) return false;
  const Node& node = graph_.nodes().back();
  for (const Argument& argument : graph_.arguments(node)) known_[argument.value].used = true;
  const double top = integer_mode() ? 2048 : kHalfMaxValue;
  Track({.range = {std::max(range.low, -top), std::min(range.high, top), range.integer},
         .moves = Moves(node)});
  return true;
}

bool Drawer::Emit(OpKind kind, std::initializer_list<ValueId> operands, const ValueRange& range) {
  Begin(kind);
  int parameter = 0;
  for (const ValueId operand : operands) graph_.AddArgument(parameter++, operand);
  return Finish(range);
}

bool Drawer::ToHalf() {
  const ValueId x = graph_.nodes().back().first_result;
  Begin(OpKind::kCast);
  graph_.AddArgument(params::Cast::kX, x);
  graph_.AddString(params::Cast::kDtype, "fp16");
  return Finish(range(x));
}

ValueId Drawer::PickOperand() {
  const auto count = static_cast<ValueId>(graph_.values().size());
  ValueId fallback = kNoValue;
  for (ValueId id = count; id-- > 0;) {
    const Value& value = graph_.value(id);
    const bool tensor = value.kind == ValueKind::kInput || value.kind == ValueKind::kResult;
    if (!tensor || value.type.dtype != DType::kFp16 || !moves(id)) continue;
    if (fallback == kNoValue || choices_.Chance(1, 4)) fallback = id;
    if (!known_[id].used && choices_.Chance(3, 4)) return id;
  }
  return fallback;
}

void Drawer::Close() {
  for (ValueId id = 0; id < graph_.values().size(); ++id) {
    const Value& value = graph_.value(id);
    if (value.kind == ValueKind::kResult && !known_[id].used) graph_.AddOutput(id);
  }
}

}  // namespace anecheck
