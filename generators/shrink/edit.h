// One change to a case. Apply builds a new graph. It infers all types again, and takes the type of
// a state from the value written into it. It drops unused parts.
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

// A new value for one attribute of a node, or the removal of the attribute.
struct AttributeEdit {
  NodeId node = kNoNode;
  int parameter = 0;
  enum class Kind : uint8_t { kDrop, kInt, kFloat, kBool, kInts } kind = Kind::kDrop;
  int64_t integer = 0;  // kInt, kBool
  double number = 0;
  std::vector<int64_t> integers;
};

// One operand of a node, as an index into the node's arguments.
struct OperandPlace {
  NodeId node = kNoNode;
  size_t argument = 0;
};

struct Edit {
  std::map<ValueId, ValueId> redirect;  // every use of the key becomes a use of the mapped value
  std::map<ValueId, Tensor> to_input;   // a result becomes a graph input with this tensor
  std::map<ValueId, Tensor> data;       // an input or constant gets this type and these bytes
  std::vector<ValueId> outputs;         // the graph's outputs; empty keeps them
  std::optional<AttributeEdit> attribute;
  std::optional<OperandPlace> operand;  // this operand is left out
  NodeId write = kNoNode;               // this node, which must have no results, is left out
};

// Returns the case after `edit`, or nothing if the resulting graph is not valid.
std::optional<GraphCase> Apply(const GraphCase& original, const Edit& edit);

// Returns the first `extent` entries of `tensor` along `axis`. Precondition: an element takes a
// whole number of bytes, and `extent` is at most the extent of the axis.
Tensor TakeAlong(const Tensor& tensor, int axis, int64_t extent);

}  // namespace anecheck
