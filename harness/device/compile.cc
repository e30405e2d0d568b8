#include "harness/device/compile.h"

#include <fmt/format.h>
#include <utility>

#include "harness/device/compile_function.h"
#include "harness/device/executable_builder.h"
#include "harness/device/literal.h"
#include "harness/device/ranged_program.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/reader.h"

namespace anecheck::device {
namespace {

constexpr uint32_t kUnbound = Executable::kNoValue;

// Compiles one function.
class FunctionCompiler {
 public:
  FunctionCompiler(const mil::Program& program, mil::FunctionView function,
                   const CompileSettings& settings, Backend backend, ConstantPool& constants,
                   std::span<const int64_t> extents)
      : program_(program),
        function_(function),
        builder_(function.name(), settings, backend),
        constants_(constants),
        extents_(extents),
        bound_(program.bindings.size(), kUnbound) {}

  Result<std::shared_ptr<Executable>> Compile() {
    for (const mil::BindingView parameter : function_.block().parameters()) {
      ANECHECK_RETURN_IF_ERROR(AddInput(parameter));
    }
    for (const mil::StatementView statement : function_.block().statements()) {
      const auto constant = mil::ConstantValue(statement);
      const bool renames = constant && constant->kind() == mil::ValueKind::kName;
      // A constant is read when an operation uses it. A constant that only renames a value is
      // another name for that value.
      if (statement.op() == "const" && constant && !renames) continue;
      ANECHECK_RETURN_IF_ERROR(renames ? AddRenamed(statement, *constant)
                                       : AddStatement(statement));
    }
    for (const mil::ValueView output : function_.block().outputs()) {
      auto operand = Resolve(output, Element::kFp16);
      if (!operand.ok()) return StageError(Stage::kFrontend, operand.error().message);
      ANECHECK_RETURN_IF_ERROR(builder_.AddOutput(output.text(), *operand));
    }
    return builder_.Finish();
  }

  // Returns the operand of a value. A constant is read at its first use.
  Result<Operand> Resolve(mil::ValueView value, Element hint) {
    if (value.kind() != mil::ValueKind::kName) return AddConstant(value, hint);
    if (!value.IsResolved()) {
      return MakeError(ErrorCode::kInvalid, fmt::format("'{}' is not defined", value.text()));
    }
    const mil::BindingView binding = value.binding();
    uint32_t& bound = bound_[binding.index()];
    if (bound != kUnbound) return builder_.At(bound);
    if (binding.IsParameter()) {
      return MakeError(ErrorCode::kInvalid, fmt::format("'{}' is not in scope", value.text()));
    }
    const auto constant = mil::ConstantValue(mil::StatementView(&program_, binding.statement()));
    if (!constant) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("'{}' is used before it is computed", value.text()));
    }
    ANECHECK_ASSIGN(const Operand operand, AddConstant(*constant, hint));
    bound = operand.value;
    return operand;
  }

 private:
  Result<Operand> AddConstant(mil::ValueView literal, Element hint) {
    if (literal.kind() == mil::ValueKind::kName) {
      return MakeError(ErrorCode::kInvalid, "a constant is defined by the name of another value");
    }
    ANECHECK_ASSIGN(auto shared, Decode(literal, hint));
    return builder_.AddConstant(std::move(shared));
  }

  Result<std::shared_ptr<const Constant>> Decode(mil::ValueView literal, Element hint) {
    const std::pair key(literal.index(), hint);
    if (constants_.keep) {
      const auto found = constants_.decoded.find(key);
      if (found != constants_.decoded.end()) return found->second;
    }
    ANECHECK_ASSIGN(Constant constant, ReadConstant(literal, hint, constants_.files));
    auto shared = std::make_shared<const Constant>(std::move(constant));
    if (constants_.keep) constants_.decoded.emplace(key, shared);
    return shared;
  }

  Status AddInput(mil::BindingView parameter) {
    if (parameter.type().kind() == mil::TypeKind::kState) return AddState(parameter);
    const size_t index = builder_.inputs();
    const int64_t extent = index < extents_.size() ? extents_[index] : kFixedExtent;
    auto type = ReadTensorType(parameter.type(), extent);
    if (!type.ok()) {
      return StageError(Stage::kFrontend,
                        fmt::format("{}: {}", parameter.name(), type.error().message));
    }
    ANECHECK_ASSIGN(const Operand operand, builder_.AddInput(parameter.name(), *type));
    bound_[parameter.index()] = operand.value;
    return {};
  }

  Status AddState(mil::BindingView parameter) {
    const auto type = ReadTensorType(parameter.type().element());
    if (!type.ok()) {
      return StageError(Stage::kFrontend,
                        fmt::format("{}: {}", parameter.name(), type.error().message));
    }
    ANECHECK_ASSIGN(const Operand operand, builder_.AddState(parameter.name(), *type));
    bound_[parameter.index()] = operand.value;
    return {};
  }

  Status AddStatement(mil::StatementView statement);
  Status AddRenamed(mil::StatementView statement, mil::ValueView value);

  const mil::Program& program_;
  mil::FunctionView function_;
  ExecutableBuilder builder_;
  ConstantPool& constants_;
  std::span<const int64_t> extents_;
  std::vector<uint32_t> bound_;  // value of each binding
};

class StatementArguments : public ArgumentSource {
 public:
  StatementArguments(FunctionCompiler& compiler, mil::StatementView statement)
      : compiler_(compiler), statement_(statement) {}

  bool Has(std::string_view name) const override { return Find(name).has_value(); }
  Result<Operand> Single(std::string_view name, Element hint) override {
    const mil::ValueView value = *Find(name);
    if (value.kind() == mil::ValueKind::kTuple) {
      const auto members = mil::TupleOrOne(value);
      if (members.size() != 1) {
        return MakeError(ErrorCode::kInvalid, fmt::format("argument '{}' takes one value", name));
      }
      return compiler_.Resolve(members.front(), hint);
    }
    return compiler_.Resolve(value, hint);
  }
  Result<std::vector<Operand>> Several(std::string_view name, Element hint) override {
    std::vector<Operand> operands;
    for (const mil::ValueView member : mil::TupleOrOne(*Find(name))) {
      ANECHECK_ASSIGN(const Operand operand, compiler_.Resolve(member, hint));
      operands.push_back(operand);
    }
    return operands;
  }

 private:
  // Older files write the operands of constant expressions as attributes, in brackets.
  std::optional<mil::ValueView> Find(std::string_view name) const {
    const auto value = mil::FindValue(statement_.arguments(), name);
    if (value || !statement_.op().starts_with("constexpr_")) return value;
    return mil::FindValue(statement_.attributes(), name);
  }

  FunctionCompiler& compiler_;
  mil::StatementView statement_;
};

Status CheckDeclared(mil::BindingView binding, const TensorType& type) {
  const mil::TypeView declared = binding.type();
  const auto dimensions = declared.dimensions();
  bool same = declared.data_type() == type.element &&
              dimensions.size() == static_cast<size_t>(type.shape.rank());
  for (size_t i = 0; same && i < dimensions.size(); ++i) {
    same = dimensions[i].value == mil::Dimension::kUnknown ||
           dimensions[i].value == type.shape[static_cast<int>(i)];
  }
  if (same) return {};
  return StageError(Stage::kFrontend,
                    fmt::format("result '{}' is declared with another type than the operation's {}",
                                binding.name(), type.ToString()));
}

Status FunctionCompiler::AddRenamed(mil::StatementView statement, mil::ValueView value) {
  auto operand = Resolve(value, Element::kFp16);
  if (!operand.ok()) return StageError(Stage::kFrontend, operand.error().message);
  for (const mil::BindingView result : statement.results()) {
    ANECHECK_RETURN_IF_ERROR(CheckDeclared(result, operand->type));
    bound_[result.index()] = operand->value;
  }
  return {};
}

Status FunctionCompiler::AddStatement(mil::StatementView statement) {
  StatementArguments arguments(*this, statement);
  ANECHECK_ASSIGN(const auto results, builder_.AddOperation(statement.op(), arguments));
  if (results.size() != statement.results().size()) {
    return StageError(Stage::kFrontend,
                      fmt::format("{}: has {} results, {} are named", statement.op(),
                                  results.size(), statement.results().size()));
  }
  size_t index = 0;
  for (const mil::BindingView result : statement.results()) {
    ANECHECK_RETURN_IF_ERROR(CheckDeclared(result, results[index].type));
    bound_[result.index()] = results[index++].value;
  }
  return {};
}

// Compiles a function. With ranges, the result keeps the program that it is compiled from.
Result<std::shared_ptr<const Executable>> CompileAnyFunction(
    const std::shared_ptr<const mil::Program>& program, mil::FunctionView function,
    const CompileSettings& settings, Backend backend) {
  auto ranges = ReadShapeRanges(function);
  if (!ranges.ok()) return StageError(Stage::kFrontend, ranges.error().message);
  if (!ranges->empty()) {
    for (const mil::BindingView parameter : function.block().parameters()) {
      if (parameter.type().kind() != mil::TypeKind::kState) continue;
      return NoKernel(
          fmt::format("state {}: the simulated engine has no kernel for states of "
                      "programs with a range of shapes",
                      parameter.name()));
    }
    return CompileRanged(program, function, settings, backend, std::move(*ranges));
  }
  ConstantPool constants(settings.model_folder, false);
  ANECHECK_ASSIGN(auto executable,
                  CompileFunction(*program, function, settings, backend, constants, {}));
  return std::shared_ptr<const Executable>(std::move(executable));
}

}  // namespace

Result<std::shared_ptr<Executable>> CompileFunction(const mil::Program& program,
                                                    mil::FunctionView function,
                                                    const CompileSettings& settings,
                                                    Backend backend, ConstantPool& constants,
                                                    std::span<const int64_t> extents) {
  return FunctionCompiler(program, function, settings, backend, constants, extents).Compile();
}

Result<std::vector<std::shared_ptr<const Executable>>> CompileProgram(
    std::string mil_text, const CompileSettings& settings, Backend backend) {
  if (!settings.on_cpu && !settings.target->takes_mil) {
    // This check refuses the whole text before the compiler checks the lowest target of single
    // operations (facts/more/reject_strings.csv, area MIL).
    return StageError(Stage::kFrontend, "MIL is only supported for H13+ ANE architectures");
  }
  auto parsed = mil::Parse(std::move(mil_text));
  if (!parsed.ok()) return StageError(Stage::kParser, parsed.error().message);
  const auto program = std::make_shared<const mil::Program>(std::move(*parsed));
  std::vector<std::shared_ptr<const Executable>> executables;
  for (const mil::FunctionView function : mil::Functions(*program)) {
    ANECHECK_ASSIGN(auto executable, CompileAnyFunction(program, function, settings, backend));
    executables.push_back(std::move(executable));
  }
  if (executables.empty()) return StageError(Stage::kParser, "the program has no function");
  return executables;
}

}  // namespace anecheck::device
