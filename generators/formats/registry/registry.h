// The list of all generators of files (generators.def), one per format. Used by the structured
// mutator's library, `anecheck gen` and `anecheck fuzz`.
#pragma once

#include <span>
#include <string_view>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

std::span<const DescriptorGenerator* const> AllGenerators();

// Returns the generator of the format called `name`, or null if it has none.
const DescriptorGenerator* FindGenerator(std::string_view name);

}  // namespace anecheck
