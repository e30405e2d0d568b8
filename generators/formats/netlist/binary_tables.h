// Makes object tables of binary property lists in the layouts of other writers. Used by the netlist
// generator and the fuzz target of binary network descriptions.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/plist/binary.h"

namespace anecheck {

// Makes a table of the values of `root` as another writer may lay them out. Numbers, counts,
// offsets and references may be wider than necessary. ASCII text may be UTF-16. The table may
// contain objects of any kind to which no other object refers.
plist::BinaryTable GenerateOtherTable(const tree::Value& root, ChoiceStream& choices);

}  // namespace anecheck
