// Tests the weight streams of layers, and their registers in a version-10 image.
#include "harness/encoder/layer_streams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck::encoder {
namespace {

using tdv10::WeightStreamSizes;

// Returns a convolution from 2 to 4 channels. `more` are its other arguments, and `behind` are the
// operations that read its result "c".
std::string Text(const std::string& weight, const std::string& more, const std::string& behind,
                 const std::string& output) {
  return fmt::format(R"(program(1.3)
{{
  func main<ios18>(tensor<fp16, [1, 2, 1, 3]> x) {{
    {}
    tensor<fp16, [1, 4, 1, 3]> c = conv(x = x, weight = w{});
    {}
  }} -> ({});
}}
)",
                     weight, more, behind, output);
}

constexpr const char* kPlain =
    "tensor<fp16, [4, 2, 1, 1]> w = const()[val = tensor<fp16, [4, 2, 1, 1]>([[[[1]], [[2]]], "
    "[[[3]], [[4]]], [[[5]], [[6]]], [[[7]], [[8]]]])];";
constexpr const char* kTwoColours =
    "tensor<fp16, [4, 2, 1, 1]> w = constexpr_lut_to_dense(indices = tensor<uint1, [4, 2, 1, "
    "1]>([[[[0]], [[1]]], [[[1]], [[0]]], [[[0]], [[0]]], [[[1]], [[1]]]]), lut = tensor<fp16, [1, "
    "1, 1, 1, 2, 1]>([[[[[[0.5], [2]]]]]]));";
constexpr const char* kNormal =
    "tensor<fp16, [1, 4, 1, 3]> n = batch_norm(x = c, mean = tensor<fp16, [4]>([1, 2, 3, 4]), "
    "variance = tensor<fp16, [4]>([1, 1, 1, 1]));";
constexpr const char* kSigmoid = "tensor<fp16, [1, 4, 1, 3]> y = sigmoid(x = n);";

WeightStreamSizes Sizes(const std::string& text) {
  const auto graph = MilTextToGraph(text, OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message << text;
  if (!graph.ok()) return {};
  const auto sizes = StreamsOfLayer(*graph);
  EXPECT_TRUE(sizes.ok()) << sizes.error().message;
  return sizes.ok() ? *sizes : WeightStreamSizes{};
}

TEST(LayerStreams, HaveASizeForEachPartOfTheLayer) {
  const std::string bias = ", bias = tensor<fp16, [4]>([1, 2, 3, 4])";
  EXPECT_EQ(Sizes(Text(kPlain, "", "", "c")), (WeightStreamSizes{0, 0, 0, 0}));
  EXPECT_EQ(Sizes(Text(kPlain, bias, "", "c")), (WeightStreamSizes{8, 0, 0, 0}));
  EXPECT_EQ(Sizes(Text(kPlain, "", kNormal, "n")), (WeightStreamSizes{8, 8, 0, 0}));
  EXPECT_EQ(Sizes(Text(kTwoColours, "", "", "c")), (WeightStreamSizes{0, 0, 4, 0}));
  EXPECT_EQ(Sizes(Text(kTwoColours, bias, std::string(kNormal) + kSigmoid, "y")),
            (WeightStreamSizes{8, 8, 4, 128}));
  // If the result of the convolution is an output too, it is written before the batch norm.
  EXPECT_EQ(Sizes(Text(kPlain, "", kNormal, "n, c")), (WeightStreamSizes{0, 0, 0, 0}));
}

TEST(LayerStreams, AModelWithoutAWeightLayerIsRefused) {
  const auto graph = MilTextToGraph(
      "program(1.3)\n{ func main<ios18>(tensor<fp16, [2]> x) { tensor<fp16, [2]> y = relu(x = x); "
      "} -> (y); }",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(StreamsOfLayer(*graph).error().message,
            "the model has no conv and no linear with constant weights");
}

TEST(LayerStreams, HaveTheirRegistersInTheImage) {
  const auto placed = tdv10::PlaceStreams({8, 8, 4, 128}, 0);
  ASSERT_TRUE(placed.ok()) << placed.error().message;
  tdv10::Image image;
  ASSERT_TRUE(image.SetRegister(0x5500, 7).ok());
  ASSERT_TRUE(tdv10::WriteStreams(*placed, 0x30004000, image).ok());
  uint32_t base = 0;
  for (const tdv10::WeightStreamRegisters& row : tdv10::WeightStreams()) {
    EXPECT_EQ(image.Register(row.enable).value(), 1u) << row.name;
    EXPECT_EQ(image.Register(row.base).value(), base) << row.name;
    EXPECT_EQ(image.Register(row.slot).value(), 0x30004000u) << row.name;
    ASSERT_NE(tdv10::SlotAt(row.slot), nullptr) << row.name;
    base += 64;
  }
  ASSERT_TRUE(tdv10::WriteStreams({}, 0x30004000, image).ok());
  tdv10::Image without;
  ASSERT_TRUE(without.SetRegister(0x5500, 7).ok());
  EXPECT_EQ(image, without);
  EXPECT_FALSE(tdv10::PlaceStreams({64, 8, 0, 0}, 0xffffffc0).ok());
}

}  // namespace
}  // namespace anecheck::encoder
