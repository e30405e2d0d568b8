// Reads an engine's analytics file, which names the backend on which a program was placed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace anecheck {

// The name that analytics give to the Neural Engine itself.
inline constexpr std::string_view kEngineBackend = "ane";

// Returns the backend that `text` names in entries such as `SelectedBackend = string("ane")`, one
// for each operation (specification 001, section 1). It is the engine if all entries name the
// engine, else the first other backend. Empty if no backend is named or the text ends inside a
// name.
std::string BackendInAnalytics(std::string_view text);

// Returns whether `text` is about a program with these ports and operations. `text` must contain
// each port's name, and at least one of `operations` unless that list is empty, as whole words.
// Callers need this test because analytics of another program prove nothing about this program.
bool SpeaksOf(std::string_view text, std::span<const std::string> ports,
              std::span<const std::string> operations);

// Returns whether the simulated engine wrote `text`. Its analytics contain its name.
bool SaysSimulated(std::string_view text);

// Returns whether `text` proves that an engine ran a program with these ports and operations. It
// does if it is about that program, it places every operation on the engine, and the simulated
// engine did not write it. The result is false if `operations` is empty.
bool ProvesEngine(std::string_view text, std::span<const std::string> ports,
                  std::span<const std::string> operations);

}  // namespace anecheck
