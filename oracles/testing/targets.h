// Runs code with each instruction set for which it is compiled. Used by tests.
#pragma once

#include <hwy/targets.h>

namespace anecheck::testing {

// Calls body(name) for every instruction set of this machine, with the code for it selected.
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
