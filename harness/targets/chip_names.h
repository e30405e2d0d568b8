// Names of products, and labels of families, as ways to name a target. Used by TargetCatalog::Find
// and by commands that show targets.
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

// A product and the compiler target that its engine has.
struct Chip {
  std::string name;           // "M4 Max"
  Known<std::string> target;  // in lower case, as "h16g"; some have no table here
};

// Those of harness/targets/data/chips.json, in its order.
std::span<const Chip> Chips();

// The targets that sources give of a chip ("Apple M1 Max", "m1 max"), in lower case, the strongest
// source first; none for an unknown chip.
std::vector<std::string> TargetsOfChip(std::string_view chip);
// The chips whose strongest source gives this target, in order.
std::vector<std::string> ChipsOf(std::string_view target);

// The target of a chip ("M4 Max", "Apple M1", "chip:A14") or of a family's label with the word
// before it ("family:A14": its first target), in any case; null for a name that is neither. Errors:
// kInvalid, with both readings, for a name that may be a chip and a label; kNotFound for a chip
// whose target has no table in the catalog, and behind "chip:" and "family:" for unknown names.
Result<const Target*> FindTargetByChip(const TargetCatalog& catalog, std::string_view name);

// The chips that have a target, for people: "A14, M1"; where none is known, the table's words.
std::string ChipsText(const Target& target);
// A target with its chips for people: "h13 (A14, M1)".
std::string TargetTitle(std::string_view target);

}  // namespace anecheck
