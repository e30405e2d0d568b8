#include "harness/runners/chip_target.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/runners/machine.h"

namespace anecheck {

std::string TargetOfChip(std::string_view chip) {
  const std::vector<std::string> targets = TargetsOfChip(chip);
  return targets.empty() ? std::string() : targets.front();
}

std::string DefaultTarget() {
  std::string own = TargetOfChip(ChipName());
  return own.empty() ? "h13" : own;
}

Status CheckOwnTarget(const RunnerIdentity& identity, std::string_view target) {
  if (identity.provenance != Provenance::kSilicon) return {};
  const std::vector<std::string> own = TargetsOfChip(identity.chip);
  if (own.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("target {}: the target of this machine's chip, \"{}\", is "
                                 "unknown, so that answers of its engine cannot be judged",
                                 target, identity.chip));
  }
  if (std::ranges::find(own, target) != own.end()) return {};
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format("target {}: this machine's chip, \"{}\", has {}, and its engine's answers are "
                  "evidence of no other; name --targets {}, or an engine with --espresso-lib",
                  target, identity.chip, fmt::join(own, " or "), own.front()));
}

std::optional<Provenance> ProvedOn(const RunnerIdentity& identity, std::string_view target) {
  const std::vector<std::string> own =
      identity.proved ? TargetsOfChip(identity.chip) : std::vector<std::string>();
  return std::ranges::find(own, target) != own.end() ? identity.proved : std::nullopt;
}

}  // namespace anecheck
