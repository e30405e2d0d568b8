// The kinds of tests that can detect the rows of the fault table.
#pragma once

#include "harness/device/fault.h"

namespace anecheck::device::testing {

// Returns whether the fault is visible only in a child process.
inline bool NeedsProcess(const Fault& fault) {
  return fault.kind == FaultKind::kCrash || fault.kind == FaultKind::kHang ||
         fault.effect == FaultEffect::kCompileLeak || fault.effect == FaultEffect::kRunLeak ||
         fault.effect == FaultEffect::kCompileSlow || fault.effect == FaultEffect::kRunPrints ||
         fault.effect == FaultEffect::kRunSlow;
}
// Returns whether the fault is visible only through the e5rt layer.
inline bool NeedsAbi(const Fault& fault) {
  if (fault.mechanism == FaultMechanism::kFile) return true;
  switch (fault.effect) {
    case FaultEffect::kFallBack:
    case FaultEffect::kWrongMessage:
      return true;
    case FaultEffect::kOverrun:
    case FaultEffect::kNeighbour:
    case FaultEffect::kUninitialised:
      return false;
    default:
      return fault.mechanism == FaultMechanism::kRuntime &&
             fault.effect != FaultEffect::kStaleEverySecondRun;
  }
}

}  // namespace anecheck::device::testing
