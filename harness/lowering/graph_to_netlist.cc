#include "harness/lowering/graph_to_netlist.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <span>
#include <string>

#include "harness/base/half.h"
#include "harness/base/round_up.h"
#include "harness/formats/netlist/layers.h"
#include "harness/lowering/native_units.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/lowering/netlist_broadcast.h"
#include "harness/lowering/padding_modes.h"
#include "harness/lowering/typed_units.h"
#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using netlist::Unit;
using tree::Value;

Error Unsupported(std::string_view what, std::string_view why) {
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("{}: no network description: {}", what, why));
}

// Returns the reason why an operation is not written. `unit` is its layer's type, or empty.
std::string WhyNot(std::string_view unit) {
  if (unit.empty()) return "there is no native layer for it";
  const netlist::LayerSpec* const layer = netlist::FindLayer(unit);
  std::string keys;
  for (const netlist::ParamSpec& param : layer->params) {
    keys += fmt::format("{}{}", keys.empty() ? "" : ", ", param.key);
  }
  if (keys.empty()) return fmt::format("no source lists the parameters of its layer {}", unit);
  return fmt::format("its layer {} has the parameters {}, which this tool does not write for it",
                     unit, keys);
}

// The keys of a window, innermost axis first, as Step lists them. Assumed: Step begins with the
// width. All real files have the same step for both axes, so they do not show the order.
struct WindowKeys {
  std::string_view kernel, before, after;
};
constexpr WindowKeys kWindowKeys[] = {{"KernelWidth", "PadLeft", "PadRight"},
                                      {"KernelHeight", "PadTop", "PadBot"},
                                      {"KernelDepth", "PadFront", "PadBack"}};

Value Integers(std::span<const int64_t> numbers) {
  tree::Array array;
  for (const int64_t number : numbers) array.push_back(Value::Integer(number));
  return Value(Value::Payload(std::move(array)));
}

class Lowering {
 public:
  explicit Lowering(const Graph& graph) : graph_(graph) {}

  Result<NetlistProgram> Run() {
    network_.name = "net";
    for (const anecheck::Value& value : graph_.values()) names_.insert(value.name);
    for (ValueId id = 0; id < graph_.values().size(); ++id) {
      ANECHECK_RETURN_IF_ERROR(CheckValue(id));
      if (graph_.value(id).kind == ValueKind::kInput) AddInput(id);
    }
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      ANECHECK_RETURN_IF_ERROR(Lower(NodeView(graph_, id)));
    }
    ANECHECK_RETURN_IF_ERROR(AddOutputs());
    if (!program_.weights.empty()) network_.weight_files = {std::string(kNetlistWeightFile)};
    program_.description.networks.push_back(std::move(network_));
    return std::move(program_);
  }

 private:
  Status CheckValue(ValueId id) const {
    const anecheck::Value& value = graph_.value(id);
    if (value.type.dtype != DType::kFp16) {
      return Unsupported(value.name, "only fp16 is lowered");
    }
    if (value.kind == ValueKind::kState) return Unsupported(value.name, "states are not lowered");
    const bool scalar = value.kind == ValueKind::kConst && value.type.shape.rank() == 0;
    if (!scalar && NetlistAxes(value.type.shape.rank()).empty()) {
      return Unsupported(value.name, "only ranks 1 to 5 have axes");
    }
    return {};
  }

  void AddInput(ValueId id) {
    netlist::Input& input = network_.inputs.emplace_back();
    input.name = graph_.value(id).name;
    input.type = std::string(kNetlistHalf);
    input.extents = ToExtents(graph_.type(id).shape);
  }

  Status AddOutputs() {
    std::set<ValueId> seen;
    for (const ValueId id : graph_.outputs()) {
      const anecheck::Value& value = graph_.value(id);
      if (value.kind != ValueKind::kResult || !seen.insert(id).second) {
        return Unsupported(value.name, "an output must be a result, and named once");
      }
      netlist::Output& output = network_.outputs.emplace_back();
      output.name = value.name + "@output";
      output.bottom = value.name;
      output.type = std::string(kNetlistHalf);
    }
    return {};
  }

  // Stores the constant's bytes and returns their offset in the weight file.
  int64_t Store(ValueId id) { return Store(graph_.ConstData(id)); }
  int64_t Store(std::span<const uint8_t> bytes) {
    const auto offset = static_cast<int64_t>(program_.weights.size());
    program_.weights.insert(program_.weights.end(), bytes.begin(), bytes.end());
    program_.weights.resize(RoundUp(program_.weights.size(), kNetlistAlignment));
    return offset;
  }

  // Returns the symbol of an operand. Declares a constant at its first use.
  const std::string& Symbol(ValueId id) {
    const anecheck::Value& value = graph_.value(id);
    if (value.kind == ValueKind::kConst && declared_.insert(id).second) {
      netlist::Constant& constant = network_.constants.emplace_back();
      constant.name = value.name;
      constant.type = std::string(kNetlistHalf);
      constant.extents = ToConstantExtents(value.type.shape);
      constant.index = 0;
      constant.byte_offset = Store(id);
    }
    return value.name;
  }

  Unit& AddUnit(std::string_view type, std::string name, std::vector<std::string> bottoms) {
    Unit& unit = network_.units.emplace_back();
    unit.type = type;
    unit.name = std::move(name);
    unit.bottoms = std::move(bottoms);
    unit.output_type = std::string(kNetlistHalf);
    unit.params.emplace();
    return unit;
  }

  Unit& AddUnit(std::string_view type, const NodeView& node) {
    return AddUnit(type, NameOf(node), {Symbol(node.Input(0))});
  }

  std::string NameOf(const NodeView& node) const { return graph_.value(node.Result()).name; }

  // Reserves a name for a unit that has no value in the graph.
  Result<std::string> HelperName(const std::string& name) {
    if (names_.insert(name).second) return name;
    return Unsupported(name, "the name is taken");
  }

  Status Lower(const NodeView& node) {
    if (!graph_.blocks(node.node()).empty()) return Unsupported(node.op(), "nested blocks");
    const OpKind op = KindOf(node.schema());
    switch (op) {
      case OpKind::kConv:
        return Conv(node);
      case OpKind::kMatmul:
        return Matmul(node);
      case OpKind::kSoftmax:
        return Softmax(node);
      case OpKind::kReshape:
        return Reshape(node);
      case OpKind::kTranspose:
        return Transpose(node);
      case OpKind::kConcat:
        return Concat(node);
      case OpKind::kSliceBySize:
        return Slice(node);
      case OpKind::kPad:
        return Pad(node);
      case OpKind::kTile:
        return Tile(node);
      case OpKind::kPeGoc:
        return GainOffset(node);
      default:
        if (const TypedUnit* typed = FindTypedUnit(op)) return Typed(node, *typed);
        if (!NativeUnitType(op).empty()) return Native(node);
        return Unsupported(node.op(), WhyNot(FindOp(node.op())->netlist_unit));
    }
  }

  Status Typed(const NodeView& node, const TypedUnit& typed) {
    if (typed.unit == "Pooling") return Pool(node, typed.type);
    if (typed.unit == "Reduction") return Reduce(node, typed.type);
    if (typed.unit == "ElementWise") return Elementwise(node, typed.type);
    return Neuron(node, typed);
  }

  Status SetWindow(const NodeView& node, std::span<const int64_t> kernel,
                   const WindowParameters& at, Unit& unit) {
    ANECHECK_ASSIGN(const Window window, ComputeWindow(node, node.InputShape(0), kernel, at));
    const auto axes = static_cast<size_t>(window.spatial);
    if (axes < 2) return Unsupported(node.op(), "a window over one axis");
    if (at.ceil_mode >= 0 && node.Bool(at.ceil_mode, false)) {
      return Unsupported(node.op(), "ceil_mode has no key");
    }
    std::vector<int64_t> steps;
    for (size_t i = 0; i < axes; ++i) {
      const size_t axis = axes - 1 - i;
      if (window.dilation[axis] > 1) return Unsupported(node.op(), "dilations have no key");
      unit.SetParam(kWindowKeys[i].kernel, Value::Integer(window.kernel[axis]));
      unit.SetParam(kWindowKeys[i].before, Value::Integer(window.pad_before[axis]));
      unit.SetParam(kWindowKeys[i].after, Value::Integer(window.pad_after[axis]));
      steps.push_back(window.stride[axis]);
    }
    unit.SetParam("Step", Integers(steps));
    return {};
  }

  Status Conv(const NodeView& node) {
    using P = params::Conv;
    const ValueId weight = node.Input(P::kWeight);
    if (graph_.value(weight).kind != ValueKind::kConst) {
      return Unsupported(node.op(), "a weight that is computed");
    }
    const bool bias = node.HasInput(P::kBias);
    if (bias && graph_.value(node.Input(P::kBias)).kind != ValueKind::kConst) {
      return Unsupported(node.op(), "a bias that is computed");
    }
    std::string name = NameOf(node);
    if (bias) {
      ANECHECK_ASSIGN(name, HelperName(name + "_tmp_0"));
    }
    Unit& unit = AddUnit("Conv", name, {Symbol(node.Input(P::kX))});
    const Shape& shape = graph_.type(weight).shape;
    unit.output_channels = shape[0];
    unit.num_groups = node.Int(P::kGroups, 1);
    unit.SetParam("Type", Value::String("Conv"));
    unit.SetParam("KernelType", Value::String(kNetlistHalf));
    unit.SetParam("KernelMode", Value::String("Dense"));
    unit.SetParam("KernelIndex", Value::Integer(0));
    unit.SetParam("KernelOffset", Value::Integer(Store(weight)));
    ANECHECK_RETURN_IF_ERROR(SetWindow(node, shape.dims().subspan(2),
                                       {P::kStrides, P::kPadType, P::kPad, P::kDilations}, unit));
    if (bias) AddBias(node, name);
    return {};
  }

  void AddBias(const NodeView& node, const std::string& bottom) {
    const ValueId bias = node.Input(params::Conv::kBias);
    tree::Dict group;
    group.Set("BiasCount", Value::Integer(graph_.type(bias).shape[0]));
    group.Set("BiasIndex", Value::Integer(0));
    group.Set("BiasOffset", Value::Integer(Store(bias)));
    group.Set("BiasType", Value::String(kNetlistHalf));
    Unit& unit = AddUnit("GOC", NameOf(node), {bottom});
    unit.SetParam("BiasScaleGroupData", Value(Value::Payload(std::move(group))));
  }

  Status GainOffset(const NodeView& node) {
    using P = params::GainOffset;
    // The layer works by channel, but lower ranks have no channel or have it at another axis.
    if (node.InputShape(P::kX).rank() < 4) return Unsupported(node.op(), "ranks below 4");
    tree::Dict group;
    const std::pair<const char*, int> kParts[] = {{"Bias", P::kBias}, {"Scale", P::kScale}};
    for (const auto& [part, parameter] : kParts) {
      const ValueId id = node.Input(parameter);
      group.Set(fmt::format("{}Count", part), Value::Integer(graph_.type(id).shape[0]));
      group.Set(fmt::format("{}Index", part), Value::Integer(0));
      group.Set(fmt::format("{}Offset", part), Value::Integer(Store(id)));
      group.Set(fmt::format("{}Type", part), Value::String(kNetlistHalf));
    }
    Unit& unit = AddUnit("GOC", node);
    SetOutputChannels(node, unit);
    unit.SetParam("BiasScaleGroupData", Value(Value::Payload(std::move(group))));
    return {};
  }

  // Writes an operation whose attributes are the layer's parameters.
  Status Native(const NodeView& node) {
    const OpKind op = KindOf(node.schema());
    const auto arguments = graph_.arguments(node.node());
    std::vector<std::string> bottoms;
    bottoms.reserve(arguments.size() + 1);
    for (const Argument& argument : arguments) bottoms.push_back(Symbol(argument.value));
    if (arguments[0].parameter != NativeOperand(op, 0, arguments.size())) {
      std::ranges::reverse(bottoms);
    }
    if (op == OpKind::kNativeDynamicSlice) {
      ANECHECK_ASSIGN(std::string start, AddStart(node));
      bottoms.push_back(std::move(start));
    }
    Unit& unit = AddUnit(NativeUnitType(op), NameOf(node), std::move(bottoms));
    SetOutputChannels(node, unit);
    return WriteNativeParams(node, unit);
  }

  // Adds the start of a DynamicSlice as a separate constant.
  Result<std::string> AddStart(const NodeView& node) {
    ANECHECK_ASSIGN(std::string name, HelperName(NameOf(node) + "_start"));
    const auto start = static_cast<uint16_t>(node.Int(params::NativeDynamicSlice::kStart, 0));
    const std::array<uint8_t, 2> bytes = {static_cast<uint8_t>(start & 0xff),
                                          static_cast<uint8_t>(start >> 8)};
    netlist::Constant& constant = network_.constants.emplace_back();
    constant.name = name;
    constant.type = std::string(kNetlistStart);
    constant.extents = ToExtents(Shape{1, 1, 1, 1});
    constant.index = 0;
    constant.byte_offset = Store(bytes);
    return name;
  }

  static void SetOutputChannels(const NodeView& node, Unit& unit) {
    const Shape& shape = node.ResultType().shape;
    if (shape.rank() >= 4) unit.output_channels = shape[1];
  }

  Status Pool(const NodeView& node, std::string_view type) {
    using P = params::Pool;
    Unit& unit = AddUnit("Pooling", node);
    unit.SetParam("Type", Value::String(type));
    ANECHECK_RETURN_IF_ERROR(SetWindow(node, node.Ints(P::kKernelSizes),
                                       {P::kStrides, P::kPadType, P::kPad, -1, P::kCeilMode},
                                       unit));
    if (type == "Avg") {
      unit.SetParam("AverageCountExcludePadding",
                    Value::Bool(node.Bool(P::kExcludePadding, false)));
    }
    return {};
  }

  Status Matmul(const NodeView& node) {
    using P = params::Matmul;
    if (node.InputShape(P::kX).rank() != node.InputShape(P::kY).rank() ||
        node.InputShape(P::kX).rank() < 2 || node.ResultType().shape.rank() > 4) {
      return Unsupported(node.op(), "operands of one rank from 2 to 4 only");
    }
    std::vector<std::string> bottoms = {Symbol(node.Input(P::kX)), Symbol(node.Input(P::kY))};
    Unit& unit = AddUnit("MatrixMultiplication", NameOf(node), std::move(bottoms));
    unit.SetParam("TransposeLhs", Value::Bool(node.Bool(P::kTransposeX, false)));
    unit.SetParam("TransposeRhs", Value::Bool(node.Bool(P::kTransposeY, false)));
    return {};
  }

  // Returns the symbol of an elementwise operand. If the operand is smaller than the result, adds a
  // Broadcast and returns its symbol.
  Result<std::string> Grown(ValueId id, const NodeView& node, int operand) {
    const std::string symbol = Symbol(id);
    const Shape& have = graph_.type(id).shape;
    const Shape& want = node.ResultType().shape;
    if (want.rank() == 5 && have.rank() != 5) {
      return Unsupported(node.op(), "an operand of rank 5 beside one of lower rank");
    }
    const auto axes = NetlistAxes(want.rank());
    tree::Array grown;
    for (int axis = 0; axis < want.rank(); ++axis) {
      const int own = axis - (want.rank() - have.rank());
      const int64_t extent = own < 0 ? 1 : have[own];
      if (extent == want[axis]) continue;
      tree::Dict entry;
      entry.Set("Dimension", Value::String(axes[static_cast<size_t>(axis)]));
      entry.Set("Size", Value::Integer(want[axis]));
      grown.emplace_back(Value::Payload(std::move(entry)));
    }
    if (grown.empty()) return symbol;
    // The name includes the operand's index, since both operands may be the same value.
    ANECHECK_ASSIGN(
        const std::string name,
        HelperName(fmt::format("{}{}{}_{}", symbol, kBroadcastMark, NameOf(node), operand)));
    Unit& unit = AddUnit("Broadcast", name, {symbol});
    unit.SetParam("BroadcastInfo", Value(Value::Payload(std::move(grown))));
    return name;
  }

  Status Elementwise(const NodeView& node, std::string_view type) {
    std::vector<std::string> bottoms;
    for (int i = 0; i < static_cast<int>(graph_.arguments(node.node()).size()); ++i) {
      ANECHECK_ASSIGN(std::string operand, Grown(node.Input(i), node, i));
      bottoms.push_back(std::move(operand));
    }
    AddUnit("ElementWise", NameOf(node), std::move(bottoms)).SetParam("Type", Value::String(type));
    return {};
  }

  Status Neuron(const NodeView& node, const TypedUnit& typed) {
    if (typed.op == OpKind::kGelu && node.String(params::Gelu::kMode, "EXACT") != "EXACT") {
      return Unsupported(node.op(), "an approximation instead of the exact function");
    }
    Unit& unit = AddUnit("Neuron", node);
    unit.SetParam("Type", Value::String(typed.type));
    return typed.op == OpKind::kClip ? SetLimits(node, unit) : Status();
  }

  static Status SetLimits(const NodeView& node, Unit& unit) {
    const std::pair<const char*, int> kLimits[] = {{"ReluMin", params::Clip::kAlpha},
                                                   {"ReluMax", params::Clip::kBeta}};
    for (const auto& [key, parameter] : kLimits) {
      const double limit = node.Float(parameter, 0);
      const Half half = DoubleToHalf(limit);
      if (HalfToDouble(half) != limit) {
        return Unsupported(node.op(), "a limit that fp16 does not hold");
      }
      unit.SetParam(key, Value::Integer(half.bits));
    }
    return {};
  }

  Value AxisName(const NodeView& node, int64_t axis) const {
    const int rank = node.InputShape(0).rank();
    const auto index = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    return Value::String(NetlistAxes(rank)[index]);
  }

  Status Softmax(const NodeView& node) {
    Unit& unit = AddUnit("Softmax", node);
    unit.SetParam("Dimension", AxisName(node, node.Int(params::Softmax::kAxis, -1)));
    // The key is false by default, which is numerically wrong (specification 004, "Method").
    unit.SetParam("SubtractMax", Value::Bool(true));
    return {};
  }

  Status Reduce(const NodeView& node, std::string_view type) {
    using P = params::Reduce;
    if (!node.Bool(P::kKeepDims, false)) {
      return Unsupported(node.op(), "the layer Reduction always keeps its axes");
    }
    const int rank = node.InputShape(0).rank();
    ANECHECK_ASSIGN(const uint32_t mask, AxisMask(node, P::kAxes, rank));
    tree::Array axes;
    for (int axis = 0; axis < rank; ++axis) {
      if ((mask >> axis & 1) != 0) axes.push_back(AxisName(node, axis));
    }
    Unit& unit = AddUnit("Reduction", node);
    unit.SetParam("Type", Value::String(type));
    unit.SetParam("Dimension", Value(Value::Payload(std::move(axes))));
    return {};
  }

  Status Reshape(const NodeView& node) {
    Unit& unit = AddUnit("Reshape", node);
    const Shape& shape = node.ResultType().shape;
    const auto axes = NetlistAxes(shape.rank());
    for (size_t i = 0; i < axes.size(); ++i) {
      unit.SetParam(fmt::format("Reshaped{}", axes[i]), Value::Integer(shape[static_cast<int>(i)]));
    }
    return {};
  }

  Status Transpose(const NodeView& node) {
    const auto perm = node.Ints(params::Transpose::kPerm);
    tree::Array pairs;
    for (size_t i = 0; i < perm.size(); ++i) {
      tree::Dict pair;
      pair.Set("TransposeSourceDimension", AxisName(node, perm[i]));
      pair.Set("TransposeDestinationDimension", AxisName(node, static_cast<int64_t>(i)));
      pairs.emplace_back(Value::Payload(std::move(pair)));
    }
    AddUnit("Transpose", node)
        .SetParam("TransposeDimensions", Value(Value::Payload(std::move(pairs))));
    return {};
  }

  // Writes a tile as a Broadcast. No source shows the form of counts of the layer Tile.
  Status Tile(const NodeView& node) {
    const Shape& from = node.InputShape(params::Tile::kX);
    const Shape& to = node.ResultType().shape;
    tree::Array grown;
    for (int axis = 0; axis < from.rank(); ++axis) {
      if (from[axis] != 1 && from[axis] == to[axis]) continue;
      if (from[axis] != 1) {
        return Unsupported(
            node.op(), fmt::format("{}; Broadcast repeats axes of 1 element only", WhyNot("Tile")));
      }
      tree::Dict entry;
      entry.Set("Dimension", AxisName(node, axis));
      entry.Set("Size", Value::Integer(to[axis]));
      grown.emplace_back(Value::Payload(std::move(entry)));
    }
    if (grown.empty()) return Unsupported(node.op(), "no axis of 1 element for a Broadcast");
    AddUnit("Broadcast", node).SetParam("BroadcastInfo", Value(Value::Payload(std::move(grown))));
    return {};
  }

  Status Concat(const NodeView& node) {
    using P = params::Concat;
    if (node.Bool(P::kInterleave, false)) return Unsupported(node.op(), "interleave has no key");
    std::vector<std::string> bottoms;
    for (const ValueId id : node.InputList(P::kValues)) bottoms.push_back(Symbol(id));
    if (bottoms.size() < 2) return Unsupported(node.op(), "needs two operands");
    Unit& unit = AddUnit("Concat", NameOf(node), std::move(bottoms));
    unit.SetParam("Dimension", AxisName(node, node.Int(P::kAxis, 0)));
    return {};
  }

  Status Pad(const NodeView& node) {
    using P = params::Pad;
    const auto pad = node.Ints(P::kPad);
    const auto padded = static_cast<int>(pad.size() / 2);
    Unit& unit = AddUnit("Padding", node);
    for (int axis = 0; axis < padded; ++axis) {
      const size_t at = 2 * static_cast<size_t>(axis);
      const int from_last = padded - 1 - axis;
      if (from_last > 1 && (pad[at] != 0 || pad[at + 1] != 0)) {
        return Unsupported(node.op(), "only height and width are padded");
      }
      if (from_last > 1) continue;
      unit.SetParam(kWindowKeys[from_last].before, Value::Integer(pad[at]));
      unit.SetParam(kWindowKeys[from_last].after, Value::Integer(pad[at + 1]));
    }
    const double value = node.Float(P::kConstantVal, 0);
    const std::string_view mode = PaddingModeOf(node.String(P::kMode, "constant"), value);
    if (mode.empty()) return Unsupported(node.op(), "its mode has no name");
    unit.SetParam("PaddingMode", Value::String(mode));
    if (mode == kBackground) unit.SetParam("BackgroundValue", Value::Real(value));
    return {};
  }

  Status Slice(const NodeView& node) {
    using P = params::SliceBySize;
    if (node.HasInput(P::kComputedBegin)) {
      return Unsupported(node.op(), "a computed begin has no key");
    }
    const Shape& from = node.InputShape(P::kX);
    const Shape& size = node.ResultType().shape;
    std::vector<int> cut;
    for (int axis = 0; axis < from.rank(); ++axis) {
      if (size[axis] != from[axis]) cut.push_back(axis);
    }
    if (cut.empty()) cut.push_back(from.rank() - 1);
    std::string bottom = Symbol(node.Input(P::kX));
    for (size_t i = 0; i < cut.size(); ++i) {
      std::string name = NameOf(node);
      if (i + 1 < cut.size()) {
        ANECHECK_ASSIGN(name, HelperName(fmt::format("{}_tmp_{}", name, i)));
      }
      const int axis = cut[i];
      const int64_t begin = node.Ints(P::kBegin)[static_cast<size_t>(axis)];
      Unit& unit = AddUnit("InputView", name, {bottom});
      unit.SetParam("Dimension", AxisName(node, axis));
      unit.SetParam("Offset", Value::Integer(begin < 0 ? begin + from[axis] : begin));
      unit.SetParam("Size", Value::Integer(size[axis]));
      bottom = std::move(name);
    }
    return {};
  }

  const Graph& graph_;
  NetlistProgram program_;
  netlist::Network network_;
  std::set<std::string> names_;
  std::set<ValueId> declared_;
};

}  // namespace

const std::bitset<kOpCount>& NetlistOps() {
  static const std::bitset<kOpCount> ops = [] {
    std::bitset<kOpCount> spelt;
    for (const OpKind op :
         {OpKind::kConv, OpKind::kMatmul, OpKind::kSoftmax, OpKind::kReshape, OpKind::kTranspose,
          OpKind::kConcat, OpKind::kSliceBySize, OpKind::kPad, OpKind::kPeGoc}) {
      spelt.set(static_cast<size_t>(op));
    }
    for (size_t i = 0; i < kOpCount; ++i) {
      const auto op = static_cast<OpKind>(i);
      if (FindTypedUnit(op) != nullptr || !NativeUnitType(op).empty()) spelt.set(i);
    }
    return spelt;
  }();
  return ops;
}

Result<NetlistProgram> GraphToNetlist(const Graph& graph) { return Lowering(graph).Run(); }

}  // namespace anecheck
