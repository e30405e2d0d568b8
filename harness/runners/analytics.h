// The content of an engine's analytics file: the backend on which a program was placed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace anecheck {

// The name of the engine itself in analytics.
inline constexpr std::string_view kEngineBackend = "ane";

// Returns the backend that `text` names, as `SelectedBackend = string("ane")` for each operation
// (specification 001, section 1). It is the engine if all operations are placed there, else the
// first other backend. Empty if no backend is named or the text ends inside a name.
std::string BackendInAnalytics(std::string_view text);

// Whether `text` is about a program with these ports and one of these operations: it must contain
// each name, and at least one operation, as a whole word. An empty list of operations requires
// none. An engine's file about another program proves nothing about this one.
bool SpeaksOf(std::string_view text, std::span<const std::string> ports,
              std::span<const std::string> operations);

// Whether the simulated engine wrote `text`: its analytics carry its name.
bool SaysSimulated(std::string_view text);

// Whether `text` proves that an engine ran a program of these ports and operations: every operation
// in it is placed on the engine, it is about that program, and the simulated engine did not write
// it. Without `operations` no text proves anything.
bool ProvesEngine(std::string_view text, std::span<const std::string> ports,
                  std::span<const std::string> operations);

}  // namespace anecheck
