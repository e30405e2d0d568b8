// Valid IREE modules of every form from a choice stream, and their mutations. Used by the tests,
// the fuzz target and `anecheck gen --format vmfb`.
#pragma once

#include "generators/choice_stream.h"
#include "generators/formats/descriptor_generator.h"

namespace anecheck {

// Draws a module of the form of specification 002, with `functions` functions (at least one) and as
// many debug locations. The benchmark needs large modules.
Bytes Generate2019Module(ChoiceStream& choices, uint32_t functions,
                         const char* identifier = "IREE");

extern const DescriptorGenerator kGenerator_vmfb;

}  // namespace anecheck
