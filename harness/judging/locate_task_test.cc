// Tests the search for the task and the operation in which a container first goes wrong.
#include "harness/judging/locate_task.h"

#include <gtest/gtest.h>

#include "harness/encoder/encode.h"
#include "harness/lowering/mil_to_graph.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

// A network of at least four tasks. Only the tasks of the convolution read a bias.
constexpr const char* kNetwork = R"(program(1.3)
{
  func main<ios18>(tensor<fp16, [1, 2, 3, 4]> x) {
    tensor<fp16, [2, 2, 1, 1]> w = const()[val = tensor<fp16, [2, 2, 1, 1]>([[[[0x1p+0]], [[0x1p-1]]], [[[0x1.8p+0]], [[-0x1p+0]]]])];
    tensor<fp16, [2]> b = const()[val = tensor<fp16, [2]>([0x1p+1, -0x1p+2])];
    tensor<fp16, [1, 2, 3, 4]> first = abs(x = x);
    tensor<fp16, [1, 2, 3, 4]> second = add(x = first, y = x);
    tensor<fp16, [1, 2, 3, 4]> third = conv(x = second, weight = w, bias = b, pad_type = string("valid"));
    tensor<fp16, [1, 2, 3, 4]> fourth = mul(x = third, y = x);
  } -> (fourth);
}
)";

constexpr const char* kOneOperation = R"(program(1.3)
{
  func main<ios18>(tensor<fp16, [1, 2, 3, 4]> x) {
    tensor<fp16, [1, 2, 3, 4]> y = sigmoid(x = x);
  } -> (y);
}
)";

Result<std::optional<TaskDeviation>> LocateWith(encoder::Fault fault,
                                                const char* network = kNetwork) {
  ANECHECK_ASSIGN(const Graph graph, MilTextToGraph(network, OpVocabulary()));
  ANECHECK_ASSIGN(std::vector<uint8_t> bytes, encoder::Encode(graph, {.fault = fault}));
  std::vector<double> numbers;
  for (int i = 0; i < 24; ++i) numbers.push_back(0.25 * i - 2);
  const Tensor input = testing::MakeTensor(DType::kFp16, {1, 2, 3, 4}, numbers);
  return LocateTask(graph, {&input, 1}, {std::move(bytes), true},
                    {&ConformingContract(kFloatFamily), 1});
}

TEST(LocateTask, NamesNothingIfAllAgrees) {
  const auto found = LocateWith(encoder::Fault::kNone);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_FALSE(found->has_value()) << (*found)->ToString();
}

TEST(LocateTask, NamesTaskAndOperationOfTheFirstDeviation) {
  const auto found = LocateWith(encoder::Fault::kBiasRow);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->op, "conv");
  EXPECT_EQ((*found)->name, "third");
  EXPECT_EQ((*found)->after, "second");
  EXPECT_EQ((*found)->task, 2u);
  EXPECT_NE((*found)->work.find("convolution"), std::string::npos) << (*found)->work;
}

TEST(LocateTask, NamesTheReaderOfAMisplacedResult) {
  const auto found = LocateWith(encoder::Fault::kStride);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->name, "second");
  EXPECT_EQ((*found)->after, "first");
  EXPECT_EQ((*found)->task, 1u);
}

TEST(LocateTask, NamesTheInputsIfNoTaskComesBefore) {
  const auto found = LocateWith(encoder::Fault::kTableShift, kOneOperation);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->after, "");
  EXPECT_EQ((*found)->ToString(), "the first deviation is in task 0 of 1 (" + (*found)->work +
                                      "), where y (sigmoid) comes behind the inputs");
}

}  // namespace
}  // namespace anecheck
