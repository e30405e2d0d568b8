// Probes of parts that only a Mac has: its service, its signatures, its surfaces. They are in the
// table of `anecheck probe --runtime` on every machine; on other systems each is reported as
// unmeasured.
#pragma once

#include <span>

#include "harness/probe/runtime_probe.h"

namespace anecheck {

// Not a part of RuntimeProbes(), which any engine behind the interface can answer.
std::span<const RuntimeProbe> MacProbes();

}  // namespace anecheck
