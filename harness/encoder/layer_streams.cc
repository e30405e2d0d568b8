#include "harness/encoder/layer_streams.h"

#include <algorithm>
#include <array>
#include <optional>

#include "harness/encoder/activation_table.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

using tdv10::WeightStream;
using tdv10::WeightStreamSizes;

constexpr uint32_t kHalf = 2;  // bytes

constexpr std::array kWithTable = {OpKind::kSigmoid, OpKind::kTanh,   OpKind::kGelu, OpKind::kSilu,
                                   OpKind::kErf,     OpKind::kExp,    OpKind::kLog,  OpKind::kSqrt,
                                   OpKind::kRsqrt,   OpKind::kInverse};

struct Layer {
  ValueId weight = kNoValue;
  ValueId bias = kNoValue;
  int64_t channels = 0;
};

// Returns the producer of a value, or null for inputs and constants.
const Node* ProducerOf(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return value.kind == ValueKind::kResult ? &graph.node(value.producer) : nullptr;
}

// Returns whether the value is constant weights, or weights from a lookup table.
bool AreWeights(const Graph& graph, ValueId id) {
  if (id == kNoValue) return false;
  const Node* producer = ProducerOf(graph, id);
  if (producer == nullptr) return graph.value(id).kind == ValueKind::kConst;
  return KindOf(*producer->schema) == OpKind::kConstexprLutToDense;
}

std::optional<Layer> LayerOf(const NodeView& node) {
  const Shape& result = node.ResultType().shape;
  switch (KindOf(node.schema())) {
    case OpKind::kConv:
      return Layer{node.Input(params::Conv::kWeight), node.Input(params::Conv::kBias), result[1]};
    case OpKind::kLinear:
      return Layer{node.Input(params::Linear::kWeight), node.Input(params::Linear::kBias),
                   result[result.rank() - 1]};
    default:
      return std::nullopt;
  }
}

// Returns the only node that reads the value. Null if several or none read it, or if it is an
// output.
const Node* OnlyConsumer(const Graph& graph, ValueId id) {
  if (std::ranges::find(graph.outputs(), id) != graph.outputs().end()) return nullptr;
  const Node* found = nullptr;
  for (const Node& node : graph.nodes()) {
    const bool takes = std::ranges::any_of(
        graph.arguments(node), [&](const Argument& argument) { return argument.value == id; });
    if (takes && found != nullptr) return nullptr;
    if (takes) found = &node;
  }
  return found;
}

uint32_t BytesOf(const Graph& graph, ValueId id) {
  return static_cast<uint32_t>(graph.type(id).ByteSize());
}

WeightStreamSizes SizesOf(const Graph& graph, const Node& node, const Layer& layer) {
  WeightStreamSizes sizes{};
  const auto size = [&sizes](WeightStream stream) -> uint32_t& {
    return sizes[static_cast<size_t>(stream)];
  };
  const uint32_t by_channel = static_cast<uint32_t>(layer.channels) * kHalf;
  if (layer.bias != kNoValue) size(WeightStream::kBias) = by_channel;
  const Node* table = ProducerOf(graph, layer.weight);
  if (table != nullptr) {
    size(WeightStream::kPalette) =
        BytesOf(graph, NodeView(graph, *table).Input(params::LutToDense::kLut));
  }
  const Node* next = OnlyConsumer(graph, NodeView(graph, node).Result());
  if (next != nullptr && KindOf(*next->schema) == OpKind::kBatchNorm) {
    size(WeightStream::kBias) = by_channel;
    size(WeightStream::kPostScale) = by_channel;
    next = OnlyConsumer(graph, NodeView(graph, *next).Result());
  }
  if (next != nullptr && std::ranges::find(kWithTable, KindOf(*next->schema)) != kWithTable.end()) {
    size(WeightStream::kActivation) = kTableBytes;
  }
  return sizes;
}

}  // namespace

Result<WeightStreamSizes> StreamsOfLayer(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const std::optional<Layer> layer = LayerOf(NodeView(graph, node));
    if (layer && AreWeights(graph, layer->weight)) return SizesOf(graph, node, *layer);
  }
  return MakeError(ErrorCode::kUnsupported,
                   "the model has no conv and no linear with constant weights");
}

}  // namespace anecheck::encoder
