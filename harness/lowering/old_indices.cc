#include "harness/lowering/old_indices.h"

#include <cstdint>
#include <span>
#include <vector>

#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// Returns the extents of the axes that a node's indices address. The result has one extent, or one
// for each number of an index vector. Empty if the node has no indices.
std::vector<int64_t> ExtentsOf(const NodeView& node) {
  const Shape& data = node.InputShape(0);
  const auto along = [&](int axis_parameter) -> std::vector<int64_t> {
    const auto axis = NormalizeAxis(node.Int(axis_parameter, 0), data.rank());
    return axis ? std::vector<int64_t>{data[*axis]} : std::vector<int64_t>{};
  };
  const auto vectors = [&](int64_t batch) {
    const Shape& indices = node.InputShape(1);
    const int64_t length = indices[indices.rank() - 1];
    std::vector<int64_t> extents;
    extents.reserve(static_cast<size_t>(length));
    for (int64_t i = 0; i < length; ++i) {
      extents.push_back(data[static_cast<int>(batch + i)]);
    }
    return extents;
  };
  switch (KindOf(node.schema())) {
    case OpKind::kGather:
      return along(params::Gather::kAxis);
    case OpKind::kGatherAlongAxis:
      return along(params::GatherAlongAxis::kAxis);
    case OpKind::kScatter:
    case OpKind::kScatterAlongAxis:
      return along(params::Scatter::kAxis);
    case OpKind::kGatherNd:
      return vectors(node.Int(params::GatherNd::kBatchDims, 0));
    case OpKind::kScatterNd:
      return vectors(0);
    default:
      return {};
  }
}

bool IsSigned(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
}

// Adds the extent of its axis to each negative number. Numbers are little-endian two's complement.
std::vector<uint8_t> FromTheFront(std::span<const uint8_t> bytes, size_t width,
                                  std::span<const int64_t> extents) {
  std::vector<uint8_t> moved(bytes.begin(), bytes.end());
  for (size_t i = 0; (i + 1) * width <= moved.size(); ++i) {
    uint8_t* number = moved.data() + i * width;
    if ((number[width - 1] & 0x80) == 0) continue;
    auto rest = static_cast<uint64_t>(extents[i % extents.size()]);
    for (size_t k = 0; k < width; ++k) {
      rest += number[k];
      number[k] = static_cast<uint8_t>(rest);
      rest >>= 8;
    }
  }
  return moved;
}

}  // namespace

bool CountsFromTheEnd(std::string_view opset) { return opset == "ios15" || opset == "ios16"; }

void CountFromTheFront(Graph& graph) {
  std::vector<uint32_t> uses(graph.values().size(), 0);
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : graph.arguments(node)) ++uses[argument.value];
  }
  for (const ValueId output : graph.outputs()) ++uses[output];
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    const std::vector<int64_t> extents = ExtentsOf(node);
    if (extents.empty()) continue;
    const ValueId indices = node.Input(params::Gather::kIndices);
    const Value& value = graph.value(indices);
    if (value.kind != ValueKind::kConst || uses[indices] != 1 || !IsSigned(value.type.dtype)) {
      continue;
    }
    const auto width = static_cast<size_t>(DTypeBits(value.type.dtype) / 8);
    graph.SetConstData(indices, FromTheFront(graph.ConstData(indices), width, extents));
  }
}

}  // namespace anecheck
