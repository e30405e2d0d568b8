#include "harness/device/network/unit_arguments.h"

#include <cstring>
#include <fmt/format.h>
#include <memory>

namespace anecheck::device {
namespace {

template <typename T>
Constant ConstantOf(Element element, const Shape& shape, std::span<const T> values) {
  Constant constant;
  constant.type = {element, shape};
  constant.data.resize(values.size_bytes());
  if (!values.empty()) std::memcpy(constant.data.data(), values.data(), values.size_bytes());
  return constant;
}

}  // namespace

void UnitArguments::SetConstant(std::string_view name, Constant constant) {
  Set(name, {builder_.AddConstant(std::make_shared<const Constant>(std::move(constant)))});
}

void UnitArguments::IntArray(std::string_view name, const Shape& shape,
                             std::span<const int64_t> values) {
  SetConstant(name, ConstantOf(Element::kInt64, shape, values));
}

void UnitArguments::Flag(std::string_view name, bool value) {
  const uint8_t byte = value ? 1 : 0;
  SetConstant(name, ConstantOf(Element::kBool, {}, std::span(&byte, 1)));
}

void UnitArguments::Text(std::string_view name, std::string_view value) {
  Constant constant;
  constant.type.element = Element::kString;
  constant.text = value;
  SetConstant(name, std::move(constant));
}

void UnitArguments::Number(std::string_view name, Half value) {
  SetConstant(name, ConstantOf(Element::kFp16, {}, std::span<const uint16_t>(&value.bits, 1)));
}

void UnitArguments::Number(std::string_view name, float value) {
  SetConstant(name, ConstantOf(Element::kFp32, {}, std::span<const float>(&value, 1)));
}

const std::vector<Operand>* UnitArguments::Find(std::string_view name) const {
  for (const auto& [own, operands] : all_) {
    if (own == name) return &operands;
  }
  return nullptr;
}

Result<Operand> UnitArguments::Single(std::string_view name, Element) {
  const std::vector<Operand>& operands = *Find(name);
  if (operands.size() == 1) return operands.front();
  return MakeError(ErrorCode::kInvalid, fmt::format("argument '{}' takes one value", name));
}

Result<std::vector<Operand>> UnitArguments::Several(std::string_view name, Element) {
  return *Find(name);
}

}  // namespace anecheck::device
