// What an engine's analytics file says: on which backend a program was placed.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// The backend that `text` names first, `SelectedBackend = string("ane")` (specification 001,
// section 1), or nothing.
std::string BackendInAnalytics(std::string_view text);

// Whether the simulated engine wrote `text`: its analytics carry its name.
bool SaysSimulated(std::string_view text);

}  // namespace anecheck
