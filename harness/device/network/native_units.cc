#include "harness/device/network/native_units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace anecheck::device {
namespace {

enum class As : uint8_t {
  kText,
  kInteger,
  kLane,    // an array with one integer
  kFlag,    // an absent key means false
  kHalf,    // the bits of an fp16 number
  kNumber,  // a real
};

struct Key {
  const char* key;
  std::string_view argument;
  As as;
};
// A key for which only one value is known to be accepted. An absent key has that value.
struct Fixed {
  const char* key;
  std::string_view value;
};

// A further requirement of a layer, which its keys do not express.
enum class Also : uint8_t {
  kNothing,
  kPlane,
  kGain,
  kRate,
  kFactor,
  kBatchFactors,
  kChannelPlane,  // normalises over channel, height and width; the argument lists the axes
  kDimensions,    // like kChannelPlane; the key lists the names of the axes
  kFourAxes
};

struct NativeUnit {
  std::string_view type, operation;
  std::span<const std::string_view> operands;
  std::span<const Key> keys = {};
  std::span<const Fixed> fixed = {};
  Also also = Also::kNothing;
  std::string_view argument = {};  // name of the argument that receives the factor
};

constexpr std::string_view kX[] = {"x"};
constexpr std::string_view kPair[] = {"x", "y"};
// The first operand has the wide row, which disparities shift (facts/netlist_layers.csv,
// cost_volume).
constexpr std::string_view kStereo[] = {"y", "x"};
constexpr std::string_view kAttention[] = {"query", "key", "value", "scale", "mask"};
constexpr std::string_view kTemplate[] = {"x", "template"};
constexpr std::string_view kCloud[] = {"points"};
constexpr std::string_view kCentroids[] = {"centroids", "points"};
constexpr std::string_view kGain[] = {"x", "scale", "bias"};

constexpr Key kSdpaKeys[] = {{"SubtractMax", "SubtractMax", As::kFlag}};
constexpr Key kSortKeys[] = {{"Direction", "Direction", As::kText},
                             {"SortIndices", "SortIndices", As::kLane},
                             {"Indices", "Indices", As::kFlag}};
constexpr Key kTopKKeys[] = {{"Type", "Type", As::kText},
                             {"K", "K", As::kInteger},
                             {"SortIndices", "SortIndices", As::kLane},
                             {"Indices", "Indices", As::kFlag}};
constexpr Fixed kColumns[] = {{"SortDimension", "Width"}, {"VectorDimension", "Channel"}};
constexpr Key kModeKeys[] = {{"Mode", "Mode", As::kText}};
constexpr Key kGlobalKeys[] = {{"Type", "Type", As::kText}, {"Dimension", "Dimension", As::kText}};
constexpr Key kRangeKeys[] = {{"Dimension", "Dimension", As::kText},
                              {"Epsilon", "Epsilon", As::kHalf}};
constexpr Key kScaledKeys[] = {{"Type", "Type", As::kText}, {"Scale", "Scale", As::kHalf}};
constexpr Key kTemplateKeys[] = {{"TemplateHeight", "TemplateHeight", As::kInteger},
                                 {"TemplateWidth", "TemplateWidth", As::kInteger}};
constexpr Key kSamplingKeys[] = {{"CentroidCount", "CentroidCount", As::kInteger}};
constexpr Fixed kEuclid[] = {{"DistanceMetric", "L2"}};
constexpr Key kRadiusKeys[] = {{"Radius", "Radius", As::kNumber}};
constexpr Key kCostKeys[] = {{"DisparityDirection", "disparity_direction", As::kInteger},
                             {"DisparityRange", "disparity_range", As::kInteger}};
constexpr Key kEpsilonKeys[] = {{"Epsilon", "epsilon", As::kHalf}};
constexpr Key kResponseKeys[] = {{"KernelChannel", "size", As::kInteger},
                                 {"Alpha", "alpha", As::kHalf}};
constexpr Fixed kTernary[] = {{"Type", "TERNARY_DYNAMIC_GOC"}};

// The rearrangements number channels differently. In PixelShuffle the position inside the block
// counts last; in ChannelToSpace it counts first (public notes on the six rearrangements).
constexpr NativeUnit kUnits[] = {
    {"SDPA", "SDPA", kAttention, kSdpaKeys},
    {"Sort", "Sort", kX, kSortKeys, kColumns},
    {"TopK", "TopK", kX, kTopKKeys, kColumns},
    {"ArgMinMax", "ArgMinMax", kX, kModeKeys, {}, Also::kPlane},
    {"GlobalArgMinMax", "GlobalArgMinMax", kX, kGlobalKeys},
    {"MinMaxNormalization", "MinMaxNorm", kX, kRangeKeys},
    {"ScaledElementWise", "ScaledElementWise", kPair, kScaledKeys},
    {"CrossCorrelation", "CrossCorrelation", kTemplate, kTemplateKeys},
    {"FurthestPointSampling", "FurthestPointSampling", kCloud, kSamplingKeys, kEuclid},
    {"RadiusSearch", "RadiusSearch", kCentroids, kRadiusKeys},
    {"DynamicGOC", "DynamicGOC", kGain, {}, kTernary, Also::kGain},
    {"Dropout", "Dropout", kX, {}, {}, Also::kRate},
    {"CrossProduct", "cross_product", kPair},
    {"CostVolume", "cost_volume", kStereo, kCostKeys},
    {"PixelShuffle", "pixel_shuffle", kX, {}, {}, Also::kFactor, "upscale_factor"},
    {"PixelUnshuffle", "pixel_unshuffle", kX, {}, {}, Also::kFactor, "downscale_factor"},
    {"ChannelToSpace", "depth_to_space", kX, {}, {}, Also::kFactor, "block_size"},
    {"SpaceToChannel", "space_to_depth", kX, {}, {}, Also::kFactor, "block_size"},
    {"SpaceToBatch", "space_to_batch", kX, {}, {}, Also::kBatchFactors, "paddings"},
    {"BatchToSpace", "batch_to_space", kX, {}, {}, Also::kBatchFactors, "crops"},
    {"LayerNormalization", "layer_norm", kX, kEpsilonKeys, {}, Also::kChannelPlane},
    {"InstanceNormalization", "instance_norm", kX, kEpsilonKeys, {}, Also::kFourAxes},
    {"L2Normalization", "l2_norm", kX, kEpsilonKeys, {}, Also::kDimensions},
    {"LocalResponseNormalization", "local_response_norm", kX, kResponseKeys, {}, Also::kFourAxes},
};

const NativeUnit* Find(std::string_view type) {
  const auto* found = std::ranges::find(kUnits, type, &NativeUnit::type);
  return found == std::end(kUnits) ? nullptr : found;
}

Error Wrong(std::string_view key) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{} is missing or of another kind", key));
}
Error Refused(std::string what) { return MakeError(ErrorCode::kInvalid, std::move(what)); }

Status ReadKey(const ListItem& params, const Key& key, UnitArguments& arguments) {
  const ListItem item = params.Find(key.key);
  switch (key.as) {
    case As::kText:
      if (const auto text = item.Text()) {
        arguments.Text(key.argument, *text);
        return {};
      }
      break;
    case As::kInteger:
      if (const auto number = item.Integer()) {
        arguments.Int(key.argument, *number);
        return {};
      }
      break;
    case As::kLane:
      if (const auto lanes = item.Integers(); lanes && lanes->size() == 1) {
        arguments.Int(key.argument, lanes->front());
        return {};
      }
      break;
    case As::kFlag:
      if (!item.exists() || item.Flag()) {
        arguments.Flag(key.argument, item.Flag().value_or(false));
        return {};
      }
      break;
    case As::kHalf:
      if (const auto bits = item.Integer(); bits && *bits >= 0 && *bits <= 0xffff) {
        arguments.Number(key.argument, Half{static_cast<uint16_t>(*bits)});
        return {};
      }
      break;
    case As::kNumber:
      if (const auto number = item.Number()) {
        arguments.Number(key.argument, static_cast<float>(*number));
        return {};
      }
      break;
  }
  return Wrong(key.key);
}

// Checks that the window of a position search is the whole plane.
Status CheckPlane(const ListItem& params, const Shape& x) {
  const bool whole = x.rank() == 4 && params.Find("KernelWidth").Integer() == x[3] &&
                     params.Find("KernelHeight").Integer() == x[2];
  return whole ? Status() : Refused("a window that is not the whole plane");
}

// The number of operands decides whether there is a scale. BiasOnly, if present, must agree.
Status CheckGain(const ListItem& params, size_t operands) {
  const ListItem item = params.Find("BiasOnly");
  const bool agrees = !item.exists() || item.Flag() == (operands == 2);
  return agrees ? Status() : Refused("BiasOnly that does not fit the operands");
}

// Reads the rate. The guide spells its key Rate, but a public netlist spells it DropoutRate.
Status ReadRate(const ListItem& params, UnitArguments& arguments) {
  const auto rate = params.Find("Rate").Number();
  const auto other = params.Find("DropoutRate").Number();
  if (!rate && !other) return Wrong("DropoutRate or Rate");
  if (rate && other && *rate != *other) return Refused("rates that differ");
  arguments.Number("Rate", static_cast<float>(rate ? *rate : *other));
  return {};
}

Status ReadFactors(const ListItem& params, const NativeUnit& native, UnitArguments& arguments) {
  const auto x = params.Find("FactorX").Integer();
  const auto y = params.Find("FactorY").Integer();
  if (!x || !y) return Wrong("FactorX or FactorY");
  const bool batches = native.also == Also::kBatchFactors;
  const ListItem depth = params.Find("FactorZ");
  if ((depth.exists() && depth.Integer() != 1) || (!batches && *x != *y)) {
    return Refused("factors that differ, or a depth factor");
  }
  if (!batches) {
    arguments.Int(native.argument, *x);
    return {};
  }
  arguments.Ints("block_shape", std::array{*y, *x});
  arguments.IntArray(native.argument, {2, 2}, std::array<int64_t, 4>{});
  return {};
}

// Reads a normalisation over channel, height and width, the last three axes of ranks 3 and 4.
Status ReadChannelPlane(const NativeUnit& native, const ListItem& params, const Shape& x,
                        UnitArguments& arguments) {
  if (x.rank() < 3 || x.rank() > 4) return Refused(fmt::format("rank {}", x.rank()));
  if (native.also == Also::kDimensions) {
    const auto names = params.Find("Dimension").Texts();
    if (names != std::vector<std::string>{"Channel", "Height", "Width"}) {
      return Refused("Dimension must be Channel, Height and Width");
    }
    return {};
  }
  if (params.Find("NumGroups").Integer().value_or(1) != 1) return Refused("groups of channels");
  arguments.Ints("axes", std::array<int64_t, 3>{-3, -2, -1});
  return {};
}

Status ReadFurther(const NativeUnit& native, const ListItem& params,
                   std::span<const Operand> operands, UnitArguments& arguments) {
  switch (native.also) {
    case Also::kNothing:
      return {};
    case Also::kPlane:
      return CheckPlane(params, operands[0].type.shape);
    case Also::kGain:
      return CheckGain(params, operands.size());
    case Also::kRate:
      return ReadRate(params, arguments);
    case Also::kFactor:
    case Also::kBatchFactors:
      return ReadFactors(params, native, arguments);
    case Also::kChannelPlane:
    case Also::kDimensions:
      return ReadChannelPlane(native, params, operands[0].type.shape, arguments);
    case Also::kFourAxes:
      if (operands[0].type.shape.rank() == 4) return {};
      return Refused(fmt::format("rank {}", operands[0].type.shape.rank()));
  }
  return {};
}

}  // namespace

std::string_view NativeOperation(std::string_view unit_type) {
  const NativeUnit* native = Find(unit_type);
  return native == nullptr ? std::string_view() : native->operation;
}

Status ReadNativeUnit(const NetworkUnit& unit, std::span<const Operand> operands,
                      UnitArguments& arguments) {
  const NativeUnit& native = *Find(unit.type);
  if (operands.empty() || operands.size() > native.operands.size()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{} operands", operands.size()));
  }
  // With two operands, gain and offset at run time lack the scale, which is the middle operand.
  const bool no_scale = native.also == Also::kGain && operands.size() == 2;
  for (size_t i = 0; i < operands.size(); ++i) {
    arguments.Tensor(native.operands[no_scale && i == 1 ? 2 : i], operands[i]);
  }
  for (const Key& key : native.keys) {
    ANECHECK_RETURN_IF_ERROR(ReadKey(unit.params, key, arguments));
  }
  for (const Fixed& fixed : native.fixed) {
    const ListItem item = unit.params.Find(fixed.key);
    if (item.exists() && item.Text() != fixed.value) {
      return Refused(fmt::format("{} must be {}", fixed.key, fixed.value));
    }
  }
  return ReadFurther(native, unit.params, operands, arguments);
}

}  // namespace anecheck::device
