// Helpers with which the parts of the slow implementation find a node's operands.
#pragma once

#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// The numbers at a parameter, or null if the argument is absent.
const std::vector<double>* OperandAt(const NodeView& node,
                                     std::span<const std::vector<double>> operands, int parameter);

// A node with its arguments in the order of its schema's parameters, in which the parts read them.
// MIL text has arguments in the order of their names; such a node is copied. The original node and
// operands must outlive it.
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
