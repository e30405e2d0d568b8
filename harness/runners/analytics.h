// The content of an engine's analytics file: the backend on which a program was placed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace anecheck {

// How analytics name the engine itself.
inline constexpr std::string_view kEngineBackend = "ane";

// The backend that `text` names for every operation, `SelectedBackend = string("ane")`
// (specification 001, section 1): the engine where all are placed there, else the first other one.
// Nothing where none is named or the text breaks off in a name.
std::string BackendInAnalytics(std::string_view text);

// Whether `text` speaks of a program with these names of ports and one of these operations: each
// name, and at least one operation, stands in it as a whole word. Without operations none is asked
// for. An engine's file about another program proves nothing of this one.
bool SpeaksOf(std::string_view text, std::span<const std::string> ports,
              std::span<const std::string> operations);

// Whether the simulated engine wrote `text`: its analytics carry its name.
bool SaysSimulated(std::string_view text);

// Whether `text` proves that an engine ran a program of these ports and operations: every operation
// of it is placed there, it speaks of that program, and the simulated engine did not write it.
bool ProvesEngine(std::string_view text, std::span<const std::string> ports,
                  std::span<const std::string> operations);

}  // namespace anecheck
