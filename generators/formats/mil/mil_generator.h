// The generator of MIL texts. It draws every form of the grammar, in the standard layout and in
// unusual layouts. Used by `anecheck gen --format mil`, the fuzz targets and the tests.
#pragma once

#include <string>

#include "generators/choice_stream.h"
#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_mil;

// Draws the text that kGenerator_mil makes. The text breaks no rule. It has few kinds of
// operations, and their arguments need not fit together. Only the text is valid.
std::string GenerateMilText(ChoiceStream& choices);

}  // namespace anecheck
