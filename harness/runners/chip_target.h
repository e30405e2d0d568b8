// The compiler targets of a chip's engine by the chip's name, and the rule for evidence: a chip's
// answers are evidence only of its own targets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/runners/runner.h"
#include "harness/targets/chip_names.h"

namespace anecheck {

// The target of the strongest source (harness/targets/chip_names.h); empty for an unknown chip.
std::string TargetOfChip(std::string_view chip);

// The default target: that of this machine's chip, or h13 if its engine is unknown.
std::string DefaultTarget();

// Errors: kInvalid if `identity` is that of a chip's own engine and the chip has another target.
// Simulated engines and external programs take every target.
Status CheckOwnTarget(const RunnerIdentity& identity, std::string_view target);

// The evidence of an answer on `target` if its proof was checked (RunnerIdentity::proved); empty if
// the chip that the runner names has another target.
std::optional<Provenance> ProvedOn(const RunnerIdentity& identity, std::string_view target);

}  // namespace anecheck
