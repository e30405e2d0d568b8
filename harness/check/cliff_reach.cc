#include "harness/check/cliff_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "harness/base/mapped_file.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/laws.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

class SumReach {
 public:
  SumReach(const Graph& graph, std::span<const Tensor> inputs) : graph_(graph) {
    const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
    for (size_t i = 0; i < ids.size() && i < inputs.size(); ++i) inputs_[ids[i]] = &inputs[i];
  }

  double Run() {
    double most = 0;
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      const NodeView node(graph_, id);
      if (SumsProducts(KindOf(node.schema()))) most = std::max(most, Most(node));
    }
    return most;
  }

 private:
  double Most(const NodeView& node) {
    switch (KindOf(node.schema())) {
      case OpKind::kConv:
        return OfWeights(node.Input(params::Conv::kX), node.Input(params::Conv::kWeight));
      case OpKind::kLinear:
        return OfWeights(node.Input(params::Linear::kX), node.Input(params::Linear::kWeight));
      case OpKind::kMatmul: {
        using P = params::Matmul;
        const Shape& x = node.InputShape(P::kX);
        const int last = node.Bool(P::kTransposeX, false) ? 2 : 1;
        const int64_t products = x.rank() < last ? 1 : x[x.rank() - last];
        return static_cast<double>(products) * Largest(node.Input(P::kX)) *
               Largest(node.Input(P::kY));
      }
      default:
        return kUnknown;
    }
  }

  // Outputs are the first axis of the weights.
  double OfWeights(ValueId x, ValueId weight) {
    if (!Decode(weight)) return kUnknown;
    const int64_t rows = graph_.type(weight).shape[0];
    const size_t length = elements_.size() / static_cast<size_t>(std::max<int64_t>(rows, 1));
    double most = 0;
    for (size_t at = 0; length > 0 && at + length <= elements_.size(); at += length) {
      double sum = 0;
      for (size_t i = 0; i < length; ++i) sum += std::fabs(elements_[at + i]);
      most = std::max(most, sum);
    }
    return most * Largest(x);
  }

  // NaN, which no threshold concerns, is left out.
  double Largest(ValueId id) {
    if (!Decode(id)) return kUnknown;
    return LargestOf(elements_);
  }

  // Puts the value's numbers into elements_; false where they are not at hand.
  bool Decode(ValueId id) {
    const TensorType& type = graph_.type(id);
    if (!IsFloat(type.dtype)) return false;
    std::span<const uint8_t> bytes;
    if (const auto input = inputs_.find(id); input != inputs_.end()) {
      bytes = input->second->bytes;
    } else if (graph_.value(id).kind == ValueKind::kConst) {
      bytes = graph_.ConstData(id);
    } else {
      return false;
    }
    elements_.resize(static_cast<size_t>(type.shape.Elements()));
    DecodeElements(type.dtype, bytes, elements_);
    // Weights may be larger than memory.
    DropPages(bytes);
    return true;
  }

  const Graph& graph_;
  std::map<ValueId, const Tensor*> inputs_;
  std::vector<double> elements_;
};

}  // namespace

double LargestOf(std::span<const double> numbers) {
  double most = 0;
  for (const double number : numbers) {
    if (std::fabs(number) > most) most = std::fabs(number);
  }
  return most;
}

double MostOfSums(const Graph& graph, std::span<const Tensor> inputs) {
  return SumReach(graph, inputs).Run();
}

bool MayAct(const Departure& departure, const Graph& graph, double most) {
  switch (departure.effect) {
    case Effect::kPortOverflow:
    case Effect::kInteriorOverflow:
      return most * kSumSlack >= departure.a;
    default:
      break;
  }
  if (departure.op.empty()) return true;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (NodeView(graph, id).op() == departure.op) return true;
  }
  return false;
}

}  // namespace anecheck
