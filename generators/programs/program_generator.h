// Hardware containers that the emulator can run. They are encoded from drawn graphs, for every
// generation that the encoder supports. Used by the fuzz target of the emulator and by the tests of
// its rules.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

// The generated containers keep the rules of the hwx format and those of programs
// (harness/emulator/program_rules.h); each mutation breaks only the named rule of programs.
extern const DescriptorGenerator kGenerator_program;

}  // namespace anecheck
