// Returns the command line that repeats a command, and the mark of the simulated engine's results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/cli/command_line.h"
#include "harness/verdict/provenance.h"

namespace anecheck {

// Returns the subcommand with the given options, quoted for a shell. Adds `seed` as --seed if
// --seed was not given, and `further` after the options.
std::string TypedCommand(const CommandLine& command, std::optional<uint64_t> seed = std::nullopt,
                         const std::string& further = {});

// Returns "SIMULATED: " if the results come from the simulated engine, else an empty string. Every
// text about results begins with it.
std::string_view EvidenceMark(std::optional<Provenance> provenance);

}  // namespace anecheck
