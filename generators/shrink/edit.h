// One change to a case, applied by building the graph anew: types are inferred again, those of
// states from the values written into them, and unused parts are dropped.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// A graph with values for its inputs, in the order of ValuesOfKind(kInput).
struct GraphCase {
  Graph graph;
  std::vector<Tensor> inputs;

  // The tensor of `value`. Precondition: `value` is an input or a constant.
  Tensor DataOf(ValueId value) const;
};

// Another value for one attribute of one node.
struct AttributeEdit {
  NodeId node = kNoNode;
  int parameter = 0;
  enum class Kind : uint8_t { kDrop, kInt, kFloat, kBool, kInts } kind = Kind::kDrop;
  int64_t integer = 0;  // kInt, kBool
  double number = 0;
  std::vector<int64_t> integers;
};

// One operand of one node, by its place among the node's arguments.
struct OperandPlace {
  NodeId node = kNoNode;
  size_t argument = 0;
};

struct Edit {
  std::map<ValueId, ValueId> redirect;  // every use of the first becomes a use of the second
  std::map<ValueId, Tensor> to_input;   // a result becomes a graph input with this tensor
  std::map<ValueId, Tensor> data;       // an input or constant gets other type and bytes
  std::vector<ValueId> outputs;         // the graph's outputs; empty keeps them
  std::optional<AttributeEdit> attribute;
  std::optional<OperandPlace> operand;  // this operand is left out
  NodeId write = kNoNode;               // this node, which must have no results, is left out
};

// The case after `edit`, or nothing if the result is not a valid graph.
std::optional<GraphCase> Apply(const GraphCase& original, const Edit& edit);

// The first `extent` entries of `tensor` along `axis`. Precondition: elements have whole bytes, and
// `extent` is at most that of the axis.
Tensor TakeAlong(const Tensor& tensor, int axis, int64_t extent);

}  // namespace anecheck
