// Tests programs of the size of real models. Their constants are in a weight file, and a worker
// gets the memory that they need.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/file.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/runners/exec_runner.h"
#include "harness/runners/roundtrip_runner.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

constexpr int64_t kRows = 1100;
constexpr int64_t kColumns = 2048;
constexpr uint8_t kOne = 0x3c;  // the high byte of fp16 1

// y[i] = x[2 i + 1] for i below 1024, else 0: 4.5 MB of weights.
Graph Selection() {
  Graph graph;
  const TensorType type = {DType::kFp16, Shape{kRows, kColumns}};
  std::vector<uint8_t> weight(static_cast<size_t>(type.ByteSize()), 0);
  for (int64_t row = 0; 2 * row + 1 < kColumns; ++row) {
    weight[static_cast<size_t>(2 * (row * kColumns + 2 * row + 1) + 1)] = kOne;
  }
  const ValueId x = graph.AddInput({DType::kFp16, Shape{1, kColumns}}, "x");
  const ValueId w = graph.AddConst(type, weight, "w");
  graph.BeginNode(&GetOp(OpKind::kLinear).schema);
  graph.AddArgument(params::Linear::kX, x);
  graph.AddArgument(params::Linear::kWeight, w);
  const auto y = graph.FinishNode();
  EXPECT_TRUE(y.ok());
  if (y.ok()) graph.AddOutput(*y);
  return graph;
}

// Returns numbers of which no two neighbours are equal.
Tensor Input() {
  Tensor tensor = {{DType::kFp16, Shape{1, kColumns}}, {}};
  for (int64_t i = 0; i < kColumns; ++i) {
    tensor.bytes.push_back(static_cast<uint8_t>(i * 37));
    tensor.bytes.push_back(static_cast<uint8_t>(kOne + i % 7));
  }
  return tensor;
}

TEST(LargeProgram, RunsOnAWorkerWithMoreMemoryThanUsual) {
  const Graph graph = Selection();
  const auto program = GraphToMilProgram(graph);
  ASSERT_TRUE(program.ok());
  EXPECT_GT(program->weights.size(), size_t{4} << 20);
  EXPECT_LT(program->text.size(), 2000u);
  const std::vector<Tensor> inputs = {Input()};
  RunRequest request = {.id = 1, .target = "h13", .mil = program->text, .graph = &graph};
  request.inputs = inputs;
  request.mil_weights = program->weights;
  E5rtRunner runner({.library = ANECHECK_SIMULATED_ENGINE, .area_size = uint64_t{1} << 20});
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  const RunReply& reply = replies->front();
  ASSERT_EQ(reply.status, RunStatus::kOk) << reply.message;
  EXPECT_EQ(runner.workers_started(), 2);
  const std::vector<uint8_t>& given = reply.outputs.front().bytes;
  ASSERT_EQ(given.size(), 2u * kRows);
  for (size_t i = 0; i < static_cast<size_t>(kRows); ++i) {
    const bool selected = 4 * i + 3 < inputs[0].bytes.size();
    EXPECT_EQ(given[2 * i], selected ? inputs[0].bytes[4 * i + 2] : 0) << i;
    EXPECT_EQ(given[2 * i + 1], selected ? inputs[0].bytes[4 * i + 3] : 0) << i;
  }
}

// A program that fails each case, with the size of the weight file as the message.
constexpr std::string_view kTellsSize = R"sh(while read -r line; do
  case $line in *hello*) echo '{"v": 1, "name": "sizes"}'; continue ;; esac
  mil=${line#*'"mil":"'}
  mil=${mil%%'"'*}
  id=${line#*'"id":'}
  size=$(wc -c < "${mil%/*}/weights/weight.bin")
  echo "{\"v\": 1, \"id\": ${id%%,*}, \"status\": \"failed\", \"stage\": \"run\", \"message\": \"$size\"}"
done
)sh";

// For an external program the weight file is in the folder of the MIL text.
TEST(LargeProgram, HasItsWeightsInTheFolderOfAnExternalRunner) {
  const Graph graph = Selection();
  const auto program = GraphToMilProgram(graph);
  ASSERT_TRUE(program.ok());
  const std::vector<Tensor> inputs = {Input()};
  RunRequest request = {.id = 1, .target = "h13", .mil = program->text, .graph = &graph};
  request.inputs = inputs;
  request.mil_weights = program->weights;
  const auto folder = TempDirectory::Create("anecheck-large-");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(WriteFileAtomic(folder->File("runner.sh"), kTellsSize).ok());
  ExecRunner runner({.command = "sh " + folder->File("runner.sh")});
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  EXPECT_EQ(replies->front().message, std::to_string(program->weights.size()));
}

TEST(LargeProgram, IsReadBackFromTextAndWeightFile) {
  const Graph graph = Selection();
  const auto program = GraphToMilProgram(graph);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(MilRoundTrip(graph, program->text, program->weights).difference, "");
  std::vector<uint8_t> other = program->weights;
  other.back() ^= 1;
  EXPECT_NE(MilRoundTrip(graph, program->text, other).difference, "");
  EXPECT_NE(MilRoundTrip(graph, program->text).difference, "");
}

}  // namespace
}  // namespace anecheck
