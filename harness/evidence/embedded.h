// The data files of this room, embedded in the tool.
#pragma once

#include <string_view>

namespace anecheck::evidence_data {

extern const std::string_view kPublished;
extern const std::string_view kConflicts;
extern const std::string_view kAliases;

}  // namespace anecheck::evidence_data
