// The reader takes attributes from a weight file as it takes them from the text.
#include "harness/lowering/stored_attribute.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/graph/test_vocabulary.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using Bytes = std::vector<uint8_t>;

std::string Stored(std::string_view type, uint64_t offset) {
  return std::string(type) + "(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = uint64(" +
         std::to_string(offset) + ")))";
}

// Reads a program of `statements`. `constants` has the bytes of the weight file, by their offset.
Result<Graph> Read(const std::string& statements, const std::map<uint64_t, Bytes>& constants,
                   const Vocabulary& vocabulary = OpVocabulary()) {
  MilReadOptions options;
  options.read_blob = [&](std::string_view, uint64_t offset,
                          const TensorType&) -> Result<SharedBytes> {
    const auto bytes = std::make_shared<const Bytes>(constants.at(offset));
    return SharedBytes{.bytes = *bytes, .owner = bytes};
  };
  return MilTextToGraph("program(1.3)\n{\n func main<ios18>(tensor<fp16, [2, 3]> x) {\n" +
                            statements + "} -> (y);\n}",
                        vocabulary, options);
}

constexpr uint64_t kEpsilon = 64, kAxes = 128, kKeep = 192;

TEST(StoredAttribute, OfANumberIsRead) {
  const std::string text =
      "tensor<fp16, []> e = const()[val = " + Stored("tensor<fp16, []>", kEpsilon) +
      "];\ntensor<fp16, [2, 3]> y = layer_norm(x = x, axes = tensor<int32, [1]>([1]), epsilon = "
      "e);\n";
  const auto graph = Read(text, {{kEpsilon, {0x00, 0x38}}});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const NodeView norm(*graph, NodeId{0});
  EXPECT_EQ(norm.Float(norm.schema().FindParameter("epsilon"), 0), 0.5);
}

TEST(StoredAttribute, OfIntegersAndBoolsIsRead) {
  const auto graph =
      Read("tensor<fp16, [2]> y = reduce_sum(x = x, axes = " + Stored("tensor<int32, [1]>", kAxes) +
               ", keep_dims = " + Stored("tensor<bool, []>", kKeep) + ");\n",
           {{kAxes, {0xff, 0xff, 0xff, 0xff}}, {kKeep, {0}}});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->type(graph->outputs()[0]).shape, (Shape{2}));
}

TEST(StoredAttribute, OfAnotherKindIsRefusedInPlace) {
  const auto graph =
      Read("tensor<fp16, [2]> y = reduce_sum(x = x, axes = " + Stored("tensor<fp16, [1]>", kAxes) +
               ", keep_dims = bool(false));\n",
           {{kAxes, {0, 0}}});
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(graph.error().message.find("4:"), std::string::npos) << graph.error().message;
  EXPECT_NE(graph.error().message.find("axes must be"), std::string::npos) << graph.error().message;
  EXPECT_NE(graph.error().message.find("its constant is tensor<fp16, [1]>"), std::string::npos)
      << graph.error().message;
}

// Literals and weight files give the same numbers for each element type.
TEST(StoredAttribute, OfAListOfNumbersIsReadAsTheLiteralIs) {
  struct Row {
    const char* type;
    const char* literal;
    Bytes bytes;
  };
  const Row rows[] = {{"tensor<fp16, [2]>", "([2, -3])", {0x00, 0x40, 0x00, 0xc2}},
                      {"tensor<fp32, [2]>", "([2, -3])", {0, 0, 0, 0x40, 0, 0, 0x40, 0xc0}},
                      {"tensor<int32, [2]>", "([2, -3])", {2, 0, 0, 0, 0xfd, 0xff, 0xff, 0xff}},
                      {"tensor<int8, [2]>", "([2, -3])", {2, 0xfd}}};
  for (const Row& row : rows) {
    for (const std::string& weights : {std::string(row.type) + row.literal, Stored(row.type, 64)}) {
      const auto graph = Read("tensor<fp16, [2, 3]> y = mix(x = x, weights = " + weights + ");\n",
                              {{64, row.bytes}}, testing::TestVocabulary());
      ASSERT_TRUE(graph.ok()) << weights << ": " << graph.error().message;
      const auto read = NodeView(*graph, NodeId{0}).Floats(testing::Mix::kWeights);
      EXPECT_EQ(std::vector<double>(read.begin(), read.end()), (std::vector<double>{2, -3}))
          << weights;
    }
  }
  const auto bools =
      Read("tensor<fp16, [2, 3]> y = mix(x = x, weights = tensor<bool, [1]>([true]));\n", {},
           testing::TestVocabulary());
  ASSERT_FALSE(bools.ok());
  EXPECT_NE(bools.error().message.find("mix.weights must be numbers, the literal is tensor<bool"),
            std::string::npos)
      << bools.error().message;
}

}  // namespace
}  // namespace anecheck
