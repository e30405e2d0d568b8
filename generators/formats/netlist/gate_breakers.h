// For each gate of a layer's validator, a unit that breaks the gate and no other rule. The unit's
// operands are new constants, so the unit can be added to every description.
#pragma once

#include <array>
#include <string_view>

namespace anecheck {

struct GateBreaker {
  std::string_view gate;         // the id of the gate's rule
  std::string_view type;         // of the unit
  std::string_view params;       // JSON
  std::string_view operands;     // "N,C,D,H,W TYPE" for each operand, separated by ';'
  std::string_view unit = "{}";  // further keys of the unit, as JSON
};

inline constexpr auto kGateBreakers = std::to_array<GateBreaker>({
    {"sdpa_key_value", "SDPA", R"({"SubtractMax": true})",
     "1,8,1,2,16 Float16;1,8,1,2,16 Float16;1,8,1,3,16 Float16;1,1,1,1,1 Float16"},
    {"sdpa_mask_format", "SDPA", R"({"SubtractMax": true})",
     "1,8,1,2,16 Float16;1,8,1,2,16 Float16;1,8,1,2,16 Float16;1,1,1,1,1 Float16;1,1,1,2,2 UInt8"},
    {"matmul_depth", "MatrixMultiplication", "{}", "1,4,2,1,8 Float16;1,8,1,1,4 Float16"},
    {"matmul_output_channels", "MatrixMultiplication", "{}", "1,4,1,1,8 Float16;1,8,1,1,4 Float16",
     R"({"OutputChannels": 5})"},
    {"linear_rank", "Linear", "{}", "1,4,2,1,8 Float16"},
    {"pool_window", "Pooling", R"({"Type": "Avg", "KernelWidth": 5, "KernelHeight": 1})",
     "1,4,1,4,4 Float16"},
    {"pool_pad", "Pooling", R"({"Type": "Avg", "KernelWidth": 2, "KernelHeight": 2, "PadLeft": 2})",
     "1,4,1,4,4 Float16"},
    {"neuron_trigonometric", "Neuron", R"({"Type": "Sin"})", "1,4,1,4,4 Float16"},
    {"neuron_custom_table", "Neuron", R"({"Type": "CustomLUT"})", "1,4,1,4,4 Float16"},
    {"argminmax_pad", "ArgMinMax",
     R"({"Mode": "SpatialArgMax", "KernelWidth": 2, "KernelHeight": 2, "PadLeft": 2})",
     "1,4,1,4,4 Float16"},
    {"pixel_shuffle_factors", "PixelShuffle", R"({"FactorX": 5, "FactorY": 1, "FactorZ": 1})",
     "1,5,1,4,4 Float16"},
    {"pixel_unshuffle_factors", "PixelUnshuffle", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 2})",
     "1,4,1,4,4 Float16"},
    {"pixel_shuffle_channels", "PixelShuffle", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 1})",
     "1,5,1,4,4 Float16"},
    {"pixel_unshuffle_extents", "PixelUnshuffle", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 1})",
     "1,4,1,4,5 Float16"},
    {"channel_to_space_depth", "ChannelToSpace", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 2})",
     "1,4,1,4,4 Float16"},
    {"channel_to_space_factors", "ChannelToSpace", R"({"FactorX": 5, "FactorY": 1, "FactorZ": 1})",
     "1,5,1,4,4 Float16"},
    {"space_to_channel_factors", "SpaceToChannel", R"({"FactorX": 1, "FactorY": 7, "FactorZ": 1})",
     "1,4,1,7,4 Float16"},
    {"space_to_channel_depth", "SpaceToChannel", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 2})",
     "1,4,1,4,4 Float16"},
    {"space_to_batch_factors", "SpaceToBatch", R"({"FactorX": 5, "FactorY": 1, "FactorZ": 1})",
     "1,4,1,4,5 Float16"},
    {"space_to_batch_depth", "SpaceToBatch", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 2})",
     "1,4,1,4,4 Float16"},
    {"batch_to_space_factors", "BatchToSpace", R"({"FactorX": 5, "FactorY": 1, "FactorZ": 1})",
     "5,4,1,4,4 Float16"},
    {"batch_to_space_depth", "BatchToSpace", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 2})",
     "2,4,1,4,4 Float16"},
    {"batch_to_space_batch", "BatchToSpace", R"({"FactorX": 2, "FactorY": 1, "FactorZ": 1})",
     "3,4,1,4,4 Float16"},
    {"concat_axes", "Concat", R"({"Dimension": "Channel"})", "1,4,1,4,4 Float16;1,4,1,4,5 Float16"},
    {"pad_axis", "Padding", R"({"Dimension": "Channel"})", "1,4,1,4,4 Float16"},
    {"layer_norm_groups", "LayerNormalization", R"({"NumGroups": 3, "Epsilon": 1})",
     "1,4,1,4,4 Float16"},
    {"layer_norm_depth", "LayerNormalization", R"({"NumGroups": 2, "Epsilon": 1})",
     "1,4,2,4,4 Float16"},
    {"layer_norm_output", "LayerNormalization", R"({"NumGroups": 2, "Epsilon": 1})",
     "1,4,1,4,4 Float16", R"({"OutputType": "Int8"})"},
    {"input_view_offset", "InputView",
     R"({"Dimension": "Width", "Offset": -1, "Size": 1, "Step": 1})", "1,4,1,4,4 Float16 Reshape"},
    {"input_view_size", "InputView", R"({"Dimension": "Width", "Offset": 0, "Size": 0, "Step": 1})",
     "1,4,1,4,4 Float16 Reshape"},
    {"input_view_step", "InputView", R"({"Dimension": "Width", "Offset": 0, "Size": 1, "Step": 0})",
     "1,4,1,4,4 Float16 Reshape"},
    {"input_view_after_reshape", "InputView",
     R"({"Dimension": "Width", "Offset": 0, "Size": 1, "Step": 1})", "1,4,1,4,4 Float16 GOC"},
    {"cross_product_shape", "CrossProduct", "{}", "1,5,1,1,1 Float16;1,3,1,1,1 Float16"},
    {"cross_product_format", "CrossProduct", "{}", "1,3,1,1,1 UInt8;1,3,1,1,1 Float16"},
    {"cross_correlation_depth", "CrossCorrelation", "{}", "1,4,1,4,4 Float16;1,4,2,2,2 Float16"},
    {"fps_centroids", "FurthestPointSampling", R"({"CentroidCount": 1025, "DistanceMetric": "L2"})",
     "1,3,1,1,64 Float16"},
    {"fps_points", "FurthestPointSampling", R"({"CentroidCount": 8, "DistanceMetric": "L2"})",
     "1,3,1,1,8193 Float16"},
    {"radius_search_shape", "RadiusSearch", R"({"Radius": 0.5})",
     "1,4,1,1,8 Float16;1,3,1,1,8 Float16"},
    {"cost_volume_width", "CostVolume", R"({"DisparityDirection": 0, "DisparityRange": 4})",
     "1,4,1,4,8 Float16;1,4,1,4,8 Float16"},
    {"dropout_rate", "Dropout", R"({"Rate": 1.5})", "1,4,1,4,4 Float16"},
    {"broadcast_axis", "Broadcast", R"({"BroadcastInfo": [{"Dimension": "Width", "Size": 8}]})",
     "1,4,1,4,4 Float16"},
    {"top_k_extent", "TopK", R"({"Type": "Max", "K": 9, "SortDimension": "Width"})",
     "1,4,1,4,4 Float16"},
    {"sort_output", "Sort", R"({"Direction": "Ascending", "SortDimension": "Width"})",
     "1,4,1,4,4 Float16", R"({"OutputType": "Int8"})"},
    {"softmax_output", "Softmax", R"({"Dimension": "Channel"})", "1,4,1,4,4 Float16",
     R"({"OutputType": "Int8"})"},
    {"random_output", "RandomGenerator", "{}", "", R"({"OutputType": "Int32"})"},
    {"resample_coordinates", "Resample", "{}", "1,4,1,4,4 Float16;1,3,1,4,4 Float16"},
    {"crop_resize_index", "CropResize", "{}", "1,4,1,4,4 Float16;1,4,1,1,1 UInt8"},
    {"affine_matrix", "AffineTransform", "{}", "1,4,1,4,4 Float16;1,6,1,1,1 UInt8"},
    {"nms_boxes", "NMS", "{}", "1,5,1,1,8 Float16;1,1,1,1,8 Float16"},
});

}  // namespace anecheck
