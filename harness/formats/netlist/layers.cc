// The catalog of native layers.
//
// Sources. Rows: facts/native_layers.csv. Operand counts and keys: facts/netlist_layers.csv
// (specification 004, table 26.1; guide appendix B), the real files of version 1.0.9, and the
// public netlists of version 1.0.10 (ANEForge bridges). A key is required if a source lists it
// among the layer's attributes without a default, and no real or public netlist leaves it out.
// `kAssumed` marks keys that are required only because the layer has no meaning without them.
#include "harness/formats/netlist/layers.h"

#include <algorithm>
#include <array>

namespace anecheck::netlist {

namespace {

using enum ParamKind;
using Names = std::string_view;

constexpr FactEvidence kSpec = FactEvidence::kSpecification;
constexpr FactEvidence kGuess = FactEvidence::kAssumed;

constexpr ParamSpec Optional(Names key, ParamKind kind) { return {.key = key, .kind = kind}; }
constexpr ParamSpec Required(Names key, ParamKind kind, FactEvidence evidence = kSpec) {
  return {.key = key, .kind = kind, .required = true, .required_evidence = evidence};
}
constexpr ParamSpec With(ParamSpec spec, std::span<const Names> names) {
  spec.names = names;
  return spec;
}
constexpr ParamSpec Known(ParamSpec spec, std::span<const Names> spelled,
                          std::span<const EnumKind> enumerations = {}) {
  spec.spelled = spelled;
  spec.enumerations = enumerations;
  return spec;
}
constexpr ParamSpec Of(ParamSpec spec, std::span<const ParamSpec> members) {
  spec.members = members;
  return spec;
}

constexpr Names kMaxMin[] = {"Max", "Min"};
constexpr Names kDirections[] = {"Ascending", "Descending"};
constexpr Names kArgModes[] = {"SpatialArgMax", "ChannelArgMax", "SpatialArgMin", "ChannelArgMin"};
constexpr Names kFlattenTypes[] = {"NCHW", "NHWC"};
constexpr Names kMetrics[] = {"L1", "L2"};

// Sets of names that no source lists completely. Real files have Float16, Float32, UInt8, Conv and
// Dense. The other element types are from specification 000, table 23.12 and from the hardware's
// enumeration.
constexpr Names kElementTypes[] = {"Float16", "Float32", "UInt8",  "Int8",  "Int16",
                                   "UInt16",  "Int32",   "UInt32", "Int64", "UInt64",
                                   "Int4",    "UInt4",   "UInt6",  "E4M3"};
constexpr Names kConvTypes[] = {"Conv"};
constexpr Names kKernelModes[] = {"Dense"};
constexpr Names kGainTypes[] = {"TERNARY_DYNAMIC_GOC"};
constexpr Names kNeurons[] = {"ReLU", "Sigmoid",     "SigmoidHighPrecision",
                              "Tanh", "GELU",        "Swish",
                              "ELU",  "LeakyReLU",   "ClampedReLU",
                              "Sqrt", "Rsqrt",       "Exp2",
                              "Log2", "Inv",         "Sin",
                              "Cos",  "Ceil",        "Floor",
                              "Sign", "RoundNearest"};
constexpr EnumKind kNeuronModes[] = {EnumKind::kNonlinearMode, EnumKind::kActivationToken};
constexpr EnumKind kPoolingTypes[] = {EnumKind::kPooling};
constexpr EnumKind kReductionTypes[] = {EnumKind::kReduction};
constexpr EnumKind kElementwiseTypes[] = {EnumKind::kElementwise};
constexpr EnumKind kScaledTypes[] = {EnumKind::kScaledElementwise};
constexpr EnumKind kPaddingModes[] = {EnumKind::kPaddingMode};
constexpr EnumKind kCoordinateModes[] = {EnumKind::kCoordinateMode};

constexpr ParamSpec kFactors[] = {Required("FactorX", kInteger), Required("FactorY", kInteger),
                                  Required("FactorZ", kInteger)};
constexpr ParamSpec kSort[] = {
    With(Required("Direction", kName), kDirections), Required("SortDimension", kDimension),
    Optional("VectorDimension", kAny), Optional("SortIndices", kAny), Optional("Indices", kAny)};
constexpr ParamSpec kTopK[] = {
    With(Required("Type", kName), kMaxMin), Required("K", kInteger),
    Required("SortDimension", kDimension),  Optional("VectorDimension", kAny),
    Optional("SortIndices", kAny),          Optional("Indices", kAny)};
constexpr ParamSpec kArgMinMax[] = {With(Required("Mode", kName), kArgModes),
                                    Required("KernelWidth", kInteger),
                                    Required("KernelHeight", kInteger),
                                    Optional("PadLeft", kInteger),
                                    Optional("PadRight", kInteger),
                                    Optional("PadTop", kInteger),
                                    Optional("PadBot", kInteger),
                                    Optional("PadFront", kInteger),
                                    Optional("PadBack", kInteger),
                                    Optional("Step", kIntegers)};
constexpr ParamSpec kGlobalArgMinMax[] = {With(Required("Type", kName), kMaxMin),
                                          Required("Dimension", kDimension)};
constexpr ParamSpec kDimensionEpsilon[] = {Required("Dimension", kDimensions),
                                           Required("Epsilon", kHalfBits)};
constexpr ParamSpec kEpsilon[] = {Required("Epsilon", kHalfBits, kGuess)};
constexpr ParamSpec kLayerNorm[] = {Optional("NumGroups", kInteger),
                                    Required("Epsilon", kHalfBits, kGuess)};
constexpr ParamSpec kLrn[] = {Required("Alpha", kHalfBits), Required("KernelChannel", kInteger)};
constexpr ParamSpec kScaledElementWise[] = {Known(Required("Type", kName), {}, kScaledTypes),
                                            Optional("Scale", kHalfBits)};
constexpr ParamSpec kElementWise[] = {Known(Required("Type", kName), {}, kElementwiseTypes)};
constexpr ParamSpec kCrossCorrelation[] = {
    Optional("NumGroups", kInteger),    Optional("PadBot", kInteger),
    Optional("PadLeft", kInteger),      Optional("PadRight", kInteger),
    Optional("PadTop", kInteger),       Optional("TemplateHeight", kInteger),
    Optional("TemplateWidth", kInteger)};
constexpr ParamSpec kCrossProduct[] = {Optional("Type", kName)};
constexpr ParamSpec kSampling[] = {Required("CentroidCount", kInteger),
                                   With(Optional("DistanceMetric", kName), kMetrics)};
constexpr ParamSpec kRadiusSearch[] = {Required("Radius", kReal)};
constexpr ParamSpec kCostVolume[] = {
    Required("DisparityDirection", kInteger), Required("DisparityRange", kInteger),
    Optional("ScaleFactorX", kReal), Optional("ScaleFactorY", kReal)};
constexpr ParamSpec kInputView[] = {Required("Dimension", kDimension), Required("Offset", kInteger),
                                    Required("Size", kInteger), Optional("Step", kInteger)};

constexpr ParamSpec kSliceInfo[] = {Required("Coordinate", kDimension),
                                    Required("SliceSize", kInteger)};
constexpr ParamSpec kCoordinateInfo[] = {
    Required("Coordinate", kDimension),
    Known(Required("CoordinateMode", kName), {}, kCoordinateModes)};
constexpr ParamSpec kPaddingInfo[] = {Required("Coordinate", kDimension),
                                      Known(Required("PaddingMode", kName), {}, kPaddingModes)};
constexpr ParamSpec kDynamicSlice[] = {
    Required("DynamicSliceAxisOrder", kDimensions),
    Of(Required("DynamicSliceInfo", kDictionaries), kSliceInfo),
    Of(Required("CoordinateInfo", kDictionaries), kCoordinateInfo),
    Known(Optional("CoordinateMode", kName), {}, kCoordinateModes),
    Of(Required("PaddingInfo", kDictionaries), kPaddingInfo),
    Required("BackgroundValue", kReal)};

constexpr ParamSpec kFlatten[] = {With(Required("Type", kName), kFlattenTypes)};
// The guide has the key Rate. A public netlist that runs has DropoutRate instead, and also Seed.
constexpr ParamSpec kDropout[] = {Optional("Rate", kReal), Optional("DropoutRate", kReal),
                                  Optional("Seed", kInteger)};
constexpr ParamSpec kBroadcastInfo[] = {Required("Dimension", kDimension),
                                        Required("Size", kInteger)};
constexpr ParamSpec kBroadcast[] = {Of(Required("BroadcastInfo", kDictionaries), kBroadcastInfo)};

constexpr ParamSpec kConv[] = {Known(Required("Type", kName), kConvTypes),
                               Required("KernelWidth", kInteger),
                               Required("KernelHeight", kInteger),
                               Known(Required("KernelType", kName), kElementTypes),
                               Optional("KernelDepth", kInteger),
                               Optional("KernelIndex", kInteger),
                               Optional("KernelOffset", kInteger),
                               Known(Optional("KernelMode", kName), kKernelModes),
                               Optional("KernelGroupReuse", kBoolean),
                               Optional("KernelMutable", kBoolean),
                               Optional("Step", kIntegers),
                               Optional("PadLeft", kInteger),
                               Optional("PadRight", kInteger),
                               Optional("PadTop", kInteger),
                               Optional("PadBot", kInteger),
                               Optional("PadFront", kInteger),
                               Optional("PadBack", kInteger),
                               Known(Optional("PaddingMode", kName), {}, kPaddingModes)};
constexpr ParamSpec kPool[] = {Known(Required("Type", kName), {}, kPoolingTypes),
                               Required("KernelWidth", kInteger),
                               Required("KernelHeight", kInteger),
                               Optional("KernelDepth", kInteger),
                               Optional("Step", kIntegers),
                               Optional("PadLeft", kInteger),
                               Optional("PadRight", kInteger),
                               Optional("PadTop", kInteger),
                               Optional("PadBot", kInteger),
                               Optional("PadFront", kInteger),
                               Optional("PadBack", kInteger),
                               Known(Optional("PaddingMode", kName), {}, kPaddingModes),
                               Optional("AverageCountExcludePadding", kBoolean)};
// facts/netlist_layers.csv only has "mode" and "extents". These keys are from Conv and Pooling.
constexpr ParamSpec kPad[] = {Known(Optional("PaddingMode", kName), {}, kPaddingModes),
                              Optional("BackgroundValue", kReal),
                              Optional("PadLeft", kInteger),
                              Optional("PadRight", kInteger),
                              Optional("PadTop", kInteger),
                              Optional("PadBot", kInteger)};
constexpr ParamSpec kMatrixMult[] = {Optional("TransposeLhs", kBoolean),
                                     Optional("TransposeRhs", kBoolean)};
constexpr ParamSpec kNeuron[] = {Known(Required("Type", kName), kNeurons, kNeuronModes),
                                 Optional("EluAlpha", kHalfBits),
                                 Optional("ReluMin", kHalfBits),
                                 Optional("ReluMax", kHalfBits),
                                 Optional("ReluSlope", kHalfBits),
                                 Optional("ReluOffset", kHalfBits)};
constexpr ParamSpec kGroupData[] = {
    Optional("BiasCount", kInteger),   Optional("BiasIndex", kInteger),
    Optional("BiasOffset", kInteger),  Known(Optional("BiasType", kName), kElementTypes),
    Optional("ScaleCount", kInteger),  Optional("ScaleIndex", kInteger),
    Optional("ScaleOffset", kInteger), Known(Optional("ScaleType", kName), kElementTypes)};
constexpr ParamSpec kGoc[] = {Of(Optional("BiasScaleGroupData", kDictionary), kGroupData),
                              Optional("BiasScalar", kHalfBits),
                              Optional("ScaleScalar", kHalfBits)};
constexpr ParamSpec kDynamicGoc[] = {Optional("BiasOnly", kBoolean),
                                     Known(Optional("Type", kName), kGainTypes)};
constexpr ParamSpec kReduction[] = {Known(Required("Type", kName), {}, kReductionTypes),
                                    Required("Dimension", kDimensions)};
constexpr ParamSpec kSoftmax[] = {Required("Dimension", kDimensions),
                                  Optional("SubtractMax", kBoolean)};
constexpr ParamSpec kSdpa[] = {Optional("SubtractMax", kBoolean)};
constexpr ParamSpec kTransposePair[] = {Required("TransposeSourceDimension", kDimension),
                                        Required("TransposeDestinationDimension", kDimension)};
constexpr ParamSpec kTranspose[] = {
    Of(Required("TransposeDimensions", kDictionaries), kTransposePair)};
constexpr ParamSpec kConcat[] = {Optional("Dimension", kDimension)};
constexpr ParamSpec kGather[] = {Required("GatherNDAxes", kDimensions)};
constexpr ParamSpec kReshape[] = {
    Optional("ReshapedBatch", kInteger), Optional("ReshapedChannel", kInteger),
    Optional("ReshapedDepth", kInteger), Optional("ReshapedHeight", kInteger),
    Optional("ReshapedWidth", kInteger)};
constexpr ParamSpec kTile[] = {Optional("Width", kInteger), Optional("Height", kInteger),
                               Optional("Channel", kInteger), Optional("Depth", kInteger),
                               Optional("Batch", kInteger)};
constexpr ParamSpec kRasterizer[] = {
    Required("KernelWidth", kInteger), Required("KernelHeight", kInteger),
    Optional("NumGroups", kInteger), Optional("RasterizerMode", kNameOrInteger)};
constexpr ParamSpec kDecomposition[] = {Required("Type", kName), Optional("Epsilon", kHalfBits),
                                        Optional("RotationAxis", kIntegers)};

constexpr std::array kLayers = {
    LayerSpec{"AffineTransform",
              "AffineTransform",
              "ANECAffineTransformLayerDesc",
              "ANECValidateAffineTransformLayer",
              40,
              2,
              2,
              {},
              false},
    LayerSpec{"BatchToSpace", "BatchToSpace", "ANECBatchToSpaceLayerDesc",
              "ANECValidateBatchToSpaceLayer", 35, 1, 1, kFactors},
    LayerSpec{"ChannelToSpace", "ChannelToSpace", "ANECChannelToSpaceLayerDesc",
              "ANECValidateChannelToSpaceLayer", 37, 1, 1, kFactors},
    LayerSpec{"Concat", "Concat", "ANECConcatLayerDesc", "ANECValidateConcatLayer", 3, 2, kAnyCount,
              kConcat},
    LayerSpec{"Conv", "Conv", "ANECConvLayerDesc", "ANECValidateConvLayer", 1, 1, 1, kConv},
    LayerSpec{"CropResize",
              "CropResize",
              "ANECCropResizeLayerDesc",
              "ANECValidateCropResizeLayer",
              46,
              2,
              2,
              {},
              false},
    LayerSpec{"CrossCorrelation", "CrossCorrelation", "ANECCrossCorrelationLayerDesc",
              "ANECValidateCrossCorrelationLayer", 13, 2, 2, kCrossCorrelation},
    LayerSpec{"Dropout", "Dropout", "ANECDropoutLayerDesc", "ANECValidateDropoutLayer", 54, 1, 1,
              kDropout},
    LayerSpec{"DynamicGOC", "DynamicGOC", "ANECDynamicGOCLayerDesc", "ANECValidateDynamicGOCLayer",
              9, 2, 3, kDynamicGoc},
    // In public netlists the runtime start is a second operand. The facts count one operand.
    LayerSpec{"DynamicSlice", "DynamicSlice", "ANECDynamicSliceLayerDesc",
              "ANECValidateDynamicSliceLayer", 47, 1, 2, kDynamicSlice},
    LayerSpec{"Flatten", "Flatten", "ANECFlattenLayerDesc", "ANECValidateFlattenLayer", 11, 1, 1,
              kFlatten},
    LayerSpec{"Gather", "Gather", "ANECGatherLayerDesc", "ANECValidateGatherLayer", 39, 2, 2,
              kGather},
    LayerSpec{"GOC", "GOC", "ANECGOCLayerDesc", "ANECValidateGOCLayer", 8, 1, 1, kGoc},
    LayerSpec{"InputView", "InputView", "ANECInputViewLayerDesc", "ANECValidateInputViewLayer", 17,
              1, 1, kInputView, true, "InvalidInputView*"},
    LayerSpec{"InstanceNormalization", "InstanceNorm", "ANECInstanceNormLayerDesc",
              "ANECValidateInstanceNormLayer", 25, 1, 1, kEpsilon, false},
    LayerSpec{"L2Normalization", "L2Norm", "ANECL2NormLayerDesc", "ANECValidateL2NormLayer", 26, 1,
              1, kDimensionEpsilon},
    LayerSpec{"LayerNormalization", "LayerNorm", "ANECLayerNormLayerDesc",
              "ANECValidateLayerNormLayer", 28, 1, 1, kLayerNorm, false},
    LayerSpec{
        "Linear", "Linear", "ANECLinearLayerDesc", "ANECValidateLinearLayer", 60, 1, 1, {}, false},
    LayerSpec{"LocalResponseNormalization", "LRN", "ANECLRNLayerDesc", "ANECValidateLRNLayer", 29,
              1, 1, kLrn, false},
    LayerSpec{"MatrixMultiplication", "MatrixMult", "ANECMatrixMultLayerDesc",
              "ANECValidateMatrixMultLayer", 18, 2, 2, kMatrixMult},
    LayerSpec{"MinMaxNormalization", "MinMaxNorm", "ANECMinMaxNormLayerDesc",
              "ANECValidateMinMaxNormLayer", 27, 1, 1, kDimensionEpsilon},
    LayerSpec{"Neuron", "Neuron", "ANECNeuronLayerDesc", "ANECValidateNeuronLayer", 6, 1, 1,
              kNeuron},
    LayerSpec{
        "NMS", "NMS", "ANECNMSLayerDesc", "ANECValidateNMSLayer", 52, 2, kAnyCount, {}, false},
    LayerSpec{"Padding", "Pad", "ANECPadLayerDesc", "ANECValidatePadLayer", 44, 1, 1, kPad, false},
    LayerSpec{"PixelShuffle", "PixelShuffle", "ANECPixelShuffleLayerDesc",
              "ANECValidatePixelShuffleLayer", 31, 1, 1, kFactors},
    LayerSpec{"PixelUnshuffle", "PixelUnshuffle", "ANECPixelUnshuffleLayerDesc",
              "ANECValidatePixelUnshuffleLayer", 32, 1, 1, kFactors},
    LayerSpec{"Pooling", "Pool", "ANECPoolLayerDesc", "ANECValidatePoolLayer", 2, 1, 1, kPool},
    LayerSpec{"RandomGenerator",
              "Random",
              "ANECRandomLayerDesc",
              "ANECValidateRandomLayer",
              55,
              0,
              0,
              {},
              false},
    LayerSpec{"Reduction", "Reduction", "ANECReductionLayerDesc", "ANECValidateReductionLayer", 20,
              1, 1, kReduction},
    LayerSpec{"Resample",
              "Resample",
              "ANECResampleLayerDesc",
              "ANECValidateResampleLayer",
              43,
              2,
              2,
              {},
              false},
    LayerSpec{"Reshape", "Reshape", "ANECReshapeLayerDesc", "ANECValidateReshapeLayer", 22, 1, 1,
              kReshape},
    LayerSpec{
        "Resize", "Resize", "ANECResizeLayerDesc", "ANECValidateResizeLayer", 41, 1, 1, {}, false},
    LayerSpec{"ResizeAs",
              "ResizeAs",
              "ANECResizeAsLayerDesc",
              "ANECValidateResizeAsLayer",
              42,
              2,
              2,
              {},
              false},
    LayerSpec{"RingBufferWriter",
              "RingBufferWriter",
              "ANECRingBufferWriterLayerDesc",
              "ANECValidateRingBufferWriterLayer",
              61,
              2,
              2,
              {},
              false},
    LayerSpec{"ScaledElementWise", "ScaledElementWise", "ANECScaledElementWiseLayerDesc",
              "ANECValidateScaledElementWiseLayer", 5, 2, 2, kScaledElementWise},
    LayerSpec{
        "Shape", "Shape", "ANECShapeLayerDesc", "ANECValidateShapeLayer", 23, 1, 1, {}, false},
    LayerSpec{"Softmax", "Softmax", "ANECSoftmaxLayerDesc", "ANECValidateSoftmaxLayer", 24, 1, 1,
              kSoftmax},
    LayerSpec{"Sort", "Sort", "ANECSortLayerDesc", "ANECValidateSortLayer", 50, 1, 1, kSort},
    LayerSpec{"SpaceToBatch", "SpaceToBatch", "ANECSpaceToBatchLayerDesc",
              "ANECValidateSpaceToBatchLayer", 34, 1, 1, kFactors},
    LayerSpec{"SpaceToChannel", "SpaceToChannel", "ANECSpaceToChannelLayerDesc",
              "ANECValidateSpaceToChannelLayer", 36, 1, 1, kFactors},
    LayerSpec{"Tile", "Tile", "ANECTileLayerDesc", "ANECValidateTileLayer", 45, 1, 1, kTile},
    LayerSpec{"TopK", "TopK", "ANECTopKLayerDesc", "ANECValidateTopKLayer", 51, 1, 1, kTopK},
    LayerSpec{"Transpose", "Transpose", "ANECTransposeLayerDesc", "ANECValidateTransposeLayer", 21,
              1, 1, kTranspose},
    LayerSpec{"Unflatten",
              "Unflatten",
              "ANECUnflattenLayerDesc",
              "ANECValidateUnflattenLayer",
              12,
              1,
              1,
              {},
              false},
    LayerSpec{"SDPA", "SDPA", "ANECSDPALayerDesc", "ANECValidateSDPALayer", 77, 4, 5, kSdpa},
    LayerSpec{"ArgMinMax", "ArgMinMax", "", "ANECValidateArgMinMaxLayer", 15, 1, 1, kArgMinMax},
    LayerSpec{"GlobalArgMinMax", "GlobalArgMinMax", "", "ANECValidateGlobalArgMinMaxLayer", 16, 1,
              1, kGlobalArgMinMax},
    LayerSpec{"Broadcast", "Broadcast", "", "ANECValidateBroadcastLayer", 19, 1, 1, kBroadcast},
    LayerSpec{"CrossProduct", "CrossProduct", "", "ANECValidateCrossProductLayer", 57, 2, 2,
              kCrossProduct},
    LayerSpec{"ElementWise", "ElementWise", "", "ANECValidateElementWiseLayer", 4, 1, 2,
              kElementWise},
    LayerSpec{"FurthestPointSampling", "FurthestPointSampling", "", "", 33, 1, 1, kSampling},
    LayerSpec{"RadiusSearch", "RadiusSearch", "", "", 38, 2, 2, kRadiusSearch},
    LayerSpec{"CostVolume", "CostVolume", "", "", 30, 2, 2, kCostVolume},
    LayerSpec{"KernelRasterizer", "KernelRasterizer", "", "", 14, 1, 1, kRasterizer},
    LayerSpec{"MatrixDecomposition", "MatrixDecomposition", "", "", 53, 1, 1, kDecomposition},
};

// Compares names without case and underscores. Enumerations have relu_n and sigmoid_high_precision,
// and descriptions have ReLUN and SigmoidHighPrecision.
bool IsSameName(std::string_view one, std::string_view other) {
  const auto next = [](std::string_view& rest) {
    while (!rest.empty() && rest.front() == '_') rest.remove_prefix(1);
    if (rest.empty()) return '\0';
    const char c = rest.front();
    rest.remove_prefix(1);
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  while (!one.empty() || !other.empty()) {
    if (next(one) != next(other)) return false;
  }
  return true;
}

}  // namespace

bool IsKnownName(const ParamSpec& spec, std::string_view name) {
  if (spec.spelled.empty() && spec.enumerations.empty()) return true;
  if (std::ranges::find(spec.spelled, name) != spec.spelled.end()) return true;
  return std::ranges::any_of(spec.enumerations, [&](EnumKind kind) {
    const EnumTable& table = GetEnumTable(kind);
    const auto is_same = [&](const EnumEntry& entry) { return IsSameName(entry.name, name); };
    return std::ranges::any_of(table.entries, is_same) ||
           std::ranges::any_of(table.aliases, is_same);
  });
}

std::span<const std::string_view> ElementTypes() { return kElementTypes; }

std::span<const LayerSpec> Layers() { return kLayers; }

const LayerSpec* FindLayer(std::string_view type) {
  const auto it = std::ranges::find(kLayers, type, &LayerSpec::type);
  return it == kLayers.end() ? nullptr : &*it;
}

const ParamSpec* FindParam(std::span<const ParamSpec> params, std::string_view key) {
  const auto it = std::ranges::find(params, key, &ParamSpec::key);
  return it == params.end() ? nullptr : &*it;
}

}  // namespace anecheck::netlist
