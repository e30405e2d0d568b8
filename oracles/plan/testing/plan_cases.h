// Plans of small graphs for tests of the lowering plan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/graph/validate.h"
#include "harness/targets/catalog.h"
#include "oracles/plan/plan.h"
#include "oracles/testing/test_support.h"

namespace anecheck::testing {

// The plan of a valid graph. Fails the test if there is none, or if the lowered graph is invalid.
inline plan::Plan Planned(const Graph& graph, std::string_view target, Route route = Route::kMil) {
  const auto found = FindTarget(target);
  EXPECT_TRUE(found.ok());
  auto plan = plan::PlanLowering(graph, **found, {route, FamilyOrder::kSpecification});
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message);
  if (!plan.ok()) return {};
  const Status valid = ValidateGraph(plan->lowered);
  EXPECT_TRUE(valid.ok()) << (valid.ok() ? "" : valid.error().message);
  return std::move(*plan);
}

// The name of each operation.
inline std::vector<std::string> Ops(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes()) ops.emplace_back(node.schema->name);
  return ops;
}

// The kinds of the descriptor's operations, with blanks between them.
inline std::string Descriptor(const plan::Plan& plan) {
  std::string text;
  for (const plan::DescriptorOperation& operation : plan.descriptor) {
    text += (text.empty() ? "" : " ") + operation.kind;
  }
  return text;
}

// The layer of the operation `op`, or nullptr.
inline const plan::Layer* FindLayer(const plan::Plan& plan, std::string_view op) {
  for (const plan::Layer& layer : plan.layers) {
    if (layer.op == op) return &layer;
  }
  return nullptr;
}

// Multiples of `step`, from -8 * step to 8 * step.
inline Tensor Ramp(const Shape& shape, double step = 0.125) {
  std::vector<double> elements(static_cast<size_t>(shape.Elements()));
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = step * static_cast<double>(static_cast<int>(i * 7 % 17) - 8);
  }
  return MakeTensor(DType::kFp16, shape, elements);
}

// Expects that the lowered graph computes the same as the given one, up to `slack` of the largest
// magnitude.
inline void ExpectSameFunction(const Case& given, const plan::Plan& plan, double slack = 0) {
  std::vector<Tensor> inputs = given.inputs;
  for (const plan::StateBuffer& state : plan.states) {
    if (!state.shared) continue;
    const TensorType& type = plan.lowered.type(*plan.lowered.FindValue(state.name));
    inputs.push_back({type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))});
  }
  const auto before = Evaluate(given.graph, given.inputs, IeeeContract());
  const auto after = Evaluate(plan.lowered, inputs, IeeeContract());
  ASSERT_TRUE(before.ok() && after.ok());
  for (size_t i = 0; i < before->size(); ++i) {
    ASSERT_EQ((*before)[i].type, (*after)[i].type);
    double amplitude = 0;
    for (const double value : (*before)[i].value) amplitude = std::max(amplitude, std::fabs(value));
    for (size_t k = 0; k < (*before)[i].value.size(); ++k) {
      EXPECT_NEAR((*before)[i].value[k], (*after)[i].value[k], slack * amplitude) << i << " " << k;
    }
  }
}

}  // namespace anecheck::testing
