// The axes that an operation treats alike, as data: one row for each class of operations, with the
// reason. Relations that cut an operation into parts, or put its elements in another order, are
// drawn from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"
#include "harness/ops/op.h"

namespace anecheck {

// One axis of a node's tensors, of two entries or more. For every order of its entries in the
// operands, the results have theirs in that order too or, if they lack the axis, stay as they are.
struct AlikeAxis {
  std::vector<int> operands;  // by argument: the axis there; -1 where every entry takes it whole
  std::vector<int> results;   // by result; -1 where it lacks the axis
  int64_t extent = 0;
  // Each entry of the results follows from that entry of the operands and from nothing else.
  bool independent = false;
  friend bool operator==(const AlikeAxis&, const AlikeAxis&) = default;
};

struct AxisClass {
  AxisRule rule{};          // the sheets of the operations name it
  std::string_view name;    // "convolution"
  std::string_view reason;  // why its axes are alike
  // Appends the axes of a node. `count` is the row's own.
  void (*axes)(const NodeView& node, int count, std::vector<AlikeAxis>& axes) = nullptr;
  int count = 0;
  bool independent = true;
};

// The rows, in a fixed order. An operation may stand in several rows, each with other axes.
std::span<const AxisClass> AxisClasses();

// The axes of `node` that some row names, in the order of the rows; none of an operation that has
// no row. Axes along which an operand that must be constant would have to be cut are left out.
// Pure. Precondition: the node is valid.
std::vector<AlikeAxis> AlikeAxes(const NodeView& node);

// Whether the operation is a function of one element of each operand.
bool IsPointwise(OpKind op);

}  // namespace anecheck
