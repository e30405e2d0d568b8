// Predicts the backend on which Core ML's planner runs each operation: from published estimates of
// an operation's cost on each processor, it finds the cheapest processor for each operation of the
// model. Core ML does not place every admitted operation on the engine: small models stay on the
// CPU.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// The processors of the published plans, by the planner's own names: "ane", "bnns", "classic_cpu".
enum class Backend : uint8_t { kAne, kBnns, kClassicCpu };
inline constexpr size_t kBackends = 3;
std::string_view BackendName(Backend backend);
std::optional<Backend> BackendFromName(std::string_view name);

// The cost of an operation on each backend, in milliseconds; none for a backend that lacks the
// operation.
using BackendCosts = std::array<std::optional<double>, kBackends>;

// The costs by the published formulas, at the clocks of the M4. Empty if no source has a formula
// for the operation ("no estimate"). Source: facts/silicon/cost_model.csv and
// op_placement_h16g.csv.
std::optional<BackendCosts> EstimateCosts(const NodeView& node);

// Two operations per product of a convolution, a linear map or a matmul; 0 for any other node.
double ProductFlops(const NodeView& node);

struct Plan {
  double milliseconds = 0;
  // One backend per operation. If several plans are cheapest, this is the plan that prefers the
  // engine, then bnns.
  std::vector<Backend> backends;
  // For each operation and backend, whether some cheapest plan runs the operation on this backend.
  std::vector<std::array<bool, kBackends>> possible;
};

// The cheapest plan for operations that run in this order. The cost of a plan is the sum of its
// operations' costs, 0.125 ms for each entry into the engine, 0.125 ms for each change of backend,
// and 0.05 ms if the last operation runs on the engine. Costs that differ by at most a nanosecond
// count as equal. Empty if an operation has no backend.
Plan CheapestPlan(std::span<const BackendCosts> operations);
// The milliseconds that the engine saves on the graph's operations against the faster of the other
// backends, without launches and changes of backend. Operations without an estimate, and those that
// the engine lacks, save nothing.
double PredictedSaving(const Graph& graph);
// The least number of products that save `milliseconds` on the engine, in a linear map with a
// weight of less than 2^15 elements.
int64_t ProductsWorth(double milliseconds);

// The cost of one placement; none if it puts an operation on a backend that lacks the operation.
std::optional<double> CostOf(std::span<const BackendCosts> operations,
                             std::span<const Backend> way);

}  // namespace anecheck
