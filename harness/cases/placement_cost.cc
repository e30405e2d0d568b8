#include "harness/cases/placement_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/graph/find_operand.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, kBackends> kNames = {"ane", "bnns", "classic_cpu"};

// The costs of a launch of the engine and of a change of backend (facts/silicon/cost_model.csv).
constexpr double kLaunch = 0.125, kChange = 0.125;
// The additional cost of a model whose last operation runs on the engine. Public notes give 0 and
// 0.125. The published plan iso/conv7x7_s2 disagrees with 0, and ctx/band_part disagrees with
// 0.125; all published plans agree with values from 0.005 to 0.107.
constexpr double kEngineResult = 0.05;
constexpr double kSameCost = 1e-6;

// The formula for an operation's cost in milliseconds: the larger of its bytes divided by `bytes`
// and its arithmetic operations divided by `flops`.
struct Law {
  double bytes[kBackends];  // bytes per millisecond; 0 if bytes cost nothing
  double flops[kBackends];  // operations per millisecond; 0 if operations cost nothing
};
constexpr double kGibPerMs = 0x1p30 / 1e3, kGflopPerMs = 1e6;
constexpr double kEngineBytes = 68 * kGibPerMs;
constexpr double kCpuBytes = kEngineBytes / 1.2;

// The "memory law": the engine moves 68 GiB/s, and the other backends take 1.2 times as long.
constexpr Law kMemory = {{kEngineBytes, kCpuBytes, kCpuBytes}, {}};
// Clamps of an operation's result move 100 GB/s on every backend (op_placement_h16g.csv, relu).
constexpr Law kRelu = {{1e8, 1e8, 1e8}, {}};
// Elementwise operations on two operands (op_placement_h16g.csv, iso/add_f32).
constexpr Law kPair = {{kEngineBytes / 1.3529, kEngineBytes / 2.3045, kEngineBytes / 2.6507}, {}};
// Operations that take rows of a tensor (op_placement_h16g.csv, iso/gather_c).
constexpr Law kGather = {{kEngineBytes, kEngineBytes / 2.1163, kEngineBytes / 2.4342}, {}};
// Sums of products, in the classes of cost_model.csv.
constexpr Law kDenseConv = {{},
                            {16151.68 * kGflopPerMs, 754.49 * kGflopPerMs, 655.96 * kGflopPerMs}};
constexpr Law kThinConv = {{}, {7160.83 * kGflopPerMs, 388.06 * kGflopPerMs, 337.38 * kGflopPerMs}};
constexpr Law kDepthwiseConv = {{},
                                {471.18 * kGflopPerMs, 27.09 * kGflopPerMs, 23.55 * kGflopPerMs}};
constexpr double kSmallWeight = 1 << 15;
constexpr Law kSmallLinear = {{}, {580.43 * kGflopPerMs, 22.54 * kGflopPerMs, 19.6 * kGflopPerMs}};
// op_placement_h16g.csv, iso/linear: 128 x 256 x 512.
constexpr Law kLinear = {{}, {10581.0 * kGflopPerMs, 335.5 * kGflopPerMs, 291.7 * kGflopPerMs}};
constexpr Law kMatmul = {{kEngineBytes, 0, 0}, {0, 754.54 * kGflopPerMs, 656.0 * kGflopPerMs}};
constexpr Law kPool = {{kEngineBytes, kCpuBytes, kCpuBytes},
                       {0, 754.54 * kGflopPerMs, 656.0 * kGflopPerMs}};
// op_placement_h16g.csv, iso/gru and iso/rnn. The engine runs neither gru nor rnn.
constexpr Law kRecurrent = {{}, {23.11 * kGflopPerMs, 23.11 * kGflopPerMs, 20.09 * kGflopPerMs}};

double Elements(const Shape& shape) { return static_cast<double>(shape.Elements()); }

const Shape* OperandShape(const NodeView& node, std::string_view name) {
  const int parameter = FindOperand(node.schema(), name);
  return parameter >= 0 && node.HasInput(parameter) ? &node.InputShape(parameter) : nullptr;
}

// Returns the bytes of activations that the node reads and writes. Weights and tables are read
// ahead and do not count.
double Bytes(const NodeView& node) {
  double bytes = 0;
  const Graph& graph = node.graph();
  for (const Argument& argument : graph.arguments(node.node())) {
    if (graph.value(argument.value).kind == ValueKind::kConst) continue;
    bytes += static_cast<double>(graph.type(argument.value).ByteSize());
  }
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    bytes += static_cast<double>(node.ResultType(i).ByteSize());
  }
  return bytes;
}

// Returns the arithmetic operations of a node with a weight [out, in, ...]. Each element of the
// result takes two operations per element of its part [in, ...] of the weight.
double WeightFlops(const NodeView& node) {
  const Shape* const weight = OperandShape(node, "weight");
  if (weight == nullptr) return 0;
  return 2 * Elements(node.ResultType().shape) * Elements(*weight) /
         static_cast<double>((*weight)[0]);
}

Law ConvLaw(const NodeView& node) {
  constexpr double kDenseLength = 128, kFewPlaces = 16;
  const Shape* const weight = OperandShape(node, "weight");
  if (weight == nullptr) return kThinConv;
  const double length = Elements(*weight) / static_cast<double>((*weight)[0]);
  const double places =
      Elements(node.ResultType().shape) / static_cast<double>(node.ResultType().shape[1]);
  if ((*weight)[1] == 1) return kDepthwiseConv;
  return length >= kDenseLength && places >= kFewPlaces ? kDenseConv : kThinConv;
}

double MatmulFlops(const NodeView& node) {
  const Shape* const x = OperandShape(node, "x");
  const Shape* const y = OperandShape(node, "y");
  if (x == nullptr || y == nullptr || x->rank() == 0 || y->rank() < 2) return 0;
  // One of the last two extents of y is the length of the sum, the other is the result's last
  // extent.
  const Shape& result = node.ResultType().shape;
  const int64_t last = result.rank() == 0 ? 1 : result[result.rank() - 1];
  const double length = static_cast<double>((*y)[y->rank() - 1] * (*y)[y->rank() - 2]) /
                        static_cast<double>(std::max<int64_t>(last, 1));
  return 2 * Elements(result) * length;
}

double PoolFlops(const NodeView& node) {
  double flops = Elements(node.ResultType().shape);
  const int kernel = node.schema().FindParameter("kernel_sizes");
  if (kernel < 0) return 0;
  for (const int64_t extent : node.Ints(kernel)) flops *= static_cast<double>(extent);
  return flops;
}

// Each step of a recurrent cell multiplies by both weights.
double RecurrentFlops(const NodeView& node) {
  const Shape* const x = OperandShape(node, "x");
  double weights = 0;
  for (const char* const name : {"weight_ih", "weight_hh"}) {
    const Shape* const weight = OperandShape(node, name);
    if (weight != nullptr) weights += Elements(*weight);
  }
  if (x == nullptr || x->rank() < 2) return 0;
  return 2 * weights * static_cast<double>((*x)[0] * (*x)[1]);
}

struct Cost {
  Law law;
  double flops = 0;
};

std::optional<Cost> CostLaw(const NodeView& node) {
  const auto kind = static_cast<OpKind>(node.schema().id);
  switch (kind) {
    case OpKind::kConv:
      return Cost{ConvLaw(node), WeightFlops(node)};
    case OpKind::kLinear: {
      const Shape* const weight = OperandShape(node, "weight");
      const bool small = weight != nullptr && Elements(*weight) < kSmallWeight;
      return Cost{small ? kSmallLinear : kLinear, WeightFlops(node)};
    }
    case OpKind::kMatmul:
      return Cost{kMatmul, MatmulFlops(node)};
    case OpKind::kAvgPool:
    case OpKind::kMaxPool:
    case OpKind::kL2Pool:
      return Cost{kPool, kind == OpKind::kAvgPool ? PoolFlops(node) : 0};
    case OpKind::kRelu:
      return Cost{kRelu};
    case OpKind::kAdd:
    case OpKind::kSub:
      return Cost{kPair};
    case OpKind::kGather:
      return Cost{kGather};
    case OpKind::kGru:
    case OpKind::kRnn:
      return Cost{kRecurrent, RecurrentFlops(node)};
    case OpKind::kReduceArgmax:
    case OpKind::kReduceLogSumExp:
    case OpKind::kCast:
    case OpKind::kAcos:
    case OpKind::kBandPart:
    case OpKind::kBatchNorm:
    case OpKind::kClip:
    case OpKind::kEqual:
    case OpKind::kGreaterEqual:
    case OpKind::kSelect:
    case OpKind::kFillLike:
    case OpKind::kGatherNd:
    case OpKind::kL2Norm:
    case OpKind::kLocalResponseNorm:
    case OpKind::kResizeBilinear:
    case OpKind::kScaledDotProductAttention:
    case OpKind::kTopk:
    case OpKind::kUpsampleNearestNeighbor:
    case OpKind::kAffine:
    case OpKind::kArgsort:
    case OpKind::kQuantize:
    case OpKind::kDequantize:
    case OpKind::kResample:
    case OpKind::kScatter:
    case OpKind::kSliceBySize:
    case OpKind::kSqueeze:
      return Cost{kMemory};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string_view BackendName(Backend backend) { return kNames[static_cast<size_t>(backend)]; }

std::optional<Backend> BackendFromName(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Backend>(found - kNames.begin());
}

std::optional<BackendCosts> EstimateCosts(const NodeView& node) {
  if (node.node().result_count == 0) return std::nullopt;
  const std::optional<Cost> cost = CostLaw(node);
  if (!cost) return std::nullopt;
  const double bytes = Bytes(node);
  BackendCosts costs;
  for (size_t i = 0; i < kBackends; ++i) {
    const double moving = cost->law.bytes[i] == 0 ? 0 : bytes / cost->law.bytes[i];
    const double computing = cost->law.flops[i] == 0 ? 0 : cost->flops / cost->law.flops[i];
    costs[i] = std::max(moving, computing);
  }
  return costs;
}

double PredictedSaving(const Graph& graph) {
  double saving = 0;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const auto costs = EstimateCosts(NodeView(graph, id));
    if (!costs || !(*costs)[static_cast<size_t>(Backend::kAne)]) continue;
    double elsewhere = std::numeric_limits<double>::infinity();
    for (const Backend other : {Backend::kBnns, Backend::kClassicCpu}) {
      const auto cost = (*costs)[static_cast<size_t>(other)];
      if (cost) elsewhere = std::min(elsewhere, *cost);
    }
    if (elsewhere == std::numeric_limits<double>::infinity()) continue;
    saving += std::max(0.0, elsewhere - *(*costs)[static_cast<size_t>(Backend::kAne)]);
  }
  return saving;
}

int64_t ProductsWorth(double milliseconds) {
  const auto& flops = kSmallLinear.flops;
  const double of_one = 1 / flops[static_cast<size_t>(Backend::kBnns)] -
                        1 / flops[static_cast<size_t>(Backend::kAne)];
  return static_cast<int64_t>(std::ceil(milliseconds / of_one / 2));
}

double ProductFlops(const NodeView& node) {
  switch (static_cast<OpKind>(node.schema().id)) {
    case OpKind::kConv:
    case OpKind::kLinear:
      return WeightFlops(node);
    case OpKind::kMatmul:
      return MatmulFlops(node);
    default:
      return 0;
  }
}

namespace {

// Returns the cost of a change between backends or, if `from` is kBackends, of a start on `to`.
double Step(size_t from, size_t to) {
  if (from == to) return 0;
  const double launch = to == static_cast<size_t>(Backend::kAne) ? kLaunch : 0;
  return launch + (from == kBackends ? 0 : kChange);
}

double End(size_t last) { return last == static_cast<size_t>(Backend::kAne) ? kEngineResult : 0; }

constexpr double kNowhere = std::numeric_limits<double>::infinity();

using Row = std::array<double, kBackends>;

// Returns, for each operation and backend, the cost of the cheapest plan that ends with this
// operation on this backend.
std::vector<Row> Forward(std::span<const BackendCosts> operations) {
  std::vector<Row> cheapest(operations.size());
  for (size_t i = 0; i < operations.size(); ++i) {
    for (size_t to = 0; to < kBackends; ++to) {
      double before = i == 0 ? Step(kBackends, to) : kNowhere;
      for (size_t from = 0; i > 0 && from < kBackends; ++from) {
        before = std::min(before, cheapest[i - 1][from] + Step(from, to));
      }
      cheapest[i][to] = operations[i][to] ? before + *operations[i][to] : kNowhere;
    }
  }
  return cheapest;
}

// Returns, for each operation and backend, the cost of the cheapest plan for the later operations
// if this operation runs on this backend. The cost of this operation does not count.
std::vector<Row> Backward(std::span<const BackendCosts> operations) {
  std::vector<Row> cheapest(operations.size());
  for (size_t i = operations.size(); i-- > 0;) {
    for (size_t from = 0; from < kBackends; ++from) {
      double after = i + 1 == operations.size() ? End(from) : kNowhere;
      for (size_t to = 0; i + 1 < operations.size() && to < kBackends; ++to) {
        if (!operations[i + 1][to]) continue;
        after = std::min(after, Step(from, to) + *operations[i + 1][to] + cheapest[i + 1][to]);
      }
      cheapest[i][from] = after;
    }
  }
  return cheapest;
}

}  // namespace

Plan CheapestPlan(std::span<const BackendCosts> operations) {
  Plan plan;
  if (operations.empty()) return plan;
  const std::vector<Row> before = Forward(operations), after = Backward(operations);
  double best = kNowhere;
  for (size_t to = 0; to < kBackends; ++to) best = std::min(best, before[0][to] + after[0][to]);
  if (best == kNowhere) return plan;
  plan.milliseconds = best;
  size_t previous = kBackends;
  double spent = 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    std::array<bool, kBackends>& possible = plan.possible.emplace_back();
    size_t chosen = kBackends;
    for (size_t to = 0; to < kBackends; ++to) {
      possible[to] = before[i][to] + after[i][to] <= best + kSameCost;
      if (!operations[i][to] || chosen != kBackends) continue;
      const double cost = spent + Step(previous, to) + *operations[i][to] + after[i][to];
      if (cost <= best + kSameCost) chosen = to;
    }
    spent += Step(previous, chosen) + *operations[i][chosen];
    previous = chosen;
    plan.backends.push_back(static_cast<Backend>(chosen));
  }
  return plan;
}

std::optional<double> CostOf(std::span<const BackendCosts> operations,
                             std::span<const Backend> way) {
  double cost = 0;
  size_t previous = kBackends;
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto to = static_cast<size_t>(way[i]);
    if (!operations[i][to]) return std::nullopt;
    cost += Step(previous, to) + *operations[i][to];
    previous = to;
  }
  return cost + (previous == kBackends ? 0 : End(previous));
}

}  // namespace anecheck
