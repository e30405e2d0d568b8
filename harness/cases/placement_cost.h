// The backend on which Core ML's planner would run each operation: published estimates of an
// operation's cost on each processor, and the cheapest way through the model. Core ML does not give
// the engine every operation that it admits: small models stay on the CPU.
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

// The cost of an operation on each backend, in milliseconds; none for a backend without it.
using BackendCosts = std::array<std::optional<double>, kBackends>;

// The published laws, at the clocks of the M4. Nothing where no source gives one of the operation
// ("no estimate"). Source: facts/silicon/cost_model.csv and op_placement_h16g.csv.
std::optional<BackendCosts> EstimateCosts(const NodeView& node);

// Two operations a product of a convolution, a linear map or a matmul; 0 for any other operation.
double ProductFlops(const NodeView& node);

struct Plan {
  double milliseconds = 0;
  // One backend an operation: a cheapest way, which prefers the engine, then bnns.
  std::vector<Backend> backends;
  // By operation and backend, whether some cheapest way runs the operation there.
  std::vector<std::array<bool, kBackends>> possible;
};

// The cheapest way through operations in their order: their own costs, 0.125 ms for each entry into
// the engine and for each change of backend, and 0.05 ms where the engine gives the result. Ways
// whose costs differ by less than a nanosecond are equal. Empty where an operation runs nowhere.
Plan CheapestPlan(std::span<const BackendCosts> operations);
// By how many milliseconds the engine computes the graph's operations faster than the faster of the
// others, launches and changes of backend left out. Operations without an estimate, and those that
// the engine lacks, save nothing.
double PredictedSaving(const Graph& graph);
// How many products of a linear map of a small weight, of less than 2^15 elements, save so much.
int64_t ProductsWorth(double milliseconds);

// The cost of one placement; none if it puts an operation on a backend without it.
std::optional<double> CostOf(std::span<const BackendCosts> operations,
                             std::span<const Backend> way);

}  // namespace anecheck
