// Makes object tables of binary property lists as other writers may make them from given values.
// Used by the netlist generator and the fuzz target of binary network descriptions.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/plist/binary.h"

namespace anecheck {

// The values of `root` as another writer may lay them out: numbers, counts, offsets and references
// wider than they need, ASCII as UTF-16, and objects of each kind that nothing refers to.
plist::BinaryTable GenerateOtherTable(const tree::Value& root, ChoiceStream& choices);

}  // namespace anecheck
