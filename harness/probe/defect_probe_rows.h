// Probes of documented defects that random graphs seldom or never trigger. Each probe is a program
// whose result shows whether the engine has the defect.
#pragma once

#include <span>

#include "harness/probe/runtime_probe.h"

namespace anecheck {

// Returns a part of RuntimeProbes(). Probes of native layers use network descriptions, which only
// the simulated engine accepts. With other engines these probes fail with kUnsupported.
std::span<const RuntimeProbe> DefectProbes();

}  // namespace anecheck
