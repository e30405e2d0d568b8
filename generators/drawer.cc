#include "generators/drawer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "generators/tensor_data.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr std::array<const OpGenerator*, kOpCount> kGenerators = {
#define ANECHECK_OP(name, Name, op_class) &kGenerator##Name,
#include "harness/ops/ops.def"
#undef ANECHECK_OP
};

// Tile factors 2, 3, 4 and 8 (facts/limits.csv, stride_factor_list), powers of two and neighbours.
constexpr std::array<int64_t, 20> kExtents = {1,  2,  3,  4,  5,  7,  8,  9,  6,  12,
                                              15, 16, 17, 31, 32, 33, 63, 64, 65, 127};

// The memory of the thread's last drawer: drawing a small graph takes hardly longer than allocating
// it anew.
struct Memory {
  std::vector<ValueRange> ranges;
  std::vector<uint8_t> used, bytes;
};
Memory& Kept() {
  thread_local Memory memory;
  return memory;
}

}  // namespace

std::span<const OpGenerator* const> AllOpGenerators() { return kGenerators; }

Drawer::Drawer(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph)
    : choices_(choices), options_(options), values_(ValuesOf(options.mode)), graph_(graph) {
  Memory& kept = Kept();
  ranges_.swap(kept.ranges);
  used_.swap(kept.used);
  bytes_.swap(kept.bytes);
  ranges_.clear();
  used_.clear();
}

Drawer::~Drawer() {
  Memory& kept = Kept();
  ranges_.swap(kept.ranges);
  used_.swap(kept.used);
  bytes_.swap(kept.bytes);
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

void Drawer::Track(const ValueRange& range) {
  ranges_.resize(graph_.values().size(), range);
  used_.resize(graph_.values().size(), 0);
}

ValueId Drawer::NewInput(const Shape& shape) {
  const double limit = InputMagnitude(values_);
  const ValueId id = graph_.AddInput({DType::kFp16, shape});
  Track({-limit, limit, integer_mode()});
  return id;
}

ValueId Drawer::NewConst(const Shape& shape, double limit) {
  const TensorType type{DType::kFp16, shape};
  // Constants do not carry infinities and NaN: compilers fold them, which is another test.
  const CaseMode mode = values_ == CaseMode::kSpecial ? CaseMode::kFloat : values_;
  const auto size = static_cast<size_t>(type.ByteSize());
  if (bytes_.size() < size) bytes_.resize(size);
  const std::span<uint8_t> bytes(bytes_.data(), size);
  FillTensor(choices_, type, mode, limit, bytes);
  const ValueId id = graph_.AddConst(type, bytes);
  Track({-limit, limit, integer_mode()});
  used_[id] = 1;
  return id;
}

ValueId Drawer::NewTensor(const TensorType& type, std::span<const uint8_t> bytes) {
  const double limit = InputMagnitude(values_);
  const ValueId id = graph_.AddConst(type, bytes);
  Track({-limit, limit, false});
  used_[id] = 1;
  return id;
}

ValueId Drawer::NewConstOf(const TensorType& type, std::span<const uint8_t> bytes, double limit) {
  const ValueId id = graph_.AddConst(type, bytes);
  Track({-limit, limit, integer_mode()});
  used_[id] = 1;
  return id;
}

ValueId Drawer::NewState(const TensorType& type) {
  const ValueId id = graph_.AddState(type);
  Track({});
  return id;
}

ValueId Drawer::NewScalar(double value) {
  const uint16_t bits = DoubleToHalf(value).bits;
  const std::array<uint8_t, 2> bytes = {static_cast<uint8_t>(bits),
                                        static_cast<uint8_t>(bits >> 8)};
  const ValueId id = graph_.AddConst({DType::kFp16, Shape{}}, bytes);
  Track({value, value, value == std::trunc(value)});
  used_[id] = 1;
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
  Track(range);
  used_[id] = 1;
  return id;
}

ValueId Drawer::CastTo(DType dtype, ValueId x) {
  ValueRange range = this->range(x);
  if (!IsFloat(dtype)) range = {std::trunc(range.low), std::trunc(range.high), true};
  Begin(OpKind::kCast);
  graph_.AddArgument(params::Cast::kX, x);
  graph_.AddString(params::Cast::kDtype, DTypeName(dtype));
  return Finish(range) ? Last() : kNoValue;
}

ValueId Drawer::SameShape(const Shape& shape, ValueId not_this) {
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

ValueId Drawer::BroadcastPartner(ValueId x) {
  Shape shape = this->shape(x);
  if (!choices_.Chance(1, 3)) return SameShape(shape, x);
  // Drop leading axes, then collapse some of the others to 1.
  const int drop = static_cast<int>(choices_.Below(static_cast<uint64_t>(shape.rank()) + 1));
  shape = Shape::FromSpan(shape.dims().subspan(static_cast<size_t>(drop)));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (choices_.Chance(1, 3)) shape[axis] = 1;
  }
  return SameShape(shape, x);
}

int64_t Drawer::Extent(int64_t most) {
  const int64_t extent = kExtents[choices_.Below(choices_.Chance(1, 4) ? kExtents.size() : 9)];
  return std::clamp<int64_t>(extent, 1, std::max<int64_t>(1, most));
}

void Drawer::MarkUsed(const Node& node) {
  for (const Argument& argument : graph_.arguments(node)) used_[argument.value] = 1;
}

bool Drawer::Finish(const ValueRange& range) {
  const Result<ValueId> first = graph_.FinishNode();
  if (!first.ok()) return false;
  MarkUsed(graph_.nodes().back());
  const double top = integer_mode() ? 2048 : kHalfMaxValue;
  Track({std::max(range.low, -top), std::min(range.high, top), range.integer});
  return true;
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
    if (!tensor || value.type.dtype != DType::kFp16) continue;
    if (fallback == kNoValue || choices_.Chance(1, 4)) fallback = id;
    if (used_[id] == 0 && choices_.Chance(3, 4)) return id;
  }
  return fallback;
}

void Drawer::Close() {
  for (ValueId id = 0; id < graph_.values().size(); ++id) {
    const Value& value = graph_.value(id);
    if (value.kind == ValueKind::kResult && used_[id] == 0) graph_.AddOutput(id);
  }
}

}  // namespace anecheck
