// A command line as a person would type it to get the same again, and how results of the simulated
// engine are marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/cli/command_line.h"
#include "harness/verdict/provenance.h"

namespace anecheck {

// The subcommand with the options that were given, each word as a shell reads it. `seed`, where
// given, is added as --seed where that was left at its default, and `further` behind the options.
std::string TypedCommand(const CommandLine& command, std::optional<uint64_t> seed = std::nullopt,
                         const std::string& further = {});

// "SIMULATED: " for that provenance, else nothing: begins every text that tells of results.
std::string_view EvidenceMark(std::optional<Provenance> provenance);

}  // namespace anecheck
