#include "harness/lowering/netlist_to_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "harness/base/half.h"
#include "harness/graph/validate.h"
#include "harness/lowering/native_units.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/lowering/netlist_broadcast.h"
#include "harness/lowering/netlist_procedure.h"
#include "harness/lowering/netlist_weights.h"
#include "harness/lowering/padding_modes.h"
#include "harness/lowering/typed_units.h"
#include "harness/lowering/unit_roles.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using netlist::Unit;

Error Wrong(const Unit& unit, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("unit {}: {}", unit.name, what));
}
Error Unsupported(const Unit& unit, std::string_view what) {
  return MakeError(ErrorCode::kUnsupported, fmt::format("unit {}: {}", unit.name, what));
}

struct WindowKeys {
  std::string_view kernel, before, after;
};
// Outermost axis first; a window over two axes has no depth.
constexpr WindowKeys kWindowKeys[] = {{"KernelDepth", "PadFront", "PadBack"},
                                      {"KernelHeight", "PadTop", "PadBot"},
                                      {"KernelWidth", "PadLeft", "PadRight"}};

class Reader {
 public:
  Reader(const netlist::Network& network, const NetlistRead& read)
      : network_(network), read_(read) {}

  Result<Graph> Run() {
    graph_.name = "main";
    for (const netlist::Input& input : network_.inputs) names_.insert(input.name);
    for (const netlist::Constant& constant : network_.constants) names_.insert(constant.name);
    for (const Unit& unit : network_.units) names_.insert(unit.name);
    for (const netlist::Input& input : network_.inputs) {
      netlist::Extents extents = input.extents;
      if (!extents.batch && !extents.depth && IsConvolved(input.name)) extents.batch = 1;
      const auto shape = FromExtents(extents);
      if (!shape || input.type.value_or("") != kNetlistHalf) {
        return MakeError(ErrorCode::kUnsupported,
                         fmt::format("input {}: needs extents of one rank and type {}", input.name,
                                     kNetlistHalf));
      }
      values_[input.name] = graph_.AddInput({DType::kFp16, *shape}, input.name);
    }
    for (const netlist::Constant& constant : network_.constants) {
      ANECHECK_RETURN_IF_ERROR(ReadConstant(constant));
    }
    for (const Unit& unit : network_.units) {
      if (IsHeldBack(unit)) continue;
      ANECHECK_RETURN_IF_ERROR(ReadUnit(unit));
    }
    for (const netlist::Output& output : network_.outputs) {
      const auto found = values_.find(output.bottom);
      if (found == values_.end()) {
        return MakeError(ErrorCode::kInvalid,
                         fmt::format("output {}: {} is not defined", output.name, output.bottom));
      }
      graph_.AddOutput(found->second);
    }
    ANECHECK_RETURN_IF_ERROR(ValidateGraph(graph_));
    return std::move(graph_);
  }

 private:
  // Returns an unused name for a weight, which has no symbol in the description.
  std::string Unused(std::string name) {
    while (!names_.insert(name).second) name += '_';
    return name;
  }

  bool IsConvolved(std::string_view name) const {
    return std::ranges::any_of(network_.units, [&](const Unit& unit) {
      return unit.type == "Conv" && !unit.bottoms.empty() && unit.bottoms[0] == name;
    });
  }

  Result<ValueId> AddConst(const Shape& shape, const WeightPlace& place, const std::string& name) {
    ANECHECK_ASSIGN(SharedBytes bytes, ReadHalves(read_, place, shape, name));
    return graph_.AddSharedConst({DType::kFp16, shape}, std::move(bytes), name);
  }

  // Adds a constant with the same fp16 number for each channel.
  ValueId AddChannels(int64_t channels, Half half, const std::string& name) {
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < channels; ++i) {
      bytes.push_back(static_cast<uint8_t>(half.bits & 0xff));
      bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
    }
    return graph_.AddConst({DType::kFp16, Shape{channels}}, bytes, name);
  }

  Status ReadConstant(const netlist::Constant& constant) {
    const auto shape = FromConstantExtents(constant.extents);
    const WeightPlace place = {constant.index.value_or(0), constant.byte_offset.value_or(0),
                               constant.type.value_or("")};
    if (shape && shape->Elements() == 1 && place.type == kNetlistStart) {
      ANECHECK_ASSIGN(const SharedBytes start,
                      ReadStored(read_, place, {DType::kUint16, *shape}, constant.name));
      starts_[constant.name] = start.bytes[0] | start.bytes[1] << 8;
      return {};
    }
    if (!shape) {
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("constant {}: needs extents of one rank", constant.name));
    }
    ANECHECK_ASSIGN(values_[constant.name], AddConst(*shape, place, constant.name));
    return {};
  }

  std::vector<const Unit*> ReadersOf(std::string_view name) const {
    std::vector<const Unit*> readers;
    for (const Unit& unit : network_.units) {
      if (std::find(unit.bottoms.begin(), unit.bottoms.end(), name) != unit.bottoms.end()) {
        readers.push_back(&unit);
      }
    }
    return readers;
  }

  bool IsOutput(std::string_view name) const {
    return std::any_of(network_.outputs.begin(), network_.outputs.end(),
                       [&](const netlist::Output& output) { return output.bottom == name; });
  }

  // Whether the unit is part of another unit's operation.
  bool IsHeldBack(const Unit& unit) const {
    if (IsOutput(unit.name)) return false;
    const auto readers = ReadersOf(unit.name);
    if (unit.type == "Broadcast") {
      const auto operand = unit.bottoms.empty() ? values_.end() : values_.find(unit.bottoms[0]);
      return unit.name.find(kBroadcastMark) != std::string::npos &&
             !(operand != values_.end() &&
               GivesDepth(unit, graph_.type(operand->second).shape.rank())) &&
             std::ranges::all_of(readers,
                                 [](const Unit* reader) { return reader->type == "ElementWise"; });
    }
    if (readers.size() != 1) return false;
    if (unit.type == "Conv") return IsBias(*readers[0]);
    return unit.type == "InputView" && readers[0]->type == "InputView" &&
           unit.name != ChainName(unit.name) && ChainName(unit.name) == ChainName(readers[0]->name);
  }

  // Returns the value of operand `index`, skipping a helper Broadcast that makes it.
  Result<ValueId> Operand(const Unit& unit, size_t index) const {
    if (index >= unit.bottoms.size()) return Wrong(unit, "an operand is missing");
    std::string name = unit.bottoms[index];
    const Unit* below = network_.FindUnit(name);
    if (below != nullptr && below->type == "Broadcast" && IsHeldBack(*below)) {
      name = below->bottoms.empty() ? "" : below->bottoms[0];
    }
    const auto found = values_.find(name);
    if (found == values_.end()) return Wrong(unit, fmt::format("operand {} is not defined", name));
    return found->second;
  }

  Status Finish(const Unit& unit) {
    const std::string names[] = {unit.name};
    ANECHECK_ASSIGN(values_[unit.name], graph_.FinishNode(names));
    return {};
  }

  // Opens a node of `op` with the unit's operands as its first parameters.
  Status Begin(const Unit& unit, OpKind op, size_t operands = 1) {
    std::vector<ValueId> ids;
    for (size_t i = 0; i < operands; ++i) {
      ANECHECK_ASSIGN(const ValueId id, Operand(unit, i));
      ids.push_back(id);
    }
    graph_.BeginNode(&GetOp(op).schema);
    for (size_t i = 0; i < operands; ++i) {
      graph_.AddArgument(NativeOperand(op, i, operands), ids[i]);
    }
    return {};
  }

  static Result<OpKind> OpOf(const Unit& unit) {
    const std::string type(unit.Name("Type").value_or(""));
    if (const TypedUnit* typed = FindTypedUnit(unit.type, type)) return typed->op;
    return Unsupported(unit, fmt::format("no operation for {} of type \"{}\"", unit.type, type));
  }

  Status ReadUnit(const Unit& unit) {
    if (unit.type == "Conv") return Conv(unit, nullptr);
    if (unit.type == "GOC") return Bias(unit);
    if (unit.type == "Pooling") return Pool(unit);
    if (unit.type == "MatrixMultiplication") return Matmul(unit);
    if (unit.type == "ElementWise") return Elementwise(unit);
    if (unit.type == "Neuron") return Neuron(unit);
    if (unit.type == "Softmax") return Softmax(unit);
    if (unit.type == "Reduction") return Reduce(unit);
    if (unit.type == "Reshape") return Reshape(unit);
    if (unit.type == "Transpose") return Transpose(unit);
    if (unit.type == "Concat") return Concat(unit);
    if (unit.type == "InputView") return Slice(unit);
    if (unit.type == "Broadcast") return Broadcast(unit);
    if (unit.type == "Padding") return Pad(unit);
    if (const auto op = NativeUnitOp(unit.type)) return Native(unit, *op);
    return Unsupported(unit, fmt::format("no operation for layer {}", unit.type));
  }

  Status Native(const Unit& unit, OpKind op) {
    if (unit.bottoms.empty()) return Wrong(unit, "an operand is missing");
    ANECHECK_ASSIGN(const ValueId x, Operand(unit, 0));
    if (op == OpKind::kNativeDynamicSlice) {
      ANECHECK_RETURN_IF_ERROR(BeginSlice(unit));
    } else {
      ANECHECK_RETURN_IF_ERROR(Begin(unit, op, unit.bottoms.size()));
    }
    ANECHECK_RETURN_IF_ERROR(ReadNativeParams(unit, op, graph_.type(x), graph_));
    return Finish(unit);
  }

  Status BeginSlice(const Unit& unit) {
    const auto start = unit.bottoms.size() == 2 ? starts_.find(unit.bottoms[1]) : starts_.end();
    if (start == starts_.end()) {
      return Unsupported(
          unit, fmt::format("a start that is no {} constant of one element", kNetlistStart));
    }
    ANECHECK_RETURN_IF_ERROR(Begin(unit, OpKind::kNativeDynamicSlice));
    graph_.AddInt(params::NativeDynamicSlice::kStart, start->second);
    return {};
  }

  struct WindowValues {
    std::vector<int64_t> kernel, strides, pads;
  };

  Result<WindowValues> ReadWindow(const Unit& unit) const {
    WindowValues window;
    std::vector<int64_t> steps = unit.Integers("Step");
    const bool deep = unit.Integer("KernelDepth").has_value();
    for (const WindowKeys& keys : std::span(kWindowKeys).last(deep ? 3 : 2)) {
      window.kernel.push_back(unit.Integer(keys.kernel).value_or(1));
      window.pads.push_back(unit.Integer(keys.before).value_or(0));
      window.pads.push_back(unit.Integer(keys.after).value_or(0));
    }
    if (steps.empty()) steps.assign(window.kernel.size(), 1);
    if (steps.size() != window.kernel.size()) {
      return Wrong(unit, fmt::format("Step has {} entries, the window {} axes", steps.size(),
                                     window.kernel.size()));
    }
    window.strides.assign(steps.rbegin(), steps.rend());
    return window;
  }

  Status Bias(const Unit& unit) {
    if (IsGainOffset(unit) || unit.Param("BiasScaleGroupData") == nullptr) return GainOffset(unit);
    const Unit* conv = unit.bottoms.empty() ? nullptr : network_.FindUnit(unit.bottoms[0]);
    if (!IsBias(unit) || conv == nullptr || conv->type != "Conv" || !IsHeldBack(*conv)) {
      return Unsupported(unit, "a GOC must be the bias of a convolution");
    }
    return Conv(*conv, &unit);
  }

  Status Conv(const Unit& unit, const Unit* bias) {
    using P = params::Conv;
    ANECHECK_ASSIGN(const ValueId x, Operand(unit, 0));
    ANECHECK_ASSIGN(const WindowValues window, ReadWindow(unit));
    const int64_t groups = unit.num_groups.value_or(1);
    const Shape& input = graph_.type(x).shape;
    if (input.rank() < 3 || groups < 1 || input[1] % groups != 0 || !unit.output_channels) {
      return Wrong(unit, "channels, groups or OutputChannels do not fit");
    }
    Shape shape = {*unit.output_channels, input[1] / groups};
    for (const int64_t extent : window.kernel) shape.Append(extent);
    const WeightPlace place = {unit.Integer("KernelIndex").value_or(0),
                               unit.Integer("KernelOffset").value_or(0),
                               std::string(unit.Name("KernelType").value_or(""))};
    ANECHECK_ASSIGN(const ValueId weight, AddConst(shape, place, Unused(unit.name + "_weight")));
    ValueId bias_id = kNoValue;
    if (bias != nullptr) {
      ANECHECK_ASSIGN(bias_id, GroupConst(*bias, "Bias"));
    }
    graph_.BeginNode(&GetOp(OpKind::kConv).schema);
    graph_.AddArgument(P::kX, x);
    graph_.AddArgument(P::kWeight, weight);
    if (bias != nullptr) graph_.AddArgument(P::kBias, bias_id);
    graph_.AddInts(P::kStrides, window.strides);
    graph_.AddString(P::kPadType, "custom");
    graph_.AddInts(P::kPad, window.pads);
    graph_.AddInt(P::kGroups, groups);
    return Finish(bias != nullptr ? *bias : unit);
  }

  Status GainOffset(const Unit& unit) {
    using P = params::GainOffset;
    ANECHECK_ASSIGN(const ValueId x, Operand(unit, 0));
    ANECHECK_ASSIGN(const ValueId scale, GainConst(unit, "Scale", graph_.type(x).shape));
    ANECHECK_ASSIGN(const ValueId bias, GainConst(unit, "Bias", graph_.type(x).shape));
    graph_.BeginNode(&GetOp(OpKind::kPeGoc).schema);
    graph_.AddArgument(P::kX, x);
    graph_.AddArgument(P::kScale, scale);
    graph_.AddArgument(P::kBias, bias);
    return Finish(unit);
  }

  // Returns the constant of `part`, Bias or Scale. It comes from the group or repeats one number.
  Result<ValueId> GainConst(const Unit& unit, const std::string& part, const Shape& x) {
    if (IsGainOffset(unit)) return GroupConst(unit, part);
    const auto half = unit.HalfBits(part + "Scalar");
    if (!half || x.rank() < 4) return Wrong(unit, "needs BiasScalar, ScaleScalar and four axes");
    return AddChannels(x[1], *half, Unused(unit.name + (part == "Bias" ? "_bias" : "_scale")));
  }

  // Returns the constant that the group's keys for `part`, Bias or Scale, describe.
  Result<ValueId> GroupConst(const Unit& unit, std::string_view part) {
    const tree::Dict& group = *unit.Param("BiasScaleGroupData")->AsDict();
    const auto integer = [&](std::string_view key) {
      const tree::Value* value = group.Find(fmt::format("{}{}", part, key));
      return value != nullptr && value->AsInteger() != nullptr ? *value->AsInteger() : int64_t{0};
    };
    const tree::Value* type = group.Find(fmt::format("{}Type", part));
    const std::string* spelt = type == nullptr ? nullptr : type->AsString();
    const int64_t count = integer("Count");
    if (count < 1 || count > kMaxElements) {
      return Wrong(unit, fmt::format("{}Count is out of range", part));
    }
    const std::string name = part == "Bias" ? "_bias" : "_scale";
    return AddConst(Shape{count},
                    {integer("Index"), integer("Offset"), spelt == nullptr ? "" : *spelt},
                    Unused(unit.name + name));
  }

  Status Pool(const Unit& unit) {
    using P = params::Pool;
    ANECHECK_ASSIGN(const OpKind op, OpOf(unit));
    ANECHECK_ASSIGN(const WindowValues window, ReadWindow(unit));
    ANECHECK_RETURN_IF_ERROR(Begin(unit, op));
    graph_.AddInts(P::kKernelSizes, window.kernel);
    graph_.AddInts(P::kStrides, window.strides);
    graph_.AddString(P::kPadType, "custom");
    graph_.AddInts(P::kPad, window.pads);
    if (op == OpKind::kAvgPool) {
      graph_.AddBool(P::kExcludePadding,
                     unit.Boolean("AverageCountExcludePadding").value_or(false));
    }
    return Finish(unit);
  }

  Status Matmul(const Unit& unit) {
    using P = params::Matmul;
    ANECHECK_RETURN_IF_ERROR(Begin(unit, OpKind::kMatmul, 2));
    graph_.AddBool(P::kTransposeX, unit.Boolean("TransposeLhs").value_or(false));
    graph_.AddBool(P::kTransposeY, unit.Boolean("TransposeRhs").value_or(false));
    return Finish(unit);
  }

  Status Elementwise(const Unit& unit) {
    ANECHECK_ASSIGN(const OpKind op, OpOf(unit));
    ANECHECK_RETURN_IF_ERROR(Begin(unit, op, op == OpKind::kAbs ? 1 : 2));
    return Finish(unit);
  }

  Status Neuron(const Unit& unit) {
    ANECHECK_ASSIGN(const OpKind op, OpOf(unit));
    ANECHECK_RETURN_IF_ERROR(Begin(unit, op));
    if (op == OpKind::kGelu) graph_.AddString(params::Gelu::kMode, "EXACT");
    if (op == OpKind::kClip) {
      const auto limit = [&](std::string_view key, double fallback) {
        const auto bits = unit.HalfBits(key);
        return bits ? HalfToDouble(*bits) : fallback;
      };
      graph_.AddFloat(params::Clip::kAlpha, limit("ReluMin", 0));
      graph_.AddFloat(params::Clip::kBeta, limit("ReluMax", 65504));
    }
    return Finish(unit);
  }

  // The axes that a Dimension parameter names, in order, for a tensor of this rank.
  static Result<std::vector<int64_t>> Axes(const Unit& unit, std::string_view key, int rank) {
    std::vector<int64_t> axes;
    for (const std::string& name : unit.Names(key)) {
      const auto axis = NetlistAxis(name, rank);
      if (!axis) return Wrong(unit, fmt::format("{}: rank {} has no axis {}", key, rank, name));
      axes.push_back(*axis);
    }
    if (axes.empty()) return Wrong(unit, fmt::format("{} names no axis", key));
    return axes;
  }

  Result<int> RankOf(const Unit& unit) const {
    ANECHECK_ASSIGN(const ValueId x, Operand(unit, 0));
    return graph_.type(x).shape.rank();
  }

  Status Softmax(const Unit& unit) {
    if (!unit.Boolean("SubtractMax").value_or(false)) {
      return Unsupported(unit, "a softmax needs SubtractMax");
    }
    ANECHECK_ASSIGN(const int rank, RankOf(unit));
    ANECHECK_ASSIGN(const auto axes, Axes(unit, "Dimension", rank));
    ANECHECK_RETURN_IF_ERROR(Begin(unit, OpKind::kSoftmax));
    graph_.AddInt(params::Softmax::kAxis, axes[0]);
    return Finish(unit);
  }

  Status Reduce(const Unit& unit) {
    ANECHECK_ASSIGN(const OpKind op, OpOf(unit));
    ANECHECK_ASSIGN(const int rank, RankOf(unit));
    ANECHECK_ASSIGN(auto axes, Axes(unit, "Dimension", rank));
    std::sort(axes.begin(), axes.end());
    ANECHECK_RETURN_IF_ERROR(Begin(unit, op));
    graph_.AddInts(params::Reduce::kAxes, axes);
    graph_.AddBool(params::Reduce::kKeepDims, true);
    return Finish(unit);
  }

  Status Reshape(const Unit& unit) {
    const netlist::Extents extents = {.batch = unit.Integer("ReshapedBatch"),
                                      .channels = unit.Integer("ReshapedChannel"),
                                      .depth = unit.Integer("ReshapedDepth"),
                                      .height = unit.Integer("ReshapedHeight"),
                                      .width = unit.Integer("ReshapedWidth")};
    const auto shape = FromExtents(extents);
    if (!shape) return Wrong(unit, "the extents do not all have one rank");
    ANECHECK_RETURN_IF_ERROR(Begin(unit, OpKind::kReshape));
    graph_.AddInts(params::Reshape::kShape, shape->dims());
    return Finish(unit);
  }

  Status Transpose(const Unit& unit) {
    ANECHECK_ASSIGN(const int rank, RankOf(unit));
    std::vector<int64_t> perm(static_cast<size_t>(rank), -1);
    const tree::Value* pairs = unit.Param("TransposeDimensions");
    if (pairs == nullptr || pairs->AsArray() == nullptr) {
      return Wrong(unit, "TransposeDimensions is missing");
    }
    for (const tree::Value& pair : *pairs->AsArray()) {
      const auto axis = [&](std::string_view key) -> std::optional<int> {
        const tree::Value* name = pair.AsDict() == nullptr ? nullptr : pair.AsDict()->Find(key);
        if (name == nullptr || name->AsString() == nullptr) return std::nullopt;
        return NetlistAxis(*name->AsString(), rank);
      };
      const auto from = axis("TransposeSourceDimension");
      const auto to = axis("TransposeDestinationDimension");
      if (!from || !to) return Wrong(unit, "TransposeDimensions names an axis that does not exist");
      perm[static_cast<size_t>(*to)] = *from;
    }
    // An axis that no pair names keeps its position.
    for (size_t i = 0; i < perm.size(); ++i) {
      if (perm[i] < 0) perm[i] = static_cast<int64_t>(i);
    }
    ANECHECK_RETURN_IF_ERROR(Begin(unit, OpKind::kTranspose));
    graph_.AddInts(params::Transpose::kPerm, perm);
    return Finish(unit);
  }

  Status Broadcast(const Unit& unit) {
    ANECHECK_ASSIGN(ValueId x, Operand(unit, 0));
    ANECHECK_ASSIGN(const NetlistBroadcast broadcast, ReadBroadcast(unit, graph_.type(x).shape));
    if (broadcast.read_as != graph_.type(x).shape) {
      graph_.BeginNode(&GetOp(OpKind::kReshape).schema);
      graph_.AddArgument(params::Reshape::kX, x);
      graph_.AddInts(params::Reshape::kShape, broadcast.read_as.dims());
      const std::string names[] = {Unused(unit.name + "_deep")};
      ANECHECK_ASSIGN(x, graph_.FinishNode(names));
    }
    graph_.BeginNode(&GetOp(OpKind::kTile).schema);
    graph_.AddArgument(params::Tile::kX, x);
    graph_.AddInts(params::Tile::kReps, broadcast.reps);
    return Finish(unit);
  }

  Status Concat(const Unit& unit) {
    ANECHECK_ASSIGN(const int rank, RankOf(unit));
    // A real file omits the key, so the key must have a default. Assumed: the default is Channel.
    int64_t axis = NetlistAxis("Channel", rank).value_or(0);
    if (unit.Param("Dimension") != nullptr) {
      ANECHECK_ASSIGN(const auto axes, Axes(unit, "Dimension", rank));
      axis = axes[0];
    }
    std::vector<ValueId> ids;
    for (size_t i = 0; i < unit.bottoms.size(); ++i) {
      ANECHECK_ASSIGN(const ValueId id, Operand(unit, i));
      ids.push_back(id);
    }
    graph_.BeginNode(&GetOp(OpKind::kConcat).schema);
    for (const ValueId id : ids) graph_.AddArgument(params::Concat::kValues, id);
    graph_.AddInt(params::Concat::kAxis, axis);
    return Finish(unit);
  }

  Status Pad(const Unit& unit) {
    using P = params::Pad;
    const std::string name(unit.Name("PaddingMode").value_or("Zero"));
    const std::string_view mode = ModeOfPadding(name);
    if (mode.empty()) return Unsupported(unit, fmt::format("PaddingMode {}", name));
    ANECHECK_ASSIGN(const int rank, RankOf(unit));
    std::vector<int64_t> pad;
    for (const WindowKeys& keys : std::span(kWindowKeys).last(rank == 1 ? 1 : 2)) {
      pad.push_back(unit.Integer(keys.before).value_or(0));
      pad.push_back(unit.Integer(keys.after).value_or(0));
    }
    ANECHECK_RETURN_IF_ERROR(Begin(unit, OpKind::kPad));
    graph_.AddInts(P::kPad, pad);
    graph_.AddString(P::kMode, mode);
    graph_.AddFloat(P::kConstantVal,
                    name == kBackground ? unit.Real("BackgroundValue").value_or(0) : 0);
    return Finish(unit);
  }

  Status Slice(const Unit& unit) {
    // Follows a chain of views from the last view back to the first.
    std::vector<const Unit*> chain = {&unit};
    for (;;) {
      if (chain.back()->bottoms.empty()) return Wrong(unit, "an operand is missing");
      const Unit* below = network_.FindUnit(chain.back()->bottoms[0]);
      const bool part = below != nullptr && below->type == "InputView" && IsHeldBack(*below) &&
                        chain.size() < network_.units.size();
      if (!part) break;
      chain.push_back(below);
    }
    ANECHECK_ASSIGN(const ValueId x, Operand(*chain.back(), 0));
    const Shape shape = graph_.type(x).shape;
    std::vector<int64_t> begin(static_cast<size_t>(shape.rank()), 0);
    std::vector<int64_t> size(shape.dims().begin(), shape.dims().end());
    for (const Unit* view : chain) {
      if (view->Integer("Step").value_or(1) != 1) return Unsupported(*view, "a step");
      ANECHECK_ASSIGN(const auto axes, Axes(*view, "Dimension", shape.rank()));
      const auto axis = static_cast<size_t>(axes[0]);
      begin[axis] = view->Integer("Offset").value_or(0);
      size[axis] = view->Integer("Size").value_or(0);
    }
    graph_.BeginNode(&GetOp(OpKind::kSliceBySize).schema);
    graph_.AddArgument(params::SliceBySize::kX, x);
    graph_.AddInts(params::SliceBySize::kBegin, begin);
    graph_.AddInts(params::SliceBySize::kSize, size);
    return Finish(unit);
  }

  const netlist::Network& network_;
  const NetlistRead& read_;
  Graph graph_;
  std::set<std::string> names_;
  std::map<std::string, ValueId, std::less<>> values_;
  std::map<std::string, int64_t, std::less<>> starts_;  // constants that a DynamicSlice reads
};

}  // namespace

Result<Graph> ReadNetlist(const netlist::Description& description, const NetlistRead& read) {
  if (description.networks.empty()) {
    return MakeError(ErrorCode::kInvalid, "the description has no network");
  }
  if (description.key_style == netlist::KeyStyle::kPorts) {
    return Reader(description.networks[0], read).Run();
  }
  ANECHECK_ASSIGN(const netlist::Description ports, WithPorts(description));
  return Reader(ports.networks[0], read).Run();
}

Result<Graph> NetlistToGraph(const netlist::Description& description,
                             std::span<const uint8_t> weights) {
  return ReadNetlist(
      description,
      [&](int64_t index, uint64_t offset, const TensorType& type) -> Result<SharedBytes> {
        const auto size = static_cast<uint64_t>(type.ByteSize());
        if (index == 0 && offset <= weights.size() && size <= weights.size() - offset) {
          const std::span<const uint8_t> found = weights.subspan(offset, size);
          const auto kept = std::make_shared<std::vector<uint8_t>>(found.begin(), found.end());
          return SharedBytes{*kept, kept};
        }
        return MakeError(ErrorCode::kInvalid,
                         fmt::format("{} bytes at {} are outside the weight file of {}", size,
                                     offset, weights.size()));
      });
}

}  // namespace anecheck
