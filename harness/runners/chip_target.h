// From a chip's name to the compiler targets of its engine, and the consequence for evidence: a
// chip's answers stand for its own targets and for no other.
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

// The target that is taken where none is named: that of this machine's chip or, where no engine is
// known here, h13.
std::string DefaultTarget();

// Errors: kInvalid where `identity` is that of a chip's own engine and the chip has another target.
// Simulated engines and external programs take every target.
Status CheckOwnTarget(const RunnerIdentity& identity, std::string_view target);

// The evidence of an answer on `target` if its proof was checked (RunnerIdentity::proved); nothing
// if the chip that the runner names has another target.
std::optional<Provenance> ProvedOn(const RunnerIdentity& identity, std::string_view target);

}  // namespace anecheck
