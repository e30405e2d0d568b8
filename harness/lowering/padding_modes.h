// Translates the modes of `pad` to and from their names in network descriptions (facts/enums.json,
// ZinIrPaddingMode). Assumed: a Padding layer has the keys PaddingMode and BackgroundValue, as
// other layers in public files have them. facts/netlist_layers.csv names the keys "mode" and
// "extents" instead.
#pragma once

#include <string_view>

namespace anecheck {

// The mode that uses BackgroundValue.
inline constexpr std::string_view kBackground = "Background";

struct PaddingName {
  std::string_view mode, name;
};
inline constexpr PaddingName kPaddingNames[] = {
    {"constant", "Zero"},       {"constant", kBackground}, {"replicate", "Replication"},
    {"symmetric", "Symmetric"}, {"reflect", "Reflective"},
};

// Returns the name in network descriptions; empty for other modes.
constexpr std::string_view PaddingModeOf(std::string_view mode, double value) {
  for (const PaddingName& row : kPaddingNames) {
    if (row.mode == mode && (mode != "constant" || (row.name == kBackground) == (value != 0))) {
      return row.name;
    }
  }
  return {};
}
// Returns the mode of `pad` with that name; empty for other names.
constexpr std::string_view ModeOfPadding(std::string_view name) {
  for (const PaddingName& row : kPaddingNames) {
    if (row.name == name) return row.mode;
  }
  return {};
}

}  // namespace anecheck
