// Helpers that find a node's operands, for the parts of the slow implementation.
#pragma once

#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// Returns the numbers at a parameter, or null if the argument is absent.
const std::vector<double>* OperandAt(const NodeView& node,
                                     std::span<const std::vector<double>> operands, int parameter);

// A node with its arguments in the order of its schema's parameters, which the parts require.
// Copies a node with another order, such as that of argument names in MIL text. The original node
// and operands must outlive this object.
class InSchemaOrder {
 public:
  InSchemaOrder(const NodeView& node, std::span<const std::vector<double>> operands);
  InSchemaOrder(const InSchemaOrder&) = delete;
  InSchemaOrder& operator=(const InSchemaOrder&) = delete;

  const NodeView& node() const { return node_; }
  std::span<const std::vector<double>> operands() const { return operands_; }

 private:
  Graph copy_;
  std::vector<std::vector<double>> moved_;
  NodeView node_;
  std::span<const std::vector<double>> operands_;
};

}  // namespace anecheck::testing
