#include "harness/device/op_builder.h"

#include <fmt/format.h>

#include "harness/device/half_block.h"
#include "harness/device/measured_limits.h"

namespace anecheck::device {
namespace {

bool IsInteger(Element element) {
  const mil::DataClass data_class = mil::DataTypeClass(element);
  return data_class == mil::DataClass::kSigned || data_class == mil::DataClass::kUnsigned;
}

int64_t IntAt(const Constant& constant, int64_t index) {
  int64_t value = 0;
  LoadInts(constant.type.element, constant.data.data() + index * ElementSize(constant.type.element),
           1, 1, &value);
  return value;
}

}  // namespace

std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kParser:
      return "Parser";
    case Stage::kFrontend:
      return "Frontend";
    case Stage::kFloor:
      return "Floor";
    case Stage::kHal:
      return "Hal";
    case Stage::kValidator:
      return "Validator";
    case Stage::kCodegen:
      return "Codegen";
    case Stage::kLoad:
      return "Load";
  }
  return "Frontend";
}

void OpBuilder::Reject(Stage stage, std::string message) {
  if (!ok()) return;
  stage_ = stage;
  message_ = fmt::format("{}: {}", op_, message);
}

void OpBuilder::CheckMeasuredType(const TensorType& type, std::string_view producer) {
  if (!settings_.newest_compiler || settings_.direct || TakesType(target(), type, producer)) return;
  RejectOnEngine(Stage::kFrontend, "Unsupported tensor data type: int32");
}

bool OpBuilder::Has(std::string_view name) const {
  return source_.Has(name) && !settings_.faults.IgnoresArgument(op_, name);
}

std::optional<Operand> OpBuilder::OperandOrReject(std::string_view name) {
  if (!ok()) return std::nullopt;
  if (!source_.Has(name)) {
    Reject(Stage::kFrontend, fmt::format("required argument '{}' is missing", name));
    return std::nullopt;
  }
  const auto operand = source_.Single(name, Element::kFp16);
  if (operand.ok()) return *operand;
  Reject(Stage::kFrontend, operand.error().message);
  return std::nullopt;
}

Operand OpBuilder::Tensor(std::string_view name) {
  const auto operand = OperandOrReject(name);
  if (!operand) return {};
  if (ElementSize(operand->type.element) == 0 || operand->state) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' is not a tensor", name));
    return {};
  }
  inputs_.push_back(operand->value);
  // The compiler narrows 32-bit positions only if they are the argument `indices`.
  CheckMeasuredType(operand->type, name == "indices" ? operand->origin.op : "");
  if (name == "weight") weight_ = operand->value;
  return *operand;
}

Operand OpBuilder::State(std::string_view name) {
  const auto operand = OperandOrReject(name);
  if (!operand) return {};
  if (!operand->state) Reject(Stage::kFrontend, fmt::format("argument '{}' must be a state", name));
  return *operand;
}

std::optional<Operand> OpBuilder::OptionalTensor(std::string_view name) {
  if (!ok() || !Has(name)) return std::nullopt;
  return Tensor(name);
}

std::vector<Operand> OpBuilder::Tensors(std::string_view name) {
  if (!ok()) return {};
  if (!source_.Has(name)) {
    Reject(Stage::kFrontend, fmt::format("required argument '{}' is missing", name));
    return {};
  }
  auto operands = source_.Several(name, Element::kFp16);
  if (!operands.ok()) {
    Reject(Stage::kFrontend, operands.error().message);
    return {};
  }
  for (const Operand& operand : *operands) {
    if (operand.state) Reject(Stage::kFrontend, fmt::format("argument '{}' holds a state", name));
    inputs_.push_back(operand.value);
    CheckMeasuredType(operand.type, "");
  }
  return std::move(operands).value();
}

std::optional<Operand> OpBuilder::ConstantOrNothing(std::string_view name, Element hint) {
  if (!ok() || !Has(name)) return std::nullopt;
  const auto operand = source_.Single(name, hint);
  if (!operand.ok()) {
    Reject(Stage::kFrontend, operand.error().message);
    return std::nullopt;
  }
  if (operand->constant == nullptr) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' must be a constant", name));
    return std::nullopt;
  }
  return *operand;
}

std::optional<Operand> OpBuilder::ConstantOrReject(std::string_view name, Element hint) {
  auto constant = ConstantOrNothing(name, hint);
  if (!constant) Reject(Stage::kFrontend, fmt::format("required argument '{}' is missing", name));
  return constant;
}

IntList OpBuilder::Ints(std::string_view name) {
  const auto operand = ConstantOrReject(name, Element::kInt32);
  if (!operand) return {};
  if (!IsInteger(operand->type.element) || operand->type.shape.rank() > 1) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' is {}, must be a list of integers", name,
                                         operand->type.ToString()));
    return {};
  }
  IntList values;
  for (int64_t i = 0; i < operand->type.shape.Elements(); ++i) {
    if (!values.Append(IntAt(*operand->constant, i))) {
      Reject(Stage::kFrontend,
             fmt::format("argument '{}' has more than {} entries", name, IntList::kCapacity));
      return {};
    }
  }
  return values;
}

IntList OpBuilder::Ints(std::string_view name, const IntList& fallback) {
  return Has(name) ? Ints(name) : fallback;
}

int64_t OpBuilder::Int(std::string_view name) {
  const IntList values = Ints(name);
  if (ok() && values.size() != 1) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' must be one integer", name));
  }
  return ok() ? values[0] : 0;
}

int64_t OpBuilder::Int(std::string_view name, int64_t fallback) {
  return Has(name) ? Int(name) : fallback;
}

bool OpBuilder::Bool(std::string_view name, bool fallback) {
  const auto operand = ConstantOrNothing(name, Element::kBool);
  if (!operand) return fallback;
  if (operand->type.element != Element::kBool || operand->type.shape.Elements() != 1) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' must be one bool", name));
    return fallback;
  }
  return operand->constant->data[0] != 0;
}

IntList OpBuilder::Bools(std::string_view name) {
  const auto operand = ConstantOrNothing(name, Element::kBool);
  IntList values;
  if (!operand) return values;
  if (operand->type.element != Element::kBool || operand->type.shape.rank() > 1) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' must be a list of bools", name));
    return values;
  }
  for (int64_t i = 0; i < operand->type.shape.Elements(); ++i) {
    const int64_t value = operand->constant->data[static_cast<size_t>(i)] != 0 ? 1 : 0;
    if (!values.Append(value)) Reject(Stage::kFrontend, "a list is too long");
  }
  return values;
}

IntList OpBuilder::Tuple(std::string_view name) {
  IntList values;
  if (!ok()) return values;
  if (!source_.Has(name)) {
    Reject(Stage::kFrontend, fmt::format("required argument '{}' is missing", name));
    return values;
  }
  const auto operands = source_.Several(name, Element::kInt32);
  if (!operands.ok()) {
    Reject(Stage::kFrontend, operands.error().message);
    return values;
  }
  for (const Operand& operand : *operands) {
    const bool is_bool = operand.type.element == Element::kBool;
    if (operand.constant == nullptr || operand.type.shape.Elements() != 1 ||
        !(is_bool || IsInteger(operand.type.element))) {
      Reject(Stage::kFrontend, fmt::format("argument '{}' must be constant scalars", name));
      return values;
    }
    const int64_t value = is_bool ? operand.constant->data[0] : IntAt(*operand.constant, 0);
    if (!values.Append(value)) Reject(Stage::kFrontend, "a tuple is too long");
  }
  return values;
}

std::optional<Operand> OpBuilder::ConstantTensor(std::string_view name) {
  auto operand = ConstantOrReject(name, Element::kInt32);
  if (operand && operand->type.element == Element::kString) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' must be numbers, not a string", name));
    return std::nullopt;
  }
  return operand;
}

double OpBuilder::Float(std::string_view name) {
  const auto operand = ConstantOrReject(name, Element::kFp16);
  if (!operand) return 0;
  if (!IsFloat(operand->type.element) || operand->type.shape.Elements() != 1) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' must be one fp16 or fp32 number", name));
    return 0;
  }
  return LoadNumber(operand->type.element, operand->constant->data.data(), 0);
}

double OpBuilder::Float(std::string_view name, double fallback) {
  return Has(name) ? Float(name) : fallback;
}

std::string OpBuilder::String(std::string_view name) {
  const auto operand = ConstantOrReject(name, Element::kString);
  if (!operand) return {};
  if (operand->type.element != Element::kString) {
    Reject(Stage::kFrontend, fmt::format("argument '{}' must be a string", name));
    return {};
  }
  return operand->constant->text;
}

std::string OpBuilder::String(std::string_view name, std::string_view fallback) {
  return Has(name) ? String(name) : std::string(fallback);
}

int OpBuilder::Axis(std::string_view name, int64_t axis, int rank) {
  const int64_t from_front = axis < 0 ? axis + rank : axis;
  if (from_front < 0 || from_front >= rank) {
    Reject(Stage::kFrontend, fmt::format("{} {} is outside rank {}", name, axis, rank));
    return 0;
  }
  return static_cast<int>(from_front);
}

uint32_t OpBuilder::Axes(std::string_view name, int rank) {
  const uint32_t all = (uint32_t{1} << rank) - 1;
  if (!Has(name)) return all;
  const IntList axes = Ints(name);
  if (ok() && axes.empty()) return all;
  uint32_t mask = 0;
  for (const int64_t axis : axes) {
    const uint32_t bit = uint32_t{1} << Axis(name, axis, rank);
    if (ok() && (mask & bit) != 0) {
      Reject(Stage::kFrontend, fmt::format("{} names axis {} twice", name, axis));
    }
    mask |= bit;
  }
  return mask;
}

std::vector<float> ConstantFloats(const Constant& constant) {
  const int64_t count = constant.type.shape.Elements();
  std::vector<float> values(static_cast<size_t>(count));
  if (FitsFloat(constant.type.element)) {
    LoadFloats(constant.type.element, constant.data.data(), 1, count, values.data());
  } else {
    for (int64_t i = 0; i < count; ++i) {
      values[static_cast<size_t>(i)] =
          static_cast<float>(LoadNumber(constant.type.element, constant.data.data(), i));
    }
  }
  return values;
}

}  // namespace anecheck::device
