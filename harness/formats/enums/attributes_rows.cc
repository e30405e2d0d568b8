// The tables of attribute values of layers, such as pooling, reduction, padding and sampling.
#include "harness/formats/enums/enum_rows.h"

namespace anecheck::enum_rows {

namespace {

constexpr EnumEntry kPooling[] = {
    {1, "Avg"},
    {2, "Max"},
    {3, "ChannelMax"},
    {4, "Min"},
    {5, "ChannelMin"},
    {6, "L1"},
    {7, "L2"},
    {8, "SpatialAndChannelAvg"},
    {9, "SpatialAndChannelMax"},
    {10, "SpatialAndChannelMin"},
    {11, "SpatialArgMax"},
    {12, "ChannelArgMax"},
    {13, "SpatialArgMin"},
    {14, "ChannelArgMin"},
};

constexpr EnumEntry kReduction[] = {
    {0, "Sum"},        {1, "Min"},       {2, "Max"},         {3, "Avg"},
    {4, "SatSum"},     {5, "SatSub"},    {6, "ArgMin"},      {7, "ArgMax"},
    {8, "BitwiseAnd"}, {9, "BitwiseOr"}, {10, "BitwiseXor"},
};

constexpr EnumEntry kElementwise[] = {
    {1, "Add"},
    {2, "Mult"},
    {3, "Square"},
    {4, "Sub"},
    {5, "Power"},
    {6, "Div"},
    {7, "Max"},
    {8, "Min"},
    {9, "Abs"},
    {10, "EqualZero"},
    {11, "NotEqualZero"},
    {12, "LessThanZero"},
    {13, "LessThanEqualZero"},
    {14, "GreaterThanEqualZero"},
    {15, "GreaterThanZero"},
    {16, "Equal"},
    {17, "NotEqual"},
    {18, "LessThan"},
    {19, "LessThanEqual"},
    {20, "GreaterThanEqual"},
    {21, "GreaterThan"},
};

constexpr EnumEntry kScaledElementwise[] = {
    {1, "Add"}, {2, "Mult"}, {3, "SumSquare"}, {4, "Max"}, {5, "Min"},
};

constexpr EnumEntry kPaddingMode[] = {
    {1, "Zero"},       {2, "Negative"},   {3, "Replication"}, {5, "Symmetric"},
    {6, "Reflective"}, {7, "Background"}, {8, "DontCare"},
};

constexpr EnumEntry kSamplingMethod[] = {
    {0, "Linear"},
    {1, "NearestNeighbor"},
};

constexpr EnumEntry kSamplingGridMode[] = {
    {0, "AlignedCorners"},       {1, "UnalignedCorners"},
    {2, "OffsetCorners"},        {3, "Default"},
    {4, "OffsetDefault"},        {5, "OffsetDefaultWithNominalScale"},
    {6, "StrictAlignedCorners"},
};

constexpr EnumEntry kCoordinateMode[] = {
    {0, "NonNormalized"},
    {1, "NormalizedSymmetric"},
    {2, "NormalizedReflect"},
};

constexpr EnumEntry kArgMode[] = {
    {1, "SpatialArgMin"},
    {2, "ChannelArgMin"},
    {3, "SpatialArgMax"},
    {4, "ChannelArgMax"},
};

constexpr EnumEntry kSortDirection[] = {
    {0, "Invalid"},
    {1, "Ascending"},
    {2, "Descending"},
};

constexpr EnumEntry kTopK[] = {
    {0, "Invalid"},
    {1, "Min"},
    {2, "Max"},
};

constexpr EnumEntry kPaddingStyle[] = {
    {0, "EXPLICIT"},        {1, "TF_VALID"},        {2, "TF_SAME"},
    {3, "EXPLICIT_OFFSET"}, {4, "ONNX_SAME_LOWER"},
};

constexpr EnumEntry kNearestRounding[] = {
    {0, "round_prefer_ceil"}, {1, "round_prefer_floor"}, {2, "ceil"}, {3, "floor"},
    {4, "round_to_even"},     {5, "round_to_odd"},
};

constexpr EnumEntry kReduceOp[] = {
    {0, "min"}, {1, "max"}, {2, "sum"}, {3, "prod"}, {4, "argMin"}, {5, "argMax"},
};

constexpr EnumEntry kScatterMode[] = {
    {0, "add"}, {1, "subtract"}, {2, "multiply"}, {3, "divide"}, {4, "min"}, {5, "max"}, {6, "set"},
};

constexpr EnumEntry kGateActivation[] = {
    {0, "none"}, {1, "relu"}, {2, "tanh"}, {3, "sigmoid"}, {4, "hard_sigmoid"}, {5, "scaled_tanh"},
};

constexpr EnumEntry kStencilPadding[] = {
    {0, "constant"}, {1, "mirror"},   {2, "mirrorWithEdge"}, {3, "clampToEdge"},
    {4, "zero"},     {5, "periodic"}, {6, "antiPeriodic"},
};

constexpr EnumEntry kRoundingMode[] = {
    {0, "to_nearest_even"}, {1, "downward"},        {2, "upward"},
    {3, "toward_zero"},     {4, "to_nearest_away"},
};

constexpr EnumEntry kCollectiveReduction[] = {
    {1, "sum"}, {2, "max"}, {3, "min"}, {4, "prod"}, {5, "mean"},
};

constexpr EnumEntry kCollectiveReductionAliases[] = {
    {4, "product"},
};

constexpr EnumEntry kPoolIndices[] = {
    {0, "GlobalFlatten1D"}, {1, "GlobalFlatten2D"}, {2, "GlobalFlatten3D"}, {3, "GlobalFlatten4D"},
    {4, "LocalFlatten1D"},  {5, "LocalFlatten2D"},  {6, "LocalFlatten3D"},  {7, "LocalFlatten4D"},
};

}  // namespace

const EnumTable kPoolingTable = {EnumKind::kPooling, "pooling",
                                 "facts/enums.json (public guide, appendix C)", kPooling};
const EnumTable kReductionTable = {EnumKind::kReduction, "reduction",
                                   "facts/enums.json (public guide, appendix C)", kReduction};
const EnumTable kElementwiseTable = {EnumKind::kElementwise, "elementwise",
                                     "facts/enums.json (public guide, appendix C)", kElementwise};
const EnumTable kScaledElementwiseTable = {EnumKind::kScaledElementwise, "scaled_elementwise",
                                           "facts/enums.json (public guide, appendix C)",
                                           kScaledElementwise};
const EnumTable kPaddingModeTable = {EnumKind::kPaddingMode, "padding_mode",
                                     "facts/enums.json (public guide, appendix C)", kPaddingMode};
const EnumTable kSamplingMethodTable = {EnumKind::kSamplingMethod, "sampling_method",
                                        "facts/enums.json (public guide, appendix C)",
                                        kSamplingMethod};
const EnumTable kSamplingGridModeTable = {EnumKind::kSamplingGridMode, "sampling_grid_mode",
                                          "facts/enums.json (public guide, appendix C)",
                                          kSamplingGridMode};
const EnumTable kCoordinateModeTable = {EnumKind::kCoordinateMode, "coordinate_mode",
                                        "facts/enums.json (public guide, appendix C)",
                                        kCoordinateMode};
const EnumTable kArgModeTable = {EnumKind::kArgMode, "arg_mode",
                                 "facts/enums.json (public guide, appendix C)", kArgMode};
const EnumTable kSortDirectionTable = {EnumKind::kSortDirection, "sort_direction",
                                       "facts/enums.json (public guide, appendix C)",
                                       kSortDirection};
const EnumTable kTopKTable = {EnumKind::kTopK, "top_k",
                              "facts/enums.json (public guide, appendix C)", kTopK};
const EnumTable kPaddingStyleTable = {
    EnumKind::kPaddingStyle, "padding_style",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kPaddingStyle};
const EnumTable kNearestRoundingTable = {
    EnumKind::kNearestRounding, "nearest_rounding_mode",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kNearestRounding};
const EnumTable kReduceOpTable = {
    EnumKind::kReduceOp, "reduce_op",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kReduceOp};
const EnumTable kScatterModeTable = {
    EnumKind::kScatterMode, "scatter_mode",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kScatterMode};
const EnumTable kGateActivationTable = {
    EnumKind::kGateActivation, "rnn_gate_activation",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kGateActivation};
const EnumTable kStencilPaddingTable = {
    EnumKind::kStencilPadding, "stencil_padding_mode",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kStencilPadding};
const EnumTable kRoundingModeTable = {
    EnumKind::kRoundingMode, "rounding_mode",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kRoundingMode};
const EnumTable kCollectiveReductionTable = {
    EnumKind::kCollectiveReduction, "collective_reduction",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kCollectiveReduction,
    kCollectiveReductionAliases};
const EnumTable kPoolIndicesTable = {
    EnumKind::kPoolIndices, "pool_indices_mode",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kPoolIndices};

}  // namespace anecheck::enum_rows
