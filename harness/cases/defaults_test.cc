// The default of an attribute in its schema is the value that the oracle uses if the attribute is
// absent.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/base/half.h"
#include "harness/base/testing/same_number.h"
#include "harness/graph/copy_node.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using testing::SameNumber;

bool Says(const Graph& graph, const Attribute& attribute, const Default& fallback) {
  const auto same = [&](double number) { return number == fallback.number; };
  const auto whole = [&](int64_t number) { return same(static_cast<double>(number)); };
  switch (attribute.kind) {
    case AttributeKind::kString:
      return fallback.form == Default::Form::kName && graph.string(attribute) == fallback.text;
    case AttributeKind::kInts:
    case AttributeKind::kBools:
      return fallback.form == Default::Form::kNumber &&
             std::ranges::all_of(graph.ints(attribute), whole);
    case AttributeKind::kFloats:
      return false;
    case AttributeKind::kFloat:
      return fallback.form == Default::Form::kNumber && same(attribute.number);
    case AttributeKind::kInt:
    case AttributeKind::kBool:
      break;
  }
  return fallback.form == Default::Form::kNumber && whole(attribute.integer);
}

// Adds the absent attribute with its default. Numbers are rounded to fp16, and the oracle admits
// results of both the exact and the rounded number. Returns false if the default is a list whose
// length depends on the rank, or if no value is equivalent to an absent attribute.
bool AddDefault(const Parameter& parameter, int index, Graph& graph) {
  const Default& fallback = parameter.fallback;
  if (fallback.form == Default::Form::kName) {
    graph.AddString(index, fallback.text);
    return true;
  }
  if (fallback.form != Default::Form::kNumber) return false;
  if (parameter.kind == ParameterKind::kInt) {
    graph.AddInt(index, static_cast<int64_t>(fallback.number));
  } else if (parameter.kind == ParameterKind::kFloat) {
    graph.AddFloat(index, HalfToDouble(DoubleToHalf(fallback.number)));
  } else if (parameter.kind == ParameterKind::kBool) {
    graph.AddBool(index, fallback.number != 0);
  } else {
    return false;
  }
  return true;
}

// Whether the parameter is a custom padding, which cannot be left out.
bool IsCustomPadding(const NodeView& node, const Parameter& parameter) {
  const int type = node.schema().FindParameter("pad_type");
  return parameter.name == "pad" && type >= 0 && node.String(type, "") == "custom";
}

// Returns a copy of the graph in which attributes that equal their default are left out, and absent
// attributes have their default. `turned` collects the changed parameters.
Graph Turned(const Graph& from, std::set<std::string>& turned) {
  Graph to;
  std::vector<ValueId> known(from.values().size(), kNoValue);
  for (ValueId id = 0; id < from.values().size(); ++id) {
    const Value& value = from.value(id);
    if (value.kind == ValueKind::kInput) known[id] = to.AddInput(value.type);
    if (value.kind == ValueKind::kState) known[id] = to.AddState(value.type);
    if (value.kind == ValueKind::kConst) known[id] = to.AddConst(value.type, from.ConstData(id));
  }
  for (const Node& node : from.nodes()) {
    const NodeView view(from, node);
    to.BeginNode(node.schema);
    for (const Argument& argument : from.arguments(node)) {
      to.AddArgument(argument.parameter, known[argument.value]);
    }
    for (size_t i = 0; i < node.schema->parameters.size(); ++i) {
      const Parameter& parameter = node.schema->parameters[i];
      const int index = static_cast<int>(i);
      const Attribute* attribute = view.FindAttribute(index);
      const bool said = attribute != nullptr;
      const bool turns =
          said ? Says(from, *attribute, parameter.fallback) && !IsCustomPadding(view, parameter)
               : AddDefault(parameter, index, to);
      if (said && !turns) CopyAttribute(from, *attribute, to);
      if (turns) turned.insert(fmt::format("{}.{}", view.op(), parameter.name));
    }
    for (const Graph& block : from.blocks(node)) to.AddBlock(block);
    const auto first = to.FinishNode();
    EXPECT_TRUE(first.ok()) << view.op() << ": " << first.error().message;
    if (!first.ok()) return {};
    for (uint32_t i = 0; i < node.result_count; ++i) known[node.first_result + i] = *first + i;
  }
  for (const ValueId output : from.outputs()) to.AddOutput(known[output]);
  return to;
}

// The schema's default is the value that the oracle uses for an absent attribute.
TEST(Defaults, AreTheValuesOfAbsentAttributes) {
  std::set<std::string> turned;
  for (const OpDefinition* op : AllOps()) {
    GeneratorOptions options = {.family = kNoFamily, .max_nodes = 2, .max_elements = 32};
    options.ops.reset();
    options.ops.set(op->schema.id);
    for (uint64_t seed = 0; seed < 24; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      Graph graph;
      GenerateGraph(choices, options, graph);
      const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
      const Graph other = Turned(graph, turned);
      const auto expected = Evaluate(graph, inputs, ConformingContract(2));
      const auto actual = Evaluate(other, inputs, ConformingContract(2));
      if (!expected.ok()) continue;
      ASSERT_TRUE(actual.ok()) << op->schema.name << ": " << actual.error().message;
      ASSERT_EQ(actual->size(), expected->size()) << op->schema.name;
      for (size_t i = 0; i < expected->size(); ++i) {
        ASSERT_EQ((*actual)[i].type, (*expected)[i].type) << op->schema.name;
        EXPECT_TRUE(std::ranges::equal((*actual)[i].value, (*expected)[i].value, SameNumber))
            << op->schema.name << " seed " << seed;
      }
    }
  }
  for (const char* name : {"conv.strides", "softmax.axis", "layer_norm.epsilon", "topk.sort",
                           "scatter.mode", "slice_by_index.stride", "crop_resize.pad_value"}) {
    EXPECT_TRUE(turned.contains(name)) << name;
  }
}

}  // namespace
}  // namespace anecheck
