// The layers that become one operation but whose parameters are not arguments of that operation.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "harness/device/network/network_context.h"

namespace anecheck::device {
namespace {

// Returns the axes that a parameter names for a tensor of that rank, in order.
Result<std::vector<int64_t>> AxesAt(const NetworkUnit& unit, const char* key, int rank) {
  const auto names = unit.params.Find(key).Texts();
  if (!names || names->empty()) return Wrong(unit, fmt::format("{} names no axis", key));
  std::vector<int64_t> axes;
  axes.reserve(names->size());
  for (const std::string& name : *names) {
    const auto axis = AxisNamed(name, rank);
    if (!axis) return Wrong(unit, fmt::format("{}: rank {} has no axis {}", key, rank, name));
    axes.push_back(*axis);
  }
  return axes;
}

Status Matmul(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  ANECHECK_ASSIGN(const Operand y, context.OperandAt(unit, 1));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Tensor("y", y);
  arguments.Flag("transpose_x", unit.params.Find("TransposeLhs").Flag().value_or(false));
  arguments.Flag("transpose_y", unit.params.Find("TransposeRhs").Flag().value_or(false));
  return context.Finish(unit, "matmul", arguments);
}

// Reshapes the operand to five axes. The extent of the depth is 1.
Result<Operand> WithDepth(NetworkContext& context, const Operand& x) {
  const auto own = x.type.shape.dims();
  std::vector<int64_t> extents(own.begin(), own.end());
  extents.insert(extents.begin(), 4 - extents.size(), 1);
  extents.insert(extents.begin() + 2, 1);
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Ints("shape", extents);
  ANECHECK_ASSIGN(const auto results, context.builder().AddOperation("reshape", arguments));
  return results.front();
}

// The broadcast is computed only if a layer other than ElementWise reads its result, because an
// ElementWise layer repeats its operands itself.
Status Broadcast(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  Symbol symbol{x, {}};
  const auto items = unit.params.Find("BroadcastInfo").Items();
  if (!items || items->empty()) return Wrong(unit, "BroadcastInfo is missing");
  for (const ListItem& item : *items) {
    const auto axis = item.Find("Dimension").Text();
    const auto size = item.Find("Size").Integer();
    if (!axis || !size || *size < 1) return Wrong(unit, "BroadcastInfo needs Dimension and Size");
    symbol.growth.push_back({*axis, *size});
  }
  const bool deep = std::ranges::find(symbol.growth, "Depth", &Growth::axis) != symbol.growth.end();
  if (deep && x.type.shape.rank() < 5) {
    ANECHECK_ASSIGN(symbol.operand, WithDepth(context, x));
  }
  context.Define(unit.name, std::move(symbol));
  return {};
}

Status Elementwise(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const std::string_view operation, OperationByType(unit));
  ANECHECK_ASSIGN(const Symbol* x, context.SymbolAt(unit, 0));
  if (operation == "abs") {
    UnitArguments arguments(context.builder());
    arguments.Tensor("x", x->operand);
    return context.Finish(unit, operation, arguments);
  }
  ANECHECK_ASSIGN(const Symbol* y, context.SymbolAt(unit, 1));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x->operand);
  arguments.Tensor("y", y->operand);
  ANECHECK_RETURN_IF_ERROR(context.Finish(unit, operation, arguments));
  const Shape& result = context.Find(unit.name)->operand.type.shape;
  for (const Symbol* symbol : {x, y}) {
    for (const Growth& growth : symbol->growth) {
      const auto axis = AxisNamed(growth.axis, result.rank());
      if (axis && result[*axis] == growth.size) continue;
      return Wrong(unit, fmt::format("an operand becomes {} along {}, the result is {}",
                                     growth.size, growth.axis, result.ToString()));
    }
  }
  return {};
}

// Returns whether the unit has an authored table. None passes, because the unit parser requires a
// saturation set and a version-specific set together, but its consistency check refuses a unit with
// both (specification 004, programmable activation LUT). No source gives the keys of the sets.
bool IsCustomTable(const NetworkUnit& unit) {
  const std::string type = unit.params.Find("Type").Text().value_or("");
  return type == "CustomLUT" || type == "custom_lut";
}

Status Neuron(NetworkContext& context, const NetworkUnit& unit) {
  if (IsCustomTable(unit)) {
    return StageError(Stage::kParser,
                      fmt::format("unit {}: a custom table needs its saturation set and its "
                                  "version-specific set, but no unit may have both",
                                  unit.name));
  }
  ANECHECK_ASSIGN(const std::string_view operation, OperationByType(unit));
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  if (operation == "gelu") arguments.Text("mode", "EXACT");
  if (operation == "clip") {
    const auto limit = [&](const char* key, uint16_t absent) {
      return Half{static_cast<uint16_t>(unit.params.Find(key).Integer().value_or(absent))};
    };
    arguments.Number("alpha", limit("ReluMin", 0));
    arguments.Number("beta", limit("ReluMax", 0x7bff));
  }
  return context.Finish(unit, operation, arguments);
}

Status Softmax(NetworkContext& context, const NetworkUnit& unit) {
  if (!unit.params.Find("SubtractMax").Flag().value_or(false)) {
    return Wrong(unit, "a softmax needs SubtractMax");
  }
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  ANECHECK_ASSIGN(const auto axes, AxesAt(unit, "Dimension", x.type.shape.rank()));
  if (axes.size() != 1) return Wrong(unit, "a softmax needs exactly one axis");
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Int("axis", axes[0]);
  return context.Finish(unit, "softmax", arguments);
}

Status Reduce(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const std::string_view operation, OperationByType(unit));
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  ANECHECK_ASSIGN(const auto axes, AxesAt(unit, "Dimension", x.type.shape.rank()));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Ints("axes", axes);
  arguments.Flag("keep_dims", true);
  return context.Finish(unit, operation, arguments);
}

Status Reshape(NetworkContext& context, const NetworkUnit& unit) {
  const auto shape = ReadExtents(unit.params, kReshapedExtents);
  if (!shape) return Wrong(unit, "the extents do not all have one rank");
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Ints("shape", shape->dims());
  return context.Finish(unit, "reshape", arguments);
}

Status Transpose(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  const int rank = x.type.shape.rank();
  const auto pairs = unit.params.Find("TransposeDimensions").Items();
  if (!pairs) return Wrong(unit, "TransposeDimensions is missing");
  // Axes that no pair names keep their position.
  std::vector<int64_t> perm;
  perm.reserve(static_cast<size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) perm.push_back(axis);
  for (const ListItem& pair : *pairs) {
    const auto axis = [&](const char* key) {
      const auto name = pair.Find(key).Text();
      return name ? AxisNamed(*name, rank) : std::nullopt;
    };
    const auto from = axis("TransposeSourceDimension");
    const auto to = axis("TransposeDestinationDimension");
    if (!from || !to) return Wrong(unit, "TransposeDimensions names an axis that does not exist");
    perm[static_cast<size_t>(*to)] = *from;
  }
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Ints("perm", perm);
  return context.Finish(unit, "transpose", arguments);
}

Status Concat(NetworkContext& context, const NetworkUnit& unit) {
  const size_t count = std::max<size_t>(1, unit.bottoms.size());
  std::vector<Operand> operands;
  operands.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    ANECHECK_ASSIGN(const Operand operand, context.OperandAt(unit, i));
    operands.push_back(operand);
  }
  const int rank = operands.front().type.shape.rank();
  // A real file omits the key, so the key must have a default. Assumed: the default is Channel.
  int64_t axis = AxisNamed("Channel", rank).value_or(0);
  if (unit.params.Find("Dimension").exists()) {
    ANECHECK_ASSIGN(const auto axes, AxesAt(unit, "Dimension", rank));
    axis = axes[0];
  }
  UnitArguments arguments(context.builder());
  arguments.Tensors("values", std::move(operands));
  arguments.Int("axis", axis);
  return context.Finish(unit, "concat", arguments);
}

Status Slice(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  const Shape& shape = x.type.shape;
  ANECHECK_ASSIGN(const auto axes, AxesAt(unit, "Dimension", shape.rank()));
  const auto offset = unit.params.Find("Offset").Integer();
  const auto size = unit.params.Find("Size").Integer();
  if (axes.size() != 1 || !offset || !size || *offset < 0 || *size < 1) {
    return Wrong(unit, "InvalidInputView: needs Dimension, Offset and Size");
  }
  if (unit.params.Find("Step").Integer().value_or(1) != 1) {
    return Wrong(unit, "InvalidInputView: Step must be 1");
  }
  std::vector<int64_t> begin(static_cast<size_t>(shape.rank()), 0);
  std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
  begin[static_cast<size_t>(axes[0])] = *offset;
  sizes[static_cast<size_t>(axes[0])] = *size;
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Ints("begin", begin);
  arguments.Ints("size", sizes);
  return context.Finish(unit, "slice_by_size", arguments);
}

// Returns the padding mode for its name in the enumeration (specification 000).
Result<std::string_view> PadMode(const NetworkUnit& unit) {
  constexpr std::pair<std::string_view, std::string_view> kModes[] = {{"Zero", "constant"},
                                                                      {"Background", "constant"},
                                                                      {"Replication", "replicate"},
                                                                      {"Symmetric", "symmetric"},
                                                                      {"Reflective", "reflect"}};
  const std::string name = unit.params.Find("PaddingMode").Text().value_or("Zero");
  for (const auto& [known, mode] : kModes) {
    if (name == known) return mode;
  }
  return Wrong(unit, fmt::format("PaddingMode {}", name));
}

Status Pad(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const std::string_view mode, PadMode(unit));
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  std::vector<int64_t> pad;
  for (const char* key : {"PadTop", "PadBot", "PadLeft", "PadRight"}) {
    pad.push_back(unit.params.Find(key).Integer().value_or(0));
  }
  if (x.type.shape.rank() == 1) pad.erase(pad.begin(), pad.begin() + 2);
  const bool background = unit.params.Find("PaddingMode").Text() == "Background";
  const double value = background ? unit.params.Find("BackgroundValue").Number().value_or(0) : 0;
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Ints("pad", pad);
  arguments.Text("mode", mode);
  arguments.Number("constant_val", DoubleToHalf(value));
  return context.Finish(unit, "pad", arguments);
}

// Returns the dictionary in the array under `key`. The array must have exactly one dictionary,
// whose Coordinate must be Width. If the key is absent, the returned item is absent.
Result<ListItem> OfWidth(const NetworkUnit& unit, const char* key) {
  const ListItem list = unit.params.Find(key);
  if (!list.exists()) return ListItem();
  const auto items = list.Items();
  if (!items || items->size() != 1 || items->front().Find("Coordinate").Text() != "Width") {
    return Wrong(unit, fmt::format("{} must have one entry, for the Coordinate Width", key));
  }
  return items->front();
}

// Accepts only the form of the one public instance of the layer.
Status DynamicSlice(NetworkContext& context, const NetworkUnit& unit) {
  ANECHECK_ASSIGN(const int64_t start, context.StartOf(unit));
  ANECHECK_ASSIGN(const Operand x, context.OperandAt(unit, 0));
  ANECHECK_ASSIGN(const ListItem info, OfWidth(unit, "DynamicSliceInfo"));
  ANECHECK_ASSIGN(const ListItem coordinate, OfWidth(unit, "CoordinateInfo"));
  ANECHECK_ASSIGN(const ListItem padding, OfWidth(unit, "PaddingInfo"));
  const auto size = info.Find("SliceSize").Integer();
  if (!size) return Wrong(unit, "DynamicSliceInfo is missing or of another kind");
  const auto is = [](const ListItem& item, std::string_view text) {
    return !item.exists() || item.Text() == text;
  };
  const bool known =
      is(coordinate.Find("CoordinateMode"), "NonNormalized") &&
      is(unit.params.Find("CoordinateMode"), "NonNormalized") &&
      is(padding.Find("PaddingMode"), "Background") &&
      unit.params.Find("BackgroundValue").Number().value_or(0) == 0 &&
      unit.params.Find("DynamicSliceAxisOrder")
              .Texts()
              .value_or(std::vector<std::string>{"Width"}) == std::vector<std::string>{"Width"};
  if (!known) {
    return Wrong(unit, "the form of this slice is unknown: public sources have only one form");
  }
  UnitArguments arguments(context.builder());
  arguments.Tensor("x", x);
  arguments.Int("start", start);
  arguments.Int("SliceSize", *size);
  return context.Finish(unit, "DynamicSlice", arguments);
}

// The only state layer with a known name. No source tells how a description names the live state to
// which the layer must connect, so no description can use the layer (specification 004, table 26.1;
// facts/netlist_layers.csv).
Status RingWriter(NetworkContext& context, const NetworkUnit& unit) {
  if (context.settings().target->family <= kFamilyA13) {
    return StageError(
        Stage::kHal,
        fmt::format("unit {}: Circular buffer is not supported on this architecture", unit.name));
  }
  return StageError(Stage::kValidator,
                    fmt::format("unit {}: must connect to a live-state buffer", unit.name));
}

constexpr UnitRow kRows[] = {
    {"MatrixMultiplication", Matmul},
    {"ElementWise", Elementwise},
    {"Broadcast", Broadcast},
    {"Neuron", Neuron},
    {"Softmax", Softmax},
    {"Reduction", Reduce},
    {"Reshape", Reshape},
    {"Transpose", Transpose},
    {"Concat", Concat},
    {"InputView", Slice},
    {"Padding", Pad},
    {"DynamicSlice", DynamicSlice},
    {"RingBufferWriter", RingWriter},
};

}  // namespace

std::span<const UnitRow> PlainUnits() { return kRows; }

}  // namespace anecheck::device
