#include "oracles/testing/vacuity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "harness/base/half.h"

namespace anecheck::testing {
namespace {

using Numbers = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor Encode(const TensorType& type, Numbers numbers) {
  Tensor tensor{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
  for (double& number : numbers) {
    if (type.dtype == DType::kFp16) number = HalfToDouble(DoubleToHalf(number));
    if (type.dtype == DType::kBool) number = number != 0 ? 1 : 0;
    if (!IsFloat(type.dtype)) number = std::clamp(std::trunc(number), 0.0, 1.0);
  }
  EncodeElements(type.dtype, numbers, tensor.bytes);
  return tensor;
}

Numbers Decode(const Tensor& tensor) {
  Numbers numbers(static_cast<size_t>(tensor.type.shape.Elements()));
  DecodeElements(tensor.type.dtype, tensor.bytes, numbers);
  return numbers;
}

// The changes of the inputs that are tried, in order.
class Changes {
 public:
  static constexpr int kConstants = 11;
  static constexpr int kRandoms = 24;
  static constexpr int kShapes = 8;
  static constexpr int kSingles = 16;
  static constexpr int kWild = 600;
  static constexpr int kCount = kShapes + kRandoms + 2 * kConstants + kSingles + kWild;

  std::vector<Tensor> Make(int number, std::span<const Tensor> inputs) {
    std::vector<Tensor> changed;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Numbers numbers = Decode(inputs[i]);
      Change(number, numbers);
      changed.push_back(Encode(inputs[i].type, std::move(numbers)));
    }
    return changed;
  }

 private:
  double Uniform(double limit) {
    return (static_cast<double>(random_() >> 11) * 0x1p-53 * 2 - 1) * limit;
  }

  void Change(int number, Numbers& x) {
    if (x.empty()) return;
    if (number < kRandoms) return Random(number, x);
    number -= kRandoms;
    if (number < kShapes) return Shape(number, x);
    number -= kShapes;
    if (number < 2 * kConstants) {
      constexpr double kLevels[kConstants] = {0,  0x1p-14, 0x1p-4, 0.5,   1,    3,
                                              10, 100,     2000,   30000, 65504};
      std::ranges::fill(x, number % 2 == 0 ? kLevels[number / 2] : -kLevels[number / 2]);
      return;
    }
    number -= 2 * kConstants;
    if (number >= kSingles) return Wild(x);
    double& one = x[random_() % x.size()];
    one = number % 2 == 0 ? 5 - one : Uniform(20);
    if (one != one) one = 1;
  }

  void Random(int number, Numbers& x) {
    constexpr double kLimits[] = {16, 2, 1000, 1, 20000, 0.1, 4, 64};
    const double limit = kLimits[number % 8];
    const bool whole = number / 8 == 1;
    const bool positive = number / 8 == 2;
    for (double& element : x) {
      element = Uniform(limit);
      if (whole) element = std::trunc(element);
      if (positive) element = std::fabs(element);
    }
  }

  // Replaces any number of elements by numbers of any size: whole, coarse or special numbers.
  void Wild(Numbers& x) {
    constexpr double kSpecial[] = {0,       -0.0,    kInfinity, -kInfinity, kNan,   0x1p-24,
                                   0x1p-14, 65504.0, -65504.0,  1.0,        2048.0, 32768.0};
    const double limit = std::ldexp(1.0, static_cast<int>(random_() % 20) - 4);
    const uint64_t kind = random_() % 4;
    const uint64_t kept = random_() % 4;
    const uint64_t special = random_() % 3 == 0 ? 2 + random_() % 8 : 0;
    const double sign = random_() % 4 == 0 ? (random_() % 2 == 0 ? 1.0 : -1.0) : 0.0;
    for (double& element : x) {
      if (random_() % 4 < kept) continue;
      element = Uniform(limit);
      if (kind == 1) element = std::trunc(element);
      if (kind == 2) element = std::trunc(element / limit * 4) * limit / 4;
      if (sign != 0) element = sign * std::fabs(element);
      if (special != 0 && random_() % special == 0) {
        element = kSpecial[random_() % std::size(kSpecial)];
      }
    }
  }

  void Shape(int number, Numbers& x) {
    const Numbers before = x;
    for (size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<double>(i);
      switch (number) {
        case 0:
          x[i] = -x[i];
          break;
        case 1:
          x[i] *= 2;
          break;
        case 2:
          x[i] /= 8;
          break;
        case 3:
          x[i] = at - static_cast<double>(x.size()) / 2;
          break;
        case 4:
          x[i] = before[x.size() - 1 - i];
          break;
        case 5:
          x[i] += 1;
          break;
        case 6:
          x[i] = (i % 2 == 0 ? 1 : -1) * (1 + at / 4);
          break;
        default:
          x[i] = x[i] != x[i] || std::isinf(x[i]) ? 0.75 * at : x[i] / 1024;
          break;
      }
    }
  }

  std::mt19937_64 random_{20240917};
};

bool Same(const Estimate& a, const Estimate& b) {
  const auto equal = [](double x, double y) { return x == y || (x != x && y != y); };
  return std::ranges::equal(a.value, b.value, equal) && std::ranges::equal(a.low, b.low, equal) &&
         std::ranges::equal(a.high, b.high, equal);
}

bool Leaves(const Estimate& bounds, const Estimate& changed) {
  for (size_t i = 0; i < bounds.value.size(); ++i) {
    if (!Admits(bounds, i, changed.value[i])) return true;
  }
  return false;
}

}  // namespace

std::vector<VacuousOutput> FindVacuous(Evaluation& evaluation, const Graph& graph,
                                       std::span<const Tensor> inputs, const Contract& contract,
                                       std::span<const std::vector<Tensor>> claimed) {
  std::vector<VacuousOutput> open;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Value& value = graph.value(graph.outputs()[i]);
    const bool made = value.kind == ValueKind::kResult;
    open.push_back({i, Vacuity::kConstant,
                    made ? std::string(graph.node(value.producer).schema->name) : "input"});
  }
  if (!evaluation.Run(graph, inputs, contract).ok()) {
    for (VacuousOutput& output : open) output.why = Vacuity::kFailed;
    return open;
  }
  std::vector<Estimate> bounds(graph.outputs().size());
  for (size_t i = 0; i < bounds.size(); ++i) evaluation.Stored(graph.outputs()[i], bounds[i]);
  Changes changes;
  Estimate changed;
  const auto try_change = [&](std::span<const Tensor> other) {
    if (!evaluation.Run(graph, other, contract).ok()) return;
    std::erase_if(open, [&](VacuousOutput& output) {
      evaluation.Stored(graph.outputs()[output.output], changed);
      if (!Same(bounds[output.output], changed)) output.why = Vacuity::kTooWide;
      return Leaves(bounds[output.output], changed);
    });
  };
  for (const std::vector<Tensor>& claim : claimed) try_change(claim);
  for (int number = 0; number < Changes::kCount && !open.empty(); ++number) {
    try_change(changes.Make(number, inputs));
  }
  return open;
}

std::vector<NodeId> DeadNodes(const Graph& graph) {
  // Sweeps repeatedly instead of walking. A value is wanted if it is an output or an operand of a
  // wanted node. A node is wanted if one of its results is wanted, or if it writes a wanted state.
  std::vector<bool> wanted(graph.values().size(), false);
  std::vector<bool> live(graph.nodes().size(), false);
  for (const ValueId output : graph.outputs()) wanted[output] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      if (live[id]) continue;
      const Node& node = graph.node(id);
      bool needed = false;
      for (uint32_t i = 0; i < node.result_count; ++i) {
        needed = needed || wanted[node.first_result + i];
      }
      if (node.result_count == 0) {
        for (const Argument& argument : graph.arguments(node)) {
          needed = needed || (graph.value(argument.value).kind == ValueKind::kState &&
                              wanted[argument.value]);
        }
      }
      if (!needed) continue;
      live[id] = grown = true;
      for (const Argument& argument : graph.arguments(node)) wanted[argument.value] = true;
    }
  }
  std::vector<NodeId> dead;
  for (NodeId id = 0; id < live.size(); ++id) {
    if (!live[id]) dead.push_back(id);
  }
  return dead;
}

}  // namespace anecheck::testing
