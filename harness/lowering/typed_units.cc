#include "harness/lowering/typed_units.h"

#include <algorithm>
#include <iterator>

namespace anecheck {
namespace {

// Source of the types: facts/netlist_layers.csv. The type Erf is assumed. It is the enumeration's
// name (facts/enums.json, nonlinear_mode), spelt in the style of the other types.
constexpr TypedUnit kRows[] = {
    {OpKind::kMaxPool, "Pooling", "Max"},
    {OpKind::kAvgPool, "Pooling", "Avg"},
    {OpKind::kAdd, "ElementWise", "Add"},
    {OpKind::kSub, "ElementWise", "Sub"},
    {OpKind::kMul, "ElementWise", "Mult"},
    {OpKind::kMaximum, "ElementWise", "Max"},
    {OpKind::kMinimum, "ElementWise", "Min"},
    {OpKind::kAbs, "ElementWise", "Abs"},
    {OpKind::kRelu, "Neuron", "ReLU"},
    {OpKind::kSigmoid, "Neuron", "Sigmoid"},
    {OpKind::kTanh, "Neuron", "Tanh"},
    {OpKind::kGelu, "Neuron", "GELU"},
    {OpKind::kClip, "Neuron", "ClampedReLU"},
    {OpKind::kSilu, "Neuron", "Swish"},
    {OpKind::kSqrt, "Neuron", "Sqrt"},
    {OpKind::kExp2, "Neuron", "Exp2"},
    {OpKind::kErf, "Neuron", "Erf"},
    {OpKind::kSign, "Neuron", "Sign"},
    {OpKind::kCeil, "Neuron", "Ceil"},
    {OpKind::kFloor, "Neuron", "Floor"},
    {OpKind::kRound, "Neuron", "RoundNearest"},
    {OpKind::kReduceSum, "Reduction", "Sum"},
    {OpKind::kReduceMax, "Reduction", "Max"},
    {OpKind::kReduceMin, "Reduction", "Min"},
    {OpKind::kReduceMean, "Reduction", "Avg"},
};

const TypedUnit* OrNull(const TypedUnit* found) {
  return found == std::end(kRows) ? nullptr : found;
}

}  // namespace

const TypedUnit* FindTypedUnit(OpKind op) {
  return OrNull(std::ranges::find(kRows, op, &TypedUnit::op));
}

const TypedUnit* FindTypedUnit(std::string_view unit, std::string_view type) {
  return OrNull(std::ranges::find_if(
      kRows, [&](const TypedUnit& row) { return row.unit == unit && row.type == type; }));
}

}  // namespace anecheck
