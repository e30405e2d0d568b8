// Probes of parts of a Mac alone: its service, its signatures, its surfaces. They stand in the
// table of `anecheck probe --runtime` on every machine; elsewhere each is unmeasured and says so.
#pragma once

#include <span>

#include "harness/probe/runtime_probe.h"

namespace anecheck {

// Not a part of RuntimeProbes(), which any engine of the interface answers.
std::span<const RuntimeProbe> MacProbes();

}  // namespace anecheck
