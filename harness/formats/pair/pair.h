// Checks whether a dispatch descriptor and a hardware container belong together: they have the same
// ports with the same sizes and apertures, and the same procedures. Used by `anecheck inspect
// --verify A.e5 B.hwx` and by the generator of pairs.
//
// The two files correspond to one network (specification 000, A decoded program), and each names
// the ports and procedures of the other. No source states which objects of a descriptor refer to
// its ports and procedures (e5.fbs), so every rule of a pair is assumed: it warns and never
// rejects.
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

// The two files of a pair. The container must outlive the Pair.
struct Pair {
  e5::Program program;
  const hwx::Container* container = nullptr;
};
// Errors: those of e5::Parse, prefixed with "descriptor".
Result<Pair> Join(ByteSpan descriptor, const hwx::Container& container);

// Every broken rule. An offset is the place in the container of the record that disagrees, or of
// the first record of its kind if the container lacks the record. Messages begin with the rule's
// id.
std::vector<Violation> Verify(const Pair& pair);
// Every broken rule of two files that are given as bytes. Errors: those of the two parsers,
// prefixed with the name of the part.
Result<std::vector<Violation>> Verify(ByteSpan descriptor, ByteSpan container);

// False if the descriptor has nothing to compare, so that there is no verdict.
bool IsComparable(std::span<const Violation> violations);

// The values by which the two files were compared, one line each.
std::string Print(const Pair& pair);

// The tensor in a port's name, for example "t5" for "t5_ane@output". The container of specification
// 000 has such port names and the stabs t0 and t5; real containers also have ports that are named
// like the tensor.
std::string_view TensorName(std::string_view port);

}  // namespace anecheck::pair
