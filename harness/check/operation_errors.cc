#include "harness/check/operation_errors.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "oracles/admitted_element.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

std::vector<double> ElementsOf(const Tensor& tensor) {
  std::vector<double> elements(static_cast<size_t>(tensor.type.shape.Elements()));
  DecodeElements(tensor.type.dtype, tensor.bytes, elements);
  return elements;
}

}  // namespace

OperationError MeasureOperation(const Tensor& expected, const Tensor& actual) {
  const std::vector<double> values = ElementsOf(expected), answers = ElementsOf(actual);
  OperationError error;
  double signal = 0, noise = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    ++error.elements;
    signal += values[i] * values[i];
    noise += (answers[i] - values[i]) * (answers[i] - values[i]);
    const uint64_t ulp = std::isfinite(answers[i])
                             ? UlpBetween(expected.type.dtype, values[i], answers[i])
                             : std::numeric_limits<uint32_t>::max();
    error.ulp = std::max(error.ulp, ulp);
  }
  if (!std::isfinite(noise)) noise = std::numeric_limits<double>::infinity();
  error.relative = noise == 0 ? 0 : std::sqrt(noise / signal);
  error.snr_db = -20 * std::log10(error.relative);
  return error;
}

std::string ErrorText(uint64_t ulp, double relative, double snr_db) {
  if (ulp == 0) return "exact";
  if (!std::isfinite(relative)) return "infinite";
  const std::string snr = std::isfinite(snr_db) ? fmt::format(", {:.0f} dB", snr_db) : "";
  return fmt::format("{} ulp, {:.2g}{}", ulp, relative, snr);
}

Graph WithEveryResult(const Graph& graph) {
  Graph every = graph;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(id);
    const bool output = std::ranges::find(graph.outputs(), id) != graph.outputs().end();
    if (value.kind == ValueKind::kResult && value.type.dtype == DType::kFp16 && !output) {
      every.AddOutput(id);
    }
  }
  return every;
}

}  // namespace anecheck
