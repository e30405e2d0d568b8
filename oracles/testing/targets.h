// Runs code with each instruction set for which it is compiled. Used by tests.
#pragma once

#include <hwy/targets.h>

namespace anecheck::testing {

// Calls body(name) for every instruction set that this machine has, with that code selected.
template <typename Body>
void ForEachTarget(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace anecheck::testing
