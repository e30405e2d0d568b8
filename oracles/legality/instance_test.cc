// Instances from a user's arguments and from a graph.
#include "oracles/legality/instance.h"

#include <array>
#include <gtest/gtest.h>

#include "harness/ops/op.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck::legality {
namespace {

TEST(InstanceText, ReadsAttributesShapesTypesAndConstants) {
  Instance instance;
  ASSERT_TRUE(AddAttribute("kernel=16", instance).ok());
  ASSERT_TRUE(AddAttribute("strides=2,3", instance).ok());
  ASSERT_TRUE(AddAttribute("axes=1,", instance).ok());
  ASSERT_TRUE(AddAttribute("Dimension=Channel", instance).ok());
  ASSERT_TRUE(AddAttribute("keep_dims=true", instance).ok());
  ASSERT_TRUE(AddShape("x=1,64,?,56", instance).ok());
  ASSERT_TRUE(AddShape("scalar=", instance).ok());
  ASSERT_TRUE(AddDtype("x=uint8", instance).ok());
  ASSERT_TRUE(AddConstant("scalar", instance).ok());
  EXPECT_EQ(instance.attributes.at("kernel"), Value::Number(16));
  EXPECT_EQ(instance.attributes.at("strides").ToString(), "[2, 3]");
  EXPECT_EQ(instance.attributes.at("axes").ToString(), "[1]");
  EXPECT_EQ(instance.attributes.at("Dimension"), Value::Text("Channel"));
  EXPECT_EQ(instance.attributes.at("keep_dims"), Value::Bool(true));
  ASSERT_EQ(instance.operands.size(), 2u);
  EXPECT_EQ(instance.operands[0].shape, (std::vector<int64_t>{1, 64, -1, 56}));
  EXPECT_EQ(instance.operands[0].dtype, "uint8");
  EXPECT_TRUE(instance.FindOperand("scalar")->shape.empty());
  EXPECT_TRUE(instance.FindOperand("scalar")->constant);
  EXPECT_EQ(instance.FindOperand("y"), nullptr);
}

TEST(InstanceText, RefusesMalformedText) {
  Instance instance;
  EXPECT_FALSE(AddAttribute("kernel", instance).ok());
  EXPECT_FALSE(AddAttribute("=3", instance).ok());
  EXPECT_FALSE(AddShape("x=1,b", instance).ok());
  EXPECT_FALSE(AddShape("x=1,-2", instance).ok());
  EXPECT_FALSE(AddDtype("x=float", instance).ok());
  EXPECT_FALSE(AddConstant("", instance).ok());
}

TEST(InstanceOfNode, CarriesOperandsAttributesAndProducers) {
  Graph graph;
  const OpSchema& sum = FindOp("reduce_sum")->schema;
  const OpSchema& mul = FindOp("mul")->schema;
  const ValueId x = graph.AddInput({DType::kFp16, Shape({2, 3})}, "x");
  const std::array<uint8_t, 2> half_two = {0x00, 0x40};
  const ValueId two = graph.AddConst({DType::kFp16, Shape({1})}, half_two, "two");
  graph.BeginNode(&sum);
  graph.AddArgument(sum.FindParameter("x"), x);
  const int64_t axes[] = {1};
  graph.AddInts(sum.FindParameter("axes"), axes);
  graph.AddBool(sum.FindParameter("keep_dims"), true);
  const auto total = graph.FinishNode();
  ASSERT_TRUE(total.ok());
  graph.BeginNode(&mul);
  graph.AddArgument(mul.FindParameter("x"), *total);
  graph.AddArgument(mul.FindParameter("y"), two);
  ASSERT_TRUE(graph.FinishNode().ok());

  const Instance reduction = InstanceOf(NodeView(graph, 0));
  EXPECT_EQ(reduction.op, "reduce_sum");
  EXPECT_EQ(reduction.attributes.at("axes").ToString(), "[1]");
  EXPECT_EQ(reduction.attributes.at("keep_dims"), Value::Bool(true));
  EXPECT_EQ(reduction.operands[0].shape, (std::vector<int64_t>{2, 3}));

  const Instance product = InstanceOf(NodeView(graph, 1));
  EXPECT_EQ(product.attributes.at("producer_x"), Value::Text("reduce_sum"));
  EXPECT_EQ(product.attributes.at("value_y"), Value::Number(2));
  EXPECT_TRUE(product.operands[1].constant);
  EXPECT_FALSE(product.operands[0].constant);
}

TEST(InstanceOfNode, OperandsAreInTheSchemasOrder) {
  Graph graph;
  const OpSchema& mul = FindOp("mul")->schema;
  const ValueId x = graph.AddInput({DType::kFp16, Shape({4, 3})}, "x");
  const ValueId y = graph.AddInput({DType::kFp16, Shape({1, 3})}, "y");
  graph.BeginNode(&mul);
  graph.AddArgument(mul.FindParameter("y"), y);
  graph.AddArgument(mul.FindParameter("x"), x);
  ASSERT_TRUE(graph.FinishNode().ok());
  const Instance product = InstanceOf(NodeView(graph, 0));
  ASSERT_EQ(product.operands.size(), 2u);
  EXPECT_EQ(product.operands[0].name, "x");
  EXPECT_EQ(product.operands[1].shape, (std::vector<int64_t>{1, 3}));
}

TEST(InstanceOfNode, RulesOfProgramInputsDoNotApplyToInnerValues) {
  const OpSchema& cast = FindOp("cast")->schema;
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, Shape({4})}, "x");
  const auto add_cast = [&](ValueId from, const char* dtype) {
    graph.BeginNode(&cast);
    graph.AddArgument(cast.FindParameter("x"), from);
    graph.AddString(cast.FindParameter("dtype"), dtype);
    return graph.FinishNode().value();
  };
  add_cast(add_cast(x, "fp32"), "fp16");
  const auto target = FindTarget("h13");
  ASSERT_TRUE(target.ok());
  const auto verdict = Judge(InstanceOf(NodeView(graph, 1)), **target, Route::kMil);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->Stopper(), nullptr);
  Instance input = InstanceOf(NodeView(graph, 1));
  input.attributes.erase("producer_x");
  EXPECT_EQ(Judge(input, **target, Route::kMil)->Stopper()->rule, "input_dtype");
}

// A compressed kernel is a constant in its stored form. Its tables may have ranks and extents that
// no tensor of the engine has.
TEST(InstanceOfNode, DescribesACompressedKernel) {
  const OpSchema& sparse = FindOp("constexpr_sparse_to_dense")->schema;
  const OpSchema& conv = FindOp("conv")->schema;
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 512, 1, 1}});
  const ValueId data = graph.AddConst({DType::kFp16, {32768}}, {});
  const ValueId mask = graph.AddConst({DType::kUint1, {64, 512, 1, 1}}, {});
  graph.BeginNode(&sparse);
  graph.AddArgument(sparse.FindParameter("nonzero_data"), data);
  graph.AddArgument(sparse.FindParameter("mask"), mask);
  const auto weight = graph.FinishNode();
  ASSERT_TRUE(weight.ok()) << weight.error().message;
  graph.BeginNode(&conv);
  graph.AddArgument(conv.FindParameter("x"), x);
  graph.AddArgument(conv.FindParameter("weight"), *weight);
  ASSERT_TRUE(graph.FinishNode().ok());

  const Instance stored = InstanceOf(NodeView(graph, 0));
  const Instance used = InstanceOf(NodeView(graph, 1));
  EXPECT_TRUE(used.operands[1].constant);
  EXPECT_EQ(used.attributes.at("weight_format"), Value::Text("sparse"));
  EXPECT_EQ(used.attributes.at("stored_bytes"), Value::Number(32768 * 2 + 32768 / 8));
  const Target& h13 = **FindTarget("h13");
  EXPECT_EQ(Judge(stored, h13, Route::kMil)->outcome, Outcome::kNative);
  // Batch 2 is refused only for kernels that are not constants. The 69,632 bytes of this kernel are
  // streamed.
  const Verdict verdict = *Judge(used, h13, Route::kMil);
  EXPECT_EQ(verdict.at(Layer::kCodeGeneration).ruling, Ruling::kPass);
  EXPECT_EQ(verdict.at(Layer::kKernelMemory).ruling, Ruling::kPass);
}

}  // namespace
}  // namespace anecheck::legality
