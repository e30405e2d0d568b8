// The kinds of tests that can show the rows of the fault table.
#pragma once

#include "harness/device/fault.h"

namespace anecheck::device::testing {

// Whether only a child process shows the fault.
inline bool NeedsProcess(const Fault& fault) {
  return fault.kind == FaultKind::kCrash || fault.kind == FaultKind::kHang ||
         fault.effect == FaultEffect::kCompileLeak || fault.effect == FaultEffect::kRunLeak ||
         fault.effect == FaultEffect::kCompileSlow || fault.effect == FaultEffect::kRunPrints ||
         fault.effect == FaultEffect::kRunSlow;
}
// Whether only the e5rt layer shows the fault.
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
