// The compiler targets of a chip's engine, by the name of the chip. A chip's answers are evidence
// only about the chip's own targets; these functions apply that rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/runners/runner.h"
#include "harness/targets/chip_names.h"

namespace anecheck {

// Returns the target from the strongest source (harness/targets/chip_names.h), or empty.
std::string TargetOfChip(std::string_view chip);

// Returns the default target, which is that of this machine's chip, or h13 if that chip is unknown.
std::string DefaultTarget();

// Errors: kInvalid if `identity` is that of a chip's own engine and `target` is none of the chip's
// targets. Simulated engines and external programs take every target.
Status CheckOwnTarget(const RunnerIdentity& identity, std::string_view target);

// Returns the provenance of an answer on `target` whose proof was checked (RunnerIdentity::proved).
// Empty if `target` is none of the targets of the chip that the runner names.
std::optional<Provenance> ProvedOn(const RunnerIdentity& identity, std::string_view target);

}  // namespace anecheck
