// Tests operations without published figures through the e5rt ABI. The expected results of these
// small cases were computed by hand.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

class Vocabulary : public ::testing::Test {
 private:
  CleanSettings clean_;
};

using Numbers = std::vector<double>;

// Returns the fp16 value y that the statements compute from x of the given shape.
Numbers Compute(std::string_view shape, const Numbers& x, std::string_view statements,
                size_t results) {
  const std::string mil = MilProgram(fmt::format("tensor<fp16, {}> x", shape), statements, "y");
  return ToDoubles(RunHalves(mil, {{"x", ToHalves(x)}}, results, "h13"));
}

TEST_F(Vocabulary, ComparisonsGiveBools) {
  const auto compare = [](std::string_view op) {
    return Compute("[3]", {1, 2, 3},
                   fmt::format("tensor<bool, [3]> c = {}(x = x, y = fp16(2));"
                               "tensor<fp16, [3]> y = cast(x = c, dtype = string(\"fp16\"));",
                               op),
                   3);
  };
  EXPECT_EQ(compare("less"), (Numbers{1, 0, 0}));
  EXPECT_EQ(compare("less_equal"), (Numbers{1, 1, 0}));
  EXPECT_EQ(compare("equal"), (Numbers{0, 1, 0}));
  EXPECT_EQ(compare("not_equal"), (Numbers{1, 0, 1}));
  EXPECT_EQ(compare("greater"), (Numbers{0, 0, 1}));
  EXPECT_EQ(compare("greater_equal"), (Numbers{0, 1, 1}));
}

TEST_F(Vocabulary, SelectChoosesByConditionAndBroadcasts) {
  EXPECT_EQ(
      Compute("[2, 2]", {1, -2, -3, 4},
              "tensor<bool, [2, 2]> c = less(x = x, y = fp16(0));"
              "tensor<bool, [2, 2]> n = logical_not(x = c);"
              "tensor<fp16, [2, 2]> y = select(cond = n, a = x, b = tensor<fp16, [2]>([7, 8]));",
              4),
      (Numbers{1, 8, 7, 4}));
}

TEST_F(Vocabulary, QuotientsAndPowers) {
  EXPECT_EQ(Compute("[3]", {7, -7, 6}, "tensor<fp16, [3]> y = floor_div(x = x, y = fp16(2));", 3),
            (Numbers{3, -4, 3}));
  EXPECT_EQ(Compute("[3]", {2, 3, 0.5}, "tensor<fp16, [3]> y = pow(x = x, y = fp16(3));", 3),
            (Numbers{8, 27, 0.125}));
}

TEST_F(Vocabulary, RunningSums) {
  const auto cumsum = [](std::string_view extra) {
    return Compute("[3]", {1, 2, 4},
                   fmt::format("tensor<fp16, [3]> y = cumsum(x = x, axis = int32(0){});", extra),
                   3);
  };
  EXPECT_EQ(cumsum(""), (Numbers{1, 3, 7}));
  EXPECT_EQ(cumsum(", exclusive = bool(true)"), (Numbers{0, 1, 3}));
  EXPECT_EQ(cumsum(", reverse = bool(true)"), (Numbers{7, 6, 4}));
}

TEST_F(Vocabulary, Reductions) {
  const auto reduce = [](std::string_view op, const Numbers& x) {
    return Compute("[1, 2]", x,
                   fmt::format("tensor<fp16, [1]> y = {}(x = x, axes = tensor<int32, [1]>([1]), "
                               "keep_dims = bool(false));",
                               op),
                   1)[0];
  };
  EXPECT_EQ(reduce("reduce_sum_square", {3, -4}), 25);
  EXPECT_EQ(reduce("reduce_l1_norm", {3, -4}), 7);
  EXPECT_EQ(reduce("reduce_l2_norm", {3, -4}), 5);
  EXPECT_EQ(reduce("reduce_log_sum", {0.5, 0.5}), 0);
  EXPECT_NEAR(reduce("reduce_log_sum_exp", {2, 2}), 2 + std::log(2.0), 0.002);
}

TEST_F(Vocabulary, PositionsOfExtremes) {
  const auto position = [](std::string_view op, const std::string& target) {
    const std::string mil = MilProgram(
        "tensor<fp16, [4]> x",
        fmt::format("tensor<int32, [1]> p = {}(x = x, axis = int32(0), keep_dims = bool(true));"
                    "tensor<fp16, [1]> y = cast(x = p, dtype = string(\"fp16\"));",
                    op),
        "y");
    return ToDoubles(RunHalves(mil, {{"x", ToHalves({2, 5, -1, 5})}}, 1, target))[0];
  };
  EXPECT_EQ(position("reduce_argmax", "h13"), 1);
  EXPECT_EQ(position("reduce_argmin", "h15"), 2);
}

// A root or a logarithm of int32 keeps its integer part. Results beyond the type keep their low
// bits.
TEST_F(Vocabulary, ReductionsOfIntegers) {
  const auto reduce = [](std::string_view op, const Numbers& x) {
    return Compute("[2]", x,
                   fmt::format("tensor<int32, [2]> i = cast(x = x, dtype = string(\"int32\"));"
                               "tensor<int32, [1]> r = {}(x = i, axes = tensor<int32, [1]>([0]), "
                               "keep_dims = bool(true));"
                               "tensor<fp16, [1]> y = cast(x = r, dtype = string(\"fp16\"));",
                               op),
                   1)[0];
  };
  EXPECT_EQ(reduce("reduce_sum_square", {3, -4}), 25);
  EXPECT_EQ(reduce("reduce_l1_norm", {3, -4}), 7);
  EXPECT_EQ(reduce("reduce_l2_norm", {3, -4}), 5);
  EXPECT_EQ(reduce("reduce_l2_norm", {3, 3}), 4) << "4.24";
  EXPECT_EQ(reduce("reduce_log_sum", {10, 11}), 3) << "3.04";
  EXPECT_EQ(reduce("reduce_log_sum", {3, -4}), 0) << "the logarithm of a negative sum is undefined";
  EXPECT_EQ(reduce("reduce_log_sum_exp", {8, 8}), 8) << "8.69";
}

TEST_F(Vocabulary, FunctionsOfIntegers) {
  const auto map = [](std::string_view op) {
    return Compute("[4]", {-3, 0, 1, 7},
                   fmt::format("tensor<int32, [4]> i = cast(x = x, dtype = string(\"int32\"));"
                               "tensor<int32, [4]> r = {}(x = i);"
                               "tensor<fp16, [4]> y = cast(x = r, dtype = string(\"fp16\"));",
                               op),
                   4);
  };
  EXPECT_EQ(map("abs"), (Numbers{3, 0, 1, 7}));
  EXPECT_EQ(map("square"), (Numbers{9, 0, 1, 49}));
  EXPECT_EQ(map("sign"), (Numbers{-1, 0, 1, 1}));
  EXPECT_EQ(map("exp2"), (Numbers{0, 1, 2, 128}));
}

TEST_F(Vocabulary, SlopesAndThresholds) {
  const auto activate = [](std::string_view call) {
    return Compute("[1, 2, 2]", {-4, 1, 2, 8}, fmt::format("tensor<fp16, [1, 2, 2]> y = {};", call),
                   4);
  };
  EXPECT_EQ(activate("clamped_relu(x = x, alpha = fp16(0.5), beta = fp16(6))"),
            (Numbers{-2, 1, 2, 6}));
  EXPECT_EQ(activate("threshold(x = x, alpha = fp16(1.5))"), (Numbers{1.5, 1.5, 2, 8}));
  EXPECT_EQ(activate("thresholded_relu(x = x, alpha = fp16(2))"), (Numbers{0, 0, 2, 8}));
  EXPECT_EQ(activate("prelu(x = x, alpha = tensor<fp16, [2]>([0.25, 3]))"), (Numbers{-1, 1, 2, 8}));
  EXPECT_NEAR(activate("scaled_tanh(x = x, alpha = fp16(2), beta = fp16(0.5))")[1],
              2 * std::tanh(0.5), 0.004);
  EXPECT_NEAR(activate("softplus_parametric(x = x, alpha = tensor<fp16, [2]>([2, 1]), "
                       "beta = tensor<fp16, [2]>([1, 1]))")[1],
              2 * std::log1p(std::exp(1.0)), 0.05);
}

TEST_F(Vocabulary, Normalizations) {
  const double seventh = HalfToDouble(DoubleToHalf(1.0 / 7));
  EXPECT_EQ(
      Compute("[1, 2, 2]", {1, 3, 5, 7},
              "tensor<fp16, [1, 2, 2]> y = batch_norm(x = x, mean = tensor<fp16, [2]>([1, 5]), "
              "variance = tensor<fp16, [2]>([3, 0]), beta = tensor<fp16, [2]>([0, 1]), "
              "epsilon = fp16(1));",
              4),
      (Numbers{0, 1, 1, 3}));
  EXPECT_EQ(
      Compute("[1, 2, 2]", {1, 3, 5, 7},
              "tensor<fp16, [1, 2, 2]> y = instance_norm(x = x, gamma = tensor<fp16, [2]>([1, 2]), "
              "epsilon = fp16(0));",
              4),
      (Numbers{-1, 1, -2, 2}));
  EXPECT_EQ(Compute("[1, 2, 2]", {1, 1, 1, 1},
                    "tensor<fp16, [1, 2, 2]> y = l2_norm(x = x, epsilon = fp16(0));", 4),
            (Numbers{0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(Compute("[1, 3, 1]", {1, 2, 1},
                    "tensor<fp16, [1, 3, 1]> y = local_response_norm(x = x, size = int32(3), "
                    "alpha = fp16(3), beta = fp16(1), k = fp16(2));",
                    3),
            (Numbers{seventh, 0.25, seventh}));
}

TEST_F(Vocabulary, TransposedConvolutionSpreadsEachElementOverItsKernel) {
  const auto transposed = [](std::string_view rest, size_t results) {
    return Compute("[1, 1, 2]", {1, 2},
                   fmt::format("tensor<fp16, [1, 1, {}]> y = conv_transpose(x = x, weight = "
                               "tensor<fp16, [1, 1, 3]>([[[1, 10, 100]]]){});",
                               results, rest),
                   results);
  };
  const std::string strides = ", strides = tensor<int32, [1]>([2])";
  EXPECT_EQ(transposed(strides, 5), (Numbers{1, 10, 102, 20, 200}));
  EXPECT_EQ(transposed(strides + ", pad_type = string(\"same\")", 4), (Numbers{1, 10, 102, 20}));
  EXPECT_EQ(
      transposed(strides + ", pad_type = string(\"custom\"), pad = tensor<int32, [2]>([1, 1])", 3),
      (Numbers{10, 102, 20}));
  EXPECT_EQ(transposed(strides + ", output_shape = tensor<int32, [3]>([1, 1, 6])", 6),
            (Numbers{1, 10, 102, 20, 200, 0}));
  EXPECT_EQ(transposed(", dilations = tensor<int32, [1]>([2])", 6),
            (Numbers{1, 2, 10, 20, 100, 200}));
  EXPECT_EQ(Compute("[1, 2, 1]", {1, 2},
                    "tensor<fp16, [1, 4, 1]> y = conv_transpose(x = x, weight = tensor<fp16, [2, "
                    "2, 1]>([[[1], [2]], [[3], [4]]]), groups = int32(2), bias = tensor<fp16, "
                    "[4]>([0, 0, 0, 1]));",
                    4),
            (Numbers{1, 2, 6, 9}));
}

TEST_F(Vocabulary, LinearActivationRoundsItsProduct) {
  const auto affine = [](double x, std::string_view parameters) {
    return Compute("[1]", {x},
                   fmt::format("tensor<fp16, [1]> y = linear_activation(x = x, {});", parameters),
                   1)[0];
  };
  EXPECT_EQ(affine(-2, "alpha = fp16(3), beta = fp16(0.5)"), -5.5);
  EXPECT_EQ(affine(-2, "alpha = fp16(3)"), -6);
  // The product 3070.5 is rounded to 3070; without that rounding the sum would be 3072.
  EXPECT_EQ(affine(2047, "alpha = fp16(1.5), beta = fp16(0.75)"), 3070);
}

TEST_F(Vocabulary, EinsumMultipliesMatricesOfEachHead) {
  EXPECT_EQ(Compute("[1, 2, 2]", {1, 2, 3, 4},
                    "tensor<fp16, [1, 2, 1]> y = einsum(values = (x, tensor<fp16, [2, 2, "
                    "1]>([[[5], [6]], [[7], [8]]])), equation = string(\"abc,cbd->abd\"));",
                    2),
            (Numbers{19, 50}));
  EXPECT_EQ(Compute("[2, 1, 1, 2]", {1, 2, 3, 4},
                    "tensor<fp16, [2, 1, 2, 1]> y = einsum(values = (x, tensor<fp16, [1, 2, 2, "
                    "1]>([[[[5], [6]], [[7], [8]]]])), equation = string(\"nchw,nwhu->nchu\"));",
                    4),
            (Numbers{19, 22, 43, 50}));
}

TEST_F(Vocabulary, L2PoolingIsTheRootOfSquares) {
  EXPECT_EQ(Compute("[1, 1, 4]", {3, 4, 0, -5},
                    "tensor<fp16, [1, 1, 2]> y = l2_pool(x = x, kernel_sizes = tensor<int32, "
                    "[1]>([2]), strides = tensor<int32, [1]>([2]), pad_type = string(\"valid\"));",
                    2),
            (Numbers{5, 5}));
}

TEST_F(Vocabulary, AttentionWeighsValuesByScores) {
  const auto attend = [](std::string_view query, std::string_view mask) {
    return Compute("[1, 2, 1]", {2, 4},
                   fmt::format("tensor<fp16, [1, 1, 1]> y = scaled_dot_product_attention(query = "
                               "tensor<fp16, [1, 1, 4]>([[{}]]), key = tensor<fp16, [1, 2, "
                               "4]>([[[1, 0, 0, 0], [3, 0, 0, 0]]]), value = x{});",
                               query, mask),
                   1)[0];
  };
  EXPECT_EQ(attend("[0, 1, 2, 3]", ""), 3);
  // The scores are 0.5 and 1.5 after scaling by 1/2.
  EXPECT_NEAR(attend("[1, 0, 0, 0]", ""), 2 + 2 / (1 + std::exp(-1.0)), 0.003);
  EXPECT_EQ(attend("[1, 0, 0, 0]", ", attn_mask = tensor<fp16, [2]>([1, 0])"), 3);
  EXPECT_EQ(attend("[1, 0, 0, 0]", ", attn_mask = tensor<bool, [2]>([true, false])"), 2);
}

// Applies resize_bilinear to a line of pixels {0, 4} with `count` points.
Numbers Stretch(std::string_view mode, size_t count, const std::string& target = "h13") {
  const std::string mil = MilProgram(
      "tensor<fp16, [1, 1, 2]> x",
      fmt::format("tensor<fp16, [1, 1, {0}]> y = resize_bilinear(x = x, target_size_height = "
                  "int32(1), target_size_width = int32({0}), sampling_mode = string(\"{1}\"));",
                  count, mode),
      "y");
  return ToDoubles(RunHalves(mil, {{"x", ToHalves({0, 4})}}, count, target));
}

TEST_F(Vocabulary, ResizedImagesAreSampledOnTheirGrid) {
  EXPECT_EQ(Stretch("DEFAULT", 4), (Numbers{0, 2, 4, 4}));
  EXPECT_EQ(Stretch("STRICT_ALIGN_CORNERS", 5), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(Stretch("STRICT_ALIGN_CORNERS", 1), (Numbers{0}));
  EXPECT_EQ(Stretch("ALIGN_CORNERS", 1), (Numbers{2}));
  EXPECT_EQ(Stretch("OFFSET_CORNERS", 4), (Numbers{0.5, 1.5, 2.5, 3.5}));
  EXPECT_EQ(Stretch("UNALIGN_CORNERS", 4), (Numbers{0, 1, 3, 4}));
}

TEST_F(Vocabulary, ImagesAreRepeatedSkippedAndStretched) {
  EXPECT_EQ(Compute("[1, 1, 3]", {1, 2, 3},
                    "tensor<fp16, [1, 2, 2]> y = resize_nearest_neighbor(x = x, "
                    "target_size_height = int32(2), target_size_width = int32(2));",
                    4),
            (Numbers{1, 2, 1, 2}));
  EXPECT_EQ(Compute("[1, 1, 2]", {1, 2},
                    "tensor<fp16, [1, 2, 4]> y = upsample_nearest_neighbor(x = x, "
                    "scale_factor_height = fp32(2), scale_factor_width = fp32(2));",
                    8),
            (Numbers{1, 1, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ(Compute("[1, 1, 2]", {0, 4},
                    "tensor<fp16, [1, 1, 4]> y = upsample_bilinear(x = x, scale_factor_width = "
                    "fp32(2), align_corners = bool(false));",
                    4),
            (Numbers{0, 1, 3, 4}));
  EXPECT_EQ(Compute("[2, 2]", {0, 4, 8, 12},
                    "tensor<fp16, [2, 3]> y = resize(x = x, shape = tensor<int32, [1]>([3]), "
                    "resized_dims = uint32(1), sampling_mode = string(\"ALIGN_CORNERS\"));",
                    6),
            (Numbers{0, 2, 4, 8, 10, 12}));
  // Without a mode, a result reads the pixel that contains its centre.
  EXPECT_EQ(Compute("[1, 2]", {1, 2},
                    "tensor<fp16, [1, 3]> y = resize(x = x, shape = tensor<int32, [1]>([3]), "
                    "resized_dims = uint32(1), interpolation_mode = string(\"NEAREST_NEIGHBOR\"));",
                    3),
            (Numbers{1, 2, 2}));
}

TEST_F(Vocabulary, WithoutATextureEngineRowsAreStoredBetweenTheAxes) {
  // The means of the rows are 2049 and 2053, and the mean of these is 2051. Each store rounds to
  // the even neighbour.
  const auto mean = [](const std::string& target) {
    const std::string mil =
        MilProgram("tensor<fp16, [1, 2, 2]> x",
                   "tensor<fp16, [1, 1, 1]> y = resize_bilinear(x = x, target_size_height = "
                   "int32(1), target_size_width = int32(1), sampling_mode = "
                   "string(\"ALIGN_CORNERS\"));",
                   "y");
    return ToDoubles(RunHalves(mil, {{"x", ToHalves({2048, 2050, 2052, 2054})}}, 1, target))[0];
  };
  EXPECT_EQ(mean("h13"), 2050);
  EXPECT_EQ(mean("h14"), 2052);
}

TEST_F(Vocabulary, ImagesAreSampledOnFamiliesWithTheTextureEngine) {
  const auto sample = [](const Numbers& x, std::string_view call, size_t results,
                         const std::string& target) {
    const std::string mil =
        MilProgram(fmt::format("tensor<fp16, [1, 1, 1, {}]> x", x.size()),
                   fmt::format("tensor<fp16, [1, 1, 1, {}]> y = {};", results, call), "y");
    if (target == "h13") {
      EXPECT_FALSE(CompileError(mil, target).empty()) << call;
      return Numbers{};
    }
    return ToDoubles(RunHalves(mil, {{"x", ToHalves(x)}}, results, target));
  };
  const std::string crop =
      "crop_resize(x = x, boxes = tensor<fp16, [1, 4]>([[0, 1, 0, 4]]), target_width = int32(4), "
      "sampling_mode = string(\"STRICT_ALIGN_CORNERS\"), pad_value = fp16(-1))";
  EXPECT_EQ(sample({0, 2, 4}, crop, 4, "h14"), (Numbers{2, 4, -1, -1}));
  const auto resample = [](std::string_view padding) {
    return fmt::format(
        "resample(x = x, coordinates = tensor<fp16, [1, 1, 4, 2]>([[[[-1, 0], [0.5, 0], [3, 0], "
        "[4, "
        "0]]]]), sampling_mode = string(\"bilinear\"), padding_mode = string(\"{}\"), "
        "padding_value = fp16(9), coordinates_mode = string(\"unnormalized\"), align_corners = "
        "bool(false))",
        padding);
  };
  EXPECT_EQ(sample({0, 2, 4}, resample("constant"), 4, "h14"), (Numbers{9, 1, 9, 9}));
  EXPECT_EQ(sample({0, 2, 4}, resample("border"), 4, "h14"), (Numbers{0, 1, 4, 4}));
  EXPECT_EQ(sample({0, 2, 4}, resample("reflection"), 4, "h14"), (Numbers{2, 1, 2, 0}));
  EXPECT_EQ(sample({0, 2, 4}, resample("symmetric"), 4, "h14"), (Numbers{0, 1, 4, 2}));
  const std::string affine =
      "affine(x = x, transform_matrix = tensor<fp16, [1, 6]>([[0.5, 0, 0.5, 0, 1, 0]]), "
      "output_height = int32(1), output_width = int32(3), sampling_mode = string(\"bilinear\"), "
      "padding_mode = string(\"constant\"), padding_value = fp16(0), coordinates_mode = "
      "string(\"normalized_minus_one_to_one\"), align_corners = bool(true))";
  EXPECT_EQ(sample({0, 2, 4}, affine, 3, "h14"), (Numbers{2, 3, 4}));
  sample({0, 2, 4}, crop, 4, "h13");
  sample({0, 2, 4}, resample("border"), 4, "h13");
  sample({0, 2, 4}, affine, 3, "h13");
}

// Boxes of shape [N, 1, 4, 1, 1] are cut from every image. Boxes of shape [N, 1, 5, 1, 1] contain
// the index of their image.
TEST_F(Vocabulary, RegionsOfInterestAddAnAxis) {
  const auto crop = [](std::string_view roi, std::string_view type, size_t results) {
    const std::string mil = MilProgram(
        "tensor<fp16, [2, 1, 1, 3]> x",
        fmt::format("tensor<fp16, {}> y = crop_resize(x = x, roi = {}, target_width = int32(2), "
                    "sampling_mode = string(\"STRICT_ALIGN_CORNERS\"));",
                    type, roi),
        "y");
    return ToDoubles(RunHalves(mil, {{"x", ToHalves({0, 2, 4, 10, 20, 40})}}, results, "h14"));
  };
  EXPECT_EQ(crop("tensor<fp16, [2, 1, 4, 1, 1]>([[[[[0]], [[0]], [[0]], [[1]]]], [[[[0]], [[1]], "
                 "[[0]], [[2]]]]])",
                 "[2, 2, 1, 1, 2]", 8),
            (Numbers{0, 2, 10, 20, 2, 4, 20, 40}));
  EXPECT_EQ(crop("tensor<fp16, [1, 1, 5, 1, 1]>([[[[[1]], [[0]], [[0]], [[0]], [[2]]]]])",
                 "[1, 1, 1, 1, 2]", 2),
            (Numbers{10, 40}));
}

TEST_F(Vocabulary, VectorsAreMultipliedAsRowsAndColumns) {
  EXPECT_EQ(Compute("[2]", {3, 5},
                    "tensor<fp16, [3]> y = matmul(x = x, y = tensor<fp16, [2, 3]>([[1, 2, 4], [1, "
                    "0, -1]]));",
                    3),
            (Numbers{8, 6, 7}));
  EXPECT_EQ(Compute("[2, 2]", {3, 5, 1, 2},
                    "tensor<fp16, [2]> y = matmul(x = x, y = tensor<fp16, [2]>([10, 1]));", 2),
            (Numbers{35, 12}));
}

TEST_F(Vocabulary, WithoutPaddingCeilModeKeepsItsLastWindow) {
  EXPECT_EQ(Compute("[1, 1, 5]", {1, 2, 3, 4, 5},
                    "tensor<fp16, [1, 1, 3]> y = max_pool(x = x, kernel_sizes = tensor<int32, "
                    "[1]>([2]), strides = tensor<int32, [1]>([2]), pad_type = string(\"valid\"), "
                    "ceil_mode = bool(true));",
                    3),
            (Numbers{2, 4, 5}));
  EXPECT_EQ(CompileError(MilProgram(
                "tensor<fp16, [1, 1, 2]> x",
                "tensor<fp16, [1, 1, 2]> y = max_pool(x = x, kernel_sizes = tensor<int32, "
                "[1]>([1]), strides = tensor<int32, [1]>([3]), pad_type = string(\"valid\"), "
                "ceil_mode = bool(true));",
                "y")),
            "");
}

// The engine refuses forms without a kernel with a message.
TEST_F(Vocabulary, IntegerProductsAndComputedPositionsAreRefused) {
  const std::string begin = CompileError(
      MilProgram("tensor<fp16, [2, 6]> x",
                 "tensor<int32, [2]> at = reduce_argmax(x = x, axis = int32(1));"
                 "tensor<fp16, [1, 1]> y = slice_by_size(x = x, begin = at, size = tensor<int32, "
                 "[2]>([1, 1]));",
                 "y"));
  EXPECT_NE(begin.find("argument 'begin' must be a constant"), std::string::npos) << begin;
  const std::string product =
      CompileError(MilProgram("tensor<fp16, [2, 6]> x",
                              "tensor<int32, [2]> at = reduce_argmax(x = x, axis = int32(1));"
                              "tensor<int32, []> dot = matmul(x = at, y = at);"
                              "tensor<fp16, []> y = cast(x = dot, dtype = string(\"fp16\"));",
                              "y"));
  EXPECT_NE(product.find("do not fit"), std::string::npos) << product;
}

TEST_F(Vocabulary, IndexVectorsSelectPositions) {
  EXPECT_EQ(Compute("[2, 2]", {1, 2, 3, 4},
                    "tensor<fp16, [3]> y = gather_nd(x = x, indices = tensor<int32, [3, 2]>([[1, "
                    "0], [0, 1], [-1, -1]]));",
                    3),
            (Numbers{3, 2, 4}));
  EXPECT_EQ(Compute("[2, 2]", {1, 2, 3, 4},
                    "tensor<fp16, [2]> y = gather_nd(x = x, indices = tensor<int32, [2, 1]>([[1], "
                    "[0]]), batch_dims = int32(1));",
                    2),
            (Numbers{2, 3}));
}

// Returns the value of a constant expression of that shape, which the engine adds to zeros.
Numbers Expand(std::string_view shape, size_t count, std::string_view statements) {
  return Compute(shape, Numbers(count, 0),
                 fmt::format("{} tensor<fp16, {}> y = add(x = x, y = w);", statements, shape),
                 count);
}

TEST_F(Vocabulary, CompressedConstantsAreExpandedByTheCompiler) {
  EXPECT_EQ(Expand("[2, 2]", 4,
                   "tensor<fp16, [2, 2]> w = constexpr_affine_dequantize(quantized_data = "
                   "tensor<uint8, [2, 2]>([[1, 2], [3, 255]]), zero_point = tensor<uint8, "
                   "[2]>([1, 5]), scale = fp16(0.5), axis = int32(-1));"),
            (Numbers{0, -1.5, 1, 125}));
  // Older files have this form.
  EXPECT_EQ(Expand("[2]", 2,
                   "tensor<fp16, [2]> w = constexpr_affine_dequantize()[axis = int32(0), "
                   "quantized_data = tensor<int8, [2]>([-3, 4]), scale = tensor<fp16, [2]>([1, "
                   "2]), zero_point = int8(0)];"),
            (Numbers{-3, 8}));
  EXPECT_EQ(Expand("[2, 4]", 8,
                   "tensor<fp16, [2, 4]> w = constexpr_blockwise_shift_scale(data = tensor<int4, "
                   "[2, 4]>([[1, 2, 3, 4], [-1, -2, -3, -8]]), scale = tensor<fp16, [2, 2]>([[1, "
                   "10], [2, 0.5]]), offset = tensor<int4, [2, 2]>([[0, 1], [-1, 0]]));"),
            (Numbers{1, 2, 20, 30, 0, -2, -1.5, -4}));
}

TEST_F(Vocabulary, TablesHavePackedIndicesAndBlocks) {
  // Two-bit indices, lowest bits first: 27 is 3, 2, 1, 0.
  EXPECT_EQ(Expand("[4]", 4,
                   "tensor<fp16, [4]> w = constexpr_lut_to_dense(indices = tensor<uint8, "
                   "[1]>([27]), lut = tensor<fp16, [4]>([5, 6, 7, 8]), shape = tensor<uint32, "
                   "[1]>([4]));"),
            (Numbers{8, 7, 6, 5}));
  EXPECT_EQ(Expand("[2, 4]", 8,
                   "tensor<fp16, [2, 4]> w = constexpr_lut_to_dense(indices = tensor<uint1, [2, "
                   "2]>([[0, 1], [1, 0]]), lut = tensor<fp16, [2, 1, 2, 2]>([[[[1, 2], [3, 4]]], "
                   "[[[5, 6], [7, 8]]]]), vector_axis = int32(1));"),
            (Numbers{1, 2, 3, 4, 7, 8, 5, 6}));
  EXPECT_EQ(Expand("[4, 2]", 8,
                   "tensor<fp16, [4, 2]> w = constexpr_lut_to_dense(indices = tensor<uint1, [2, "
                   "2]>([[0, 1], [1, 0]]), lut = tensor<fp16, [1, 1, 2, 2]>([[[[1, 2], [3, "
                   "4]]]]), vector_axis = int32(0));"),
            (Numbers{1, 3, 2, 4, 3, 1, 4, 2}));
}

TEST_F(Vocabulary, MasksPlaceSparseConstants) {
  // Lowest bit first: 10 sets elements 1 and 3.
  EXPECT_EQ(Expand("[4]", 4,
                   "tensor<fp16, [4]> w = constexpr_sparse_to_dense(nonzero_data = tensor<fp16, "
                   "[2]>([5, 6]), mask = tensor<uint8, [1]>([10]), shape = tensor<uint32, "
                   "[1]>([4]));"),
            (Numbers{0, 5, 0, 6}));
  EXPECT_EQ(Expand("[2, 2]", 4,
                   "tensor<uint1, [2, 2]> m, tensor<fp16, [2]> d = "
                   "constexpr_sparse_blockwise_shift_scale(data_mask = tensor<uint1, [2, 2]>([[0, "
                   "1], [1, 0]]), nonzero_data = tensor<int8, [2]>([3, 4]), scale = tensor<fp16, "
                   "[2, 1]>([[2], [10]]));"
                   "tensor<fp16, [2, 2]> w = constexpr_sparse_to_dense(nonzero_data = d, mask = "
                   "m);"),
            (Numbers{0, 6, 40, 0}));
  EXPECT_EQ(Expand("[4]", 4,
                   "tensor<uint1, [4]> m, tensor<fp16, [2]> d = "
                   "constexpr_lut_to_sparse(indices_mask = tensor<uint1, [2]>([0, 1]), "
                   "indices_nonzero_data = tensor<uint1, [1]>([1]), lut = tensor<fp16, [1, 2, "
                   "2]>([[[1, 2], [3, 4]]]), vector_axis = int32(0));"
                   "tensor<fp16, [4]> w = constexpr_sparse_to_dense(nonzero_data = d, mask = m);"),
            (Numbers{0, 0, 3, 4}));
}

TEST_F(Vocabulary, ConstantsMayNameConstants) {
  EXPECT_EQ(Expand("[2]", 2,
                   "tensor<fp16, [2]> v = const()[val = tensor<fp16, [2]>([1, 2])];"
                   "tensor<fp16, [2]> w = const(val = v);"),
            (Numbers{1, 2}));
}

TEST_F(Vocabulary, QuantizedBytesAreScaled) {
  EXPECT_EQ(Compute("[5]", {0.25, 0.75, -1.25, 900, -900},
                    "tensor<int8, [5]> q = quantize(input = x, scale = fp16(0.5), zero_point = "
                    "int8(1), output_dtype = string(\"int8\"));"
                    "tensor<fp16, [5]> y = cast(x = q, dtype = string(\"fp16\"));",
                    5),
            (Numbers{1, 3, -1, 127, -128}));
  EXPECT_EQ(Compute("[2, 2]", {1, 2, 3, 4},
                    "tensor<uint8, [2, 2]> q = cast(x = x, dtype = string(\"uint8\"));"
                    "tensor<fp16, [2, 2]> y = dequantize(input = q, scale = tensor<fp16, "
                    "[2]>([0.5, 2]), zero_point = tensor<uint8, [2]>([0, 3]), axis = int32(1));",
                    4),
            (Numbers{0.5, -2, 1.5, 2}));
}

TEST_F(Vocabulary, SortingRunsFromA14On) {
  const auto mil = [](std::string_view statements) {
    return MilProgram("tensor<fp16, [2, 3]> x", statements, "y");
  };
  const std::string top =
      mil("tensor<fp16, [2, 2]> y, tensor<int32, [2, 2]> p = topk(x = x, k = int32(2), axis = "
          "int32(1));");
  const std::string places =
      mil("tensor<fp16, [2, 2]> v, tensor<uint16, [2, 2]> p = topk(x = x, k = int32(2), axis = "
          "int32(-1), ascending = bool(true), output_indices_dtype = string(\"uint16\"));"
          "tensor<fp16, [2, 2]> y = cast(x = p, dtype = string(\"fp16\"));");
  const std::string sorted =
      mil("tensor<int32, [2, 3]> p = argsort(x = x, axis = int32(0));"
          "tensor<fp16, [2, 3]> y = cast(x = p, dtype = string(\"fp16\"));");
  const Halves x = ToHalves({3, 1, 2, 3, 5, -6});
  const auto run = [&](const std::string& text, size_t results) {
    return ToDoubles(RunHalves(text, {{"x", x}}, results, "h14"));
  };
  EXPECT_EQ(run(top, 4), (Numbers{3, 2, 5, 3}));
  EXPECT_EQ(run(places, 4), (Numbers{1, 2, 2, 0}));
  EXPECT_EQ(run(sorted, 6), (Numbers{0, 1, 0, 1, 0, 1}));
  for (const std::string& text : {top, places, sorted}) {
    EXPECT_NE(CompileError(text, "h13").find("not supported"), std::string::npos);
  }
}

TEST_F(Vocabulary, TheChipRefusesOperationsItCannotGenerate) {
  const auto error = [](std::string_view parameters, std::string_view statements) {
    const LoadedProgram program(MilProgram(parameters, statements, "y"));
    return program.error();
  };
  EXPECT_NE(error("tensor<fp16, [1, 16, 1]> x",
                  "tensor<fp16, [1, 16, 1]> y = local_response_norm(x = x, size = int32(3));")
                .find("LRN"),
            std::string::npos);
  EXPECT_NE(error("tensor<fp16, [2049]> x",
                  "tensor<int32, [1]> p = reduce_argmax(x = x, axis = int32(0), "
                  "keep_dims = bool(true));"
                  "tensor<fp16, [1]> y = cast(x = p, dtype = string(\"fp16\"));")
                .find("2049"),
            std::string::npos);
  EXPECT_NE(error("tensor<fp16, [4]> x",
                  "tensor<int32, [1]> p = reduce_argmin(x = x, axis = int32(0), "
                  "keep_dims = bool(true));"
                  "tensor<fp16, [1]> y = cast(x = p, dtype = string(\"fp16\"));")
                .find("not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace anecheck::device::testing
