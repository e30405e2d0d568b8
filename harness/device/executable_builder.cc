#include "harness/device/executable_builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/base/round_up.h"
#include "harness/device/compile.h"
#include "harness/device/compile_fault.h"
#include "harness/device/dispatch.h"
#include "harness/device/ops/copy_kernel.h"
#include "harness/device/output_fault.h"

namespace anecheck::device {
namespace {

constexpr int64_t kAlignment = 64;

// Returns the operation's row if programs in this input language may name the operation.
Result<const OpRow*> RowOf(std::string_view op, const CompileSettings& settings) {
  const OpRow* row = FindOpRow(op);
  if (row == nullptr) {
    return NoKernel(
        fmt::format("{}: Some ops are not supported on any of the specified backends (the "
                    "simulated engine has no kernel for it)",
                    op));
  }
  if (row->direct && !settings.direct) {
    return StageError(
        Stage::kFrontend,
        fmt::format("{}: is a native layer, which only a network description names", op));
  }
  return row;
}

}  // namespace

Error StageError(Stage stage, std::string_view message) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{} @ {}", message, StageName(stage)));
}

Error NoKernel(std::string_view message) {
  Error error = StageError(Stage::kCodegen, message);
  error.code = ErrorCode::kUnsupported;
  return error;
}

bool IsNoKernel(const Error& error) { return error.code == ErrorCode::kUnsupported; }

ExecutableBuilder::ExecutableBuilder(std::string_view name, const CompileSettings& settings,
                                     Backend backend)
    : settings_(settings), executable_(std::make_shared<Executable>()) {
  executable_->name = name;
  executable_->backend = backend;
  executable_->target = settings.target;
  executable_->faults = settings.faults;
  executable_->misplaces_reflection = !settings.on_cpu && settings.QuirkOn("D38");
}

// ---- checks -------------------------------------------------------------------------------------

// Checks the limits of a tensor in the engine's part of a program.
Status ExecutableBuilder::CheckTensor(const TensorType& type) const {
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
Status ExecutableBuilder::CheckExtent(const TensorType& type, int axis) const {
  const Target& target = *settings_.target;
  const int rank = type.shape.rank();
  const int64_t extent = type.shape[axis];
  if (extent < 1) {
    Shape expected = type.shape;
    for (int i = 0; i < rank; ++i) expected[i] = std::max<int64_t>(1, expected[i]);
    return StageError(Stage::kCodegen,
                      fmt::format("Expected {}; got {}",
                                  TensorType{type.element, expected}.ToString(), type.ToString()));
  }
  int64_t limit = target.max_width_height;
  if (rank >= 4 && axis == 0) limit = target.max_batch;
  if (rank >= 4 && axis == 1) limit = target.max_channels;
  if (extent <= limit || settings_.faults.Find(FaultEffect::kAcceptWide) != nullptr) return {};
  return StageError(Stage::kFrontend,
                    fmt::format("axis {} of {} exceeds ANE family {}'s max dimension {}", axis,
                                type.ToString(), target.family, limit));
}

// Inputs and outputs of the engine may be fp16 and the 8- and 16-bit integers (facts/mil.md), and
// also bools. That source excludes bools, but compilations are stronger evidence. For h13, Apple's
// compiler of macOS 26.6 takes bool inputs of select, cast and logical_not, and bool results of
// less. For h14 it takes bool inputs of select (github joshuaswarren/mil-hwx-compiler,
// research/oracles; facts/silicon/compile_limits_silicon.csv). An M1 computed such a select exactly
// (facts/later_programs/numerics_h13_linux.csv). No source says that later families differ.
Status ExecutableBuilder::CheckBoundary(const TensorType& type, std::string_view name) const {
  switch (type.element) {
    case Element::kFp16:
    case Element::kInt8:
    case Element::kUint8:
    case Element::kInt16:
    case Element::kUint16:
    case Element::kBool:
      return {};
    default:
      break;
  }
  const bool known = ElementSize(type.element) != 0;
  if (known && (settings_.on_cpu || settings_.faults.Find(FaultEffect::kAcceptInputs) != nullptr)) {
    return {};
  }
  return StageError(Stage::kFrontend, fmt::format("'{}' is {}: dtype must be 'fp16' or 'uint8'",
                                                  name, type.ToString()));
}

// ---- values -------------------------------------------------------------------------------------

Operand ExecutableBuilder::At(uint32_t value) const {
  const Executable::Value& known = executable_->values[value];
  const auto origin = origins_.find(value);
  return {known.type, value, known.constant.get(),
          origin == origins_.end() ? Origin() : origin->second, known.state};
}

Result<Operand> ExecutableBuilder::AddInput(std::string_view name, const TensorType& type) {
  ANECHECK_RETURN_IF_ERROR(CheckBoundary(type, name));
  ANECHECK_RETURN_IF_ERROR(CheckTensor(type));
  const auto value = static_cast<uint32_t>(executable_->values.size());
  executable_->values.push_back({type, nullptr, -1});
  executable_->inputs.push_back({std::string(name), type, value});
  return At(value);
}

Result<Operand> ExecutableBuilder::AddState(std::string_view name, const TensorType& type) {
  if (ElementSize(type.element) == 0) {
    return StageError(Stage::kFrontend, fmt::format("no state can be {}", type.ToString()));
  }
  ANECHECK_ASSIGN(const uint32_t value, AddStored(type));
  executable_->values[value].state = true;
  executable_->states.push_back({std::string(name), type, value});
  executable_->shares_states = !settings_.on_cpu && settings_.target->family <= kFamilyA13;
  return At(value);
}

Operand ExecutableBuilder::AddConstant(std::shared_ptr<const Constant> constant) {
  constant_bytes_ += static_cast<int64_t>(constant->data.size());
  const auto value = static_cast<uint32_t>(executable_->values.size());
  const TensorType type = constant->type;
  executable_->values.push_back({type, std::move(constant), -1});
  return At(value);
}

// Adds a value that has its own storage among the intermediate tensors.
Result<uint32_t> ExecutableBuilder::AddStored(const TensorType& type) {
  ANECHECK_RETURN_IF_ERROR(CheckTensor(type));
  const int64_t bytes = RoundUp(type.Bytes(), kAlignment);
  const auto value = static_cast<uint32_t>(executable_->values.size());
  executable_->values.push_back({type, nullptr, executable_->arena_bytes});
  // kAlignment spare bytes follow each tensor, so that an overrun changes the next tensor only if a
  // planted defect demands it.
  executable_->arena_bytes += bytes + kAlignment;
  if (executable_->arena_bytes + constant_bytes_ > kMaxProgramBytes) {
    return StageError(Stage::kValidator, "can not fit the program's tensors in memory");
  }
  return value;
}

// ---- operations ---------------------------------------------------------------------------------

Result<std::vector<Operand>> ExecutableBuilder::AddNode(const OpRow& row, const OpBuilder& builder,
                                                        std::unique_ptr<const Kernel> kernel) {
  Executable::Node node;
  node.op = row.name;
  node.pass = row.pass;
  node.kernel = std::move(kernel);
  node.inputs.assign(builder.inputs().begin(), builder.inputs().end());
  node.weight = builder.weight();
  node.reflects = builder.reflects();
  executable_->times_out |= builder.times_out();
  std::vector<Operand> results;
  results.reserve(builder.outputs().size());
  for (const TensorType& type : builder.outputs()) {
    ANECHECK_ASSIGN(const uint32_t value, AddStored(type));
    origins_[value] = {row.name, node.inputs.empty() ? Executable::kNoValue : node.inputs.front()};
    node.outputs.push_back(value);
    results.push_back(At(value));
  }
  if (const auto state = builder.written()) node.outputs.push_back(*state);
  executable_->nodes.push_back(std::move(node));
  return results;
}

Result<std::vector<Operand>> ExecutableBuilder::AddOperation(std::string_view op,
                                                             ArgumentSource& arguments) {
  ANECHECK_RETURN_IF_ERROR(CheckPlantedOp(settings_.faults, op));
  ANECHECK_ASSIGN(const OpRow* row, RowOf(op, settings_));
  OpBuilder builder(row->name, settings_, arguments);
  std::unique_ptr<const Kernel> kernel = row->build(builder);
  if (!builder.ok()) return StageError(builder.stage(), builder.message());
  if (kernel != nullptr) return AddNode(*row, builder, std::move(kernel));
  std::vector<Operand> results;
  results.reserve(builder.constants().size());
  for (Constant& constant : builder.constants()) {
    for (const Fault& fault : settings_.faults.all()) {
      if (fault.mechanism != FaultMechanism::kOutput || !Concerns(fault, row->name)) continue;
      SpoilOutput(fault, constant.type, {}, constant.data.data());
    }
    results.push_back(AddConstant(std::make_shared<const Constant>(std::move(constant))));
  }
  return results;
}

Status ExecutableBuilder::AddOutput(std::string_view name, const Operand& operand) {
  if (operand.state) {
    return StageError(Stage::kFrontend, fmt::format("output '{}' is a state", name));
  }
  ANECHECK_RETURN_IF_ERROR(CheckBoundary(operand.type, name));
  const bool own = executable_->values[operand.value].arena_offset >= 0 &&
                   std::ranges::none_of(executable_->outputs, [&](const Port& port) {
                     return port.value == operand.value;
                   });
  uint32_t value = operand.value;
  if (!own) {
    // If an input or a constant is also an output, the engine copies it.
    ANECHECK_ASSIGN(value, AddStored(operand.type));
    Executable::Node node;
    node.op = "identity";
    node.kernel = std::make_unique<CopyKernel>(operand.type.Bytes());
    node.inputs = {operand.value};
    node.outputs = {value};
    node.move = true;
    executable_->nodes.push_back(std::move(node));
  }
  executable_->outputs.push_back({std::string(name), operand.type, value});
  return {};
}

Result<std::shared_ptr<Executable>> ExecutableBuilder::Finish() {
  if (executable_->outputs.empty()) {
    return StageError(Stage::kFrontend, "the function has no outputs");
  }
  if (executable_->backend == Backend::kAne) CutIntoDispatches(*executable_);
  return std::move(executable_);
}

}  // namespace anecheck::device
