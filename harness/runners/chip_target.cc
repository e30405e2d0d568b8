#include "harness/runners/chip_target.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/runners/machine.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

// The text up to the next `end`, which is taken off `text`.
std::string_view Next(char end, std::string_view& text) {
  const size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

struct Chip {
  std::string_view generation, variant;  // "M1", "Max"
};

// Whether "M1 Pro/Max/Ultra" or "M5 Pro-class (measured)" names the chip.
bool NamesOne(std::string_view name, const Chip& chip) {
  constexpr std::string_view kClass = "-class";
  if (Next(' ', name) != chip.generation) return false;
  std::string_view variants = Next(' ', name);
  if (variants.ends_with(kClass)) variants.remove_suffix(kClass.size());
  if (chip.variant.empty() || variants.empty()) return chip.variant == variants;
  while (!variants.empty()) {
    if (Next('/', variants) == chip.variant) return true;
  }
  return false;
}

// A row's words hold several names: "A17 Pro, M4".
bool Names(std::string_view row, const Chip& chip) {
  while (!row.empty()) {
    std::string_view name = Next(',', row);
    while (name.starts_with(' ')) name.remove_prefix(1);
    if (NamesOne(name, chip)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> TargetsOfChip(std::string_view chip) {
  constexpr std::string_view kMaker = "Apple ";
  if (chip.starts_with(kMaker)) chip.remove_prefix(kMaker.size());
  const std::string_view generation = Next(' ', chip);
  const Chip asked = {generation, Next(' ', chip)};
  std::vector<std::string> targets;
  if (generation.empty()) return targets;
  for (const Target& target : TargetCatalog::Builtin().targets()) {
    const auto rows = target.chips.statements();
    const bool named = std::ranges::any_of(
        rows, [&](const SourcedValue<std::string>& row) { return Names(row.value, asked); });
    if (named) targets.push_back(target.compiler_name);
  }
  return targets;
}

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
