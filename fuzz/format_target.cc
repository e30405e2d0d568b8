// The fuzz target of a format. This file is compiled once for each format of formats.def, with
// ANECHECK_FUZZ_FORMAT set to the format's name. ANECHECK_FUZZ_GENERATOR is set if the format has a
// generator.
#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"

#define ANECHECK_FUZZ_JOIN_INNER(a, b) a##b
#define ANECHECK_FUZZ_JOIN(a, b) ANECHECK_FUZZ_JOIN_INNER(a, b)
#define ANECHECK_FUZZ_TEXT_INNER(a) #a
#define ANECHECK_FUZZ_TEXT(a) ANECHECK_FUZZ_TEXT_INNER(a)
#define ANECHECK_FUZZ_THIS_FORMAT ANECHECK_FUZZ_JOIN(kFormat_, ANECHECK_FUZZ_FORMAT)
#define ANECHECK_FUZZ_THIS_GENERATOR ANECHECK_FUZZ_JOIN(kGenerator_, ANECHECK_FUZZ_FORMAT)

namespace anecheck {

extern const Format ANECHECK_FUZZ_THIS_FORMAT;
#ifdef ANECHECK_FUZZ_GENERATOR
extern const DescriptorGenerator ANECHECK_FUZZ_THIS_GENERATOR;
#endif

namespace fuzz {
namespace {

bool Check(ByteSpan input) {
  CheckFormatLaws(ANECHECK_FUZZ_THIS_FORMAT, input);
  return true;
}

}  // namespace

extern const FuzzTarget ANECHECK_FUZZ_JOIN(kTarget_, ANECHECK_FUZZ_FORMAT);
const FuzzTarget ANECHECK_FUZZ_JOIN(kTarget_, ANECHECK_FUZZ_FORMAT) = {
    .name = ANECHECK_FUZZ_TEXT(ANECHECK_FUZZ_FORMAT),
    .check = Check,
    .laws = kFormatLaws,
    .words = words::ANECHECK_FUZZ_FORMAT,
    .format = &ANECHECK_FUZZ_THIS_FORMAT,
#ifdef ANECHECK_FUZZ_GENERATOR
    .generator = &ANECHECK_FUZZ_THIS_GENERATOR,
#endif
};

}  // namespace fuzz
}  // namespace anecheck
