// States in the lowering plan: M1 casts them in and out of a shared buffer, M2 keeps them resident.
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/oracle.h"
#include "oracles/plan/plan.h"
#include "oracles/plan/testing/plan_cases.h"
#include "oracles/testing/test_support.h"

namespace anecheck::plan {
namespace {

using testing::Case;
using testing::Descriptor;
using testing::ExpectSameFunction;
using testing::MakeTensor;
using testing::Planned;
using testing::Ramp;

// One input and `count` states, each of which is read, added to and written.
Case Stateful(int count, const Shape& shape = {8}) {
  Case c;
  ValueId sum = c.Input(Ramp(shape));
  for (int i = 0; i < count; ++i) {
    const ValueId state = c.graph.AddState({DType::kFp16, shape}, "state" + std::to_string(i));
    const ValueId held = c.Begin(OpKind::kReadState).Arg(0, state).Finish();
    sum = c.Binary(OpKind::kAdd, sum, held);
    c.Begin(OpKind::kWriteState).Arg(0, state).Arg(1, sum);
    EXPECT_TRUE(c.graph.FinishNode().ok());
  }
  c.graph.AddOutput(sum);
  return c;
}

// Five states: six input casts, one inference, six output casts, strides of 16 KiB.
TEST(Plan, StatesOfM1AreCastInAndOut) {
  const Case c = Stateful(5);
  const Plan plan = Planned(c.graph, "h13");
  EXPECT_EQ(Descriptor(plan),
            "Cast Cast Cast Cast Cast Cast AneInference Cast Cast Cast Cast Cast Cast");
  ASSERT_EQ(plan.states.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(plan.states[i].shared);
    EXPECT_EQ(plan.states[i].offset, static_cast<int64_t>(i) * 16384);
  }
  EXPECT_TRUE(plan.lowered.ValuesOfKind(ValueKind::kState).empty());
  ExpectSameFunction(c, plan);
  // A state of more than one stride takes as many as it needs.
  const Plan large = Planned(Stateful(2, {8193}).graph, "h13");
  EXPECT_EQ(large.states[1].offset, 32768);

  const Plan resident = Planned(c.graph, "h14");
  EXPECT_FALSE(resident.states[0].shared);
  EXPECT_EQ(resident.lowered.ValuesOfKind(ValueKind::kState).size(), 5u);
}

// The graph's result for a state is the state's later content: a second round with it agrees with a
// graph that reads its own writes.
TEST(Plan, SharedStatesCarryOverTwoRounds) {
  const Case c = Stateful(1);
  const Plan plan = Planned(c.graph, "h13");
  std::vector<Tensor> inputs = c.inputs;
  inputs.push_back(MakeTensor(DType::kFp16, {8}, std::vector<double>(8, 0)));
  const auto first = Evaluate(plan.lowered, inputs, IeeeContract());
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[1].value, (*first)[0].value);
  inputs[1] = MakeTensor(DType::kFp16, {8}, (*first)[1].value);
  const auto second = Evaluate(plan.lowered, inputs, IeeeContract());
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ((*second)[0].value[i], 2 * (*first)[0].value[i]);
  }
}

TEST(Plan, RingsAreSlicesOfTheSharedBuffer) {
  for (const int64_t position : {0, 2, 3, 4, 7}) {
    Case c;
    const ValueId data = c.Input(MakeTensor(DType::kFp16, {3}, {1, 2, 3}));
    const ValueId ring = c.graph.AddState({DType::kFp16, {5}}, "ring");
    using W = params::RingWrite;
    c.Begin(OpKind::kTensorToCircularBuffer).Arg(W::kInput, ring).Arg(W::kData, data);
    c.Int(W::kAxis, 0).Int(W::kPosition, position);
    ASSERT_TRUE(c.graph.FinishNode().ok());
    using R = params::RingRead;
    c.Begin(OpKind::kCircularBufferToTensor).Arg(R::kInput, ring).Int(R::kAxis, 0);
    c.graph.AddOutput(c.Int(R::kPosition, position + 1).Int(R::kSize, 4).Finish());
    ExpectSameFunction(c, Planned(c.graph, "h13"));
  }
}

}  // namespace
}  // namespace anecheck::plan
