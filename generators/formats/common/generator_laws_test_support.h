// The laws that every format and its generator obey, as test functions: valid files verify and
// round trip, each mutation replays from its data, the must-reject set breaks exactly the named
// rule, and damaged bytes never do harm. Tests of generators/formats use them.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck::testing {

// For `seeds` generated files: the file parses, violates no rule except those named "...-open",
// keeps its bytes through rewrite and through JSON, and can be printed.
void ExpectValidFiles(const Format& format, const DescriptorGenerator& generator, int seeds);

// For each mutation kind that applies, over `seeds` files: applying its data twice yields the same
// bytes, which differ from the file. If it names a rule, verify reports that rule alone, with an
// offset, or parsing fails with the rule's name. Each kind must apply to at least one file.
void ExpectMutationsKeepTheirPromises(const Format& format, const DescriptorGenerator& generator,
                                      int seeds);

// Every rule of the format is broken by some mutation kind.
void ExpectEveryRuleIsBroken(const Format& format, const DescriptorGenerator& generator);

// Every truncation of `bytes`, and every byte set to 0, 0xff and its complement (each `stride`th
// byte): all functions of the format return, and a file that parses round trips.
void ExpectHarmlessDamage(const Format& format, ByteSpan bytes, size_t stride = 1);

// Any scalar of the JSON replaced by other values, and objects with a surplus member: from_json
// fails only by an Error, and the messages of from_json and verify stay within bounds.
void ExpectHarmlessJson(const Format& format, ByteSpan bytes);

}  // namespace anecheck::testing
