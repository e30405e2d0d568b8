// Draws chains of one to four task descriptors from a choice stream. They have every generation and
// coding, whole and split register blocks, and padding. Used by the tests, the fuzz targets and the
// hwx generator.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/td/td.h"

namespace anecheck {

// Draws a valid chain of `generation`, and lays it out.
td::Chain GenerateChain(const td::Generation& generation, ChoiceStream& choices);

// Draws a task that writes the seven blocks of version 7 in the order of real files. It has a
// coefficient base for each of 16 lanes. All values are zero except those that `choices` draws.
td::Task GenerateWholeV7Task(ChoiceStream& choices);

extern const DescriptorGenerator kGenerator_td;

}  // namespace anecheck
