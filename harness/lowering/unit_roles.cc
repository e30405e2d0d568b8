#include "harness/lowering/unit_roles.h"

namespace anecheck {
namespace {

// Whether the unit's BiasScaleGroupData has `key`.
bool GroupHas(const netlist::Unit& unit, std::string_view key) {
  const tree::Value* group = unit.Param("BiasScaleGroupData");
  return group != nullptr && group->AsDict() != nullptr && group->AsDict()->Find(key) != nullptr;
}

}  // namespace

std::string_view ChainName(std::string_view name) {
  const size_t at = name.rfind("_tmp_");
  if (at == std::string_view::npos || at + 5 == name.size()) return name;
  const std::string_view digits = name.substr(at + 5);
  const bool numbered = digits.find_first_not_of("0123456789") == std::string_view::npos;
  return numbered ? name.substr(0, at) : name;
}

bool IsBias(const netlist::Unit& unit) {
  return unit.type == "GOC" && GroupHas(unit, "BiasCount") && !GroupHas(unit, "ScaleCount");
}

bool IsGainOffset(const netlist::Unit& unit) {
  return GroupHas(unit, "BiasCount") && GroupHas(unit, "ScaleCount");
}

}  // namespace anecheck
