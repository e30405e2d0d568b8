// An engine that keeps the numeric contract and uses every freedom in it: at each permitted choice
// it asks a strategy, which may always take the worst. The oracle's intervals must contain whatever
// it does. Written apart from the reference kernels; used by tests only.
#pragma once

#include <span>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/graph/graph.h"
#include "oracles/contract.h"
#include "oracles/testing/sampling_structure.h"

namespace anecheck::testing {

// Rounded to the element type of a float tensor.
double ToType(DType dtype, double x);

// How the engine decides where the contract leaves it free.
enum class Strategy {
  kRandom,  // anew for every element
  kUp,      // every error upward, everything rounded
  kDown,    // every error downward, everything rounded
  kWide,    // nothing rounded that need not be, no other error
  kNarrow,  // everything rounded, no other error
};

class Adversary {
 public:
  Adversary(ChoiceStream& choices, Strategy strategy) : choices_(choices), strategy_(strategy) {}

  // Runs the graph; what it holds for value v is then values()[v]. False where an operation has no
  // adversarial form.
  bool Run(const Graph& graph, std::span<const Tensor> inputs);

  const std::vector<std::vector<double>>& values() const { return values_; }
  // The value as it is stored in a graph output.
  std::vector<double> Stored(const Graph& graph, ValueId id) const;

 private:
  using Elements = std::vector<double>;
  bool RunNode(const NodeView& node);
  Elements Elementwise(const NodeView& node);
  Elements Unary(const NodeView& node);
  Elements MultiplyAccumulate(const NodeView& node);
  Elements Combine(const NodeView& node);
  Elements Softmax(const NodeView& node);
  Elements LayerNorm(const NodeView& node);
  Elements Move(const NodeView& node, uint32_t result);
  Elements Scatter(const NodeView& node);
  Elements Cast(const NodeView& node);
  // The parts in files of their own; false for operations that have no adversarial form.
  bool RunOfClass(const NodeView& node);
  bool RunComparison(const NodeView& node);
  bool RunFunction(const NodeView& node);
  bool RunReduction(const NodeView& node);
  bool RunNormalization(const NodeView& node);
  double Function(const NodeView& node, double x, size_t channel);
  Elements Pairs(const NodeView& node);
  Elements RunningSums(const NodeView& node);
  Elements CrossProduct(const NodeView& node);
  double Reduced(const NodeView& node, const std::vector<double>& terms);
  double LogSumExp(DType dtype, const std::vector<double>& terms);
  double Position(const std::vector<double>& terms, bool largest);
  Elements BatchNorm(const NodeView& node);
  Elements L2Norm(const NodeView& node);
  Elements LocalResponseNorm(const NodeView& node);
  bool RunImage(const NodeView& node);
  bool RunSort(const NodeView& node);
  double Nearest(const Fraction& p, int64_t in, int64_t out, bool lower);
  double Blend(DType dtype, double a, double b, double weight);
  std::vector<Elements> Operands(const NodeView& node) const;

  const Elements& In(const NodeView& node, int parameter) const {
    return values_[node.Input(parameter)];
  }
  bool Flip();
  int Sign();  // -1, 0 or 1: the direction of an error
  static double Rounded(DType dtype, double x);
  double Hold(DType dtype, double x);  // stored form or unrounded form
  double Neighbour(DType dtype, double x);
  double Accumulate(std::vector<double> terms);
  double Table(double exact, double error, bool exact_zero);

  ChoiceStream& choices_;
  Strategy strategy_;
  std::vector<Elements> values_;
};

}  // namespace anecheck::testing
