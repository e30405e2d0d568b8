// Probes of parts that only macOS has: its service, its signatures, its surfaces. `anecheck probe
// --runtime` lists them on every machine, and reports them as unmeasured on other systems.
#pragma once

#include <span>

#include "harness/probe/runtime_probe.h"

namespace anecheck {

// These probes are not part of RuntimeProbes(), which work with any engine of the interface.
std::span<const RuntimeProbe> MacProbes();

}  // namespace anecheck
