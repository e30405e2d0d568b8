// Test functions for the laws of a format and its generator. Valid files break no rule and round
// trip. Each mutation replays from its data. Each must-reject mutation breaks exactly the named
// rule. On damaged bytes every function of the format returns. Tests of generators/formats use
// these functions.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck::testing {

// Expects that `seeds` generated files parse, can be printed, and violate no rule except rules
// named "...-open". Rewriting and converting to JSON and back must give the same bytes.
void ExpectValidFiles(const Format& format, const DescriptorGenerator& generator, int seeds);

// Checks every mutation kind on `seeds` files. Two applications of a mutation must give the same
// bytes, and these must differ from the file. If the mutation names a rule, verify must report only
// that rule, with an offset, or parsing must fail with the rule's name. Each kind must apply to at
// least one file.
void ExpectMutationsKeepTheirPromises(const Format& format, const DescriptorGenerator& generator,
                                      int seeds);

// Expects that for every rule of the format some mutation kind breaks the rule.
void ExpectEveryRuleIsBroken(const Format& format, const DescriptorGenerator& generator);

// Damages `bytes` by every truncation, and by setting each `stride`th byte to 0, 0xff and its
// complement. All functions of the format must return. Files that parse must round trip.
void ExpectHarmlessDamage(const Format& format, ByteSpan bytes, size_t stride = 1);

// Replaces each scalar of the JSON form by other values, and adds an extra member to objects.
// Expects that from_json reports failures only as an Error, and that the messages of from_json and
// verify have a limited length.
void ExpectHarmlessJson(const Format& format, ByteSpan bytes);

}  // namespace anecheck::testing
