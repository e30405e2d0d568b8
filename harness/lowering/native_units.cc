#include "harness/lowering/native_units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/ops/infer.h"
#include "harness/ops/native.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using netlist::Unit;
using tree::Value;

enum class Kind : uint8_t {
  kName,     // text
  kInteger,  // a number
  kLane,     // an integer as a list of one element
  kFlag,     // true or false
  kHalf,     // the bits of an fp16 number (facts/netlist_layers.csv)
  kReal,     // a number
};

struct Key {
  int parameter;
  std::string_view key;
  Kind kind;
};
// A key that every unit of the layer has, with the one value that is known to be accepted.
struct Fixed {
  std::string_view key, value;
};

struct Spelling {
  OpKind op;
  std::string_view unit;
  std::span<const Key> keys = {};
  std::span<const Fixed> fixed = {};
};

using params::NativeSort;
using params::NativeTopK;

constexpr Key kSdpa[] = {{params::NativeSdpa::kSubtractMax, "SubtractMax", Kind::kFlag}};
constexpr Key kSort[] = {{NativeSort::kDirection, "Direction", Kind::kName},
                         {NativeSort::kSortIndices, "SortIndices", Kind::kLane},
                         {NativeSort::kIndices, "Indices", Kind::kFlag}};
constexpr Key kTopK[] = {{NativeTopK::kType, "Type", Kind::kName},
                         {NativeTopK::kK, "K", Kind::kInteger},
                         {NativeTopK::kSortIndices, "SortIndices", Kind::kLane},
                         {NativeTopK::kIndices, "Indices", Kind::kFlag}};
constexpr Fixed kColumns[] = {{"SortDimension", "Width"}, {"VectorDimension", "Channel"}};
constexpr Key kArgMinMax[] = {{params::NativeArgMinMax::kMode, "Mode", Kind::kName}};
constexpr Key kGlobal[] = {{params::NativeGlobalArgMinMax::kType, "Type", Kind::kName},
                           {params::NativeGlobalArgMinMax::kDimension, "Dimension", Kind::kName}};
constexpr Key kMinMax[] = {{params::NativeMinMaxNorm::kDimension, "Dimension", Kind::kName},
                           {params::NativeMinMaxNorm::kEpsilon, "Epsilon", Kind::kHalf}};
constexpr Key kScaled[] = {{params::NativeScaledElementWise::kType, "Type", Kind::kName},
                           {params::NativeScaledElementWise::kScale, "Scale", Kind::kHalf}};
constexpr Key kSampling[] = {
    {params::NativeFurthestPointSampling::kCentroidCount, "CentroidCount", Kind::kInteger}};
constexpr Key kRadius[] = {{params::NativeRadiusSearch::kRadius, "Radius", Kind::kReal}};
constexpr Key kCorrelation[] = {{params::NativeTemplate::kHeight, "TemplateHeight", Kind::kInteger},
                                {params::NativeTemplate::kWidth, "TemplateWidth", Kind::kInteger}};
constexpr Fixed kMetric[] = {{"DistanceMetric", "L2"}};
constexpr Key kCost[] = {
    {params::CostVolume::kDisparityDirection, "DisparityDirection", Kind::kInteger},
    {params::CostVolume::kDisparityRange, "DisparityRange", Kind::kInteger}};
constexpr Key kFactor[] = {{params::Blocks::kFactor, "FactorX", Kind::kInteger}};
constexpr Key kLayerNorm[] = {{params::LayerNorm::kEpsilon, "Epsilon", Kind::kHalf}};
constexpr Key kInstanceNorm[] = {{params::InstanceNorm::kEpsilon, "Epsilon", Kind::kHalf}};
constexpr Key kL2Norm[] = {{params::WithEpsilon::kEpsilon, "Epsilon", Kind::kHalf}};
constexpr Key kResponseNorm[] = {
    {params::LocalResponseNorm::kSize, "KernelChannel", Kind::kInteger},
    {params::LocalResponseNorm::kAlpha, "Alpha", Kind::kHalf}};

// The layers differ in the order of channels. In PixelShuffle the place inside the block varies
// fastest, as in pixel_shuffle; in ChannelToSpace it varies slowest, as in depth_to_space (public
// notes on the six rearrangements).
constexpr Spelling kSpellings[] = {
    {OpKind::kNativeSdpa, "SDPA", kSdpa},
    {OpKind::kNativeSort, "Sort", kSort, kColumns},
    {OpKind::kNativeTopK, "TopK", kTopK, kColumns},
    {OpKind::kNativeArgMinMax, "ArgMinMax", kArgMinMax},
    {OpKind::kNativeGlobalArgMinMax, "GlobalArgMinMax", kGlobal},
    {OpKind::kNativeMinMaxNorm, "MinMaxNormalization", kMinMax},
    {OpKind::kNativeScaledElementWise, "ScaledElementWise", kScaled},
    {OpKind::kNativeCrossCorrelation, "CrossCorrelation", kCorrelation},
    {OpKind::kNativeFurthestPointSampling, "FurthestPointSampling", kSampling, kMetric},
    {OpKind::kNativeRadiusSearch, "RadiusSearch", kRadius},
    {OpKind::kNativeDynamicGoc, "DynamicGOC"},
    {OpKind::kNativeDynamicSlice, "DynamicSlice"},
    {OpKind::kNativeDropout, "Dropout"},
    {OpKind::kCrossProduct, "CrossProduct"},
    {OpKind::kCostVolume, "CostVolume", kCost},
    {OpKind::kPixelShuffle, "PixelShuffle", kFactor},
    {OpKind::kPixelUnshuffle, "PixelUnshuffle", kFactor},
    {OpKind::kDepthToSpace, "ChannelToSpace", kFactor},
    {OpKind::kSpaceToDepth, "SpaceToChannel", kFactor},
    {OpKind::kSpaceToBatch, "SpaceToBatch"},
    {OpKind::kBatchToSpace, "BatchToSpace"},
    {OpKind::kLayerNorm, "LayerNormalization", kLayerNorm},
    {OpKind::kInstanceNorm, "InstanceNormalization", kInstanceNorm},
    {OpKind::kL2Norm, "L2Normalization", kL2Norm},
    {OpKind::kLocalResponseNorm, "LocalResponseNormalization", kResponseNorm},
};

const Spelling* Find(OpKind op) {
  const auto* found = std::ranges::find(kSpellings, op, &Spelling::op);
  return found == std::end(kSpellings) ? nullptr : found;
}

Error Unsupported(std::string_view name, std::string_view why) {
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("{}: no network description: {}", name, why));
}
Error Wrong(const Unit& unit, std::string_view key) {
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("unit {}: {} is missing or of another kind", unit.name, key));
}

bool Rearranges(OpKind op) {
  return op == OpKind::kPixelShuffle || op == OpKind::kPixelUnshuffle ||
         op == OpKind::kDepthToSpace || op == OpKind::kSpaceToDepth ||
         op == OpKind::kSpaceToBatch || op == OpKind::kBatchToSpace;
}
bool MovesBatches(OpKind op) { return op == OpKind::kSpaceToBatch || op == OpKind::kBatchToSpace; }

bool Normalizes(OpKind op) {
  return op == OpKind::kLayerNorm || op == OpKind::kInstanceNorm || op == OpKind::kL2Norm ||
         op == OpKind::kLocalResponseNorm;
}
// The exponent and the offset of local response normalisation. The layer has no key for them.
constexpr double kResponseExponent = 0.75, kResponseOffset = 1;

// ---- writing ----

// Returns a float attribute, or its default.
double NumberOf(const NodeView& node, int parameter) {
  return node.Float(parameter,
                    node.schema().parameters[static_cast<size_t>(parameter)].fallback.number);
}

Result<Value> Spell(const NodeView& node, const Key& key) {
  switch (key.kind) {
    case Kind::kName:
      return Value::String(node.String(key.parameter, ""));
    case Kind::kInteger:
      return Value::Integer(node.Int(key.parameter, 0));
    case Kind::kLane:
      return Value(Value::Payload(tree::Array{Value::Integer(node.Int(key.parameter, 0))}));
    case Kind::kFlag:
      return Value::Bool(node.Bool(key.parameter, false));
    case Kind::kReal:
      return Value::Real(NumberOf(node, key.parameter));
    case Kind::kHalf:
      break;
  }
  const double number = NumberOf(node, key.parameter);
  const Half half = DoubleToHalf(number);
  if (HalfToDouble(half) != number) return Unsupported(node.op(), "a number that fp16 lacks");
  return Value::Integer(half.bits);
}

Status WriteFactors(const NodeView& node, Unit& unit) {
  constexpr std::array<int64_t, 5> kFactors = {1, 2, 3, 4, 8};
  const OpKind op = KindOf(node.schema());
  int64_t x = node.Int(params::Blocks::kFactor, 1);
  int64_t y = x;
  const Shape& one = op == OpKind::kBatchToSpace ? node.ResultType().shape : node.InputShape(0);
  if (one[0] != 1) return Unsupported(node.op(), "a batch above 1");
  if (MovesBatches(op)) {
    y = node.Ints(params::Batches::kBlockShape)[0];
    x = node.Ints(params::Batches::kBlockShape)[1];
    const auto margins = node.Ints(params::Batches::kMargins);
    if (std::ranges::any_of(margins, [](int64_t m) { return m != 0; })) {
      return Unsupported(node.op(), "margins have no key");
    }
  }
  for (const int64_t factor : {x, y}) {
    if (std::ranges::find(kFactors, factor) == kFactors.end()) {
      return Unsupported(node.op(), "factors are 1, 2, 3, 4 or 8");
    }
  }
  unit.SetParam("FactorX", Value::Integer(x));
  unit.SetParam("FactorY", Value::Integer(y));
  unit.SetParam("FactorZ", Value::Integer(1));
  return {};
}

Value ListOf(tree::Dict dict) {
  return Value(Value::Payload(tree::Array{Value(Value::Payload(std::move(dict)))}));
}
tree::Dict OfWidth(std::string_view key, Value value) {
  tree::Dict dict;
  dict.Set("Coordinate", Value::String("Width"));
  dict.Set(key, std::move(value));
  return dict;
}

struct Pair {
  std::string_view key;
  Value value;
};
// The keys of the only public instance of a DynamicSlice, except the key of its size.
std::vector<Pair> SliceKeys() {
  return {{"DynamicSliceAxisOrder", Value::Strings({"Width"})},
          {"CoordinateInfo", ListOf(OfWidth("CoordinateMode", Value::String("NonNormalized")))},
          {"CoordinateMode", Value::String("NonNormalized")},
          {"PaddingInfo", ListOf(OfWidth("PaddingMode", Value::String("Background")))}};
}

void WriteSlice(const NodeView& node, Unit& unit) {
  const int64_t size = node.Int(params::NativeDynamicSlice::kSliceSize, 0);
  unit.SetParam("DynamicSliceInfo", ListOf(OfWidth("SliceSize", Value::Integer(size))));
  for (Pair& pair : SliceKeys()) unit.SetParam(pair.key, std::move(pair.value));
  unit.SetParam("BackgroundValue", Value::Real(0));
}

// The axes of a layer that takes channel, height and width together.
Value ChannelPlane() { return Value::Strings({"Channel", "Height", "Width"}); }

Status WriteNormalization(const NodeView& node, Unit& unit) {
  const OpKind op = KindOf(node.schema());
  const int rank = node.InputShape(0).rank();
  if (node.graph().arguments(node.node()).size() > 1) {
    return Unsupported(node.op(), "gamma and beta have no key");
  }
  // A tensor of rank below 4 has only the last axes, so its second axis is not the channel.
  const bool by_place = op == OpKind::kInstanceNorm || op == OpKind::kLocalResponseNorm;
  if (rank > 4 || rank < (by_place ? 4 : 3)) return Unsupported(node.op(), "other ranks than 4");
  if (op == OpKind::kLayerNorm) {
    ANECHECK_ASSIGN(const uint32_t mask, AxisMask(node, params::LayerNorm::kAxes, rank));
    if (mask != uint32_t{7} << (rank - 3)) {
      return Unsupported(node.op(), "axes other than channel, height and width have no key");
    }
    unit.SetParam("NumGroups", Value::Integer(1));
  }
  if (op == OpKind::kL2Norm) unit.SetParam("Dimension", ChannelPlane());
  using P = params::LocalResponseNorm;
  if (op == OpKind::kLocalResponseNorm &&
      (NumberOf(node, P::kBeta) != kResponseExponent || NumberOf(node, P::kK) != kResponseOffset)) {
    return Unsupported(node.op(), "beta and k have no key");
  }
  return {};
}

// Writes a rate of 0 as in the public netlist that runs.
void WriteRate(Unit& unit) {
  unit.SetParam("DropoutRate", Value::Integer(0));
  unit.SetParam("Seed", Value::Integer(0));
}

// ---- reading ----

Status Read(const Unit& unit, const Key& key, Graph& graph) {
  switch (key.kind) {
    case Kind::kName:
      if (const auto name = unit.Name(key.key)) {
        graph.AddString(key.parameter, *name);
        return {};
      }
      break;
    case Kind::kInteger:
      if (const auto number = unit.Integer(key.key)) {
        graph.AddInt(key.parameter, *number);
        return {};
      }
      break;
    case Kind::kLane:
      if (const auto lanes = unit.Integers(key.key); lanes.size() == 1) {
        graph.AddInt(key.parameter, lanes[0]);
        return {};
      }
      break;
    case Kind::kFlag:  // an absent key means false
      graph.AddBool(key.parameter, unit.Boolean(key.key).value_or(false));
      return {};
    case Kind::kReal:
      if (const auto number = unit.Real(key.key)) {
        graph.AddFloat(key.parameter, *number);
        return {};
      }
      break;
    case Kind::kHalf:
      if (const auto half = unit.HalfBits(key.key)) {
        graph.AddFloat(key.parameter, HalfToDouble(*half));
        return {};
      }
      break;
  }
  return Wrong(unit, key.key);
}

Status ReadFactors(const Unit& unit, OpKind op, Graph& graph) {
  const auto x = unit.Integer("FactorX");
  const auto y = unit.Integer("FactorY");
  if (!x || !y) return Wrong(unit, "FactorX or FactorY");
  if (unit.Integer("FactorZ").value_or(1) != 1 || (!MovesBatches(op) && *x != *y)) {
    return Unsupported(unit.name, "factors that differ, or a depth factor");
  }
  if (MovesBatches(op)) {
    graph.AddInts(params::Batches::kBlockShape, std::array<int64_t, 2>{*y, *x});
    graph.AddInts(params::Batches::kMargins, std::array<int64_t, 4>{0, 0, 0, 0});
  }
  return {};
}

Status ReadSlice(const Unit& unit, Graph& graph) {
  const Value* list = unit.Param("DynamicSliceInfo");
  const tree::Array* infos = list == nullptr ? nullptr : list->AsArray();
  const tree::Dict* info =
      infos == nullptr || infos->size() != 1 ? nullptr : infos->front().AsDict();
  const Value* size = info == nullptr ? nullptr : info->Find("SliceSize");
  if (size == nullptr || size->AsInteger() == nullptr) return Wrong(unit, "DynamicSliceInfo");
  bool known = unit.Real("BackgroundValue").value_or(0) == 0 &&
               *info == OfWidth("SliceSize", Value::Integer(*size->AsInteger()));
  for (const Pair& pair : SliceKeys()) {
    const Value* given = unit.Param(pair.key);
    known = known && (given == nullptr || *given == pair.value);
  }
  if (!known) {
    return Unsupported(unit.name,
                       "the form of this slice is unknown: public sources have only one form");
  }
  graph.AddInt(params::NativeDynamicSlice::kSliceSize, *size->AsInteger());
  return {};
}

// The number of operands tells whether there is a scale. BiasOnly, if present, must agree with it.
Status ReadGain(const Unit& unit) {
  const bool bias_only = unit.bottoms.size() == 2;
  if (unit.Boolean("BiasOnly").value_or(bias_only) != bias_only) {
    return Unsupported(unit.name, "BiasOnly that does not fit the operands");
  }
  if (unit.Name("Type").value_or("TERNARY_DYNAMIC_GOC") != "TERNARY_DYNAMIC_GOC") {
    return Unsupported(unit.name, "Type must be TERNARY_DYNAMIC_GOC");
  }
  return {};
}

// The guide spells the key Rate, but a public netlist spells it DropoutRate.
Status ReadRate(const Unit& unit, Graph& graph) {
  const auto rate = unit.Real("DropoutRate");
  const auto other = unit.Real("Rate");
  if (!rate && !other) return Wrong(unit, "DropoutRate or Rate");
  if (rate && other && *rate != *other) return Unsupported(unit.name, "rates that differ");
  graph.AddFloat(params::NativeDropout::kRate, rate ? *rate : *other);
  return {};
}

Status ReadNormalization(const Unit& unit, OpKind op, const TensorType& x, Graph& graph) {
  const int rank = x.shape.rank();
  if (op == OpKind::kLayerNorm) {
    if (unit.Integer("NumGroups").value_or(1) != 1 || rank < 3 || rank > 4) {
      return Unsupported(unit.name, "groups of channels, or a rank other than 3 and 4");
    }
    graph.AddInts(params::LayerNorm::kAxes, std::array<int64_t, 3>{rank - 3, rank - 2, rank - 1});
  }
  const tree::Value* axes = op == OpKind::kL2Norm ? unit.Param("Dimension") : nullptr;
  if (op == OpKind::kL2Norm && (axes == nullptr || *axes != ChannelPlane())) {
    return Unsupported(unit.name, "a Dimension other than channel, height and width");
  }
  if (op == OpKind::kLocalResponseNorm) {
    graph.AddFloat(params::LocalResponseNorm::kBeta, kResponseExponent);
    graph.AddFloat(params::LocalResponseNorm::kK, kResponseOffset);
  }
  return {};
}

}  // namespace

int NativeOperand(OpKind op, size_t index, size_t count) {
  // The layer's first operand is the reference, the wider row (facts/netlist_layers.csv,
  // cost_volume).
  if (op == OpKind::kCostVolume) {
    return index == 0 ? params::CostVolume::kY : params::CostVolume::kX;
  }
  const bool bias_only = op == OpKind::kNativeDynamicGoc && count == 2;
  return bias_only && index == 1 ? params::GainOffset::kBias : static_cast<int>(index);
}

std::string_view NativeUnitType(OpKind op) {
  const Spelling* spelling = Find(op);
  return spelling == nullptr ? std::string_view() : spelling->unit;
}

std::optional<OpKind> NativeUnitOp(std::string_view type) {
  const auto* found = std::ranges::find(kSpellings, type, &Spelling::unit);
  if (found == std::end(kSpellings)) return std::nullopt;
  return found->op;
}

Status WriteNativeParams(const NodeView& node, Unit& unit) {
  const OpKind op = KindOf(node.schema());
  const Spelling& spelling = *Find(op);
  if (Rearranges(op)) return WriteFactors(node, unit);
  if (Normalizes(op)) ANECHECK_RETURN_IF_ERROR(WriteNormalization(node, unit));
  for (const Key& key : spelling.keys) {
    ANECHECK_ASSIGN(tree::Value value, Spell(node, key));
    unit.SetParam(key.key, std::move(value));
  }
  for (const Fixed& fixed : spelling.fixed)
    unit.SetParam(fixed.key, tree::Value::String(fixed.value));
  if (op == OpKind::kNativeDynamicGoc && !node.HasInput(params::GainOffset::kScale)) {
    unit.SetParam("BiasOnly", tree::Value::Bool(true));
  }
  if (op == OpKind::kNativeDynamicSlice) WriteSlice(node, unit);
  if (op == OpKind::kNativeDropout) WriteRate(unit);
  if (op == OpKind::kNativeArgMinMax) {
    // The window must be the whole plane.
    unit.SetParam("KernelWidth", tree::Value::Integer(node.InputShape(0)[3]));
    unit.SetParam("KernelHeight", tree::Value::Integer(node.InputShape(0)[2]));
  }
  return {};
}

Status ReadNativeParams(const Unit& unit, OpKind op, const TensorType& x, Graph& graph) {
  const Spelling& spelling = *Find(op);
  for (const Key& key : spelling.keys) ANECHECK_RETURN_IF_ERROR(Read(unit, key, graph));
  for (const Fixed& fixed : spelling.fixed) {
    if (unit.Name(fixed.key).value_or(fixed.value) != fixed.value) {
      return Unsupported(unit.name, fmt::format("{} must be {}", fixed.key, fixed.value));
    }
  }
  if (op == OpKind::kNativeDynamicGoc) return ReadGain(unit);
  if (op == OpKind::kNativeDynamicSlice) return ReadSlice(unit, graph);
  if (op == OpKind::kNativeDropout) return ReadRate(unit, graph);
  if (Normalizes(op)) return ReadNormalization(unit, op, x, graph);
  if (op == OpKind::kNativeArgMinMax) {
    const bool whole = x.shape.rank() == 4 && unit.Integer("KernelWidth") == x.shape[3] &&
                       unit.Integer("KernelHeight") == x.shape[2];
    if (!whole) return Unsupported(unit.name, "a window that is not the whole plane");
  }
  return Rearranges(op) ? ReadFactors(unit, op, graph) : Status();
}

}  // namespace anecheck
