#include "generators/drawer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "generators/tensor_data.h"
#include "harness/base/half.h"
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

// The value for which the absence of an optional attribute stands, as the schema words it: "1e-5",
// "true", "valid", "1 on every axis". Absences that stand for more than one value have none.
struct Default {
  enum class Form : uint8_t { kNone, kNumber, kText };
  Form form = Form::kNone;
  double number = 0;  // of each element in lists; 0 and 1 for bools
  std::string_view text;
};

Default NumberIn(std::string_view text) {
  const std::string number(text.substr(0, text.find_first_not_of("+-.0123456789e")));
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || end != number.c_str() + number.size()) return {};
  return {Default::Form::kNumber, value, {}};
}

Default DefaultOf(const Parameter& parameter) {
  if (parameter.need != Need::kOptional) return {};
  switch (parameter.kind) {
    case ParameterKind::kInt:
    case ParameterKind::kFloat:
    case ParameterKind::kInts:
      return NumberIn(parameter.default_text);
    case ParameterKind::kBool:
    case ParameterKind::kBools:
      for (const double value : {0.0, 1.0}) {
        const std::string_view word = value != 0 ? "true" : "false";
        const std::string_view text = parameter.default_text;
        if (text == word || text.starts_with(std::string(word) + " on every")) {
          return {Default::Form::kNumber, value, {}};
        }
      }
      return {};
    case ParameterKind::kString:
      return {Default::Form::kText, 0, parameter.default_text};
    default:
      return {};
  }
}

const Default& DefaultAt(OpKind op, int parameter) {
  static const auto* all = [] {
    auto* defaults = new std::array<std::vector<Default>, kOpCount>;
    for (const OpDefinition* definition : AllOps()) {
      std::vector<Default>& mine = (*defaults)[definition->schema.id];
      mine.reserve(definition->schema.parameters.size());
      for (const Parameter& each : definition->schema.parameters) mine.push_back(DefaultOf(each));
    }
    return defaults;
  }();
  return (*all)[static_cast<size_t>(op)][static_cast<size_t>(parameter)];
}

// How often what has its default is left out: 1 of so many.
constexpr uint32_t kLeftOutOf = 4;

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

bool Drawer::MayCompute() {
  const bool known = values_ != CaseMode::kSpecial && values_ != CaseMode::kBoundary;
  const bool clips = options_.ops.test(static_cast<size_t>(OpKind::kClip));
  return known && clips && !options_.direct && choices_.Chance(1, 4);
}

ValueId Drawer::NewOperand(const Shape& shape, double limit) {
  using P = params::Clip;
  // What fp16 holds of the limit, and an integer where all values are.
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

bool Drawer::LeavesOut(int parameter, double value) {
  const Default& absent = DefaultAt(open_, parameter);
  if (absent.form != Default::Form::kNumber || absent.number != value) return false;
  return HalfToDouble(DoubleToHalf(value)) != value || choices_.Chance(1, kLeftOutOf);
}

bool Drawer::LeavesOut(int parameter, std::span<const int64_t> values) {
  const Default& absent = DefaultAt(open_, parameter);
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
  const Default& absent = DefaultAt(open_, parameter);
  const bool left_out =
      absent.form == Default::Form::kText && absent.text == value && choices_.Chance(1, kLeftOutOf);
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
    // Integers so small that sums of two stay in their type.
    constexpr double kMost = 16;
    const TensorType wanted{dtype, shape};
    const auto bytes = DrawTensor(choices_, wanted, CaseMode::kInteger, kMost);
    const ValueId id = NewConstOf(wanted, bytes, kMost);
    ranges_[id].integer = true;
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

ValueId Drawer::BroadcastPartner(ValueId x) {
  Shape shape = this->shape(x);
  const DType dtype = type(x).dtype;
  if (!choices_.Chance(1, 3)) return SameShape(shape, x, dtype);
  // Drop leading axes, then collapse some of the others to 1.
  const int drop = static_cast<int>(choices_.Below(static_cast<uint64_t>(shape.rank()) + 1));
  shape = Shape::FromSpan(shape.dims().subspan(static_cast<size_t>(drop)));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (choices_.Chance(1, 3)) shape[axis] = 1;
  }
  return SameShape(shape, x, dtype);
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
