#include "generators/repair/input_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "generators/tensor_data.h"
#include "harness/base/half.h"
#include "oracles/admitted_element.h"
#include "oracles/judge.h"

namespace anecheck {
namespace {

bool IsFinite(double x) {
  constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
  return (std::bit_cast<uint64_t>(x) & kExponent) != kExponent;
}

bool IsLost(std::span<const double> values) {
  size_t numbers = 0;
  for (const double value : values) numbers += IsFinite(value) ? 1 : 0;
  return 2 * numbers < values.size();
}

// A quick check that most outputs pass. Whether at least half of the elements have an interval no
// wider than a quarter of their magnitude.
bool IsPlainlyKnown(const Estimate& expected) {
  const size_t count = expected.value.size();
  const double* value = expected.value.data();
  const double* low = expected.low.data();
  const double* high = expected.high.data();
  size_t plain = 0;
  for (size_t i = 0; i < count; ++i) {
    const double width = high[i] - low[i];
    plain += width <= std::fabs(value[i]) * 0.25 && width <= kHalfMaxValue ? 1 : 0;
  }
  return 2 * plain >= count;
}

// Whether less than half of the elements are informative, by the definition of judge.h.
bool IsVague(const Estimate& expected) {
  const double amplitude = Amplitude(expected);
  const size_t count = expected.value.size();
  size_t informative = 0;
  for (size_t i = 0; i < count; ++i) informative += IsInformative(expected, i, amplitude) ? 1 : 0;
  return 2 * informative < count;
}

// Multiplies elements of magnitude 2 or more by 2^-15. The exponent field of infinities and NaN is
// treated as an ordinary exponent.
void Calm(std::span<uint8_t> halves) {
  constexpr uint8_t kTwo = 0x40, kFifteenBinades = 0x3c;  // high bytes, without the sign
  for (size_t i = 1; i < halves.size(); i += 2) {
    const bool large = (halves[i] & 0x7f) >= kTwo;
    halves[i] = static_cast<uint8_t>(halves[i] - (large ? kFifteenBinades : 0));
  }
}

bool IsAtTheEnds(CaseMode mode) {
  return ValuesOf(mode) == CaseMode::kSpecial || ValuesOf(mode) == CaseMode::kBoundary;
}

}  // namespace

std::vector<ValueId> FindFlawed(const Graph& graph, CaseMode mode,
                                const SensitivitySearch& search) {
  std::vector<ValueId> flawed;
  const auto outputs = graph.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Estimate& expected = search.bounds()[i];
    if (IsPlainlyKnown(expected)) continue;
    if (IsLost(expected.value) || IsVague(expected)) flawed.push_back(outputs[i]);
  }
  if (!IsAtTheEnds(mode)) return flawed;
  for (const Node& node : graph.nodes()) {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const ValueId id = node.first_result + i;
      const bool output = std::ranges::find(outputs, id) != outputs.end();
      if (!output && IsLost(search.Values(id))) flawed.push_back(id);
    }
  }
  return flawed;
}

std::vector<bool> InputsOf(const Graph& graph, std::span<const ValueId> values) {
  std::vector<bool> needed(graph.values().size(), false);
  for (const ValueId id : values) needed[id] = true;
  // A write to a state after the state's last read affects only the next execution.
  for (size_t id = graph.nodes().size(); id-- > 0;) {
    const Node& node = graph.nodes()[id];
    const auto arguments = graph.arguments(node);
    bool wanted = node.result_count == 0 && needed[arguments[0].value];
    for (uint32_t i = 0; i < node.result_count; ++i)
      wanted = wanted || needed[node.first_result + i];
    if (!wanted) continue;
    for (const Argument& argument : arguments) needed[argument.value] = true;
  }
  std::vector<bool> marked;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    if (graph.value(id).kind == ValueKind::kInput) marked.push_back(needed[id]);
  }
  return marked;
}

std::vector<Tensor> CalmerInputs(ChoiceStream& choices, CaseMode mode,
                                 std::span<const Tensor> inputs, const std::vector<bool>& marked) {
  std::vector<Tensor> calmer(inputs.begin(), inputs.end());
  for (size_t i = 0; i < calmer.size(); ++i) {
    Tensor& tensor = calmer[i];
    if (!marked[i]) continue;
    if (IsAtTheEnds(mode) && tensor.type.dtype == DType::kFp16) {
      Calm(tensor.bytes);
    } else {
      FillTensor(choices, tensor.type, mode, InputMagnitude(mode), tensor.bytes);
    }
  }
  return calmer;
}

}  // namespace anecheck
