// The data files of harness/targets/data, which the build embeds
// (scripts/cmake/AnecheckEmbed.cmake).
#pragma once

#include <string_view>

namespace anecheck::targets_data {

extern const std::string_view kTargets;
extern const std::string_view kHal;
extern const std::string_view kHal10266;
extern const std::string_view kLimits;
extern const std::string_view kInterchange;
extern const std::string_view kFloors;
extern const std::string_view kChips;

}  // namespace anecheck::targets_data
