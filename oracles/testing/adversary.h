// An engine that keeps the numeric contract and uses every choice that the contract permits. A
// strategy decides each choice, and may always take the worst result. The oracle's intervals must
// contain all results of the engine. It shares no code with the reference kernels. For tests only.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"
#include "oracles/contract.h"
#include "oracles/testing/sampling_structure.h"

namespace anecheck::testing {

// Rounds to the element type of a float tensor.
double ToType(DType dtype, double x);

// The error that the contract grants a table. This engine decides how to use it.
inline double ErrorOf(Term table) { return ConformingContract(2)[table]; }
// Clamps the result of a table to the range of its function. NaN stays NaN.
inline double Within(double x, double least, double most) {
  return x < least ? least : x > most ? most : x;
}

// The way in which the engine decides if the contract allows a choice.
enum class Strategy {
  kRandom,  // a new choice for every element
  kUp,      // every error upward, every step rounded
  kDown,    // every error downward, every step rounded
  kWide,    // rounds only if the contract requires it, no other error
  kNarrow,  // every step rounded, no other error
};

class Adversary {
 public:
  Adversary(ChoiceStream& choices, Strategy strategy) : choices_(choices), strategy_(strategy) {}

  // Runs the graph. values()[v] then holds the elements of value v. Returns false if an operation
  // has no adversarial form.
  bool Run(const Graph& graph, std::span<const Tensor> inputs);

  const std::vector<std::vector<double>>& values() const { return values_; }
  // Returns the value as stored in a graph output.
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
  // These parts are in separate files. They return false for other operations.
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
  bool RunSuppression(const NodeView& node);
  bool Overlap(DType dtype, const double* a, const double* b, double threshold);
  size_t Highest(const Elements& scores, const std::vector<bool>& open);
  double Nearest(const Sampling& sampling, const Fraction& p, int64_t in, int64_t out);
  double Blend(DType dtype, double a, double b, double weight);
  std::vector<Elements> Operands(const NodeView& node) const;

  // adversary_classes.cc
  bool RunOtherClasses(const NodeView& node);
  Elements Affine(const NodeView& node);
  Elements UnitElementwise(const NodeView& node);
  Elements RootOfSquares(const NodeView& node);
  Elements Attention(const NodeView& node);
  double AttendedValue(const NodeView& node, size_t index);
  Elements Quantize(const NodeView& node);
  Elements Dequantize(const NodeView& node);
  size_t ScaleElement(const NodeView& node, size_t i) const;
  bool Expand(const NodeView& node);

  // adversary_recurrent.cc
  struct CellParts;
  bool RunRecurrent(const NodeView& node);
  double Curve(std::string_view name, DType dtype, double x);
  double GateSum(const Elements& weights, size_t row, size_t count, const double* lanes,
                 DType dtype);
  void GruStep(const CellParts& parts, const double* x, Elements& h);
  void CellStep(OpKind kind, const CellParts& parts, const double* x, Elements& h, Elements& c);
  void RunDirection(const NodeView& node, const CellParts& parts, bool reverse, size_t offset,
                    bool whole);

  // adversary_native.cc
  bool RunNative(const NodeView& node);
  Elements NativeSdpa(const NodeView& node);
  Elements NativeRanked(const NodeView& node);
  Elements NativePositions(const NodeView& node);
  Elements NativeMinMaxNorm(const NodeView& node);
  Elements NativeScaled(const NodeView& node);
  Elements NativeCorrelation(const NodeView& node);
  Elements NativeFurthest(const NodeView& node);
  double SquaredDistance(const std::array<double, 3>& a, const std::array<double, 3>& b);
  Elements NativeWithin(const NodeView& node);

  // adversary_control.cc
  bool RunControl(const NodeView& node);
  bool RunBlock(const Graph& block, std::vector<Elements> inputs, std::vector<Elements>& outputs);
  bool RunWhile(const NodeView& node);
  bool RunBranch(const NodeView& node, const Graph& block, size_t first_argument);

  const Elements& In(const NodeView& node, int parameter) const {
    return values_[node.Input(parameter)];
  }
  bool Flip();
  int Sign();  // -1, 0 or 1: the direction of an error
  static double Rounded(DType dtype, double x);
  double Hold(DType dtype, double x);  // stored form or unrounded form
  double Neighbour(DType dtype, double x);
  // Returns the neighbour in direction `direction` if the strategy errs upward, and in the opposite
  // direction if it errs downward.
  double NeighbourToward(DType dtype, double x, double direction);
  double Accumulate(std::vector<double> terms);
  double Table(double exact, double error, bool exact_zero);

  ChoiceStream& choices_;
  Strategy strategy_;
  std::vector<Elements> values_;
};

}  // namespace anecheck::testing
