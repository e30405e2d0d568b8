// Predicts the backend on which Core ML's planner runs each operation of a model. Finds the
// cheapest plan from published estimates of an operation's cost on each backend. Core ML does not
// run every operation that the engine admits on the engine; small models stay on the CPU.
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

// An operation's cost in milliseconds on each backend; empty if the backend lacks the operation.
using BackendCosts = std::array<std::optional<double>, kBackends>;

// Returns the costs by the published formulas, at the clock rates of the M4. Empty if no source has
// a formula for the operation ("no estimate"). Source: facts/silicon/cost_model.csv and
// op_placement_h16g.csv.
std::optional<BackendCosts> EstimateCosts(const NodeView& node);

// Returns two operations per product of a convolution, linear map or matmul; 0 for other nodes.
double ProductFlops(const NodeView& node);

struct Plan {
  double milliseconds = 0;
  // One backend per operation. Of several cheapest plans, the one that prefers the engine, then
  // bnns.
  std::vector<Backend> backends;
  // For each operation and backend, whether some cheapest plan runs the operation on this backend.
  std::vector<std::array<bool, kBackends>> possible;
};

// Returns the cheapest plan for operations that run in this order. The cost of a plan is the sum of
// its operations' costs, 0.125 ms for each entry into the engine, 0.125 ms for each change of
// backend, and 0.05 ms if the last operation runs on the engine. Costs that differ by at most a
// nanosecond count as equal. Empty if an operation has no backend.
Plan CheapestPlan(std::span<const BackendCosts> operations);
// Returns the milliseconds that the engine saves on the graph's operations compared with the faster
// of the other backends. Launches and changes of backend are not counted. Operations without an
// estimate, and those that the engine lacks, save nothing.
double PredictedSaving(const Graph& graph);
// Returns the least number of products for which the engine saves `milliseconds` in a linear map
// with a weight of less than 2^15 elements.
int64_t ProductsWorth(double milliseconds);

// Returns the cost of the plan `way`; empty if a chosen backend lacks its operation.
std::optional<double> CostOf(std::span<const BackendCosts> operations,
                             std::span<const Backend> way);

}  // namespace anecheck
