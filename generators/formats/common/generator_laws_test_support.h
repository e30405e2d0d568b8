// Test functions for the laws of a format and its generator. Valid files break no rule and round
// trip. Each mutation replays from its data. Each must-reject mutation breaks exactly the named
// rule. On damaged bytes every function of the format returns. Tests of generators/formats use
// these functions.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck::testing {

// For `seeds` generated files: the file parses and can be printed. It violates no rule except rules
// named "...-open". Rewriting the file and converting it to JSON and back give the same bytes.
void ExpectValidFiles(const Format& format, const DescriptorGenerator& generator, int seeds);

// For each mutation kind that applies, over `seeds` files: applying the mutation's data twice
// yields the same bytes, which differ from the file. If the mutation names a rule, verify reports
// only that rule, with an offset, or parsing fails with the rule's name. Each kind must apply to at
// least one file.
void ExpectMutationsKeepTheirPromises(const Format& format, const DescriptorGenerator& generator,
                                      int seeds);

// Every rule of the format is broken by some mutation kind.
void ExpectEveryRuleIsBroken(const Format& format, const DescriptorGenerator& generator);

// Every truncation of `bytes`, and every byte set to 0, 0xff and its complement (each `stride`th
// byte): all functions of the format return, and a file that parses round trips.
void ExpectHarmlessDamage(const Format& format, ByteSpan bytes, size_t stride = 1);

// Replaces each scalar of the JSON form by other values, and adds a surplus member to objects.
// Expects that from_json fails only by an Error, and that the messages of from_json and verify have
// a limited length.
void ExpectHarmlessJson(const Format& format, ByteSpan bytes);

}  // namespace anecheck::testing
