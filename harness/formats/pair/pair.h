// Checks whether a dispatch descriptor and a hardware container belong together. They must have the
// same ports with the same sizes and apertures, and the same procedures. Used by `anecheck inspect
// --verify A.e5 B.hwx` and by the generator of pairs.
//
// The two files are made from one network (specification 000, A decoded program), and both name its
// ports and procedures. No source states which objects of a descriptor refer to its ports and
// procedures (e5.fbs). So every rule of a pair is assumed, and its violations are warnings.
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

// Returns the violations. An offset is that of the record in the container that disagrees, or of
// the first record of its kind if the container lacks the record. Messages begin with the rule's
// id.
std::vector<Violation> Verify(const Pair& pair);
// Parses both files and returns the violations. Errors: those of the parsers, after the part's
// name.
Result<std::vector<Violation>> Verify(ByteSpan descriptor, ByteSpan container);

// Returns false if the violations show that the descriptor has nothing to compare.
bool IsComparable(std::span<const Violation> violations);

// Returns a text with the values that were compared, one line each.
std::string Print(const Pair& pair);

// Returns the tensor in a port's name, for example "t5" for "t5_ane@output". The container of
// specification 000 has such port names and the stabs t0 and t5. In real containers some ports have
// the same name as the tensor.
std::string_view TensorName(std::string_view port);

}  // namespace anecheck::pair
