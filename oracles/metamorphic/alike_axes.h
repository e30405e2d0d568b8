// The axes that an operation treats alike, as data: one entry for each class of operations, with
// the reason. Relations use it to cut an operation into parts or to reorder its elements.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"
#include "harness/ops/op.h"

namespace anecheck {

// One axis of a node's tensors, of two entries or more. If the entries are reordered in the
// operands, the entries of the results follow in the same order; results that lack the axis do not
// change.
struct AlikeAxis {
  std::vector<int> operands;  // for each argument its axis; -1 if every entry uses all of it
  std::vector<int> results;   // for each result its axis; -1 if the result lacks it
  int64_t extent = 0;
  // Each entry of the results depends only on that entry of the operands.
  bool independent = false;
  friend bool operator==(const AlikeAxis&, const AlikeAxis&) = default;
};

struct AxisClass {
  AxisRule rule{};          // the entries of operations in ops.def name it
  std::string_view name;    // "convolution"
  std::string_view reason;  // why its axes are alike
  // Appends the axes of a node. `count` is the entry's `count`.
  void (*axes)(const NodeView& node, int count, std::vector<AlikeAxis>& axes) = nullptr;
  int count = 0;
  bool independent = true;
};

// All entries, in a fixed order. An operation may use several entries, each for other axes.
std::span<const AxisClass> AxisClasses();

// The axes of `node` that some entry names, in the order of the entries; empty for an operation
// without an entry. An axis is left out if a cut along it would cut an operand that must be
// constant. Pure. Precondition: the node is valid.
std::vector<AlikeAxis> AlikeAxes(const NodeView& node);

// Whether the operation is a function of one element of each operand.
bool IsPointwise(OpKind op);

}  // namespace anecheck
