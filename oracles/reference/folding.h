// Folding of constants: a compiler may multiply the constants of a scale into the weights that
// produce the scale's operand, and round them again (Core ML's converter does so by default:
// fuse_conv_scale, fuse_conv_batchnorm, fuse_conv_bias, fuse_linear_bias). While a node runs, its
// constants are then intervals that contain every folded constant.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "oracles/contract.h"
#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Widens the constants of `node` during the life of this object. Does nothing if the contract
// forbids folding (Term::kConstantFolding is 0), or if anything but a foldable operation reads the
// node's results. `values` are the tensors of the evaluation, allocated from `arena`.
class FoldedConstants {
 public:
  FoldedConstants(const Graph& graph, const Node& node, const Contract& contract, Arena& arena,
                  std::span<BoundedTensor> values);
  ~FoldedConstants();
  FoldedConstants(const FoldedConstants&) = delete;
  FoldedConstants& operator=(const FoldedConstants&) = delete;

 private:
  void Widen(ValueId id, double relative, double absolute);

  Arena& arena_;
  std::span<BoundedTensor> values_;
  std::vector<std::pair<ValueId, BoundedTensor>> kept_;
};

}  // namespace anecheck::reference
