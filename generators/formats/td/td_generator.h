// Task descriptor chains from a choice stream: every generation and coding, chains of one to four
// tasks, whole and split register blocks, padding. Used by the tests, the fuzz targets and the hwx
// generator.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/td/td.h"

namespace anecheck {

// A valid chain of `generation`, laid out.
td::Chain GenerateChain(const td::Generation& generation, ChoiceStream& choices);

// A task that writes the seven blocks of version 7 in the order of real files, with a coefficient
// base for each of 16 lanes; zero except for values that `choices` draws.
td::Task GenerateWholeV7Task(ChoiceStream& choices);

extern const DescriptorGenerator kGenerator_td;

}  // namespace anecheck
