// The data files of this folder, embedded in the tool.
#pragma once

#include <string_view>

namespace anecheck::legality_data {

extern const std::string_view kOperations;
extern const std::string_view kLayers;
extern const std::string_view kRules;

}  // namespace anecheck::legality_data
