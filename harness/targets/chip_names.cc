#include "harness/targets/chip_names.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/json_fields.h"
#include "harness/base/lower_case.h"
#include "harness/targets/embedded.h"

namespace anecheck {
namespace {

// Normalises a name, so that "Apple M4 Max", "m4 max" and "M4Max" are equal.
std::string Plain(std::string_view chip) {
  constexpr std::string_view kMaker = "apple";
  std::string plain = LowerCase(chip);
  std::erase_if(plain, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  if (plain.starts_with(kMaker)) plain.erase(0, kMaker.size());
  return plain;
}

// Returns the part of `name` after `prefix`, ignoring case; nothing if it has no such prefix.
std::optional<std::string_view> After(std::string_view prefix, std::string_view name) {
  if (LowerCase(name.substr(0, prefix.size())) != prefix) return std::nullopt;
  return name.substr(prefix.size());
}

Result<std::vector<Chip>> ReadChips(std::string_view text) {
  constexpr const char* kFile = "chips.json";
  std::vector<Chip> chips;
  ANECHECK_ASSIGN(const Json document, json_fields::ParseDocument(text, kFile));
  ANECHECK_ASSIGN(const auto rows, json_fields::Array(document, "chips", kFile));
  for (const Json* row : rows) {
    Chip& chip = chips.emplace_back();
    ANECHECK_ASSIGN(chip.name, json_fields::String(*row, "chip", kFile));
    ANECHECK_ASSIGN(const auto targets, json_fields::Array(*row, "target", chip.name));
    for (const Json* target : targets) {
      ANECHECK_ASSIGN(std::string value, json_fields::String(*target, "value", chip.name));
      ANECHECK_ASSIGN(std::string source, json_fields::String(*target, "source", chip.name));
      chip.target.Add({std::move(value), std::move(source), ""});
    }
  }
  return chips;
}

const Target* OwnName(const TargetCatalog& catalog, std::string_view lower) {
  for (const Target& target : catalog.targets()) {
    if (LowerCase(target.name) == lower) return &target;
  }
  return nullptr;
}

const Target* FirstOfFamily(const TargetCatalog& catalog, std::string_view label) {
  // Tiers such as "legacy" are no families.
  if (LowerCase(label.substr(0, 2)) != "a1") return nullptr;
  const std::string wanted = LowerCase(label);
  for (const Target& target : catalog.targets()) {
    if (LowerCase(TierName(target.tier)) == wanted) return &target;
  }
  return nullptr;
}

// Returns the error for a name that is the label of a family and may also mean a chip.
Error Ambiguous(std::string_view name, const std::vector<std::string>& of_chip,
                const Target& labelled) {
  const std::string label = LowerCase(labelled.name);
  std::vector<std::string> meanings, ways;
  if (!of_chip.empty()) {
    meanings.push_back("the chip with target " + of_chip.front());
    ways.push_back(of_chip.front());
  }
  for (const std::string& chip : ChipsBeginning(name)) {
    if (!of_chip.empty()) break;
    meanings.push_back(
        fmt::format("the chip {} with target {}", chip, TargetsOfChip(chip).front()));
    ways.push_back(fmt::format("\"{}\"", chip));
  }
  if (meanings.empty()) {
    meanings.emplace_back("a chip of that generation");
    ways.push_back(label);
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("\"{0}\" may be {1}, or the family with target {2}: write {3}, or "
                               "family:{0}",
                               name, fmt::join(meanings, ", or "), label, fmt::join(ways, ", ")));
}

}  // namespace

std::span<const Chip> Chips() {
  static const std::vector<Chip> chips = [] {
    auto read = ReadChips(targets_data::kChips);
    if (read.ok()) return std::move(*read);
    // The embedded text is part of the program, so an error here is a defect of the build.
    std::fprintf(stderr, "embedded chips.json: %s\n", read.error().message.c_str());
    std::abort();
  }();
  return chips;
}

std::vector<std::string> TargetsOfChip(std::string_view chip) {
  for (const Chip& known : Chips()) {
    if (Plain(known.name) == Plain(chip)) return known.target.values();
  }
  return {};
}

std::vector<std::string> ChipsOf(std::string_view target) {
  std::vector<std::string> chips;
  for (const Chip& chip : Chips()) {
    if (chip.target.known() && chip.target.value() == LowerCase(target)) chips.push_back(chip.name);
  }
  return chips;
}

std::vector<std::string> ChipsBeginning(std::string_view text) {
  std::vector<std::string> chips;
  const std::string first = Plain(text);
  for (const Chip& chip : Chips()) {
    if (!first.empty() && Plain(chip.name).starts_with(first)) chips.push_back(chip.name);
  }
  return chips;
}

Result<const Target*> FindTargetByChip(const TargetCatalog& catalog, std::string_view name) {
  if (const auto label = After("family:", name)) {
    const Target* const first = FirstOfFamily(catalog, *label);
    if (first != nullptr) return first;
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("no family has the label \"{}\"; there are A13 to A18", *label));
  }
  const auto told = After("chip:", name);
  const std::vector<std::string> targets = TargetsOfChip(told.value_or(name));
  const Target* const labelled = told ? nullptr : FirstOfFamily(catalog, name);
  if (labelled != nullptr) return Ambiguous(name, targets, *labelled);
  if (targets.empty()) {
    if (!told) return static_cast<const Target*>(nullptr);
    return MakeError(ErrorCode::kNotFound, fmt::format("unknown chip \"{}\"", *told));
  }
  const Target* const found = OwnName(catalog, targets.front());
  if (found != nullptr) return found;
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("chip \"{}\" has target {}, for which there is no table", name, targets.front()));
}

std::string ChipsText(const Target& target) {
  const std::vector<std::string> chips = ChipsOf(target.name);
  if (!chips.empty()) return fmt::format("{}", fmt::join(chips, ", "));
  return target.chips ? target.chips.value() : "";
}

std::string TargetTitle(std::string_view target) {
  const std::vector<std::string> chips = ChipsOf(target);
  return chips.empty() ? std::string(target)
                       : fmt::format("{} ({})", target, fmt::join(chips, ", "));
}

}  // namespace anecheck
