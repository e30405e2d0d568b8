#include "harness/check/cliff_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "harness/base/half.h"
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
        return OfWeights(node.Input(params::Conv::kX), 1, node.Input(params::Conv::kWeight),
                         node.Int(params::Conv::kGroups, 1));
      case OpKind::kLinear:
        return OfWeights(node.Input(params::Linear::kX),
                         node.InputShape(params::Linear::kX).rank() - 1,
                         node.Input(params::Linear::kWeight), 1);
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

  // Outputs are the first axis of the weights, the input channels of their group the second.
  double OfWeights(ValueId x, int axis, ValueId weight, int64_t groups) {
    if (!LargestOfChannels(x, axis) || !Decode(weight)) return kUnknown;
    const Shape& shape = graph_.type(weight).shape;
    if (shape.Elements() == 0 || groups < 1) return 0;
    const auto outputs = static_cast<size_t>(shape[0]);
    const auto channels = static_cast<size_t>(shape[1]);
    const size_t taps = elements_.size() / (outputs * channels);
    double most = 0;
    for (size_t output = 0; output < outputs; ++output) {
      const size_t group = output * static_cast<size_t>(groups) / outputs;
      double sum = 0;
      for (size_t channel = 0; channel < channels; ++channel) {
        const size_t first = (output * channels + channel) * taps;
        double weights = 0;
        for (size_t i = first; i < first + taps; ++i) weights += std::fabs(elements_[i]);
        sum += weights * largest_[group * channels + channel];
      }
      // Also catches NaN, from an infinity times 0.
      if (!(sum < kUnknown)) return kUnknown;
      most = std::max(most, sum);
    }
    return most;
  }

  // Stores the largest |number| of each index along `axis` in largest_; false if the numbers are
  // not available. Skips NaN, which no threshold concerns.
  bool LargestOfChannels(ValueId id, int axis) {
    if (!Decode(id)) return false;
    const Shape& shape = graph_.type(id).shape;
    const auto channels = static_cast<size_t>(shape[axis]);
    size_t inner = 1;
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= static_cast<size_t>(shape[i]);
    largest_.assign(channels, 0);
    for (size_t first = 0; first < elements_.size(); first += channels * inner) {
      for (size_t channel = 0; channel < channels; ++channel) {
        const double* const numbers = elements_.data() + first + channel * inner;
        double& largest = largest_[channel];
        for (size_t i = 0; i < inner; ++i) {
          if (std::fabs(numbers[i]) > largest) largest = std::fabs(numbers[i]);
        }
      }
    }
    return true;
  }

  double Largest(ValueId id) {
    if (!Decode(id)) return kUnknown;
    double most = 0;
    for (const double number : elements_) {
      if (std::fabs(number) > most) most = std::fabs(number);
    }
    return most;
  }

  // Stores the value's numbers in elements_; false if they are not available.
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
    // The pages are dropped because weights may be larger than memory.
    DropPages(bytes);
    return true;
  }

  const Graph& graph_;
  std::map<ValueId, const Tensor*> inputs_;
  std::vector<double> elements_;
  std::vector<double> largest_;
};

}  // namespace

double LargestHalf(std::span<const uint8_t> bytes) {
  uint16_t most = 0;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto magnitude = static_cast<uint16_t>(bytes[i] | (bytes[i + 1] & 0x7f) << 8);
    most = std::max(most, magnitude > kHalfInfinity.bits ? uint16_t{0} : magnitude);
  }
  return HalfToDouble(Half{most});
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
