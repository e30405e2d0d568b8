// The arguments of a layer's operation, under the names that the operation table uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/device/executable_builder.h"

namespace anecheck::device {

class UnitArguments : public ArgumentSource {
 public:
  // Constants are added to `builder`, which must outlive the arguments.
  explicit UnitArguments(ExecutableBuilder& builder) : builder_(builder) {}

  void Tensor(std::string_view name, const Operand& operand) { Set(name, {operand}); }
  void Tensors(std::string_view name, std::vector<Operand> operands) {
    Set(name, std::move(operands));
  }
  void Int(std::string_view name, int64_t value) { IntArray(name, {}, {&value, 1}); }
  void Ints(std::string_view name, std::span<const int64_t> values) {
    IntArray(name, {static_cast<int64_t>(values.size())}, values);
  }
  void IntArray(std::string_view name, const Shape& shape, std::span<const int64_t> values);
  void Flag(std::string_view name, bool value);
  void Text(std::string_view name, std::string_view value);
  void Number(std::string_view name, Half value);
  void Number(std::string_view name, float value);

  bool Has(std::string_view name) const override { return Find(name) != nullptr; }
  Result<Operand> Single(std::string_view name, Element hint) override;
  Result<std::vector<Operand>> Several(std::string_view name, Element hint) override;

 private:
  const std::vector<Operand>* Find(std::string_view name) const;
  void Set(std::string_view name, std::vector<Operand> operands) {
    all_.emplace_back(name, std::move(operands));
  }
  void SetConstant(std::string_view name, Constant constant);

  ExecutableBuilder& builder_;
  std::vector<std::pair<std::string, std::vector<Operand>>> all_;
};

}  // namespace anecheck::device
