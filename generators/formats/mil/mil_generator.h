// The generator of MIL texts: every form of the grammar, in standard and in odd layouts. Used by
// `anecheck gen --format mil`, the fuzz targets and the tests.
#pragma once

#include <string>

#include "generators/choice_stream.h"
#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_mil;

// The text that kGenerator_mil makes. It breaks no rule. Its operations are a small vocabulary with
// arguments that need not make sense together: only the text is valid, not the model.
std::string GenerateMilText(ChoiceStream& choices);

}  // namespace anecheck
