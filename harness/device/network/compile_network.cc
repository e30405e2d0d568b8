#include "harness/device/network/compile_network.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/device/network/native_units.h"
#include "harness/device/network/network_context.h"

namespace anecheck::device {
namespace {

Status AddNative(NetworkContext& context, const NetworkUnit& unit) {
  std::vector<Operand> operands;
  operands.reserve(unit.bottoms.size());
  for (size_t i = 0; i < unit.bottoms.size(); ++i) {
    ANECHECK_ASSIGN(const Operand operand, context.OperandAt(unit, i));
    operands.push_back(operand);
  }
  UnitArguments arguments(context.builder());
  const Status read = ReadNativeUnit(unit, operands, arguments);
  if (!read.ok()) return Wrong(unit, read.error().message);
  return context.Finish(unit, NativeOperation(unit.type), arguments);
}

Status AddUnit(NetworkContext& context, const NetworkUnit& unit) {
  for (const auto rows : {WindowUnits(), PlainUnits()}) {
    const auto row = std::ranges::find(rows, std::string_view(unit.type), &UnitRow::type);
    if (row != rows.end()) return row->add(context, unit);
  }
  if (!NativeOperation(unit.type).empty()) return AddNative(context, unit);
  return Wrong(unit, fmt::format("no operation for layer {}", unit.type));
}

Status AddOutput(NetworkContext& context, const NetworkOutput& output) {
  const Symbol* symbol = context.Find(output.bottom);
  if (symbol == nullptr) {
    return StageError(Stage::kFrontend,
                      fmt::format("output {}: {} is no result", output.name, output.bottom));
  }
  if (!symbol->growth.empty()) ANECHECK_RETURN_IF_ERROR(context.Grow(output.bottom));
  return context.builder().AddOutput(output.bottom, symbol->operand);
}

Result<std::vector<uint8_t>> ReadWeights(const Network& network, const std::string& folder) {
  if (network.weight_files.empty()) return std::vector<uint8_t>();
  if (network.weight_files.size() > 1) {
    return MakeError(ErrorCode::kUnsupported, "the network has more than one weight file");
  }
  const std::string& name = network.weight_files[0];
  return ReadFile(name.starts_with('/') ? name : folder + "/" + name);
}

}  // namespace

bool IsPropertyList(std::string_view content) {
  return content.starts_with("<?xml") || content.starts_with("bplist0");
}

Result<std::shared_ptr<const Executable>> CompileNetwork(std::string_view content,
                                                         const CompileSettings& settings,
                                                         Backend backend) {
  if (!settings.on_cpu && !settings.target->takes_mil) {
    return NoKernel(fmt::format("{}: the simulated engine has no kernels for families before A13",
                                settings.target->name));
  }
  const auto network = ReadNetwork(content);
  if (!network.ok()) return StageError(Stage::kParser, network.error().message);
  const auto weights = ReadWeights(*network, settings.model_folder);
  if (!weights.ok()) return StageError(Stage::kParser, weights.error().message);
  NetworkContext context(*network, *weights, settings, backend);
  for (const NetworkInput& input : network->inputs) {
    ANECHECK_RETURN_IF_ERROR(context.AddInput(input));
  }
  for (const NetworkConstant& constant : network->constants) {
    ANECHECK_RETURN_IF_ERROR(context.AddConstant(constant));
  }
  for (const NetworkUnit& unit : network->units) {
    ANECHECK_RETURN_IF_ERROR(AddUnit(context, unit));
  }
  for (const NetworkOutput& output : network->outputs) {
    ANECHECK_RETURN_IF_ERROR(AddOutput(context, output));
  }
  ANECHECK_ASSIGN(auto executable, context.builder().Finish());
  return std::shared_ptr<const Executable>(std::move(executable));
}

}  // namespace anecheck::device
