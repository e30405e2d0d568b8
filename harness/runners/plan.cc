#include "harness/runners/plan.h"

#include <algorithm>

namespace anecheck {

const PlannedOp* FirstElsewhere(std::span<const PlannedOp> plan) {
  const auto found = std::ranges::find_if(
      plan, [](const PlannedOp& planned) { return planned.device != Device::kAne; });
  return found == plan.end() ? nullptr : &*found;
}

}  // namespace anecheck
