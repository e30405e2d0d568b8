// Crossovers of choice streams. Internal to the structured mutator.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// Makes the same draws as the consumer of the stream, and has no other effect.
using StreamReader = void (*)(ChoiceStream& choices);

// Makes a child of two choice streams. The child is the beginning of `a` followed by the rest of
// `b`, or it is `a` with a run of draws replaced by a run of draws of `b`. The parents are cut at
// draws that have the same bound. The function makes a few children and rates each by its first
// draw whose bound differs from the bound in the parent. It returns the child with the largest
// share of draws before that draw. The child has at most `max_size` bytes. It is empty if one of
// the streams is empty, or if no draws of the two have the same bound.
Bytes CrossStreams(StreamReader draw, ByteSpan a, ByteSpan b, size_t max_size,
                   ChoiceStream& choices);

}  // namespace anecheck
