// Probes of documented defects that random graphs seldom or never meet: single programs whose
// answer tells the defect.
#pragma once

#include <span>

#include "harness/probe/runtime_probe.h"

namespace anecheck {

// A part of RuntimeProbes(). Native layers are asked through network descriptions, which the
// simulated engine alone takes; elsewhere such a probe is kUnsupported.
std::span<const RuntimeProbe> DefectProbes();

}  // namespace anecheck
