// The laws that every format and its generator obey, as test functions: valid files verify and
// round trip, each mutation replays from its data, the must-reject set breaks exactly the named
// rule, and damaged bytes never do harm. Tests of generators/formats use them.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck::testing {

// For `seeds` generated files: parse, no violation but of rules named "...-open", the same bytes
// through rewrite and through JSON, and a print.
void ExpectValidFiles(const Format& format, const DescriptorGenerator& generator, int seeds);

// For each mutation kind over `seeds` files: where it applies, applying its data twice gives the
// same bytes, which differ from the file; where it names a rule, verify reports that rule alone (or
// fails to parse with its name), with an offset. Each kind must apply to one file at least.
void ExpectMutationsKeepTheirPromises(const Format& format, const DescriptorGenerator& generator,
                                      int seeds);

// Every rule of the format is broken by some mutation kind.
void ExpectEveryRuleIsBroken(const Format& format, const DescriptorGenerator& generator);

// Every truncation of `bytes`, and every byte set to 0, 0xff and its complement (each `stride`th
// byte): all functions of the format return, and a file that parses round trips.
void ExpectHarmlessDamage(const Format& format, ByteSpan bytes, size_t stride = 1);

// Any scalar of the JSON replaced by other values, and objects with a member more: from_json never
// fails other than by an Error, and its messages and those of verify stay within bounds.
void ExpectHarmlessJson(const Format& format, ByteSpan bytes);

}  // namespace anecheck::testing
