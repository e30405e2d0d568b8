// Reads MIL values. These functions follow names to constants and convert literals to integers,
// halves and bytes. Used by the lowering of MIL to graphs, by the rules and by the simulated
// engine's compiler.
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

// Returns the value of the argument or attribute `name`, or nothing. Takes linear time.
std::optional<ValueView> FindValue(Sequence<ArgumentView> arguments, std::string_view name);

// Returns the value of a `const` statement: its attribute or argument `val`, or its only positional
// argument (the form const(int32(1)) of the public primer). Returns nothing for other operations.
std::optional<ValueView> ConstantValue(StatementView statement);

// Follows names through const statements to a literal or a tuple. Returns a literal or a tuple
// unchanged, and nothing if a name is a parameter or the result of another operation.
std::optional<ValueView> FollowConstant(ValueView value);

// Returns the members of a tuple (values = (a, b)) or the one value (x = a). Follows no names.
std::vector<ValueView> TupleOrOne(ValueView value);

// Returns whether the value of a tensor with several axes is one flat list, as in tensor<fp16, [1,
// 2]>([3, 4]). Some hand-written programs for engines have such lists (github
// joshuaswarren/mil-hwx-compiler, research, with [1, 1, 1, 1]). Core ML does not write them.
bool IsFlatList(TableSlice<Dimension> axes, ValueView value);

// All functions below take a typed literal, type(value), as FollowConstant returns it. The
// functions for integers, bools, strings and a single float also take a value or a list without a
// type, as in axes = [1], because published programs have such attributes (github
// joshuaswarren/mil-hwx-compiler, research). They accept a float without a type only if fp16
// represents it exactly. A tensor has one level of lists for each axis or one flat list (rule
// literal-shape of verify.cc). Errors: kInvalid, with the literal's offset, if the literal has
// another kind or shape, or a value is out of the type's range.

// Reads a tensor of any integer type and any rank, in row-major order.
Result<std::vector<int64_t>> ReadIntegers(ValueView literal);
// Reads exactly one element.
Result<int64_t> ReadInteger(ValueView literal);
Result<bool> ReadBool(ValueView literal);
Result<std::vector<bool>> ReadBools(ValueView literal);
// Returns the string with its escapes decoded.
Result<std::string> ReadString(ValueView literal);
// Returns one element of fp16, fp32 or fp64. The conversion to double is exact.
Result<double> ReadFloat(ValueView literal);

// Returns all elements in row-major order and little endian. A bool and an element narrower than a
// byte take one byte each. ToHalf reads fp16 elements, so each is rounded once. Refuses strings and
// BLOBFILE.
Result<std::vector<uint8_t>> ReadElements(ValueView literal);
// Like ReadElements, for a value without its own type, such as a member of a list, tuple or dict.
Result<std::vector<uint8_t>> ReadElementsAs(ValueView value, DataType type);

// Returns whether a leaf (a number, true, false or a string) is a value of `type`. A number must be
// in range, but bf16 and fp8 types accept any number. No leaf is a value of kOther.
bool IsElementOf(ValueView leaf, DataType type);

// The location of a constant in a weight side file.
struct BlobReference {
  std::string path;     // as written, for example "@model_path/weights/weight.bin"
  uint64_t offset = 0;  // offset of the blob's record
};
// Returns nothing if the literal is not type(BLOBFILE(...)). Errors: kInvalid if it is malformed.
Result<std::optional<BlobReference>> ReadBlobReference(ValueView literal);

// Returns the product of the dimensions, or 1 if there are no dimensions. Returns nothing if a
// dimension is unknown or negative, or if the product exceeds 2^62.
std::optional<uint64_t> ElementCount(TypeView type);

}  // namespace anecheck::mil
