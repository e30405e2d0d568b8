// The meaning of a MIL value. These functions follow names to constants and turn literals into
// integers, halves and bytes. Used where MIL is lowered to graphs, by the rules and by the
// simulated engine's compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/result.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// The value of the argument or attribute of that name, or nothing. The time is linear in the number
// of arguments.
std::optional<ValueView> FindValue(Sequence<ArgumentView> arguments, std::string_view name);

// The value of a `const` statement: its attribute or argument `val`, or its only positional
// argument (the form const(int32(1)) of the public primer). Nothing for other operations.
std::optional<ValueView> ConstantValue(StatementView statement);

// Follows names through const statements to a literal; a literal is its own constant, and so is a
// tuple. Nothing if a name is a parameter or the result of another operation.
std::optional<ValueView> FollowConstant(ValueView value);

// A tuple's values or the one value itself, as written (values = (a, b), or x = a).
std::vector<ValueView> TupleOrOne(ValueView value);

// Whether the value of a tensor is one flat list, tensor<fp16, [1, 2]>([3, 4]), although it has
// several axes. Some programs that people write for engines have such lists (github
// joshuaswarren/mil-hwx-compiler, research, with [1, 1, 1, 1]); Core ML writes none.
bool IsFlatList(TableSlice<Dimension> axes, ValueView value);

// All functions below take a typed literal, type(value), as FollowConstant returns it. The
// functions for integers, bools, strings and a single float also take a value or a list without a
// type, as in axes = [1], because published programs write attributes so (github
// joshuaswarren/mil-hwx-compiler, research). They take such a float only if fp16 holds it exactly.
// A tensor has one level of lists for each axis or one flat list (rule literal-shape of verify.cc).
// Errors: kInvalid, with the literal's offset, if it is of another kind or shape, or out of the
// type's range.

// Any integer type, rank 0 or more, in row-major order.
Result<std::vector<int64_t>> ReadIntegers(ValueView literal);
// Exactly one element.
Result<int64_t> ReadInteger(ValueView literal);
Result<bool> ReadBool(ValueView literal);
Result<std::vector<bool>> ReadBools(ValueView literal);
// The string with its escapes decoded.
Result<std::string> ReadString(ValueView literal);
// One element of fp16, fp32 or fp64, as a double, which is exact.
Result<double> ReadFloat(ValueView literal);

// All elements little endian in row-major order; types narrower than a byte and bool take one byte
// per element. fp16 elements are read by ToHalf, so each is rounded once. Refuses strings and
// BLOBFILE.
Result<std::vector<uint8_t>> ReadElements(ValueView literal);
// ReadElements for a value without its own type: a member of a list, tuple or dict.
Result<std::vector<uint8_t>> ReadElementsAs(ValueView value, DataType type);

// Whether a leaf spells a value of `type`: numbers in range, true and false, strings. Any number is
// a value of bf16 and of fp8 types; nothing is a value of kOther.
bool IsElementOf(ValueView leaf, DataType type);

// The place of a constant in a weight side file.
struct BlobReference {
  std::string path;     // as written, for example "@model_path/weights/weight.bin"
  uint64_t offset = 0;  // the place of the blob's record
};
// Nothing if the literal is not type(BLOBFILE(...)). Errors: kInvalid if it is one, but malformed.
Result<std::optional<BlobReference>> ReadBlobReference(ValueView literal);

// The product of the dimensions, or 1 if there are no dimensions. Nothing if a dimension is unknown
// or negative, or if the product exceeds 2^62.
std::optional<uint64_t> ElementCount(TypeView type);

}  // namespace anecheck::mil
