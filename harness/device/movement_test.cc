// Tests the engine's data movement on tensors with the elements 0, 1, 2, ... against the results
// that MIL's definitions require.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

using Numbers = std::vector<double>;

class Movement : public ::testing::Test {
 private:
  CleanSettings clean_;
};

// Runs `statements`, whose result is y, on a tensor of these extents with the elements 0, 1, 2, ...
Numbers Moved(const std::string& extents, size_t count, const std::string& statements,
              size_t results) {
  Numbers x(count);
  std::iota(x.begin(), x.end(), 0);
  const std::string mil = MilProgram("tensor<fp16, " + extents + "> x", statements, "y");
  return ToDoubles(RunHalves(mil, {{"x", ToHalves(x)}}, results));
}

TEST_F(Movement, ShapesChangeAndElementsStay) {
  for (const char* statement :
       {"tensor<fp16, [2, 1, 3]> y = expand_dims(x = x, axes = tensor<int32, [1]>([1]));",
        "tensor<fp16, [2, 3]> y = identity(x = x);",
        "tensor<fp16, [2, 3]> y = flatten2d(x = x, axis = int32(1));",
        // A 0 takes the extent of the same axis counted from the last, or 1 if there is none.
        "tensor<fp16, [1, 2, 3]> y = reshape(x = x, shape = tensor<int32, [3]>([0, 2, 0]));",
        "tensor<fp16, [1, 2, 3]> e = expand_dims(x = x, axes = tensor<int32, [1]>([0]));"
        "tensor<fp16, [2, 3]> y = squeeze(x = e, axes = tensor<int32, [1]>([0]));",
        "tensor<fp16, [2, 3]> y = reshape_like(x = x, ref_tensors = (x, x), begins = (int32(0), "
        "int32(1)), ends = (int32(1), int32(0)), end_masks = (bool(false), bool(true)));"}) {
    EXPECT_EQ(Moved("[2, 3]", 6, statement, 6), (Numbers{0, 1, 2, 3, 4, 5})) << statement;
  }
}

TEST_F(Movement, SplitsAndStacks) {
  EXPECT_EQ(Moved("[2, 3]", 6,
                  "tensor<fp16, [2, 1]> a, tensor<fp16, [2, 2]> y = split(x = x, axis = int32(1), "
                  "split_sizes = tensor<int32, [2]>([1, 2]));",
                  4),
            (Numbers{1, 2, 4, 5}));
  EXPECT_EQ(
      Moved("[2, 2]", 4, "tensor<fp16, [2, 2, 2]> y = stack(values = (x, x), axis = int32(1));", 8),
      (Numbers{0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST_F(Movement, SlicesBackwardAndByMask) {
  EXPECT_EQ(
      Moved("[5]", 5,
            "tensor<fp16, [2]> y = slice_by_index(x = x, begin = tensor<int32, [1]>([4]), end "
            "= tensor<int32, [1]>([0]), stride = tensor<int32, [1]>([-2]));",
            2),
      (Numbers{4, 2}));
  EXPECT_EQ(Moved("[2, 3]", 6,
                  "tensor<fp16, [2]> y = slice_by_index(x = x, begin = tensor<int32, [2]>([0, 1]), "
                  "end = tensor<int32, [2]>([0, 2]), end_mask = tensor<bool, [2]>([true, false]), "
                  "squeeze_mask = tensor<bool, [2]>([false, true]));",
                  2),
            (Numbers{1, 4}));
  // A squeezed axis takes the element at its begin, for any stride. The mask makes this begin 0.
  EXPECT_EQ(Moved("[2, 3]", 6,
                  "tensor<fp16, [2]> y = slice_by_index(x = x, begin = tensor<int32, [2]>([0, 1]), "
                  "end = tensor<int32, [2]>([2, 0]), stride = tensor<int32, [2]>([1, -1]), "
                  "begin_mask = tensor<bool, [2]>([false, true]), "
                  "squeeze_mask = tensor<bool, [2]>([false, true]));",
                  2),
            (Numbers{0, 3}));
  EXPECT_EQ(
      Moved("[4]", 4,
            "tensor<fp16, [2]> u = slice_by_size(x = x, begin = tensor<int32, [1]>([0]), size "
            "= tensor<int32, [1]>([2]));"
            "tensor<fp16, [4]> y = slice_update(x = x, update = u, begin = tensor<int32, "
            "[1]>([2]), end = tensor<int32, [1]>([4]));",
            4),
      (Numbers{0, 1, 0, 1}));
}

TEST_F(Movement, ReversesTilesAndCrops) {
  EXPECT_EQ(Moved("[2, 3]", 6,
                  "tensor<fp16, [2, 3]> y = reverse(x = x, axes = tensor<int32, [1]>([1]));", 6),
            (Numbers{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(
      Moved("[2]", 2, "tensor<fp16, [4]> y = tile(x = x, reps = tensor<int32, [1]>([2]));", 4),
      (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(Moved("[1, 3, 3]", 9,
                  "tensor<fp16, [1, 1, 2]> y = crop(x = x, crop_height = tensor<int32, [2]>([1, "
                  "1]), crop_width = tensor<int32, [2]>([1, 0]));",
                  2),
            (Numbers{4, 5}));
}

// Four channels of a pixel become a block of four pixels. The two channel orders differ only if the
// result has more than one channel.
TEST_F(Movement, RearrangesBlocksInBothChannelOrders) {
  EXPECT_EQ(
      Moved("[1, 8, 1, 1]", 8,
            "tensor<fp16, [1, 2, 2, 2]> y = depth_to_space(x = x, block_size = int32(2));", 8),
      (Numbers{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(
      Moved("[1, 8, 1, 1]", 8,
            "tensor<fp16, [1, 2, 2, 2]> y = pixel_shuffle(x = x, upscale_factor = int32(2));", 8),
      (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(
      Moved("[1, 2, 2, 2]", 8,
            "tensor<fp16, [1, 8, 1, 1]> y = space_to_depth(x = x, block_size = int32(2));", 8),
      (Numbers{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(Moved("[1, 2, 2, 2]", 8,
                  "tensor<fp16, [1, 8, 1, 1]> y = pixel_unshuffle(x = x, downscale_factor = "
                  "uint32(2));",
                  8),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(Movement, SpaceToBatchPadsWithZeroAndBatchToSpaceCrops) {
  const std::string to_batch =
      "tensor<fp16, [4, 1, 1, 2]> {} = space_to_batch(x = x, block_shape = tensor<int32, [2]>([2, "
      "2]), paddings = tensor<int32, [2, 2]>([[0, 0], [1, 0]]));";
  EXPECT_EQ(Moved("[1, 1, 2, 3]", 6, fmt::format(fmt::runtime(to_batch), "y"), 8),
            (Numbers{0, 1, 0, 2, 0, 4, 3, 5}));
  EXPECT_EQ(Moved("[1, 1, 2, 3]", 6,
                  fmt::format(fmt::runtime(to_batch), "b") +
                      "tensor<fp16, [1, 1, 2, 3]> y = batch_to_space(x = b, block_shape = "
                      "tensor<int32, [2]>([2, 2]), crops = tensor<int32, [2, 2]>([[0, 0], [1, "
                      "0]]));",
                  6),
            (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST_F(Movement, GathersByConstantIndicesAlsoFromTheEnd) {
  // A13 selects wrong elements along the last axis.
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("D27", 0), ANECHECK_SIM_OK);
  EXPECT_EQ(Moved("[3, 2]", 6,
                  "tensor<fp16, [2, 2]> y = gather(x = x, indices = tensor<int32, [2]>([2, -3]), "
                  "axis = int32(0));",
                  4),
            (Numbers{4, 5, 0, 1}));
  EXPECT_EQ(Moved("[2, 3]", 6,
                  "tensor<fp16, [2, 2]> y = gather(x = x, indices = tensor<int32, [2, 2]>([[2, 0], "
                  "[1, 1]]), axis = int32(1), batch_dims = int32(1));",
                  4),
            (Numbers{2, 0, 4, 4}));
  EXPECT_EQ(Moved("[2, 3]", 6,
                  "tensor<fp16, [2, 1]> y = gather_along_axis(x = x, indices = tensor<int32, [2, "
                  "1]>([[2], [0]]), axis = int32(1));",
                  2),
            (Numbers{2, 3}));
}

TEST_F(Movement, FillsTakeTheirValue) {
  EXPECT_EQ(Moved("[2]", 2,
                  "tensor<fp16, [2]> f = fill(shape = tensor<int32, [1]>([2]), value = fp16(3));"
                  "tensor<fp16, [2]> y = add(x = x, y = f);",
                  2),
            (Numbers{3, 4}));
  EXPECT_EQ(Moved("[2]", 2,
                  "tensor<fp16, [2]> f = fill_like(ref_tensor = x, value = fp16(-1));"
                  "tensor<fp16, [2]> y = add(x = x, y = f);",
                  2),
            (Numbers{-1, 0}));
}

TEST_F(Movement, RefusalsNameTheMismatch) {
  const auto refused = [](const std::string& statement) {
    return CompileError(MilProgram("tensor<fp16, [2, 6]> x", statement, "y"));
  };
  EXPECT_NE(refused("tensor<fp16, [2, 6]> y = squeeze(x = x, axes = tensor<int32, [1]>([0]));")
                .find("axis 0 has extent 2"),
            std::string::npos);
  EXPECT_NE(
      refused("tensor<fp16, [2, 3]> y, tensor<fp16, [2, 4]> z = split(x = x, axis = int32(1), "
              "split_sizes = tensor<int32, [2]>([3, 4]));")
          .find("do not make up an axis of 6"),
      std::string::npos);
  EXPECT_NE(refused("tensor<fp16, [2, 6]> y = depth_to_space(x = x, block_size = int32(2));")
                .find("rank 4"),
            std::string::npos);
  EXPECT_NE(refused("tensor<fp16, [2, 2]> y = gather(x = x, indices = x, axis = int32(1));")
                .find("do not fit"),
            std::string::npos);
  EXPECT_NE(refused("tensor<fp16, [2, 6]> y = tile(x = x, reps = tensor<int32, [1]>([1]));")
                .find("reps needs 2 entries"),
            std::string::npos);
  EXPECT_NE(
      refused("tensor<fp16, [2, 6]> w = constexpr_sparse_to_dense(nonzero_data = "
              "tensor<fp16, [1]>([5]), mask = string(\"\")); tensor<fp16, [2, 6]> y = add(x = "
              "x, y = w);")
          .find("argument 'mask' must be numbers, not a string"),
      std::string::npos);
}

}  // namespace
}  // namespace anecheck::device::testing
