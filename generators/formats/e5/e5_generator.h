// Valid dispatch descriptors from a choice stream, and their mutations. Used by the tests, the fuzz
// target and `anecheck gen --format e5`.
#pragma once

#include "generators/choice_stream.h"
#include "generators/formats/descriptor_generator.h"
#include "harness/formats/e5/e5.h"

namespace anecheck {

// Draws an outline of a compiler, with up to three inputs and outputs, five states and four
// segments.
e5::Outline GenerateE5Outline(ChoiceStream& choices);

extern const DescriptorGenerator kGenerator_e5;

}  // namespace anecheck
