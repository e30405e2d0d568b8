// Builds an executable, operation by operation, by the rules of the engine. Both input languages of
// the compiler, MIL text and network descriptions, use it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/executable.h"
#include "harness/device/op_builder.h"
#include "harness/device/op_table.h"

namespace anecheck::device {

// Makes an Error whose message ends in " @ " and the name of the stage.
Error StageError(Stage stage, std::string_view message);

// Makes the only compile error that is not a refusal. The simulated engine has no kernel for the
// operation, although a real engine may have one.
Error NoKernel(std::string_view message);
bool IsNoKernel(const Error& error);

// Builds one executable. The errors of all calls are those of CompileProgram; after an error the
// builder cannot be used. Not thread-safe. `settings` must outlive it.
class ExecutableBuilder {
 public:
  ExecutableBuilder(std::string_view name, const CompileSettings& settings, Backend backend);

  size_t inputs() const { return executable_->inputs.size(); }
  // The values that operations read: ports, states, constants and results.
  Result<Operand> AddInput(std::string_view name, const TensorType& type);
  Result<Operand> AddState(std::string_view name, const TensorType& type);
  Operand AddConstant(std::shared_ptr<const Constant> constant);
  Operand At(uint32_t value) const;

  // Compiles an operation and returns its results, in order.
  Result<std::vector<Operand>> AddOperation(std::string_view op, ArgumentSource& arguments);

  Status AddOutput(std::string_view name, const Operand& operand);

  // Returns the executable; nothing may be added after this call.
  Result<std::shared_ptr<Executable>> Finish();

 private:
  Status CheckTensor(const TensorType& type) const;
  Status CheckExtent(const TensorType& type, int axis) const;
  Status CheckBoundary(const TensorType& type, std::string_view name) const;
  Result<uint32_t> AddStored(const TensorType& type);
  Result<std::vector<Operand>> AddNode(const OpRow& row, const OpBuilder& builder,
                                       std::unique_ptr<const Kernel> kernel);

  const CompileSettings& settings_;
  std::shared_ptr<Executable> executable_;
  std::map<uint32_t, Origin> origins_;
  int64_t constant_bytes_ = 0;
};

}  // namespace anecheck::device
