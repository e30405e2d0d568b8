// From MIL text to executables.
#include "harness/device/compile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "harness/device/compile_fault.h"
#include "harness/device/compile_function.h"
#include "harness/device/literal.h"
#include "harness/device/op_table.h"
#include "harness/device/ranged_program.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/reader.h"

namespace anecheck::device {
namespace {

constexpr uint32_t kUnbound = ~uint32_t{0};
constexpr int64_t kAlignment = 64;

Error StageError(Stage stage, std::string_view message) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{} @ {}", message, StageName(stage)));
}

class CopyKernel : public Kernel {
 public:
  explicit CopyKernel(size_t bytes) : bytes_(bytes) {}
  void Run(const Invocation& call) const override {
    std::memcpy(call.outputs[0], call.inputs[0], bytes_);
  }

 private:
  size_t bytes_;
};

// Compiles one function.
class FunctionCompiler {
 public:
  FunctionCompiler(const mil::Program& program, const CompileSettings& settings, Backend backend,
                   ConstantPool& constants, std::span<const int64_t> extents)
      : program_(program),
        settings_(settings),
        constants_(constants),
        extents_(extents),
        bound_(program.bindings.size(), kUnbound),
        executable_(std::make_shared<Executable>()) {
    executable_->backend = backend;
    executable_->target = settings.target;
    executable_->faults = settings.faults;
  }

  Result<std::shared_ptr<Executable>> Compile(mil::FunctionView function) {
    executable_->name = std::string(function.name());
    for (const mil::BindingView parameter : function.block().parameters()) {
      ANECHECK_RETURN_IF_ERROR(AddInput(parameter));
    }
    for (const mil::StatementView statement : function.block().statements()) {
      const auto constant = mil::ConstantValue(statement);
      const bool renames = constant && constant->kind() == mil::ValueKind::kName;
      // Constants are read where they are used; a name for a name stands for what that does.
      if (statement.op() == "const" && constant && !renames) continue;
      ANECHECK_RETURN_IF_ERROR(renames ? AddRenamed(statement, *constant)
                                       : AddStatement(statement));
    }
    for (const mil::ValueView output : function.block().outputs()) {
      ANECHECK_RETURN_IF_ERROR(AddOutput(output));
    }
    if (executable_->outputs.empty()) {
      return StageError(Stage::kFrontend, "the function has no outputs");
    }
    return std::move(executable_);
  }

  // The operand that a value stands for; constants are read on first use.
  Result<Operand> Resolve(mil::ValueView value, Element hint) {
    if (value.kind() != mil::ValueKind::kName) return AddConstant(value, hint);
    if (!value.IsResolved()) {
      return MakeError(ErrorCode::kInvalid, fmt::format("'{}' is not defined", value.text()));
    }
    const mil::BindingView binding = value.binding();
    uint32_t& bound = bound_[binding.index()];
    if (bound == kUnbound) {
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
    const Executable::Value& known = executable_->values[bound];
    return Operand{known.type, bound, known.constant.get(), OriginOf(bound)};
  }

 private:
  Result<Operand> AddConstant(mil::ValueView literal, Element hint) {
    if (literal.kind() == mil::ValueKind::kName) {
      return MakeError(ErrorCode::kInvalid, "a constant is defined by another name");
    }
    ANECHECK_ASSIGN(auto shared, Decode(literal, hint));
    return KeepConstant(std::move(shared));
  }

  Operand KeepConstant(std::shared_ptr<const Constant> shared) {
    bytes_ += static_cast<int64_t>(shared->data.size());
    const Operand operand{shared->type, static_cast<uint32_t>(executable_->values.size()),
                          shared.get()};
    executable_->values.push_back({shared->type, std::move(shared), -1});
    return operand;
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

  // What holds for every tensor of the engine's part of a program.
  Status CheckTensor(const TensorType& type) const {
    const int rank = type.shape.rank();
    if (settings_.on_cpu) return {};
    if (rank > kMaxEngineRank && settings_.faults.Find(FaultEffect::kAcceptRank6) == nullptr) {
      return StageError(Stage::kFrontend,
                        fmt::format("tensor rank {} exceeds the ANE maximum of 5", rank));
    }
    ANECHECK_RETURN_IF_ERROR(CheckPlantedTypes(settings_.faults, type));
    for (int axis = 0; axis < rank; ++axis) ANECHECK_RETURN_IF_ERROR(CheckExtent(type, axis));
    return {};
  }

  // Axes of rank 4 and 5 are batch, channel, [depth,] height, width.
  Status CheckExtent(const TensorType& type, int axis) const {
    const Target& target = *settings_.target;
    const int rank = type.shape.rank();
    const int64_t extent = type.shape[axis];
    if (extent < 1) {
      Shape expected = type.shape;
      for (int i = 0; i < rank; ++i) expected[i] = std::max<int64_t>(1, expected[i]);
      return StageError(Stage::kCodegen, fmt::format("Expected {}; got {}",
                                                     TensorType{type.element, expected}.ToString(),
                                                     type.ToString()));
    }
    int64_t limit = target.max_width_height;
    if (rank >= 4 && axis == 0) limit = target.max_batch;
    if (rank >= 4 && axis == 1) limit = target.max_channels;
    if (extent <= limit || settings_.faults.Find(FaultEffect::kAcceptWide) != nullptr) return {};
    return StageError(Stage::kFrontend,
                      fmt::format("axis {} of {} exceeds ANE family {}'s max dimension {}", axis,
                                  type.ToString(), target.family, limit));
  }

  // facts/mil.md: fp16 and the 8- and 16-bit integers cross the boundary of the engine.
  Status CheckBoundary(const TensorType& type, std::string_view name) const {
    switch (type.element) {
      case Element::kFp16:
      case Element::kInt8:
      case Element::kUint8:
      case Element::kInt16:
      case Element::kUint16:
        return {};
      default:
        break;
    }
    const bool known = ElementSize(type.element) != 0;
    if (known &&
        (settings_.on_cpu || settings_.faults.Find(FaultEffect::kAcceptInputs) != nullptr)) {
      return {};
    }
    return StageError(Stage::kFrontend, fmt::format("'{}' is {}: dtype must be 'fp16' or 'uint8'",
                                                    name, type.ToString()));
  }

  Status AddInput(mil::BindingView parameter) {
    if (parameter.type().kind() == mil::TypeKind::kState) {
      return StageError(
          Stage::kCodegen,
          fmt::format("state {}: the simulated engine has no kernel for states", parameter.name()));
    }
    const size_t index = executable_->inputs.size();
    const int64_t extent = index < extents_.size() ? extents_[index] : kFixedExtent;
    auto type = ReadTensorType(parameter.type(), extent);
    if (!type.ok()) {
      return StageError(Stage::kFrontend,
                        fmt::format("{}: {}", parameter.name(), type.error().message));
    }
    ANECHECK_RETURN_IF_ERROR(CheckBoundary(*type, parameter.name()));
    ANECHECK_RETURN_IF_ERROR(CheckTensor(*type));
    const auto value = static_cast<uint32_t>(executable_->values.size());
    executable_->values.push_back({*type, nullptr, -1});
    bound_[parameter.index()] = value;
    executable_->inputs.push_back({std::string(parameter.name()), *type, value});
    return {};
  }

  Status AddStatement(mil::StatementView statement);
  Status AddRenamed(mil::StatementView statement, mil::ValueView value);
  Status AddExpanded(mil::StatementView statement, std::vector<Constant> constants);

  Result<uint32_t> AddResult(const TensorType& type) {
    ANECHECK_RETURN_IF_ERROR(CheckTensor(type));
    const int64_t bytes = (type.Bytes() + kAlignment - 1) / kAlignment * kAlignment;
    const auto value = static_cast<uint32_t>(executable_->values.size());
    executable_->values.push_back({type, nullptr, executable_->arena_bytes});
    // Each tensor is followed by a granule of its own, so that an overrun harms no neighbour unless
    // a planted defect asks for it.
    executable_->arena_bytes += bytes + kAlignment;
    if (executable_->arena_bytes + bytes_ > kMaxProgramBytes) {
      return StageError(Stage::kValidator, "can not fit the program's tensors in memory");
    }
    return value;
  }

  Status AddOutput(mil::ValueView output) {
    auto operand = Resolve(output, Element::kFp16);
    if (!operand.ok()) return StageError(Stage::kFrontend, operand.error().message);
    ANECHECK_RETURN_IF_ERROR(CheckBoundary(operand->type, output.text()));
    const bool own = executable_->values[operand->value].arena_offset >= 0 &&
                     std::ranges::none_of(executable_->outputs, [&](const Port& port) {
                       return port.value == operand->value;
                     });
    uint32_t value = operand->value;
    if (!own) {
      // An input or a constant that is an output: the engine moves it.
      ANECHECK_ASSIGN(value, AddResult(operand->type));
      Executable::Node node;
      node.op = "identity";
      node.kernel = std::make_unique<CopyKernel>(static_cast<size_t>(operand->type.Bytes()));
      node.inputs = {operand->value};
      node.outputs = {value};
      node.move = true;
      executable_->nodes.push_back(std::move(node));
    }
    executable_->outputs.push_back({std::string(output.text()), operand->type, value});
    return {};
  }

  Origin OriginOf(uint32_t value) const {
    const auto found = origins_.find(value);
    return found == origins_.end() ? Origin() : found->second;
  }

  const mil::Program& program_;
  const CompileSettings& settings_;
  ConstantPool& constants_;
  std::span<const int64_t> extents_;
  std::vector<uint32_t> bound_;  // value of each binding
  std::map<uint32_t, Origin> origins_;
  std::shared_ptr<Executable> executable_;
  int64_t bytes_ = 0;  // of constants
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
  // The constant expressions of older files have their operands in the brackets.
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
                    fmt::format("result '{}' is declared otherwise than the operation's {}",
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

Status FunctionCompiler::AddExpanded(mil::StatementView statement,
                                     std::vector<Constant> constants) {
  if (constants.size() != statement.results().size()) {
    return StageError(Stage::kFrontend,
                      fmt::format("{}: has {} results, {} are named", statement.op(),
                                  constants.size(), statement.results().size()));
  }
  size_t index = 0;
  for (const mil::BindingView result : statement.results()) {
    Constant& constant = constants[index++];
    ANECHECK_RETURN_IF_ERROR(CheckDeclared(result, constant.type));
    bound_[result.index()] =
        KeepConstant(std::make_shared<const Constant>(std::move(constant))).value;
  }
  return {};
}

Status FunctionCompiler::AddStatement(mil::StatementView statement) {
  const std::string_view op = statement.op();
  ANECHECK_RETURN_IF_ERROR(CheckPlantedOp(settings_.faults, op));
  const OpRow* row = FindOpRow(op);
  if (row != nullptr && row->direct && !settings_.direct) {
    return StageError(
        Stage::kFrontend,
        fmt::format("{}: is a native layer, which only a network description names", op));
  }
  if (row == nullptr) {
    return StageError(
        Stage::kCodegen,
        fmt::format(
            "{}: Some ops are not supported on any of the specified backends (the simulated "
            "engine has no kernel for it)",
            op));
  }
  StatementArguments arguments(*this, statement);
  OpBuilder builder(op, settings_, arguments);
  std::unique_ptr<const Kernel> kernel = row->build(builder);
  if (!builder.ok()) return StageError(builder.stage(), builder.message());
  if (!builder.constants().empty()) return AddExpanded(statement, std::move(builder.constants()));
  if (kernel == nullptr || builder.outputs().size() != statement.results().size()) {
    return StageError(Stage::kFrontend,
                      fmt::format("{}: has {} results, {} are named", op, builder.outputs().size(),
                                  statement.results().size()));
  }
  Executable::Node node;
  node.op = std::string(op);
  node.kernel = std::move(kernel);
  node.inputs.assign(builder.inputs().begin(), builder.inputs().end());
  node.weight = builder.weight();
  size_t index = 0;
  for (const mil::BindingView result : statement.results()) {
    const TensorType& type = builder.outputs()[index++];
    ANECHECK_RETURN_IF_ERROR(CheckDeclared(result, type));
    ANECHECK_ASSIGN(const uint32_t value, AddResult(type));
    bound_[result.index()] = value;
    origins_[value] = {op, node.inputs.empty() ? kUnbound : node.inputs.front()};
    node.outputs.push_back(value);
  }
  executable_->nodes.push_back(std::move(node));
  return {};
}

// A function with ranges keeps the program that it is compiled from.
Result<std::shared_ptr<const Executable>> CompileAnyFunction(
    const std::shared_ptr<const mil::Program>& program, mil::FunctionView function,
    const CompileSettings& settings, Backend backend) {
  auto ranges = ReadShapeRanges(function);
  if (!ranges.ok()) return StageError(Stage::kFrontend, ranges.error().message);
  if (!ranges->empty()) {
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
  return FunctionCompiler(program, settings, backend, constants, extents).Compile(function);
}

Result<std::vector<std::shared_ptr<const Executable>>> CompileProgram(
    std::string mil_text, const CompileSettings& settings, Backend backend) {
  if (!settings.on_cpu && !settings.target->takes_mil) {
    return StageError(Stage::kFloor, "MIL is only supported for H13+ ANE architectures");
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
