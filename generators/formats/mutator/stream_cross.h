// Crossovers of choice streams. Internal to the structured mutator.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// Makes the same draws as the consumer of the bytes, with no other effect.
using StreamReader = void (*)(ChoiceStream& choices);

// A child of two choice streams: the beginning of `a` and the rest of `b`, or `a` with a run of
// draws replaced by a run of draws of `b`. Both are cut between draws that have the same bound.
// Makes a few such children. Returns the one with the largest share of draws before the first draw
// whose bound differs from its bound in the parent. At most `max_size` bytes; empty if one of the
// streams is empty, or no draws of both have the same bound.
Bytes CrossStreams(StreamReader draw, ByteSpan a, ByteSpan b, size_t max_size,
                   ChoiceStream& choices);

}  // namespace anecheck
