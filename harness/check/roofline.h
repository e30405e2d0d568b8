// The roofline of an operation has two times: that of its products at the engine's fitted peak, and
// that of its bytes at the fitted bandwidth. The longer of the two is the estimate for the
// operation. Source: facts/more/cost_model.csv (public guide, chapter 18), which has fits for the
// M1 and the M5 only.
#pragma once

#include <string_view>

#include "harness/graph/graph.h"

namespace anecheck {

struct RooflineChip {
  std::string_view target;  // compiler name
  std::string_view chip;
  double flops_per_ms = 0;
  double bytes_per_ms = 0;
  double dispatch_ms = 0;  // the fixed time of each dispatch
};
// Null for a target without a fit.
const RooflineChip* FindRoofline(std::string_view target);

struct Roofline {
  double flops = 0;  // two operations for each product of a convolution, a linear map or a matmul
  double bytes = 0;  // operands, including constants, and results
  double compute_ms = 0;
  double memory_ms = 0;
  bool memory_bound() const { return memory_ms >= compute_ms; }
  double milliseconds() const { return memory_bound() ? memory_ms : compute_ms; }
};
Roofline RooflineOf(const NodeView& node, const RooflineChip& chip);

}  // namespace anecheck
