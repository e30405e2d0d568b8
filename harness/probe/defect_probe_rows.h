// Probes of documented defects that random graphs seldom or never meet: single programs whose
// answer identifies the defect.
#pragma once

#include <span>

#include "harness/probe/runtime_probe.h"

namespace anecheck {

// A part of RuntimeProbes(). Probes of native layers use network descriptions, which only the
// simulated engine takes; with other engines such a probe is kUnsupported.
std::span<const RuntimeProbe> DefectProbes();

}  // namespace anecheck
