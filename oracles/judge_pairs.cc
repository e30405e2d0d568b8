#include "oracles/judge_pairs.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"

namespace anecheck {
namespace {

// The engine's numbers for value `id`, if it is an output and has the graph's type.
std::optional<std::vector<double>> Given(const Graph& graph, std::span<const Tensor> actual,
                                         ValueId id, size_t& output) {
  const auto outputs = graph.outputs();
  const auto found = std::ranges::find(outputs, id);
  if (found == outputs.end()) return std::nullopt;
  output = static_cast<size_t>(found - outputs.begin());
  if (output >= actual.size()) return std::nullopt;
  const Tensor& tensor = actual[output];
  const TensorType& type = graph.type(id);
  if (tensor.type != type || tensor.bytes.size() != static_cast<size_t>(type.ByteSize())) {
    return std::nullopt;
  }
  std::vector<double> elements(static_cast<size_t>(type.shape.Elements()));
  DecodeElements(type.dtype, tensor.bytes, elements);
  return elements;
}

std::optional<UnpairedResult> UnpairedOf(const NodeView& node, std::span<const Tensor> actual,
                                         const Contract& contract, const Evaluation& evaluation) {
  using P = params::Topk;
  const Graph& graph = node.graph();
  const Shape& x = node.InputShape(P::kX);
  const int64_t given_axis = node.Int(P::kAxis, -1);
  const int axis = static_cast<int>(given_axis < 0 ? given_axis + x.rank() : given_axis);
  if (!reference::IndicesStayApart(contract, static_cast<size_t>(x[axis]))) return std::nullopt;
  size_t output = 0;
  const auto values = Given(graph, actual, node.Result(0), output);
  const auto positions = Given(graph, actual, node.Result(1), output);
  if (!values || !positions) return std::nullopt;
  Estimate source;
  evaluation.Stored(node.Input(P::kX), source);
  source.signed_zeros = false;  // zeros of both signs are equal
  int64_t step = 1;
  for (int i = axis + 1; i < x.rank(); ++i) step *= x[i];
  const int64_t kept = node.ResultType().shape[axis];
  for (size_t i = 0; i < values->size(); ++i) {
    const double position = (*positions)[i];
    if (!(position >= 0 && position < static_cast<double>(x[axis]))) continue;
    const auto at = static_cast<int64_t>(i);
    const int64_t line = at / (kept * step);
    const auto from =
        static_cast<size_t>((line * x[axis] + static_cast<int64_t>(position)) * step + at % step);
    if (Admits(source, from, (*values)[i])) continue;
    return UnpairedResult{output, at,
                          fmt::format("position {} was given beside {}, and the value there lies "
                                      "in [{}, {}]",
                                      position, (*values)[i], source.low[from], source.high[from])};
  }
  return std::nullopt;
}

}  // namespace

bool HasPairs(const Graph& graph) {
  const auto outputs = graph.outputs();
  const auto given = [&](ValueId id) { return std::ranges::find(outputs, id) != outputs.end(); };
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return KindOf(*node.schema) == OpKind::kTopk && node.result_count == 2 &&
           given(node.first_result) && given(node.first_result + 1);
  });
}

std::optional<UnpairedResult> FindUnpaired(const Graph& graph, std::span<const Tensor> actual,
                                           const Contract& contract, const Evaluation& evaluation) {
  for (const Node& node : graph.nodes()) {
    if (KindOf(*node.schema) != OpKind::kTopk || node.result_count != 2) continue;
    auto found = UnpairedOf(NodeView(graph, node), actual, contract, evaluation);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace anecheck
