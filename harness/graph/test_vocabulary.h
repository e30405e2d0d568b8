// A vocabulary of four operations for the tests of harness/graph. These tests must not depend on
// the real vocabulary, because it is in harness/ops, which depends on harness/graph.
#pragma once

#include <array>

#include "harness/graph/graph.h"
#include "harness/graph/schema.h"

namespace anecheck::testing {

inline constexpr std::array<std::string_view, 2> kTestModes = {"up", "down"};

// `mix` has a tensor, an optional constant, and one attribute of every kind.
struct Mix {
  enum : int { kX, kTable, kCount, kScale, kFlag, kMode, kSizes, kWeights, kMask };
};
inline constexpr Parameter kMixParameters[] = {
    {.name = "x", .dtypes = {DType::kFp16, DType::kInt32}},
    {.name = "table", .need = Need::kOptional, .dtypes = {DType::kFp16}, .constant = true},
    {.name = "count", .kind = ParameterKind::kInt, .need = Need::kOptional},
    {.name = "scale", .kind = ParameterKind::kFloat, .need = Need::kOptional},
    {.name = "flag", .kind = ParameterKind::kBool, .need = Need::kOptional},
    {.name = "mode",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kTestModes},
    {.name = "sizes", .kind = ParameterKind::kInts, .need = Need::kOptional},
    {.name = "weights", .kind = ParameterKind::kFloats, .need = Need::kOptional},
    {.name = "mask", .kind = ParameterKind::kBools, .need = Need::kOptional},
};
inline Status InferMix(const NodeView& node, ResultTypes& results) {
  if (node.Int(Mix::kCount, 1) < 0) return MakeError(ErrorCode::kInvalid, "mix: count is negative");
  results.Add(node.InputType(Mix::kX).dtype, node.InputShape(Mix::kX));
  return {};
}
inline constexpr OpSchema kMix = {
    .name = "mix", .id = 0, .parameters = kMixParameters, .infer = InferMix};

// `join` has a list of tensors. `halves` has two results.
inline constexpr Parameter kJoinParameters[] = {
    {.name = "values", .kind = ParameterKind::kTensorList, .dtypes = {DType::kFp16}}};
inline Status InferJoin(const NodeView& node, ResultTypes& results) {
  results.Add(DType::kFp16, Shape{static_cast<int64_t>(node.InputList(0).size())});
  return {};
}
inline constexpr OpSchema kJoin = {
    .name = "join", .id = 1, .parameters = kJoinParameters, .infer = InferJoin};

inline constexpr Parameter kHalvesParameters[] = {{.name = "x", .dtypes = {DType::kFp16}}};
inline Status InferHalves(const NodeView& node, ResultTypes& results) {
  results.Add(DType::kFp16, node.InputShape(0));
  results.Add(DType::kBool, node.InputShape(0));
  return {};
}
inline constexpr OpSchema kHalves = {
    .name = "halves", .id = 2, .parameters = kHalvesParameters, .infer = InferHalves};

inline constexpr std::array<std::string_view, 1> kBodyBlock = {"body"};
inline constexpr OpSchema kWrap = {.name = "wrap",
                                   .id = 3,
                                   .parameters = kHalvesParameters,
                                   .infer = InferHalves,
                                   .blocks = kBodyBlock};

class TestVocabulary final : public Vocabulary {
 public:
  const OpSchema* Find(std::string_view name) const override {
    for (const OpSchema* schema : {&kMix, &kJoin, &kHalves, &kWrap}) {
      if (schema->name == name) return schema;
    }
    return nullptr;
  }
};

// Returns a graph: x:[2,3] -> mix with every attribute -> halves. Its outputs are both halves.
inline Graph ExampleGraph() {
  Graph graph;
  graph.name = "example";
  const ValueId x = graph.AddInput({DType::kFp16, {2, 3}}, "x");
  const uint8_t bytes[] = {1, 2, 3, 4};
  const ValueId table = graph.AddConst({DType::kFp16, {2}}, bytes, "table");
  graph.BeginNode(&kMix);
  graph.AddArgument(Mix::kX, x);
  graph.AddArgument(Mix::kTable, table);
  graph.AddInt(Mix::kCount, 7);
  graph.AddFloat(Mix::kScale, 0.1);
  graph.AddBool(Mix::kFlag, true);
  graph.AddString(Mix::kMode, "down");
  graph.AddInts(Mix::kSizes, std::array<int64_t, 3>{3, -1, 4});
  graph.AddFloats(Mix::kWeights, std::array<double, 2>{0.5, -2});
  graph.AddBools(Mix::kMask, std::array<int64_t, 2>{1, 0});
  const ValueId y = *graph.FinishNode(std::array<std::string, 1>{"y"});
  graph.BeginNode(&kHalves);
  graph.AddArgument(0, y);
  const ValueId z = *graph.FinishNode(std::array<std::string, 2>{"z", "z_flag"});
  graph.AddOutput(z);
  graph.AddOutput(z + 1);
  return graph;
}

}  // namespace anecheck::testing
