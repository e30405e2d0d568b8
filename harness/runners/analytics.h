// What an engine's analytics file says: on which backend a program was placed.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// How analytics name the engine itself.
inline constexpr std::string_view kEngineBackend = "ane";

// The backend that `text` names for every operation, `SelectedBackend = string("ane")`
// (specification 001, section 1): the engine where all are placed there, else the first other one.
// Nothing where none is named or the text breaks off in a name.
std::string BackendInAnalytics(std::string_view text);

// Whether the simulated engine wrote `text`: its analytics carry its name.
bool SaysSimulated(std::string_view text);

}  // namespace anecheck
