#include "harness/device/network/network_context.h"

#include <fmt/format.h>
#include <utility>

namespace anecheck::device {
namespace {

// The type of the constant that contains the start of a DynamicSlice (public netlists).
constexpr std::string_view kStartType = "UInt16";
constexpr int64_t kMostElements = int64_t{1} << 31;

Status CheckShape(const Shape& shape, std::string_view what) {
  int64_t elements = 1;
  for (const int64_t extent : shape.dims()) {
    if (extent < 1 || extent > kMostElements / elements) {
      return StageError(Stage::kFrontend,
                        fmt::format("{}: {} is no shape", what, shape.ToString()));
    }
    elements *= extent;
  }
  return {};
}

// Maps a unit's type and its Type parameter to an operation.
struct Spelling {
  std::string_view unit, type, operation;
};
constexpr Spelling kSpellings[] = {
    {"Pooling", "Max", "max_pool"},
    {"Pooling", "Avg", "avg_pool"},
    {"ElementWise", "Add", "add"},
    {"ElementWise", "Sub", "sub"},
    {"ElementWise", "Mult", "mul"},
    {"ElementWise", "Max", "maximum"},
    {"ElementWise", "Min", "minimum"},
    {"Neuron", "ReLU", "relu"},
    {"Neuron", "Sigmoid", "sigmoid"},
    {"Neuron", "Tanh", "tanh"},
    {"Neuron", "GELU", "gelu"},
    {"Neuron", "ClampedReLU", "clip"},
    {"Reduction", "Sum", "reduce_sum"},
    {"Reduction", "Max", "reduce_max"},
    {"Reduction", "Min", "reduce_min"},
    {"Reduction", "Avg", "reduce_mean"},
    {"ElementWise", "Abs", "abs"},
    {"Neuron", "Swish", "silu"},
    {"Neuron", "Sqrt", "sqrt"},
    {"Neuron", "Exp2", "exp2"},
    {"Neuron", "Erf", "erf"},
    {"Neuron", "Sign", "sign"},
    {"Neuron", "Ceil", "ceil"},
    {"Neuron", "Floor", "floor"},
    {"Neuron", "RoundNearest", "round"},
};

}  // namespace

Error Wrong(const NetworkUnit& unit, std::string_view what) {
  return StageError(Stage::kFrontend, fmt::format("unit {}: {}", unit.name, what));
}

Result<std::string_view> OperationByType(const NetworkUnit& unit) {
  const std::string type = unit.params.Find("Type").Text().value_or("");
  for (const Spelling& spelling : kSpellings) {
    if (spelling.unit == unit.type && spelling.type == type) return spelling.operation;
  }
  return Wrong(unit, fmt::format("no operation for {} of type \"{}\"", unit.type, type));
}

Status NetworkContext::AddInput(const NetworkInput& input) {
  if (!input.shape || input.type != kHalfType) {
    return StageError(
        Stage::kFrontend,
        fmt::format("input {}: needs extents of one rank and type {}", input.name, kHalfType));
  }
  ANECHECK_RETURN_IF_ERROR(CheckShape(*input.shape, input.name));
  ANECHECK_ASSIGN(const Operand operand,
                  builder_.AddInput(input.name, {Element::kFp16, *input.shape}));
  Define(input.name, {operand, {}});
  return {};
}

Result<std::vector<uint8_t>> NetworkContext::Stored(int64_t offset, int64_t bytes,
                                                    std::string_view what) const {
  const auto all = static_cast<int64_t>(weights_.size());
  if (offset < 0 || offset > all || bytes > all - offset) {
    return StageError(Stage::kFrontend,
                      fmt::format("{}: {} bytes at {} are outside the weight file of {}", what,
                                  bytes, offset, all));
  }
  const auto part = weights_.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
  return std::vector<uint8_t>(part.begin(), part.end());
}

Result<Operand> NetworkContext::StoredHalves(const Shape& shape, int64_t offset,
                                             std::string_view what) {
  ANECHECK_RETURN_IF_ERROR(CheckShape(shape, what));
  Constant constant;
  constant.type = {Element::kFp16, shape};
  ANECHECK_ASSIGN(constant.data, Stored(offset, constant.type.Bytes(), what));
  return builder_.AddConstant(std::make_shared<const Constant>(std::move(constant)));
}

Status NetworkContext::AddConstant(const NetworkConstant& constant) {
  const bool known = constant.shape && constant.file == 0;
  if (known && constant.type == kStartType && constant.shape->Elements() == 1) {
    ANECHECK_ASSIGN(const auto bytes, Stored(constant.offset, 2, constant.name));
    starts_[constant.name] = bytes[0] | bytes[1] << 8;
    return {};
  }
  if (!known || constant.type != kHalfType) {
    return StageError(Stage::kFrontend,
                      fmt::format("constant {}: needs extents of one rank, type {} and index 0",
                                  constant.name, kHalfType));
  }
  ANECHECK_ASSIGN(const Operand operand,
                  StoredHalves(*constant.shape, constant.offset, constant.name));
  Define(constant.name, {operand, {}});
  return {};
}

const Symbol* NetworkContext::Find(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

Result<const Symbol*> NetworkContext::SymbolAt(const NetworkUnit& unit, size_t index) const {
  if (index >= unit.bottoms.size()) return Wrong(unit, "an operand is missing");
  const Symbol* symbol = Find(unit.bottoms[index]);
  if (symbol != nullptr) return symbol;
  return Wrong(unit, fmt::format("operand {} is not defined", unit.bottoms[index]));
}

Result<Operand> NetworkContext::OperandAt(const NetworkUnit& unit, size_t index) {
  ANECHECK_ASSIGN(const Symbol* symbol, SymbolAt(unit, index));
  if (symbol->growth.empty()) return symbol->operand;
  return Grow(unit.bottoms[index]);
}

Result<Operand> NetworkContext::Grow(const std::string& name) {
  Symbol& symbol = symbols_.find(name)->second;
  const Shape& shape = symbol.operand.type.shape;
  std::vector<int64_t> times(static_cast<size_t>(shape.rank()), 1);
  for (const Growth& growth : symbol.growth) {
    const auto axis = AxisNamed(growth.axis, shape.rank());
    if (!axis || (shape[*axis] != 1 && shape[*axis] != growth.size)) {
      return StageError(
          Stage::kFrontend,
          fmt::format("unit {}: an operand of extent {} cannot be broadcast to {} along {}", name,
                      shape.ToString(), growth.size, growth.axis));
    }
    times[static_cast<size_t>(*axis)] = growth.size / shape[*axis];
  }
  UnitArguments arguments(builder_);
  arguments.Tensor("x", symbol.operand);
  arguments.Ints("reps", times);
  ANECHECK_ASSIGN(const auto results, builder_.AddOperation("tile", arguments));
  symbol = {results.front(), {}};
  return symbol.operand;
}

Result<int64_t> NetworkContext::StartOf(const NetworkUnit& unit) const {
  const auto start = unit.bottoms.size() == 2 ? starts_.find(unit.bottoms[1]) : starts_.end();
  if (start != starts_.end()) return start->second;
  return Wrong(unit, fmt::format("a start that is no {} constant of one element", kStartType));
}

Status NetworkContext::Finish(const NetworkUnit& unit, std::string_view operation,
                              UnitArguments& arguments) {
  if (unit.output_type.value_or(std::string(kHalfType)) != kHalfType) {
    return Wrong(unit, fmt::format("OutputType {}", *unit.output_type));
  }
  ANECHECK_ASSIGN(const auto results, builder_.AddOperation(operation, arguments));
  if (results.empty()) return Wrong(unit, "has no result");
  const Operand& result = results.front();
  const Shape& shape = result.type.shape;
  if (shape.rank() >= 4 && unit.output_channels.value_or(shape[1]) != shape[1]) {
    return Wrong(unit, fmt::format("OutputChannels is {}, the result has {}", *unit.output_channels,
                                   shape[1]));
  }
  Define(unit.name, {result, {}});
  return {};
}

}  // namespace anecheck::device
