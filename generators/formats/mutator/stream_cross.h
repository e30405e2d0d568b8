// Crossovers of choice streams. Internal to the structured mutator.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// Makes the draws of whatever the bytes are read as, and nothing else.
using StreamReader = void (*)(ChoiceStream& choices);

// A child of two choice streams: `a`, and from one of its draws on the rest of `b`, or a run of the
// draws of `b` in place of a run of its own. Both are cut between draws, where `draw` asked for a
// number of the same bound, and of a few such children one is taken whose parts are read as they
// were read in the parents, where there is one. At most `max_size` bytes; empty where one of the
// streams is, or no draw of both has the same bound.
Bytes CrossStreams(StreamReader draw, ByteSpan a, ByteSpan b, size_t max_size,
                   ChoiceStream& choices);

}  // namespace anecheck
