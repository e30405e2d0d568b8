// Tests that containers of the encoder keep the rules of `inspect --verify`.
#include "harness/encoder/encode.h"

#include <gtest/gtest.h>

#include "harness/emulator/program_rules.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/rules.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck::encoder {
namespace {

// This product has one task per batch, and each task reads the same weights.
constexpr const char* kBatches = R"(program(1.3)
{
  func main<ios18>(tensor<fp16, [2, 1, 2]> x) {
    tensor<fp16, [2, 2]> w = const()[val = tensor<fp16, [2, 2]>([[0x1p+0, 0x1p+1], [0x1p-1, 0x1p+2]])];
    tensor<fp16, [2, 1, 2]> y = matmul(x = x, y = w);
  } -> (y);
}
)";

TEST(Encode, TasksWithEqualWeightsShareOneKernel) {
  const auto graph = MilTextToGraph(kBatches, OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto bytes = Encode(*graph);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto container = hwx::Parse(*bytes);
  ASSERT_TRUE(container.ok()) << container.error().message;
  ASSERT_GT(container->Text()->tasks->tasks.size(), 1u);
  for (const Violation& violation : hwx::Verify(*container)) {
    ADD_FAILURE() << violation.rule->id << ": " << violation.message;
  }
  const auto program = emulator::LoadProgram(*bytes);
  ASSERT_TRUE(program.ok()) << program.error().message;
  for (const Violation& violation : emulator::VerifyProgram(*program, 0)) {
    ADD_FAILURE() << violation.message;
  }
}

}  // namespace
}  // namespace anecheck::encoder
