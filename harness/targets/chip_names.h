// Finds targets by the names of products and the labels of families. TargetCatalog::Find and
// commands that show targets use it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/targets/catalog.h"
#include "harness/targets/known.h"

namespace anecheck {

// A product and the compiler target of its engine.
struct Chip {
  std::string name;           // "M4 Max"
  Known<std::string> target;  // in lower case: "h16g"; some have no table here
};

// Returns the chips of harness/targets/data/chips.json, in the order of the file.
std::span<const Chip> Chips();

// Returns the targets that sources state for a chip ("Apple M1 Max", "m1 max"), in lower case, the
// strongest source first; empty for an unknown chip.
std::vector<std::string> TargetsOfChip(std::string_view chip);
// Returns the chips whose strongest source states this target, in order.
std::vector<std::string> ChipsOf(std::string_view target);

// Returns the chips whose names begin with this text, in order: "A17 Pro" for "a17".
std::vector<std::string> ChipsBeginning(std::string_view text);

// Returns the target of a chip ("M4 Max", "Apple M1", "chip:A14"), or the first target of a family
// ("family:A14"), in upper or lower case; null for a name that is neither. Errors: kInvalid for a
// label of a family without "family:", which may also mean a chip; kNotFound for a chip whose
// target has no table in the catalog, and for unknown names after "chip:" and "family:".
Result<const Target*> FindTargetByChip(const TargetCatalog& catalog, std::string_view name);

// Returns the chips with a target, for people, such as "A14, M1". If no chip is known, returns
// Target::chips, or "" if that is unknown.
std::string ChipsText(const Target& target);
// Returns a target with its chips, for people, such as "h13 (A14, M1)".
std::string TargetTitle(std::string_view target);

}  // namespace anecheck
