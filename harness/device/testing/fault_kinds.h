// Decides which kind of test can show a row of the fault table.
#pragma once

#include "harness/device/fault.h"

namespace anecheck::device::testing {

// Effects that only a child process or the e5rt layer shows.
inline bool NeedsProcess(const Fault& fault) {
  return fault.kind == FaultKind::kCrash || fault.kind == FaultKind::kHang ||
         fault.effect == FaultEffect::kCompileLeak || fault.effect == FaultEffect::kRunLeak ||
         fault.effect == FaultEffect::kCompileSlow || fault.effect == FaultEffect::kRunPrints ||
         fault.effect == FaultEffect::kRunSlow;
}
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
