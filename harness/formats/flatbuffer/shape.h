// Checks the shape of a FlatBuffer against a Schema. If the shape is valid, every offset, vtable,
// vector and string that the schema reaches is inside the bytes. Every format of this project that
// is a FlatBuffer makes this check before any other access.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

// The position of a FlatBuffer in its file.
struct BufferFrame {
  uint64_t base = 0;             // absolute offset of bytes[0]; alignment counts from bytes[0]
  uint32_t start = 0;            // position of the root offset in the bytes; 4 after a size prefix
  bool check_identifier = true;  // the schema's identifier must follow the root offset
};

// The reason that a shape is invalid. The verifier of the FlatBuffers library has the reasons of
// the first group too (flatbuffers 2.0.8, verifier.h). It lacks the second group.
enum class ShapeCheck : uint8_t {
  kRange,       // an offset, vector or string extends beyond the bytes
  kAlignment,   // a scalar or offset is not aligned to its size
  kVTable,      // a vtable has an odd size
  kTerminator,  // a string has no zero byte after it
  kRequired,    // a required field is absent
  kIdentifier,  // the file identifier differs from the schema's
  kDepth,       // more than 64 nested tables, or more than a million tables
  // Only this check:
  kFieldOutsideTable,  // the library would read bytes of another object
  kTableSize,          // a vtable of less than 4 bytes, or a table that extends beyond the bytes
  kWork,               // sharing of objects makes a traversal visit a multiple of the file's size
  kUnionShape,         // an unknown union member does not refer to a table
};
bool IsStricterThanLibrary(ShapeCheck check);

struct ShapeError {
  ShapeCheck check = ShapeCheck::kRange;
  Error error;  // has the absolute offset and the path of the field
};

inline constexpr uint32_t kMaxDepth = 64;          // as the library's default
inline constexpr uint32_t kMaxTables = 1'000'000;  // as the library's default

// Returns the first error, or nothing if the shape is valid. The time is O(bytes.size()), and
// nothing is allocated unless there is an error. Refuses buffers of 2 GiB and more. Sets
// `*may_overlap` if the sum of the sizes of the objects exceeds the size of the buffer, because
// Decode may then refuse the file. It stays false for a valid file without shared objects.
std::optional<ShapeError> CheckShape(const Schema& schema, ByteSpan bytes,
                                     const BufferFrame& frame = {}, bool* may_overlap = nullptr);
// Like CheckShape, but with another root table than the schema's. It does not check the identifier.
std::optional<ShapeError> CheckShapeFromTable(const Schema& schema, int16_t root_table,
                                              ByteSpan bytes, const BufferFrame& frame);

}  // namespace anecheck::flatbuffer
