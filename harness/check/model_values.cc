#include "harness/check/model_values.h"

#include <fmt/format.h>

namespace anecheck {
namespace {

// The most elements: 4 GiB of fp16.
constexpr int64_t kMostElements = int64_t{1} << 31;

Status CheckSize(const Graph& graph) {
  int64_t left = kMostElements;
  for (const Value& value : graph.values()) {
    if (value.kind != ValueKind::kResult) continue;
    const int64_t elements = value.type.shape.Elements();
    if (elements > left) {
      return MakeError(
          ErrorCode::kLimit,
          fmt::format("the graph's results have more than {} elements", kMostElements));
    }
    left -= elements;
  }
  return {};
}

}  // namespace

Result<ModelValues> ModelValues::Of(const Graph& graph, std::span<const Tensor> inputs,
                                    const Contract& contract, Evaluation& evaluation) {
  ANECHECK_RETURN_IF_ERROR(CheckSize(graph));
  ModelValues values;
  values.tensors_.resize(graph.values().size());
  const auto keep = [&](NodeId id) {
    const Node& node = graph.node(id);
    for (ValueId result = node.first_result; result < node.first_result + node.result_count;
         ++result) {
      Tensor& tensor = values.tensors_[result];
      tensor.type = graph.type(result);
      tensor.bytes.resize(static_cast<size_t>(tensor.type.ByteSize()));
      EncodeElements(tensor.type.dtype, evaluation.Values(result), tensor.bytes);
    }
  };
  ANECHECK_RETURN_IF_ERROR(evaluation.RunForOutputs(graph, inputs, contract, keep));
  return values;
}

}  // namespace anecheck
