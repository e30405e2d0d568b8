// Whether a dispatch descriptor and a hardware container belong together: the same ports with the
// same sizes and apertures, and the same procedures. Used by `anecheck inspect --verify A.e5 B.hwx`
// and by the generator of pairs.
//
// The two files correspond to one network (specification 000, A decoded program), and each names
// the ports and procedures of the other. No source says how they hang from the descriptor (e5.fbs),
// so every rule of a pair is assumed: it warns and never rejects.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/format.h"
#include "harness/formats/hwx/container.h"

namespace anecheck::pair {

std::span<const Rule> Rules();

// The two files of a pair; the container outlives it.
struct Pair {
  e5::Program program;
  const hwx::Container* container = nullptr;
};
// Errors: those of e5::Parse, with "descriptor" before them.
Result<Pair> Join(ByteSpan descriptor, const hwx::Container& container);

// Every broken rule. Offsets are those of the container, of the record that disagrees or, where it
// lacks one, of the first record of that kind; messages begin with the rule's id.
std::vector<Violation> Verify(const Pair& pair);
// The same for files that were not read yet. Errors: those of the two parsers, with the name of the
// part before them.
Result<std::vector<Violation>> Verify(ByteSpan descriptor, ByteSpan container);

// False where the descriptor shows nothing to compare by, so that neither verdict holds.
bool IsComparable(std::span<const Violation> violations);

// The values by which the two files were compared, one line each.
std::string Print(const Pair& pair);

// The tensor that a port's name stands for: "t5" of "t5_ane@output". The container of specification
// 000 names its ports so beside the stabs t0 and t5; real containers have the bare name too.
std::string_view TensorName(std::string_view port);

}  // namespace anecheck::pair
