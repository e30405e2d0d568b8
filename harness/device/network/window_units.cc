// Convolutions, the gains and offsets behind them, and pooling.
#include <algorithm>
#include <fmt/format.h>

#include "harness/device/network/network_context.h"

namespace anecheck::device {
namespace {

struct WindowKeys {
  const char *kernel, *before, *after;
};
// Outermost axis first; a window over two axes has no depth.
constexpr WindowKeys kWindowKeys[] = {{"KernelDepth", "PadFront", "PadBack"},
                                      {"KernelHeight", "PadTop", "PadBot"},
                                      {"KernelWidth", "PadLeft", "PadRight"}};
struct Window {
  std::vector<int64_t> kernel, strides, pads;
};

Result<Window> ReadWindow(const NetworkUnit& unit) {
  Window window;
  const bool deep = unit.params.Find("KernelDepth").exists();
  for (const WindowKeys& keys : std::span(kWindowKeys).last(deep ? 3 : 2)) {
    window.kernel.push_back(unit.params.Find(keys.kernel).Integer().value_or(1));
    window.pads.push_back(unit.params.Find(keys.before).Integer().value_or(0));
    window.pads.push_back(unit.params.Find(keys.after).Integer().value_or(0));
  }
  // Step lists the innermost axis first. Assumed: that axis is the width.
  const auto steps = unit.params.Find("Step").Integers();
  window.strides.assign(window.kernel.size(), 1);
  if (!steps) return window;
  if (steps->size() != window.kernel.size()) {
    return Wrong(unit, fmt::format("Step has {} entries, the window {} axes", steps->size(),
                                   window.kernel.size()));
  }
  std::ranges::reverse_copy(*steps, window.strides.begin());
  return window;
}

void SetWindow(const Window& window, UnitArguments& arguments) {
  arguments.Ints("strides", window.strides);
  arguments.Text("pad_type", "custom");
  arguments.Ints("pad", window.pads);
}

const NetworkUnit* FindUnit(const Network& network, std::string_view name) {
  const auto found = std::ranges::find(network.units, name, &NetworkUnit::name);
  return found == network.units.end() ? nullptr : &*found;
}

bool IsBias(const NetworkUnit& unit) {
  const ListItem group = unit.params.Find("BiasScaleGroupData");
  return unit.type == "GOC" && group.Find("BiasCount").exists() &&
         !group.Find("ScaleCount").exists();
}

// Returns the unit that reads this convolution, if it is the only reader and only adds the bias;
// otherwise null. One pass of the array computes both units.
const NetworkUnit* BiasOf(const Network& network, const NetworkUnit& conv) {
  if (std::ranges::find(network.outputs, conv.name, &NetworkOutput::bottom) !=
      network.outputs.end()) {
    return nullptr;
  }
  const NetworkUnit* reader = nullptr;
  for (const NetworkUnit& unit : network.units) {
    if (std::ranges::find(unit.bottoms, conv.name) == unit.bottoms.end()) continue;
    if (reader != nullptr) return nullptr;
    reader = &unit;
  }
  return reader != nullptr && IsBias(*reader) ? reader : nullptr;
}

// Reads the constant of a unit's bias or scale. `part` is "Bias" or "Scale".
Result<Operand> GroupConstant(NetworkContext& context, const NetworkUnit& unit,
                              const std::string& part) {
  const ListItem group = unit.params.Find("BiasScaleGroupData");
  const auto count = group.Find(part + "Count").Integer();
  if (!count) return Wrong(unit, part + "Count is missing or of another kind");
  if (group.Find(part + "Type").Text() != kHalfType) {
    return Wrong(unit, part + "Type must be Float16");
  }
  return context.StoredHalves({*count}, group.Find(part + "Offset").Integer().value_or(0),
                              unit.name);
}

Status Conv(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  ANECHECK_ASSIGN(const Window window, ReadWindow(unit));
  const Shape& input = x.type.shape;
  const int64_t groups = unit.groups.value_or(1);
  if (input.rank() < 3 || groups < 1 || input[1] % groups != 0 || !unit.output_channels) {
    return Wrong(unit, "channels, groups or OutputChannels do not fit");
  }
  if (unit.params.Find("KernelType").Text() != kHalfType ||
      unit.params.Find("KernelMode").Text().value_or("Dense") != "Dense") {
    return Wrong(unit, "the kernel must be dense Float16");
  }
  Shape shape = {*unit.output_channels, input[1] / groups};
  for (const int64_t extent : window.kernel) shape.Append(extent);
  ANECHECK_ASSIGN(const Operand weight,
                  context.StoredHalves(
                      shape, unit.params.Find("KernelOffset").Integer().value_or(0), unit.name));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Tensor("weight", weight);
  const NetworkUnit* bias = BiasOf(context.network(), unit);
  if (bias != nullptr) {
    ANECHECK_ASSIGN(const Operand values, GroupConstant(context, *bias, "Bias"));
    arguments.Tensor("bias", values);
  }
  SetWindow(window, arguments);
  arguments.Int("groups", groups);
  return context.Finish(bias != nullptr ? *bias : unit, "conv", arguments);
}

Status GainOffset(NetworkContext& context, const NetworkUnit& unit) {
  const NetworkUnit* below =
      unit.bottoms.empty() ? nullptr : FindUnit(context.network(), unit.bottoms[0]);
  if (below != nullptr && below->type == "Conv" && BiasOf(context.network(), *below) == &unit) {
    // If the name is defined, the convolution before this unit has already added the bias.
    if (context.Has(unit.name)) return {};
    return Wrong(unit, fmt::format("operand {} is not defined", below->name));
  }
  if (IsBias(unit)) return Wrong(unit, "a GOC must be the bias of a convolution");
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  ANECHECK_ASSIGN(const Operand scale, GroupConstant(context, unit, "Scale"));
  ANECHECK_ASSIGN(const Operand bias, GroupConstant(context, unit, "Bias"));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Tensor("scale", scale);
  arguments.Tensor("bias", bias);
  return context.Finish(unit, "pe_goc", arguments);
}

Status Pool(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const std::string_view operation, OperationByType(unit));
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  ANECHECK_ASSIGN(const Window window, ReadWindow(unit));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Ints("kernel_sizes", window.kernel);
  SetWindow(window, arguments);
  arguments.Flag("exclude_padding_from_average",
                 unit.params.Find("AverageCountExcludePadding").Flag().value_or(false));
  return context.Finish(unit, operation, arguments);
}

constexpr UnitRow kRows[] = {{"Conv", Conv}, {"GOC", GainOffset}, {"Pooling", Pool}};

}  // namespace

std::span<const UnitRow> WindowUnits() { return kRows; }

}  // namespace anecheck::device
